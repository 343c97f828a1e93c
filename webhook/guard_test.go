package webhook

import (
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

func TestIsPublic(t *testing.T) {
	for text, public := range map[string]bool{
		"8.8.8.8": true, "1.1.1.1": true, "100.63.255.255": true, "100.128.0.0": true, "172.15.255.255": true,
		"172.32.0.0": true, "198.17.255.255": true, "2606:4700::1111": true, "2a00:1450::1": true,

		"0.0.0.0": false, "0.1.2.3": false, "10.0.0.1": false, "100.64.0.1": false, "100.100.100.200": false,
		"127.0.0.1": false, "127.255.0.1": false, "168.63.129.16": false, "169.254.169.254": false, "172.16.0.1": false,
		"172.31.255.255": false, "192.0.0.192": false, "192.168.1.1": false, "198.18.0.1": false, "224.0.0.1": false,
		"240.0.0.1": false, "255.255.255.255": false,
		"::": false, "::1": false, "::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false, "::10.0.0.1": false,
		"64:ff9b::a00:1": false, "64:ff9b:1::1": false, "100::1": false, "2001::1": false, "2001:db8::1": false,
		"2002:a00:1::": false, "fc00::1": false, "fd00:ec2::254": false, "fe80::1": false, "fe80::1%eth0": false,
		"fec0::1": false, "ff02::1": false, "5f00::1": false,
	} {
		if got := isPublic(netip.MustParseAddr(text)); got != public {
			t.Errorf("%s: public %t, want %t", text, got, public)
		}
	}
}

// get requests a URL, and returns the error without its details.
func get(t *testing.T, client *http.Client, address string) error {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(r)
	if err != nil {
		return describe(err)
	}
	response.Body.Close()
	return nil
}

// The address that a name leads to is checked when the connection is made, so a name that leads elsewhere later doesn't
// help.
func TestNewClient_RefusesPrivateAddresses(t *testing.T) {
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests++ }))
	defer server.Close()

	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}

	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]"} {
		if err := get(t, (&Allowed{}).NewClient(), "http://"+host+":"+port); !errors.Is(err, errPrivate) {
			t.Errorf("%s: %v, want %v", host, err, errPrivate)
		}
	}

	if requests > 0 {
		t.Errorf("the server got %d requests", requests)
	}
	loopback := netip.MustParsePrefix("127.0.0.0/8")
	for _, allowed := range []*Allowed{{Networks: []netip.Prefix{loopback}}, {Hosts: []string{"127.0.0.1"}}} {
		if err := get(t, allowed.NewClient(), server.URL); err != nil {
			t.Errorf("%+v: %v", allowed, err)
		}
	}

	byName := &Allowed{Hosts: []string{"localhost"}}
	if err := get(t, byName.NewClient(), strings.Replace(server.URL, "127.0.0.1", "LOCALHOST", 1)); err != nil {
		t.Errorf("a name that is allowed: %v", err)
	}

	if err := get(t, byName.NewClient(), server.URL); !errors.Is(err, errPrivate) {
		t.Errorf("the address of a name that is allowed: %v, want %v", err, errPrivate)
	}

	if requests != 3 {
		t.Errorf("the server got %d requests, want 3", requests)
	}

	// A port that is allowed opens no other one.
	at := netip.MustParseAddrPort(server.Listener.Addr().String())
	ports := &Allowed{Addresses: []netip.AddrPort{at}, Hosts: []string{"localhost:" + port}}
	for _, address := range []string{server.URL, "http://localhost:" + port} {
		if err := get(t, ports.NewClient(), address); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, address := range []string{"http://127.0.0.1:1", "http://localhost:1"} {
		if err := get(t, ports.NewClient(), address); !errors.Is(err, errPrivate) {
			t.Errorf("%s: %v, want %v", address, err, errPrivate)
		}
	}
}

// Nobody finds out which names the operator's network has.
func TestNewClient_SameErrorForUnknownNames(t *testing.T) {
	unknown := get(t, (&Allowed{}).NewClient(), "http://no-such-host.invalid")
	private := get(t, (&Allowed{}).NewClient(), "http://127.0.0.1:1")
	if unknown == nil || private == nil || unknown.Error() != private.Error() {
		t.Errorf("an unknown name: %v; a private address: %v", unknown, private)
	}
}

// A certificate is checked even if the host is allowed.
func TestNewClient_ChecksCertificates(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	allowed := &Allowed{Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	if err := get(t, allowed.NewClient(), server.URL); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("got %v, want an error about the certificate", err)
	}
}
