package dashboard

import (
	"net/http"
	"net/url"
	"path"
	"strings"
)

// contentPolicy lets pages load what is embedded here, talk to here, and nothing else. There is no inline script or style.
const contentPolicy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; form-action 'self'; " +
	"base-uri 'none'; frame-ancestors 'none'; connect-src 'self'"

// secure sets the headers of every answer.
func secure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		// Not no-referrer: with that, browsers send "Origin: null" with forms, and where there is no Sec-Fetch-Site (plain http on
		// a network of one's own) every form would look like it came from another site.
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// refuseCrossOrigin refuses forms that another site had a browser send. Browsers tell by Sec-Fetch-Site; on plain http they do
// not, and there Origin is compared with Host, or with the public address where a proxy changes Host.
func (d *dashboard) refuseCrossOrigin(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	if err := protection.AddTrustedOrigin(originOf(d.PublicURL)); err != nil {
		panic(err) // the configuration was checked before
	}
	protection.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.Log.Warn("a form from another origin was refused; if people see this, set public-url to the address they use",
			"host", r.Host, "origin", r.Header.Get("Origin"), "site", r.Header.Get("Sec-Fetch-Site"), "public_url", d.PublicURL.String())
		v := &visit{w: w, r: r}
		if err := d.show(v, http.StatusForbidden, page{
			Template: "crossorigin", Title: "This form was not accepted",
			Data: crossOriginView{Origin: r.Header.Get("Origin"), PublicURL: originOf(d.PublicURL)},
		}); err != nil {
			d.fail(v, err)
		}
	}))
	return protection.Handler(next)
}

// crossOriginView is what the page about a refused form shows.
type crossOriginView struct {
	Origin    string // as the browser sent it; "" where it sent none
	PublicURL string
}

// originOf is an address as browsers write it in Origin: in small letters, without the port that goes without saying.
func originOf(u *url.URL) string {
	scheme, host := strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	switch scheme {
	case "https":
		host = strings.TrimSuffix(host, ":443")
	case "http":
		host = strings.TrimSuffix(host, ":80")
	}
	return scheme + "://" + host
}

// localPath is where to go after signing in: to next, when that is a page of the dashboard, and to its home otherwise, so
// that no link to the sign-in page leads anywhere else.
func localPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" || u.Fragment != "" ||
		strings.ContainsAny(next, "\\\x7f") || strings.IndexFunc(next, func(r rune) bool { return r < ' ' }) >= 0 {
		return root
	}
	if clean := path.Clean(u.Path); clean != u.Path || clean != root && !strings.HasPrefix(clean, root+"/") {
		return root
	}
	return u.RequestURI()
}
