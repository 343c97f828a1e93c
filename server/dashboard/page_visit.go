package dashboard

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"freelancer-matching/access/account"
	"freelancer-matching/access/audit"
)

// visit is one request and the user who makes it.
type visit struct {
	site    *site
	writer  http.ResponseWriter
	request *http.Request
	user    account.User // zero if nobody is signed in
	account account.Account
	address string // of the client
}

// context returns the context of the request.
func (v *visit) context() context.Context { return v.request.Context() }

func (v *visit) signedIn() bool { return v.user.ID != "" }

func (v *visit) by() audit.By { return audit.By{Actor: v.user.ID, Address: v.address} }

// value returns the value of a form field, without surrounding space and with \n as line ending.
func (v *visit) value(name string) string {
	return strings.TrimSpace(strings.ReplaceAll(v.request.PostForm.Get(name), "\r\n", "\n"))
}

// redirect sends the browser to a path.
func (v *visit) redirect(path string) error {
	http.Redirect(v.writer, v.request, path, http.StatusSeeOther)
	return nil
}

// serve returns the handler of a route. It identifies the user and checks the role before it reads the form, so that
// strangers can make the server read no more than the small forms that anyone may send.
func (s *site) serve(r route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		v := &visit{site: s, writer: w, request: req}
		if a := s.Address(req); a.IsValid() {
			v.address = a.String()
		}
		if err := s.answer(v, r); err != nil {
			s.fail(v, err)
		}
	})
}

func (s *site) answer(v *visit, r route) error {
	if !isText(v.request.URL.Path) {
		return errBadForm
	}
	if err := s.identify(v); err != nil {
		return err
	}

	switch {
	case may(v.user.Role, r.Access):
	case v.signedIn():
		return errForbidden
	default:
		return redirectToSignIn(v)
	}

	if r.Access != anyone && !r.enrolling && s.mustEnroll(v.user) {
		closeUnread(v)
		return v.redirect(twoFactorPath)
	}

	release, err := s.readForm(v, r)
	defer release()

	if err != nil {
		return err
	}

	if needsConfirmation(v.user, r) {
		if confirmed, err := s.confirm(v); err != nil || !confirmed {
			return err
		}
	}

	return r.handle(v)
}

// redirectToSignIn sends the browser to the sign-in page, and to the requested page afterwards. A form is not resent.
func redirectToSignIn(v *visit) error {
	closeUnread(v)
	path := root + "/sign-in"
	if v.request.Method == http.MethodGet && v.request.URL.Path != root {
		path += "?" + url.Values{"next": {v.request.URL.RequestURI()}}.Encode()
	}
	return v.redirect(path)
}

// twoFactorPath is the page on which users set up a second factor.
const twoFactorPath = root + "/account/two-factor"

// mustEnroll reports whether a user may do nothing before they have a second factor.
func (s *site) mustEnroll(u account.User) bool {
	return s.RequireTwoFactor && u.Role.Includes(account.Administrator) && !u.TwoFactor.On()
}
