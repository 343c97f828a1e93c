package page

import (
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/freelancer-matching/service/server/web"
)

// contentPolicy lets pages load the embedded files and talk to this server, and nothing else. There are no inline
// scripts or styles.
const contentPolicy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'; connect-src 'self'"

// secure sets the security headers of every response.
func secure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		// With no-referrer, browsers would send "Origin: null" with forms. Over plain http there is no Sec-Fetch-Site, so
		// every form would look as if it came from another site.
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// rejectCrossOrigin rejects forms that another site made a browser send. Browsers send Sec-Fetch-Site over https. Over
// plain http, Origin is compared with Host, or with the public URL for the case that a proxy changes Host.
func (s *site) rejectCrossOrigin(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	if err := protection.AddTrustedOrigin(web.Origin(s.PublicURL)); err != nil {
		panic(err) // the configuration was validated before
	}
	protection.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := r.Header.Get("Origin")
		s.Log.Warn("cross-origin form rejected; if users report this, set public-url to the address they use",
			"host", r.Host, "origin", origin, "site", r.Header.Get("Sec-Fetch-Site"), "public_url", s.PublicURL.String())
		v := &Visit{site: s, Writer: w, Request: r}
		if err := v.Show(http.StatusForbidden, Page{
			Template: "crossorigin",
			Title:    "Form rejected",
			Data:     crossOriginView{Origin: origin, PublicURL: web.Origin(s.PublicURL)},
		}); err != nil {
			s.fail(v, err)
		}
	}))
	return protection.Handler(next)
}

// crossOriginView is the data of the page about a rejected form.
type crossOriginView struct {
	Origin    string // as sent by the browser; "" if it sent none
	PublicURL string
}

// LocalPath returns next if it is a page of the dashboard, and the dashboard's home otherwise. A link to the sign-in
// page can therefore not lead to another site.
func LocalPath(next string) string {
	u, err := url.Parse(next)
	if err != nil {
		return Root
	}

	hasOrigin := u.Scheme != "" || u.Host != "" || u.User != nil
	if hasOrigin || u.Opaque != "" || u.Fragment != "" {
		return Root
	}

	// Browsers read a backslash as a slash and drop control characters, so what is a path here may be another site there.
	isSpecial := func(r rune) bool { return r < ' ' || r == '\\' || r == '\x7f' }
	if strings.ContainsFunc(next, isSpecial) {
		return Root
	}

	inside := u.Path == Root || strings.HasPrefix(u.Path, Root+"/")
	if !inside || path.Clean(u.Path) != u.Path {
		return Root
	}

	return u.RequestURI()
}
