package config

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// TLS names the files of the server's certificate. Without them, the server speaks plain HTTP.
type TLS struct {
	Cert string // PEM file with the certificate and its intermediates
	Key  string // PEM file with the private key
}

// On reports whether the server has a certificate.
func (t TLS) On() bool { return t.Cert != "" }

const (
	// AutomaticDrain lets Drain choose the delay.
	AutomaticDrain time.Duration = -1
	// drainDefault is longer than load balancers usually take to notice a failing /readyz.
	drainDefault = 5 * time.Second
)

// Drain returns how long the server keeps accepting requests after SIGTERM while /readyz fails. By default, a
// server that only programs on this machine can reach stops at once, because no load balancer has to notice.
func (c *Config) Drain() time.Duration {
	switch {
	case c.DrainDelay != AutomaticDrain:
		return c.DrainDelay
	case c.Test:
		return 0 // tests wait for its end, and no load balancer does
	case beyondLoopback(c.Addr) || c.PublicURL != "" || len(c.TrustedProxies) > 0:
		return drainDefault
	default:
		return 0
	}
}

// Public returns the URL at which people reach the dashboard. The configuration must be valid.
func (c *Config) Public() *url.URL {
	if u, err := url.Parse(c.PublicURL); err == nil && c.PublicURL != "" {
		return &url.URL{Scheme: u.Scheme, Host: u.Host}
	}
	host, port, err := net.SplitHostPort(c.Addr)
	ip, notIP := netip.ParseAddr(host)
	if everyInterface := host == "" || notIP == nil && ip.IsUnspecified(); err == nil && everyInterface {
		host = "localhost"
	}
	return &url.URL{Scheme: c.Scheme(), Host: net.JoinHostPort(host, port)}
}

// Scheme returns the scheme of the address that the server listens on.
func (c *Config) Scheme() string {
	if c.TLS.On() {
		return "https"
	}
	return "http"
}

// Exposed returns an error if API keys and passwords would reach the server unencrypted from other machines, and the
// operator has not accepted that.
func (c *Config) Exposed() error {
	if !beyondLoopback(c.Addr) || c.InsecureHTTP || c.Public().Scheme == "https" {
		return nil
	}
	if c.Test {
		return fmt.Errorf(`addr is %q, which other machines can reach, but everybody knows the API keys of test mode.
To accept connections from this machine only, use -addr 127.0.0.1:8080
In a container or on a network of tests, add -insecure-http`, c.Addr)
	}
	return fmt.Errorf(`addr is %q, which other machines can reach, but API keys and passwords would be sent unencrypted.
Choose one:
  -tls-cert FILE -tls-key FILE    serve https with your certificate
  -public-url https://HOST        a TLS proxy at HOST forwards requests to this server
  -insecure-http                  accept plain HTTP, on a network that you trust
To accept connections from this machine only, use -addr 127.0.0.1:8080`, c.Addr)
}

