//go:build integration

package integration

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// A proxy is a typical reverse proxy: it replaces the Host header by the server's address, and adds forwarding headers.
type proxy struct {
	url    string // the public address
	target *url.URL
}

// visitorsAddress is the client address that the proxy reports for every request.
const visitorsAddress = "203.0.113.9"

// newProxy starts a proxy, with or without TLS. Its target must be set before the first request.
func newProxy(t *testing.T, tls bool) *proxy {
	t.Helper()
	p := &proxy{target: new(url.URL)}
	front := httptest.NewUnstartedServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(p.target) // also replaces the Host header
		r.Out.Header.Set("X-Forwarded-For", visitorsAddress)
		r.Out.Header.Set("X-Forwarded-Proto", strings.SplitN(p.url, ":", 2)[0])
		r.Out.Header.Set("X-Forwarded-Host", r.In.Host)
	}})

	scheme := "http"
	if tls {
		scheme = "https"
		front.StartTLS()
	} else {
		front.Start()
	}

	t.Cleanup(front.Close)
	_, port, err := net.SplitHostPort(front.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}

	p.url = scheme + "://" + net.JoinHostPort(outsider, port)
	return p
}

// serve starts a server behind the proxy.
func (p *proxy) serve(t *testing.T, flags ...string) *server {
	t.Helper()
	s := start(t, append(flags, "-data", t.TempDir(), "-trusted-proxies", "127.0.0.1", "-sign-up", "open")...)
	target, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	*p.target = *target
	newVisitor(t, s).setUp(t, s) // without the proxy, because this client sends no secure cookies
	return s
}

// Behind a proxy that replaces the Host header, the dashboard works if -public-url is set.
func TestProxy_PublicURL(t *testing.T) {
	c := newChromium(t)
	for _, scheme := range []string{"http", "https"} {
		t.Run(scheme, func(t *testing.T) {
			p := newProxy(t, scheme == "https")
			p.serve(t, "-public-url", p.url)
			b := c.person(t, p.url, screens()[0])
			signUp(t, b)
			b.wantPath(t, "/dashboard/keys")
			b.navigate(t, "Activity")
			b.wantText(t, "Account created", visitorsAddress)

			var cookies []*network.Cookie
			b.run(t, "read the cookies", chromedp.ActionFunc(func(ctx context.Context) (err error) {
				cookies, err = network.GetCookies().Do(ctx)
				return err
			}))

			if len(cookies) != 2 { // the session and the known browser
				t.Errorf("cookies: %+v", cookies)
			}

			for _, cookie := range cookies {
				if cookie.Secure != (scheme == "https") || !cookie.HTTPOnly ||
					strings.HasPrefix(cookie.Name, "__Host-") != (scheme == "https") {
					t.Errorf("cookie: %+v", cookie)
				}
			}

			b.navigate(t, "API keys")
			b.press(t, "Create your first key")
			b.fill(t, "Name", "Website")
			b.press(t, "Create key")

			if request := b.text(t, "#request-curl"); !strings.Contains(request, p.url+"/api/v1/match") {
				t.Errorf("the sample request does not use the address %s:\n%s", p.url, request)
			}
		})
	}
}

// Without -public-url, the dashboard can't distinguish its own forms behind such a proxy from forms of another site. It
// rejects both; the page and the log name the missing setting.
func TestProxy_WithoutPublicURL(t *testing.T) {
	c := newChromium(t)
	p := newProxy(t, false)
	s := p.serve(t)
	for _, screen := range screens() {
		b := c.person(t, p.url, screen)
		b.open(t, "/dashboard/sign-in")
		b.fill(t, "Email", administrator)
		b.fill(t, "Password", password)
		if status := b.press(t, "Sign in"); status != http.StatusForbidden {
			t.Errorf("status %d, want 403", status)
		}
		b.wantText(t, "-public-url", "MATCHING_PUBLIC_URL", p.url, s.URL)
		b.inspect(t, "cross-origin")
	}
	if !strings.Contains(s.Log.String(), "public-url") {
		t.Errorf("the log does not name the setting:\n%s", s.Log)
	}
}

// The dashboard rejects a form that a page of another site submits, even if the browser is signed in.
func TestProxy_AnotherSite(t *testing.T) {
	c := newChromium(t)
	s := start(t, "-data", t.TempDir())
	newVisitor(t, s).setUp(t, s)
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<form method="post" action="` + s.URL + `/dashboard/keys/new">` +
			`<input name="name" value="Stolen"><main><button>Win</button></main></form>`))
	}))

	defer evil.Close()

	b := c.person(t, s.URL, screens()[0])
	signInAsAdministrator(t, b, s, b.inspect)
	b.load(t, "open the other site", chromedp.Navigate(strings.Replace(evil.URL, "127.0.0.1", outsider, 1)))

	if status := b.press(t, "Win"); status != http.StatusForbidden {
		t.Errorf("status %d for the other site's form, want 403", status)
	}

	b.open(t, "/dashboard")

	if strings.Contains(b.text(t, "body"), "Stolen") {
		t.Error("the other site has created a key")
	}
}
