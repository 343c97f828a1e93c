package page

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/audit"
)

// Visit is one request and the user who makes it.
type Visit struct {
	site    *site
	Writer  http.ResponseWriter
	Request *http.Request
	User    account.User // zero if nobody is signed in
	Account account.Account
	address string // of the client
}

// Context returns the context of the request.
func (v *Visit) Context() context.Context { return v.Request.Context() }

// SignedIn reports whether a user is signed in.
func (v *Visit) SignedIn() bool { return v.User.ID != "" }

// By returns who makes the request, for the audit log.
func (v *Visit) By() audit.By {
	return audit.By{Actor: v.User.ID, Address: v.address, Browser: v.Agent()}
}

// Agent returns the browser and the system of the request, such as "Firefox on Linux".
func (v *Visit) Agent() string { return agentName(v.Request.UserAgent()) }

// Value returns the value of a form field, without surrounding space and with \n as line ending.
func (v *Visit) Value(name string) string {
	return strings.TrimSpace(strings.ReplaceAll(v.Request.PostForm.Get(name), "\r\n", "\n"))
}

// Redirect sends the browser to a path.
func (v *Visit) Redirect(path string) error {
	http.Redirect(v.Writer, v.Request, path, http.StatusSeeOther)
	return nil
}

// serve returns the handler of a route. It identifies the user and checks the role before it reads the form, so that
// strangers can make the server read no more than the small forms that anyone may send.
func (s *site) serve(r Route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		v := &Visit{site: s, Writer: w, Request: req}
		if a := s.Address(req); a.IsValid() {
			v.address = a.String()
		}
		if err := s.answer(v, r); err != nil {
			s.fail(v, err)
		}
	})
}

func (s *site) answer(v *Visit, r Route) error {
	if !IsText(v.Request.URL.Path) {
		return ErrBadForm
	}
	if err := s.identify(v); err != nil {
		return err
	}

	// The role is checked before the form is read, so strangers can't make the server receive large forms.
	switch {
	case May(v.User.Role, r.Access):
	case v.SignedIn():
		return ErrForbidden
	default:
		return redirectToSignIn(v)
	}

	openBeforeEnrolling := r.Access == Anyone || r.enrolling
	if !openBeforeEnrolling && v.NeedsTwoFactor() && !v.User.TwoFactor.On() {
		closeUnread(v)
		return v.Redirect(TwoFactorPath)
	}

	// The memory that a form has reserved is in use until the page is rendered.
	release, err := s.readForm(v, r)
	defer release()
	if err != nil {
		return err
	}

	// What was sent is kept by the page that asks for a password or a code, so nothing is entered twice.
	if needsConfirmation(v.User, r) {
		if confirmed, err := s.confirm(v); err != nil || !confirmed {
			return err
		}
	}

	return r.handle(v)
}

// redirectToSignIn sends the browser to the sign-in page, and to the requested page afterwards. A form is not resent.
func redirectToSignIn(v *Visit) error {
	closeUnread(v)
	path := Root + "/sign-in"
	if v.Request.Method == http.MethodGet && v.Request.URL.Path != Root {
		path += "?" + url.Values{"next": {v.Request.URL.RequestURI()}}.Encode()
	}
	return v.Redirect(path)
}

// TwoFactorPath is the page on which users set up a second factor.
const TwoFactorPath = Root + "/account/two-factor"

// NeedsTwoFactor reports whether the user may do nothing without a second factor: as an administrator, or because the
// account requires it.
func (v *Visit) NeedsTwoFactor() bool {
	isAdministrator := v.User.Role.Includes(account.Administrator)
	return v.site.RequireTwoFactor && isAdministrator || !v.Account.TwoFactorRequired.IsZero()
}
