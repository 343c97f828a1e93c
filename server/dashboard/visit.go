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

const (
	maxForm       = 64 << 10  // bytes of a form
	maxPlayground = 512 << 10 // of the playground's: 20,000 characters of any script, escaped
	maxInterview  = 8 << 20   // of an interview's: every answer as long as it may be, in any script, escaped
	maxResume     = 32 << 20  // of a form with a file: more than the API takes, so that one too large is told so
)

// visit is one request, and who makes it.
type visit struct {
	w       http.ResponseWriter
	r       *http.Request
	user    account.User // zero: nobody is signed in
	account account.Account
	address string // of the client
}

func (v *visit) signedIn() bool { return v.user.ID != "" }

func (v *visit) by() audit.By { return audit.By{Actor: v.user.ID, Address: v.address} }

// value is what was typed into a field of a form, without the space around it, and with line ends as programs write them.
func (v *visit) value(name string) string {
	return strings.TrimSpace(strings.ReplaceAll(v.r.PostForm.Get(name), "\r\n", "\n"))
}

// redirect sends the browser to a page of the dashboard.
func (v *visit) redirect(path string) error {
	http.Redirect(v.w, v.r, path, http.StatusSeeOther)
	return nil
}

// serve answers the requests of one route: it finds out who asks, holds them to the route's access, and reads the form.
func (d *dashboard) serve(r route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		v := &visit{w: w, r: req}
		if a := d.Address(req); a.IsValid() {
			v.address = a.String()
		}
		if err := d.admit(v, r.access, r.maxBody); err != nil {
			d.fail(v, err)
			return
		}
		if !may(v.user.Role, r.access) {
			d.signInFirst(v)
			return
		}
		if err := r.handle(v); err != nil {
			d.fail(v, err)
		}
	})
}

// admit is an error for those who are signed in and may not, and for a form that cannot be read. Who is not signed in is
// left to the caller, and so is a form with a file: of it nothing is read here.
func (d *dashboard) admit(v *visit, access account.Role, limit int64) error {
	if err := d.identify(v); err != nil {
		return err
	}
	if v.signedIn() && !may(v.user.Role, access) {
		return errForbidden
	}
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, limit)
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

// isText reports whether a value is what a person or a link can have sent, and every database takes as text: UTF-8 without the
// character zero.
func isText(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// signInFirst sends those who are not signed in to do so, and afterwards to the page they asked for. A form is lost: it is
// not sent again in somebody's name.
func (d *dashboard) signInFirst(v *visit) {
	path := root + "/sign-in"
	if v.r.Method == http.MethodGet && v.r.URL.Path != root {
		path += "?" + url.Values{"next": {v.r.URL.RequestURI()}}.Encode()
	}
	http.Redirect(v.w, v.r, path, http.StatusSeeOther)
}
