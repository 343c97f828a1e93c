package config_test

import (
	"strings"
	"testing"

	"freelancer-matching/internal/config"
)

func TestPublic(t *testing.T) {
	for _, tt := range []struct{ addr, public, want string }{
		{"127.0.0.1:8080", "", "http://127.0.0.1:8080"},
		{":8080", "", "http://localhost:8080"},
		{"0.0.0.0:80", "", "http://localhost:80"},
		{"[::]:80", "", "http://localhost:80"},
		{"[::1]:80", "", "http://[::1]:80"},
		{"match.internal:80", "", "http://match.internal:80"},
		{":8080", "https://match.example.com", "https://match.example.com"},
		{":8080", "https://match.example.com:8443/", "https://match.example.com:8443"},
	} {
		c := config.Default()
		c.Addr, c.PublicURL = tt.addr, tt.public
		if err := c.Validate(); err != nil {
			t.Error(err)
		}
		if got := c.Public().String(); got != tt.want {
			t.Errorf("addr %s, public-url %q: got %s, want %s", tt.addr, tt.public, got, tt.want)
		}
	}
}

func TestProxies(t *testing.T) {
	c := config.Default()
	c.TrustedProxies = []string{"10.1.2.3/8", "192.0.2.7", "2001:db8::1"}
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range c.Proxies() {
		got = append(got, p.String())
	}
	if want := "10.0.0.0/8 192.0.2.7/32 2001:db8::1/128"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

func TestValidate_Access(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*config.Config)
		want   string // in the error
	}{
		{"a path", func(c *config.Config) { c.PublicURL = "https://example.com/matching" }, "public-url"},
		{"no scheme", func(c *config.Config) { c.PublicURL = "example.com" }, "public-url"},
		{"another scheme", func(c *config.Config) { c.PublicURL = "ftp://example.com" }, "public-url"},
		{"a user", func(c *config.Config) { c.PublicURL = "https://me@example.com" }, "public-url"},
		{"a proxy that is none", func(c *config.Config) { c.TrustedProxies = []string{"10.0.0.0/8", "nginx"} }, `"nginx"`},
		{"sign-up", func(c *config.Config) { c.SignUp = "everyone" }, "open, invitation or closed"},
		{"metrics", func(c *config.Config) { c.MetricsAddr = "9090" }, "metrics-addr"},
		{"a password without database", func(c *config.Config) { c.Database.Password = "x" }, "database-url"},
		{"a password without Redis", func(c *config.Config) { c.Quota.RedisPassword = "x" }, "redis-url"},
		{"a demo on a database", func(c *config.Config) { c.Demo, c.Database.URL = true, "postgres://db/x" }, "demo"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := config.Default()
			tt.change(&c)
			if err := c.Validate(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
}
