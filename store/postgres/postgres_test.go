package postgres

import (
	"strings"
	"testing"
	"time"
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
			config, err := parse(tt.address, tt.password)
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

func TestParse_KeepsOptionsOfTheURL(t *testing.T) {
	config, err := parse("postgres://me@db/service?connect_timeout=2&statement_timeout=123&search_path=mine", "")
	if err != nil {
		t.Fatal(err)
	}
	if config.ConnectTimeout != 2*time.Second || config.RuntimeParams["statement_timeout"] != "123" ||
		config.RuntimeParams["search_path"] != "mine" {
		t.Errorf("connect timeout %v, parameters %v; want those of the URL", config.ConnectTimeout, config.RuntimeParams)
	}
}

func TestWithoutDiskSync(t *testing.T) {
	config, err := parse("postgres://me@db/service", "")
	if err != nil {
		t.Fatal(err)
	}
	if got := withoutDiskSync(config).RuntimeParams["synchronous_commit"]; got != "off" {
		t.Errorf("synchronous_commit is %q, want off", got)
	}
	if got, given := config.RuntimeParams["synchronous_commit"]; given {
		t.Errorf("the original configuration has synchronous_commit %q, want the default", got)
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
		_, err := parse("postgres://me:"+before+secret+"@"+after, secret)
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("the error contains the password: %v", err)
		}
	})
}