// MetricsListen returns the address of /metrics. Without a host, it is on loopback, unlike Addr: metrics describe the
// service's use, and nobody but the operator needs them.
func (c *Config) MetricsListen() string {
	if host, port, err := net.SplitHostPort(c.MetricsAddr); err == nil && host == "" {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return c.MetricsAddr
}

// MetricsExposed reports whether other machines can connect to MetricsListen.
func (c *Config) MetricsExposed() bool {
	return c.MetricsAddr != "" && beyondLoopback(c.MetricsListen())
}

// beyondLoopback reports whether other machines can connect to addr. The name of a host counts as its address on the
// network.
func beyondLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil || isLocalhost(host) {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return err != nil || !ip.Unmap().IsLoopback()
}

// Unencrypted returns the settings whose URLs lead to other hosts without TLS. PostgreSQL's is not among them, because
// its URL can say otherwise.
func (c *Config) Unencrypted() []string {
	var settings []string
	for _, s := range []struct {
		name string
		urls []string
	}{
		{"redis-url", []string{c.Quota.RedisURL}},
		{"elasticsearch-url", c.Elasticsearch.URLs},
		{"embeddings-url", []string{c.Embeddings.URL}},
		{"llm-url", []string{c.LLM.URL}},
		{"smtp-url", []string{c.Notices.plainMail()}},
		{"notice-webhook-url", []string{c.Notices.WebhookURL}},
	} {
		if slices.ContainsFunc(s.urls, plainElsewhere) {
			settings = append(settings, s.name)
		}
	}
	return settings
}

// plainElsewhere reports whether a URL leads to another host without TLS.
func plainElsewhere(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "redis" {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return !isLocalhost(u.Hostname()) && (err != nil || !ip.Unmap().IsLoopback())
}

// ServesHost reports whether the server answers requests for a host, given as in a Host header. It rejects names that
// nobody configured: a web page whose own name leads to this server's address (DNS rebinding) could otherwise use the
// server through its visitors' browsers. IP addresses and localhost can't be rebound. An empty host comes from programs
// that speak HTTP/1.0, never from browsers.
func (c *Config) ServesHost(host string) bool {
	name := hostName(host)
	return name == "" || isUnnamed(name) || c.ownHost(name)
}

// NamedHost reports whether a host, given as in a Host header, is one of the names that the operator chose for the
// service. A browser may remember that such a name needs https.
func (c *Config) NamedHost(host string) bool {
	name := hostName(host)
	return !isUnnamed(name) && c.ownHost(name)
}

// ownHost reports whether a normalized name is the host of the public URL or the address, or one of Hosts.
func (c *Config) ownHost(name string) bool {
	return name == hostName(c.Public().Host) || name == hostName(c.Addr) ||
		slices.ContainsFunc(c.Hosts, func(own string) bool { return name == hostName(own) })
}

// hostName returns the host of host[:port] in lower case, without brackets and the dot that ends a full name.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
}

// isUnnamed reports whether a normalized name is an IP address or localhost.
func isUnnamed(name string) bool {
	_, err := netip.ParseAddr(name)
	return err == nil || isLocalhost(name)
}

func isLocalhost(name string) bool {
	name = strings.ToLower(name)
	return name == "localhost" || strings.HasSuffix(name, ".localhost")
}

// Proxies returns TrustedProxies as networks; a single address becomes a network of one. The configuration must be
// valid.
func (c *Config) Proxies() []netip.Prefix {
	proxies, _ := parseNetworks(c.TrustedProxies)
	return proxies
}

// A Hosts lists hosts that webhooks may be sent to.
type Hosts struct {
	Names     []string // in lower case, for all ports or with one, such as hooks.internal:8443
	Networks  []netip.Prefix
	Addresses []netip.AddrPort
}

// Webhooks returns the hosts of WebhookAllow. The configuration must be valid.
func (c *Config) Webhooks() Hosts {
	hosts, _ := parseHosts(c.WebhookAllow)
	return hosts
}

// hostPattern matches the names of hosts in lower case.
var hostPattern = regexp.MustCompile(`^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$`)

// parseHosts parses names of hosts and addresses, which may have a port, and networks.
func parseHosts(texts []string) (hosts Hosts, err error) {
	for _, text := range texts {
		network, notNetwork := parseNetworks([]string{text})
		address, notAddress := netip.ParseAddrPort(text)
		name, port, hasPort := strings.Cut(strings.ToLower(text), ":")
		number, notNumber := strconv.ParseUint(port, 10, 16)
		isPort := !hasPort || notNumber == nil && number > 0
		switch {
		case notNetwork == nil:
			hosts.Networks = append(hosts.Networks, network...)
		case notAddress == nil && address.Port() > 0:
			hosts.Addresses = append(hosts.Addresses, netip.AddrPortFrom(address.Addr().Unmap(), address.Port()))
		case hostPattern.MatchString(name) && isPort && notAddress != nil:
			hosts.Names = append(hosts.Names, strings.ToLower(text))
		default:
			err = errors.Join(err, fmt.Errorf("webhook-allow: %q is neither the name of a host, which may have a port, nor a "+
				"network such as 10.0.0.0/8", text))
		}
	}
	return hosts, err
}

func parseNetworks(texts []string) (parsed []netip.Prefix, err error) {
	for _, text := range texts {
		prefix, fault := netip.ParsePrefix(text)
		if ip, notIP := netip.ParseAddr(text); notIP == nil {
			prefix = netip.PrefixFrom(ip, ip.BitLen())
			fault = nil
		}
		if fault != nil {
			fault = fmt.Errorf("trusted-proxies: %q is neither a network such as 10.0.0.0/8 nor an address", text)
			err = errors.Join(err, fault)
			continue
		}
		parsed = append(parsed, prefix.Masked())
	}
	return parsed, err
}

// validateNetwork adds the faults of the settings that say how clients reach the server.
func (c *Config) validateNetwork(f *faults) {
	f.addIf((c.TLS.Cert == "") != (c.TLS.Key == ""),
		"tls-cert and tls-key belong together; name the files of the certificate and of its private key")
	f.addIf(c.PublicURL != "" && !schemeAndHost(c.PublicURL),
		"public-url is %q; use scheme and host, such as https://match.example.com", c.PublicURL)
	f.addIf(c.TLS.On() && strings.HasPrefix(c.PublicURL, "http:"),
		"public-url is %q, but the server has a certificate; use https://", c.PublicURL)
	for _, name := range c.Hosts {
		f.addIf(strings.ContainsAny(name, ":/*@ "),
			"hosts contains %q; use names without scheme and port, such as matching.internal", name)
	}
	if _, err := parseHosts(c.WebhookAllow); err != nil {
		*f = append(*f, err)
	}
	if _, err := parseNetworks(c.TrustedProxies); err != nil {
		*f = append(*f, err)
	}
	f.addIf(c.DrainDelay < 0 && c.DrainDelay != AutomaticDrain, "drain-delay is %s; use 0s or more", c.DrainDelay)
}
