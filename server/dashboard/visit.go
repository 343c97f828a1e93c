package dashboard

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"freelancer-matching/access/account"
	"freelancer-matching/access/audit"
)

// The size limits of forms, in bytes.
const (
	maxForm          = 64 << 10
	maxMatchForm     = 512 << 10 // 20,000 characters of any script, URL-encoded
	maxInterviewForm = 8 << 20   // all answers at their maximum length, in any script, URL-encoded
	maxResumeForm    = 32 << 20  // more than the API accepts, so that the API can reject larger files
)

// visit is one request and the user who makes it.
type visit struct {
	w       http.ResponseWriter
	r       *http.Request
	user    account.User // zero if nobody is signed in
	account account.Account
	address string // of the client
}

func (v *visit) signedIn() bool { return v.user.ID != "" }

func (v *visit) by() audit.By { return audit.By{Actor: v.user.ID, Address: v.address} }

// value returns the value of a form field, without surrounding space and with \n as line ending.
func (v *visit) value(name string) string {
	return strings.TrimSpace(strings.ReplaceAll(v.r.PostForm.Get(name), "\r\n", "\n"))
}

// redirect sends the browser to a path.
func (v *visit) redirect(path string) error {
	http.Redirect(v.w, v.r, path, http.StatusSeeOther)
	return nil
}

// serve returns the handler of a route: it identifies the user, checks the role, reads the form and calls the route.
func (d *dashboard) serve(r route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		v := &visit{w: w, r: req}
		if a := d.Address(req); a.IsValid() {
			v.address = a.String()
		}
		err := d.admit(v, r.access, r.maxBody)
		switch {
		case err != nil:
		case !may(v.user.Role, r.access):
			err = redirectToSignIn(v)
		default:
			err = r.handle(v)
		}
		if err != nil {
			d.fail(v, err)
		}
	})
}

// admit returns an error for a signed-in user whose role is too low, and for a form that cannot be read. It accepts
// users who are not signed in. It reads nothing of a multipart form.
func (d *dashboard) admit(v *visit, access account.Role, maxBody int64) error {
	if err := d.identify(v); err != nil {
		return err
	}
	if v.signedIn() && !may(v.user.Role, access) {
		return errForbidden
	}
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, maxBody)
	err := v.r.ParseForm()
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return errTooLarge
	}
	if err != nil || !isText(v.r.URL.Path) {
		return errBadForm
	}
	for _, values := range v.r.Form {
		if slices.ContainsFunc(values, func(value string) bool { return !isText(value) }) {
			return errBadForm
		}
	}
	return nil
}

// isText reports whether s is valid text for every database: UTF-8 without NUL characters.
func isText(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// redirectToSignIn sends the browser to the sign-in page, and to the requested page afterwards. A form is not resent.
func redirectToSignIn(v *visit) error {
	path := root + "/sign-in"
	if v.r.Method == http.MethodGet && v.r.URL.Path != root {
		path += "?" + url.Values{"next": {v.r.URL.RequestURI()}}.Encode()
	}
	return v.redirect(path)
}
