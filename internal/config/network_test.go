package config_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/internal/config"
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
		c.Addr = tt.addr
		c.PublicURL = tt.public
		if err := c.Validate(); err != nil {
			t.Error(err)
		}

		if got := c.Public().String(); got != tt.want {
			t.Errorf("addr %s, public-url %q: got %s, want %s", tt.addr, tt.public, got, tt.want)
		}
	}

	c := config.Default()
	c.Addr = ":8443"
	c.TLS = config.TLS{Cert: "cert.pem", Key: "key.pem"}
	if got, want := c.Public().String(), "https://localhost:8443"; got != want {
		t.Errorf("with a certificate: got %s, want %s", got, want)
	}
}

// A server that other machines can reach needs TLS, or the operator's consent.
func TestExposed(t *testing.T) {
	certificate := config.TLS{Cert: "cert.pem", Key: "key.pem"}
	tests := []struct {
		name    string
		config  config.Config
		exposed bool
	}{
		{"IPv4 loopback", config.Config{Addr: "127.0.0.1:8080"}, false},
		{"another loopback address", config.Config{Addr: "127.8.0.1:8080"}, false},
		{"IPv6 loopback", config.Config{Addr: "[::1]:8080"}, false},
		{"mapped loopback", config.Config{Addr: "[::ffff:127.0.0.1]:8080"}, false},
		{"localhost", config.Config{Addr: "Localhost:8080"}, false},
		{"every interface", config.Config{Addr: ":8080"}, true},
		{"every IPv4 interface", config.Config{Addr: "0.0.0.0:8080"}, true},
		{"every IPv6 interface", config.Config{Addr: "[::]:8080"}, true},
		{"private address", config.Config{Addr: "10.1.2.3:8080"}, true},
		{"link-local address", config.Config{Addr: "[fe80::1%eth0]:8080"}, true},
		{"host name", config.Config{Addr: "matching.internal:8080"}, true},
		{"demo", config.Config{Addr: ":8080", Demo: true}, true},
		{"plain proxy", config.Config{Addr: ":8080", PublicURL: "http://match.example.com"}, true},
		{"TLS proxy", config.Config{Addr: ":8080", PublicURL: "https://match.example.com"}, false},
		{"certificate", config.Config{Addr: ":8443", TLS: certificate}, false},
		{"accepted", config.Config{Addr: ":8080", InsecureHTTP: true}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.config.Exposed()
			if (err != nil) != tt.exposed {
				t.Fatalf("got %v, want an error: %t", err, tt.exposed)
			}

			if err == nil {
				return
			}

			for _, way := range []string{tt.config.Addr, "-tls-cert", "-tls-key", "-public-url https://", "-insecure-http"} {
				if !strings.Contains(err.Error(), way) {
					t.Errorf("%q does not name %s", err, way)
				}
			}
		})
	}
}

// The defaults let in nobody from another machine, and nobody without an invitation.
func TestDefault_IsSafe(t *testing.T) {
	c := config.Default()
	if err := c.Exposed(); err != nil || c.InsecureHTTP || c.SignUp != config.SignUpInvitation ||
		!strings.HasPrefix(c.Addr, "127.0.0.1:") {
		t.Errorf("addr %s, insecure-http %t, sign-up %s: %v", c.Addr, c.InsecureHTTP, c.SignUp, err)
	}
}

// Names that nobody configured are rejected; addresses and localhost can't be rebound.
func TestServesHost(t *testing.T) {
	c := config.Default()
	c.Addr = "matching.lan:8080"
	c.PublicURL = "https://Match.example.com:8443"
	c.Hosts = []string{"server", "API.internal."}
	tests := []struct {
		host          string
		served, named bool
	}{
		{"", true, false},
		{"127.0.0.1:8080", true, false},
		{"192.0.2.7", true, false},
		{"[::1]:8080", true, false},
		{"[fe80::1]", true, false},
		{"localhost:8080", true, false},
		{"LOCALHOST", true, false},
		{"matching.localhost", true, false},
		{"match.example.com", true, true},
		{"MATCH.example.com.:443", true, true},
		{"matching.lan:8080", true, true},
		{"server:8080", true, true},
		{"api.internal", true, true},
		{"evil.example", false, false},
		{"evil.example:8080", false, false},
		{"match.example.com.evil.example", false, false},
		{"localhost.evil.example", false, false},
		{"127.0.0.1.evil.example", false, false},
		{"example.com", false, false},
		{"a:b:c", false, false},
		{"evil.example:80:server", false, false},
	}
	for _, tt := range tests {
		if got := c.ServesHost(tt.host); got != tt.served {
			t.Errorf("ServesHost(%q) is %t, want %t", tt.host, got, tt.served)
		}
		if got := c.NamedHost(tt.host); got != tt.named {
			t.Errorf("NamedHost(%q) is %t, want %t", tt.host, got, tt.named)
		}
	}
}

