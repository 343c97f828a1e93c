package postgres

import (
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	tests := []struct {
		name, address, apart string
		wantPassword, want   string // an error with this text
	}{
		{name: "no password", address: "postgres://me@db:5433/service?passfile=/none"},
		{name: "a password in the URL", address: "postgresql://me:p%40ss@db/service", wantPassword: "p@ss"},
		{name: "a password apart", address: "postgres://me@db/service", apart: "s3cret", wantPassword: "s3cret"},
		{name: "both: that apart", address: "postgres://me:other@db/service", apart: "s3cret", wantPassword: "s3cret"},
		{name: "a password among the options", address: "postgres://me@db/service?Password=s3cret", want: "give it apart"},
		{name: "a password of a TLS key", address: "postgres://me@db/service?sslpassword=s3cret", want: "give it apart"},
		{name: "another scheme", address: "mysql://me:s3cret@db/service", want: "must be a URL such as"},
		{name: "no URL", address: "host=db password=s3cret", want: "must be a URL such as"},
		{name: "a broken URL", address: "postgres://me:s3cret@db:port/service", want: "must be a URL such as"},
		{name: "a broken escape", address: "postgres://me:s3cret%zz@db/service", want: "must be a URL such as"},
		{name: "a wrong option", address: "postgres://me:s3cret@db/service?sslmode=maybe", apart: "s3cret", want: "sslmode"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("PGPASSWORD", "")
			config, err := parse(tt.address, tt.apart)
			if tt.want != "" {
				if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "s3cret") {
					t.Errorf("got error %v, want one with %q and without a password", err, tt.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if config.Password != tt.wantPassword || config.User != "me" || config.Database != "service" || config.Host != "db" {
				t.Errorf("got %s at %s, %s, password %q", config.User, config.Host, config.Database, config.Password)
			}
		})
	}
}

func TestParse_KeepsWhatTheURLSays(t *testing.T) {
	config, err := parse("postgres://me@db/service?connect_timeout=2&statement_timeout=123&search_path=mine", "")
	if err != nil {
		t.Fatal(err)
	}
	if config.ConnectTimeout != 2*time.Second || config.RuntimeParams["statement_timeout"] != "123" ||
		config.RuntimeParams["search_path"] != "mine" {
		t.Errorf("got %v, %v", config.ConnectTimeout, config.RuntimeParams)
	}
}

func TestCounting_DoesNotWaitForTheDisk(t *testing.T) {
	config, err := parse("postgres://me@db/service", "")
	if err != nil {
		t.Fatal(err)
	}
	if got := counting(config).RuntimeParams["synchronous_commit"]; got != "off" {
		t.Errorf("counting has synchronous_commit %q, want off", got)
	}
	if got, given := config.RuntimeParams["synchronous_commit"]; given {
		t.Errorf("all else has synchronous_commit %q, want what the database has", got)
	}
}

// Whatever is given as an address, an error does not show the password in it.
func FuzzParse(f *testing.F) {
	f.Add("", "db/service")
	f.Add("%zz", "db:port/service?sslmode=x")
	f.Add(":", "host@db/service?host=a,b&port=x")
	f.Fuzz(func(t *testing.T, before, after string) {
		const secret = "s3cret-s3cret"
		if strings.ContainsAny(before, "/?#") {
			return // the secret is no password then, but a part of a path or an option
		}
		if _, err := parse("postgres://me:"+before+secret+"@"+after, secret); err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("the error shows the password: %v", err)
		}
	})
}
