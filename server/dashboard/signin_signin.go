package dashboard

import (
	"net/http"
	"net/netip"
	"net/url"

	"freelancer-matching/access/account"
)

// A signInHandler serves the pages for users who are not signed in, and signs them out.
type signInHandler struct {
	Accounts *account.Service
	SignUp   account.SignUpPolicy
	Address  func(*http.Request) netip.Addr // of the client
}

// Routes returns the routes of the pages.
func (h *signInHandler) Routes() []route {
	return []route{
		get("/sign-in", anyone, h.showSignIn),
		post("/sign-in", anyone, h.signIn),
		get("/sign-in/code", anyone, h.showCode),
		post("/sign-in/code", anyone, h.enterCode),
		get("/sign-up", anyone, h.showSignUp),
		post("/sign-up", anyone, h.signUp),
		get("/setup", anyone, h.showSetup),
		post("/setup", anyone, h.setUp),
		get("/join", anyone, h.showJoin),
		post("/join", anyone, h.join),
		get("/reset", anyone, h.showReset),
		post("/reset", anyone, h.reset),
		post("/account/sign-out", account.Member, h.signOut).whileEnrolling(),
		post("/account/sign-out-everywhere", account.Member, h.signOutEverywhere).whileEnrolling(),
	}
}

// signInView is the data of the sign-in page.
type signInView struct {
	Note   string // confirms what was just done
	SignUp account.SignUpPolicy
}

// signInNotes returns the notes of the sign-in page, by the word in its URL. Signed-out users have no session to store
// a notice in.
func signInNotes() map[string]string {
	return map[string]string{
		"out":        "You are signed out.",
		"everywhere": "You are signed out on all devices.",
		"left":       "You left the account.",
		"deleted":    "The account is deleted.",
		"late":       "It took too long to enter the code. Sign in again.",
	}
}

func (h *signInHandler) signInPage(v *visit) page {
	return page{
		Template: "signin",
		Title:    "Sign in",
		Form:     url.Values{"next": {localPath(v.request.FormValue("next"))}, "email": {v.value("email")}},
		Data:     signInView{Note: signInNotes()[v.request.URL.Query().Get("note")], SignUp: h.SignUp},
	}
}

func (h *signInHandler) showSignIn(v *visit) error {
	if v.signedIn() {
		return v.redirect(localPath(v.request.FormValue("next")))
	}
	return v.ok(h.signInPage(v))
}

func (h *signInHandler) signIn(v *visit) error {
	user, _, err := h.Accounts.SignIn(v.context(), account.Credentials{
		Email: v.value("email"), Password: v.request.PostForm.Get("password"), Address: h.Address(v.request), Browser: v.browser(),
	})
	if err != nil {
		return v.reject(err, h.signInPage(v))
	}
	return h.letIn(v, user, localPath(v.value("next")))
}

func (h *signInHandler) signUpPage(v *visit) page {
	return page{
		Template: "signup",
		Title:    "Create an account",
		Form:     url.Values{"account_name": {v.value("account_name")}, "email": {v.value("email")}},
		Data:     h.SignUp,
	}
}

func (h *signInHandler) showSignUp(v *visit) error {
	if v.signedIn() {
		return v.redirect(root)
	}
	return v.ok(h.signUpPage(v))
}

func (h *signInHandler) signUp(v *visit) error {
	user, err := h.register(v)
	if err != nil {
		return v.reject(err, h.signUpPage(v))
	}
	if err := v.signInAs(user); err != nil {
		return err
	}
	return v.redirect(root)
}

func (h *signInHandler) signOut(v *visit) error {
	if err := v.endSession(); err != nil {
		return err
	}
	return v.redirect(root + "/sign-in?note=out")
}

func (h *signInHandler) signOutEverywhere(v *visit) error {
	if err := h.Accounts.SignOutEverywhere(v.context(), v.by(), v.user.ID); err != nil {
		return err
	}
	if err := v.endSession(); err != nil {
		return err
	}
	return v.redirect(root + "/sign-in?note=everywhere")
}
