package candidate

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/server/web"
)

// contentPolicy lets pages load the embedded files and talk to this server, and nothing else. There are no inline
// scripts or styles.
const contentPolicy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; " +
	"base-uri 'none'; frame-ancestors 'none'; connect-src 'self'"

// secure sets the security headers of every response.
func (p *pages) secure(next http.Handler) http.Handler {
	// With no-referrer, browsers send "Origin: null" with forms. Over plain http there is no Sec-Fetch-Site, so every form
	// would look as if it came from another site. same-origin tells other sites as little.
	referrer := "same-origin"
	if p.https() {
		referrer = "no-referrer"
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", referrer)
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

func (p *pages) https() bool { return p.PublicURL.Scheme == "https" }

// rejectCrossOrigin rejects forms that another site made a browser send, like the dashboard does.
func (p *pages) rejectCrossOrigin(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	if err := protection.AddTrustedOrigin(web.Origin(p.PublicURL)); err != nil {
		panic(err) // the configuration was validated before
	}
	protection.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.Log.Warn("cross-origin form rejected; if candidates report this, set public-url to the address they use",
			"host", r.Host, "origin", r.Header.Get("Origin"), "site", r.Header.Get("Sec-Fetch-Site"))
		p.serve(w, r, func(*visit) error { return errForeign })
	}))
	return protection.Handler(next)
}

// cookieName returns the name of the cookie with the secret of a browser. Over https it gets a prefix with which
// browsers let no page on plain http set it.
func (p *pages) cookieName() string {
	if p.https() {
		return "__Secure-matching_interview"
	}
	return "matching_interview"
}

// bind gives the browser the secret for one interview. Its path lets a browser have several interviews.
func (p *pages) bind(w http.ResponseWriter, c interview.Candidate, expires time.Time) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // G124: Secure depends on the public URL, as in the dashboard
		Name: p.cookieName(), Value: c.Browser, Path: pathOf(c.SessionID), Expires: expires,
		HttpOnly: true, Secure: p.https(), SameSite: http.SameSiteStrictMode,
	})
}

// candidate returns the candidate that a request comes from. Its secret is "" without a cookie.
func (p *pages) candidate(r *http.Request) interview.Candidate {
	c := interview.Candidate{SessionID: r.PathValue("session")}
	if cookie, err := r.Cookie(p.cookieName()); err == nil {
		c.Browser = cookie.Value
	}
	return c
}

// pathOf returns the path of an interview's first page.
func pathOf(session string) string { return root + "/" + session + "/" }

// A timedBody is a request body with a deadline for all of it.
type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
}

// Read removes the deadline at the end, so that it doesn't end the response.
func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		_ = b.control.SetReadDeadline(time.Time{}) // fails only without a connection, as in tests
	}
	return n, err
}

// readForm reads a form of up to limit bytes.
func readForm(w http.ResponseWriter, r *http.Request, limit int64) error {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	isForm := err == nil && kind == "application/x-www-form-urlencoded"
	if r.ContentLength != 0 && !isForm {
		return errBad
	}
	if r.ContentLength > limit {
		return errTooLarge
	}

	// The limit is one for the whole form, so that a slow client can't hold the connection.
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(formTime)) // fails only without a connection, as in tests
	r.Body = http.MaxBytesReader(w, &timedBody{r.Body, control}, limit)
	err = r.ParseForm()
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return errTooLarge
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return errSlow
	}
	if err != nil {
		return errBad
	}

	// PostgreSQL stores neither NUL characters nor invalid UTF-8.
	for _, values := range r.Form {
		if slices.ContainsFunc(values, func(v string) bool { return !utf8.ValidString(v) || strings.ContainsRune(v, 0) }) {
			return errBad
		}
	}

	return nil
}
