package pgurl

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	tests := []struct {
		name, address, password string
		wantPassword            string
		wantError               string // part of the error
	}{
		{name: "no password", address: "postgres://me@db:5433/service?passfile=/none"},
		{name: "password in the URL", address: "postgresql://me:p%40ss@db/service", wantPassword: "p@ss"},
		{name: "separate password", address: "postgres://me@db/service", password: "s3cret", wantPassword: "s3cret"},
		{name: "both", address: "postgres://me:other@db/service", password: "s3cret", wantPassword: "s3cret"},
		{name: "password in the options", address: "postgres://me@db/service?Password=s3cret", wantError: "separately"},
		{name: "password of a TLS key", address: "postgres://me@db/service?sslpassword=s3cret", wantError: "separately"},
		{name: "another scheme", address: "mysql://me:s3cret@db/service", wantError: "must be like"},
		{name: "not a URL", address: "host=db password=s3cret", wantError: "must be like"},
		{name: "invalid port", address: "postgres://me:s3cret@db:port/service", wantError: "must be like"},
		{name: "invalid escape", address: "postgres://me:s3cret%zz@db/service", wantError: "must be like"},
		{name: "invalid option", address: "postgres://me:s3cret@db/service?sslmode=maybe", wantError: "sslmode"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("PGPASSWORD", "")
			config, err := Parse(tt.address, tt.password)
			if tt.wantError != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wantError) || strings.Contains(err.Error(), "s3cret") {
					t.Errorf("error %v, want %q without the password", err, tt.wantError)
				}
				return
			}

			if err != nil {
				t.Fatal(err)
			}

			if config.Password != tt.wantPassword {
				t.Errorf("password %q, want %q", config.Password, tt.wantPassword)
			}

			if config.User != "me" || config.Database != "service" || config.Host != "db" {
				t.Errorf("user %s, database %s, host %s", config.User, config.Database, config.Host)
			}
		})
	}
}

// The certificate of a database on another host is verified, unless the operator says otherwise.
func TestParse_TLS(t *testing.T) {
	tests := []struct {
		name, address, environment string
		verified, plain            bool // whether a connection is verified; whether one without TLS is allowed
	}{
		{"another host", "postgres://me@db.example/service", "", true, false},
		{"with other options", "postgres://me@db.example/service?connect_timeout=2", "", true, false},
		{"another address", "postgres://me@192.0.2.7:5433/service", "", true, false},
		{"host in the options", "postgres:///service?host=db.example", "", true, false},
		{"two hosts, one of them here", "postgres://me@localhost,db.example/service", "", true, false},
		{"loopback", "postgres://me@127.0.0.1/service", "", false, true},
		{"IPv6 loopback", "postgres://me@[::1]/service", "", false, true},
		{"localhost", "postgres://me@LocalHost/service", "", false, true},
		{"socket", "postgres:///service?host=/run/postgresql", "", false, true},
		{"mode in the URL", "postgres://me@db.example/service?sslmode=disable", "", false, true},
		{"required without verification", "postgres://me@db.example/service?sslmode=require", "", false, false},
		{"ssl in the URL", "postgres://me@db.example/service?ssl=true", "", false, false},
		{"mode in the environment", "postgres://me@db.example/service", "prefer", false, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("PGSSLMODE", tt.environment)
			config, err := Parse(tt.address, "")
			if err != nil {
				t.Fatal(err)
			}

			verified := config.TLSConfig != nil && !config.TLSConfig.InsecureSkipVerify && config.TLSConfig.ServerName != ""
			plain := config.TLSConfig == nil
			for _, f := range config.Fallbacks {
				verified = verified && f.TLSConfig != nil && !f.TLSConfig.InsecureSkipVerify
				plain = plain || f.TLSConfig == nil
			}

			if verified != tt.verified || plain != tt.plain {
				t.Errorf("verified: %t, want %t; without TLS: %t, want %t", verified, tt.verified, plain, tt.plain)
			}
		})
	}
}

// Whatever the URL, errors do not contain its password.
func FuzzParse_HidesThePassword(f *testing.F) {
	f.Add("", "db/service")
	f.Add("%zz", "db:port/service?sslmode=x")
	f.Add(":", "host@db/service?host=a,b&port=x")
	f.Fuzz(func(t *testing.T, before, after string) {
		const secret = "s3cret-s3cret"
		if strings.ContainsAny(before, "/?#") {
			return // the secret is a part of the path or an option instead
		}
		_, err := Parse("postgres://me:"+before+secret+"@"+after, secret)
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("the error contains the password: %v", err)
		}
	})
}
