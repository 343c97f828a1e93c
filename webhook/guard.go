package webhook

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	dialTimeout     = 5 * time.Second
	idleConnections = 32
	maxHeader       = 64 << 10 // bytes of a response
)

// An Allowed lists destinations that the operator trusts although their addresses are not public. Its zero value lists
// none.
type Allowed struct {
	Hosts     []string // names in lower case, for all ports or with one; their URLs may begin with http://
	Networks  []netip.Prefix
	Addresses []netip.AddrPort
}

// errPrivate is the error for a destination without a public address, and for a name that can't be resolved. One error
// for both keeps the owners of endpoints from finding out which names the operator's network has.
var errPrivate = errors.New("the host has no public address")

// CheckURL returns an error unless a URL may be an endpoint: https, without user and fragment, and not a private
// address. Where a name leads is checked with each connection.
func (a *Allowed) CheckURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case len(text) > MaxURL:
		return fmt.Errorf("must have at most %d bytes", MaxURL)
	case err != nil || u.Opaque != "" || u.Hostname() == "" || !printable(text):
		return errors.New("must be a complete URL such as https://example.com/webhooks")
	case u.User != nil:
		return errors.New("must not contain a user name or password")
	case u.Fragment != "" || strings.Contains(text, "#"):
		return errors.New("must not have a fragment")
	case u.Scheme != "https" && (u.Scheme != "http" || !a.hasHost(u.Hostname(), portOf(u))):
		return errors.New("must begin with https://")
	}

	ip, err := netip.ParseAddr(u.Hostname())
	isPrivate := err == nil && !isPublic(ip) || strings.EqualFold(u.Hostname(), "localhost")
	if isPrivate && !a.hasHost(u.Hostname(), portOf(u)) {
		return errors.New("must not be a private address")
	}

	return nil
}

// portOf returns the port that a URL leads to.
func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "http":
		return "80"
	default:
		return "443"
	}
}

// printable reports whether a text has only printable ASCII characters, and no space.
func printable(text string) bool {
	return !strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c > '~' })
}

// hasHost reports whether the operator allows a port of a host, given by name or address.
func (a *Allowed) hasHost(host, port string) bool {
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	if slices.Contains(a.Hosts, name) || slices.Contains(a.Hosts, name+":"+port) {
		return true
	}
	at, err := netip.ParseAddrPort(net.JoinHostPort(host, port))
	return err == nil && a.hasAddress(at)
}

func (a *Allowed) hasAddress(at netip.AddrPort) bool {
	ip := at.Addr().Unmap()
	return slices.Contains(a.Addresses, netip.AddrPortFrom(ip, at.Port())) ||
		slices.ContainsFunc(a.Networks, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// permits reports whether a connection to an address is allowed.
func (a *Allowed) permits(at netip.AddrPort) bool { return isPublic(at.Addr()) || a.hasAddress(at) }

// NewClient returns a client that connects to public addresses and to what is allowed, follows no redirects, and uses
// no proxy: behind a proxy, it couldn't check where a name leads.
func (a *Allowed) NewClient() *http.Client {
	guarded := &net.Dialer{Timeout: dialTimeout, Control: func(_, address string, _ syscall.RawConn) error {
		// Called with the address that a name has led to, for each attempt to connect.
		at, err := netip.ParseAddrPort(address)
		if err != nil || !a.permits(at) {
			return errPrivate
		}
		return nil
	}}

	trusted := &net.Dialer{Timeout: dialTimeout}
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(address)
		if err == nil && a.hasHost(host, port) {
			return trusted.DialContext(ctx, network, address)
		}
		return guarded.DialContext(ctx, network, address)
	}

	return &http.Client{
		Transport: &http.Transport{
			DialContext: dial, TLSHandshakeTimeout: dialTimeout, MaxIdleConns: idleConnections, MaxIdleConnsPerHost: 1,
			IdleConnTimeout: time.Minute, MaxResponseHeaderBytes: maxHeader, DisableCompression: true,
			ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12},
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// isPublic reports whether an address belongs to a public host. It goes by the special-purpose registries of the IANA.
// IPv6 addresses that contain an IPv4 address lead elsewhere than they seem to, so they are not public.
func isPublic(ip netip.Addr) bool {
	ip = ip.Unmap()
	isLocal := ip.IsPrivate() || ip.Zone() != ""
	if isLocal || !ip.IsGlobalUnicast() {
		return false
	}
	if ip.Is6() && !netip.MustParsePrefix("2000::/3").Contains(ip) {
		return false
	}
	return !slices.ContainsFunc(special(), func(p netip.Prefix) bool { return p.Contains(ip) })
}

// special returns networks of unicast addresses that lead to no public host.
func special() []netip.Prefix {
	var list []netip.Prefix
	for _, text := range []string{
		"0.0.0.0/8",         // this network
		"100.64.0.0/10",     // carrier-grade NAT, with the metadata service of Alibaba Cloud
		"168.63.129.16/32",  // services of the host in Azure
		"192.0.0.0/24",      // protocol assignments, with the metadata service of Oracle Cloud
		"192.0.2.0/24",      // documentation
		"192.88.99.0/24",    // 6to4 relays
		"198.18.0.0/15",     // benchmarks
		"198.51.100.0/24",   // documentation
		"203.0.113.0/24",    // documentation
		"240.0.0.0/4",       // reserved, with broadcast
		"2001::/23",         // protocol assignments, with Teredo
		"2001:db8::/32",     // documentation
		"2002::/16",         // 6to4
		"3fff::/20",         // documentation
		"2620:4f:8000::/48", // AS112
	} {
		list = append(list, netip.MustParsePrefix(text))
	}

	return list
}
