package config

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// The words for SignUp.
const (
	SignUpOpen       = "open"
	SignUpInvitation = "invitation"
	SignUpClosed     = "closed"
)

// Database names a PostgreSQL database; without URL everything is in SQLite in the data folder.
type Database struct {
	URL      string // postgres://user@host/name
	Password string
}

// On reports whether a database is named.
func (d Database) On() bool { return d.URL != "" }

// Quota names the Redis that counts the requests of limited plans. Without RedisURL, the database counts them.
type Quota struct{ RedisURL, RedisPassword string }

// Public is the address by which people reach the dashboard. It needs a configuration that was validated.
func (c *Config) Public() *url.URL {
	if u, err := url.Parse(c.PublicURL); err == nil && c.PublicURL != "" {
		return &url.URL{Scheme: u.Scheme, Host: u.Host}
	}
	host, port, err := net.SplitHostPort(c.Addr)
	if ip, notIP := netip.ParseAddr(host); err == nil && (host == "" || notIP == nil && ip.IsUnspecified()) {
		host = "localhost" // any address of this machine, so this one too
	}
	return &url.URL{Scheme: "http", Host: net.JoinHostPort(host, port)}
}

// Proxies is TrustedProxies, single addresses as networks of one. It needs a configuration that was validated.
func (c *Config) Proxies() []netip.Prefix {
	proxies, _ := networks(c.TrustedProxies) // validated
	return proxies
}

func networks(texts []string) (parsed []netip.Prefix, err error) {
	for _, text := range texts {
		prefix, fault := netip.ParsePrefix(text)
		if ip, single := netip.ParseAddr(text); single == nil {
			prefix, fault = netip.PrefixFrom(ip, ip.BitLen()), nil
		}
		if fault != nil {
			err = errors.Join(err, fmt.Errorf("trusted-proxies: %q is neither a network such as 10.0.0.0/8 nor an address", text))
			continue
		}
		parsed = append(parsed, prefix.Masked())
	}
	return parsed, err
}

// validateAccess looks at who may use the service, and where that is kept. It leaves the form of the databases' addresses to
// those who open them.
func (c *Config) validateAccess() error {
	var faults []error
	if u, err := url.Parse(c.PublicURL); c.PublicURL != "" &&
		(err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || strings.Trim(u.Path, "/") != "" ||
			u.RawQuery != "" || u.Fragment != "") {
		faults = append(faults, fmt.Errorf("public-url %q is not scheme and host, such as https://match.example.com", c.PublicURL))
	}
	if _, err := networks(c.TrustedProxies); err != nil {
		faults = append(faults, err)
	}
	if c.SignUp != SignUpOpen && c.SignUp != SignUpInvitation && c.SignUp != SignUpClosed {
		faults = append(faults, fmt.Errorf("sign-up is %q, must be open, invitation or closed", c.SignUp))
	}
	if _, _, err := net.SplitHostPort(c.MetricsAddr); c.MetricsAddr != "" && err != nil {
		faults = append(faults, fmt.Errorf("metrics-addr %q is not host:port, such as 127.0.0.1:9090", c.MetricsAddr))
	}
	if !c.Database.On() && c.Database.Password != "" {
		faults = append(faults, errors.New("database-password-file is for a PostgreSQL database: name it with database-url, or leave it out"))
	}
	if c.Quota.RedisURL == "" && c.Quota.RedisPassword != "" {
		faults = append(faults, errors.New("redis-password-file is for a Redis: name it with redis-url, or leave it out"))
	}
	if c.Demo && (c.Database.On() || c.Quota.RedisURL != "") {
		faults = append(faults, errors.New("demo keeps everything in a folder that goes with it: leave out database-url and redis-url"))
	}
	return errors.Join(faults...)
}