// Connections to other hosts without TLS are found; those on this host need none.
func TestUnencrypted(t *testing.T) {
	c := config.Default()
	c.Database.URL = "postgres://db/matching?sslmode=disable"
	c.Quota.RedisURL = "redis://[::1]:6379/0"
	c.Elasticsearch.URLs = []string{"http://127.0.0.1:9200", "https://search.internal:9200"}
	c.Embeddings.URL = "http://localhost:11434/v1"
	c.LLM.URL = "https://models.example/v1"
	if got := c.Unencrypted(); len(got) > 0 {
		t.Errorf("got %v, want none", got)
	}
	c.Quota.RedisURL = "redis://cache:6379/0"
	c.Elasticsearch.URLs = append(c.Elasticsearch.URLs, "http://search2.internal:9200")
	c.Embeddings.URL = "http://192.0.2.7:11434/v1"
	c.LLM.URL = "http://models.internal/v1"
	want := "redis-url elasticsearch-url embeddings-url llm-url"
	if got := strings.Join(c.Unencrypted(), " "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Only servers that a load balancer may watch wait by default.
func TestDrain(t *testing.T) {
	tests := []struct {
		name   string
		change func(*config.Config)
		want   time.Duration
	}{
		{"loopback", func(*config.Config) {}, 0},
		{"reachable", func(c *config.Config) { c.Addr = ":8080" }, 5 * time.Second},
		{"public URL", func(c *config.Config) { c.PublicURL = "https://match.example.com" }, 5 * time.Second},
		{"proxy", func(c *config.Config) { c.TrustedProxies = []string{"127.0.0.1"} }, 5 * time.Second},
		{"chosen", func(c *config.Config) { c.DrainDelay = time.Minute }, time.Minute},
		{"none chosen", func(c *config.Config) { c.Addr, c.DrainDelay = ":8080", 0 }, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := config.Default()
			tt.change(&c)
			if got := c.Drain(); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
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

// Metrics are on loopback unless the operator names another address.
func TestMetricsListen(t *testing.T) {
	for _, tt := range []struct {
		addr, listen string
		exposed      bool
	}{
		{"", "", false},
		{":9090", "127.0.0.1:9090", false},
		{"127.0.0.1:9090", "127.0.0.1:9090", false},
		{"localhost:0", "localhost:0", false},
		{"[::1]:9090", "[::1]:9090", false},
		{"0.0.0.0:9090", "0.0.0.0:9090", true},
		{"[::]:9090", "[::]:9090", true},
		{"10.0.0.7:9090", "10.0.0.7:9090", true},
		{"metrics.internal:9090", "metrics.internal:9090", true},
	} {
		c := config.Default()
		c.MetricsAddr = tt.addr
		if got := c.MetricsListen(); got != tt.listen || c.MetricsExposed() != tt.exposed {
			t.Errorf("metrics-addr %q: listen on %q, exposed %t; want %q, %t", tt.addr, got, c.MetricsExposed(), tt.listen,
				tt.exposed)
		}
	}
}

func TestWebhooks(t *testing.T) {
	c := config.Default()
	c.WebhookAllow = []string{
		"Hooks.Internal", "10.1.2.3/8", "192.0.2.7", "localhost", "A.B:8443", "127.0.0.1:3000", "[::1]:80",
	}
	const want = "{[hooks.internal localhost a.b:8443] [10.0.0.0/8 192.0.2.7/32] [127.0.0.1:3000 [::1]:80]}"
	if got := fmt.Sprint(c.Webhooks()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
