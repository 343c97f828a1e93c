package api

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/freelancer-matching/service/server/api/endpoint"
)

// sendHost returns the response to a request for a path of a host.
func sendHost(t *testing.T, h http.Handler, path, host string, header http.Header) *httptest.ResponseRecorder {
	t.Helper()
	c := call{method: http.MethodGet, path: path, header: header}
	r := c.request(t)
	r.Host = host
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// A page whose name was rebound to the server's address reaches no route; probes reach the server under any name.
func TestUnknownHost(t *testing.T) {
	f := newFixture()
	f.ServesHost = func(host string) bool { return host == "match.example.com" }
	s := New(f.Dependencies)
	s.Mount(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }))
	h := s.Handler()
	for _, tt := range []struct {
		path, host string
		status     int
	}{
		{healthPath, "match.example.com", 200},
		{healthPath, "evil.example", 421},
		{healthPath, "match.example.com:80", 421}, // the fixture compares whole hosts
		{"/openapi.yaml", "evil.example", 421},
		{"/dashboard", "evil.example", 421},
		{"/dashboard/playground", "evil.example", 421},
		{"/nothing", "evil.example", 421},
		{"/livez", "evil.example", 200},
		{"/readyz", "evil.example", 200},
		{"/livez/", "evil.example", 421},
	} {
		if w := sendHost(t, h, tt.path, tt.host, nil); w.Code != tt.status {
			t.Errorf("%s of %s: %d, want %d: %s", tt.path, tt.host, w.Code, tt.status, w.Body)
		}
	}

	rejected := call{
		status: 421, code: endpoint.CodeUnknownHost, want: []string{"example.com", "public URL", "-hosts", "MATCHING_HOSTS"},
	}
	rejected.sendTo(t, h)

	if n := strings.Count(f.log.String(), "unknown host rejected"); n != 1 {
		t.Errorf("%d warnings in the log, want 1", n)
	}
}

func TestSecurityHeaders(t *testing.T) {
	f := newFixture()
	f.HTTPSOnly = func(host string) bool { return host == "match.example.com" }
	s := New(f.Dependencies)
	h := s.Handler()
	get := func(path, host string) http.Header {
		// As a page of another site sends it.
		return sendHost(t, h, path, host, http.Header{"Origin": {"https://shop.example"}}).Header()
	}
	for _, path := range []string{
		healthPath, "/api/v1/generate-test-data?count=1", "/livez", "/nothing", matchPath,
	} {
		got := get(path, "match.example.com")
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
			"Strict-Transport-Security": "max-age=31536000", "Connection": "",
			"Access-Control-Allow-Origin": "", "Access-Control-Allow-Headers": "",
		} {
			if got.Get(name) != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got.Get(name), want)
			}
		}
	}

	if got := get("/livez", "localhost:8080").Get("Strict-Transport-Security"); got != "" {
		t.Errorf("Strict-Transport-Security of localhost is %q", got)
	}
	s.Drain()

	if got := get(healthPath, "localhost").Get("Connection"); got != "close" {
		t.Errorf("Connection is %q while draining, want close", got)
	}
}

// An ignored X-Forwarded-For header is reported, but not with every request.
func TestUntrustedProxy(t *testing.T) {
	const warning = "X-Forwarded-For ignored"
	synctest.Test(t, func(t *testing.T) {
		f := newFixture()
		h := New(f.Dependencies).Handler()
		warnings := func() int { return strings.Count(f.log.String(), warning) }
		forwarded := http.Header{"X-Forwarded-For": {"203.0.113.9"}}
		for i, tt := range []struct {
			wait     time.Duration
			header   http.Header
			warnings int
		}{
			{0, nil, 0},
			{0, forwarded, 1},
			{9 * time.Minute, forwarded, 1},
			{time.Minute, forwarded, 2},
			{time.Hour, nil, 2},
		} {
			time.Sleep(tt.wait)
			sendHost(t, h, healthPath, "localhost", tt.header)
			if got := warnings(); got != tt.warnings {
				t.Errorf("after request %d: %d warnings, want %d", i, got, tt.warnings)
			}
		}

		if log := f.log.String(); !strings.Contains(log, `"peer":"192.0.2.1"`) ||
			!strings.Contains(log, `"client":"192.0.2.1"`) || strings.Contains(log, `"client":"203.0.113.9"`) {
			t.Errorf("the log lacks the peer or has the forged address:\n%s", log)
		}
	})

	f := newFixture()
	f.TrustedProxies = []netip.Prefix{prefix(t, "192.0.2.0/24")}
	sendHost(t, New(f.Dependencies).Handler(), healthPath, "localhost", http.Header{"X-Forwarded-For": {"203.0.113.9"}})

	if log := f.log.String(); strings.Contains(log, warning) || !strings.Contains(log, `"client":"203.0.113.9"`) {
		t.Errorf("behind a trusted proxy:\n%s", log)
	}
}
