package dashboard

import (
	"net/http"
	"net/url"
	"strings"

	"freelancer-matching/access/account"
	"freelancer-matching/access/audit"
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

// serve returns the handler of a route. It identifies the user and checks the role before it reads the form, so that
// strangers can make the server read no more than the small forms that anyone may send.
func (d *dashboard) serve(r route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		v := &visit{w: w, r: req}
		if a := d.Address(req); a.IsValid() {
			v.address = a.String()
		}
		if err := d.answer(v, r); err != nil {
			d.fail(v, err)
		}
	})
}

func (d *dashboard) answer(v *visit, r route) error {
	if !isText(v.r.URL.Path) {
		return errBadForm
	}
	if err := d.identify(v); err != nil {
		return err
	}

	switch {
	case may(v.user.Role, r.access):
	case v.signedIn():
		return errForbidden
	default:
		return redirectToSignIn(v)
	}

	if r.access != anyone && !r.enrolling && d.mustEnroll(v.user) {
		closeUnread(v)
		return v.redirect(twoFactorPath)
	}

	release, err := d.readForm(v, r)
	defer release()

	if err != nil {
		return err
	}

	if needsConfirmation(v.user, r) {
		if confirmed, err := d.confirm(v); err != nil || !confirmed {
			return err
		}
	}

	return r.handle(v)
}

// redirectToSignIn sends the browser to the sign-in page, and to the requested page afterwards. A form is not resent.
func redirectToSignIn(v *visit) error {
	closeUnread(v)
	path := root + "/sign-in"
	if v.r.Method == http.MethodGet && v.r.URL.Path != root {
		path += "?" + url.Values{"next": {v.r.URL.RequestURI()}}.Encode()
	}
	return v.redirect(path)
}
