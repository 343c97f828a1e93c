package signin

import (
	"net/http"
	"net/netip"
	"net/url"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// A Handler serves the pages for users who are not signed in, and signs them out.
type Handler struct {
	Accounts *account.Services
	SignUp   account.SignUpPolicy
	Address  func(*http.Request) netip.Addr // of the client
}

// Routes returns the routes of the pages.
func (h *Handler) Routes() []page.Route {
	return []page.Route{
		page.Get("/sign-in", page.Anyone, h.showSignIn),
		page.Post("/sign-in", page.Anyone, h.signIn),
		page.Get("/sign-in/code", page.Anyone, h.showCode),
		page.Post("/sign-in/code", page.Anyone, h.enterCode),
		page.Get("/sign-up", page.Anyone, h.showSignUp),
		page.Post("/sign-up", page.Anyone, h.signUp),
		page.Get("/setup", page.Anyone, h.showSetup),
		page.Post("/setup", page.Anyone, h.setUp),
		page.Get("/join", page.Anyone, h.showJoin),
		page.Post("/join", page.Anyone, h.join),
		page.Get("/reset", page.Anyone, h.showReset),
		page.Post("/reset", page.Anyone, h.reset),
		page.Post("/account/sign-out", account.Member, h.signOut).WhileEnrolling(),
		page.Post("/account/sign-out-everywhere", account.Member, h.signOutEverywhere).WhileEnrolling(),
	}
}

// signInView is the data of the sign-in page.
type signInView struct {
	Note       string // confirms what was just done
	SignUp     account.SignUpPolicy
	NeedsSetUp bool // nobody can sign in yet
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

func (h *Handler) signInPage(v *page.Visit) page.Page {
	// If the database is unreachable, the form says so once it is sent.
	needsSetUp, err := h.Accounts.Links.NeedsSetUp(v.Context())

	return page.Page{
		Template: "signin",
		Title:    "Sign in",
		Form:     url.Values{"next": {page.LocalPath(v.Request.FormValue("next"))}, "email": {v.Value("email")}},
		Data: signInView{
			Note: signInNotes()[v.Request.URL.Query().Get("note")], SignUp: h.SignUp, NeedsSetUp: err == nil && needsSetUp,
		},
	}
}

func (h *Handler) showSignIn(v *page.Visit) error {
	if v.SignedIn() {
		return v.Redirect(page.LocalPath(v.Request.FormValue("next")))
	}
	return v.OK(h.signInPage(v))
}

func (h *Handler) signIn(v *page.Visit) error {
	user, _, err := h.Accounts.SignIns.SignIn(v.Context(), account.Credentials{
		Email: v.Value("email"), Password: v.Request.PostForm.Get("password"),
		Address: h.Address(v.Request), Browser: v.Browser(), Agent: v.Agent(),
	})
	if err != nil {
		return v.Reject(err, h.signInPage(v))
	}
	return h.letIn(v, user, page.LocalPath(v.Value("next")))
}

func (h *Handler) signUpPage(v *page.Visit) page.Page {
	return page.Page{
		Template: "signup",
		Title:    "Create an account",
		Form:     url.Values{"account_name": {v.Value("account_name")}, "email": {v.Value("email")}},
		Data:     h.SignUp,
	}
}

func (h *Handler) showSignUp(v *page.Visit) error {
	if v.SignedIn() {
		return v.Redirect(page.Root)
	}
	return v.OK(h.signUpPage(v))
}

func (h *Handler) signUp(v *page.Visit) error {
	user, err := h.register(v)
	if err != nil {
		return v.Reject(err, h.signUpPage(v))
	}
	if err := v.SignInAs(user); err != nil {
		return err
	}
	return v.Redirect(page.Root)
}

func (h *Handler) signOut(v *page.Visit) error {
	if err := v.EndSession(); err != nil {
		return err
	}
	return v.Redirect(page.Root + "/sign-in?note=out")
}

func (h *Handler) signOutEverywhere(v *page.Visit) error {
	if err := h.Accounts.Sessions.EndAll(v.Context(), v.By(), v.User.ID); err != nil {
		return err
	}
	if err := v.EndSession(); err != nil {
		return err
	}
	return v.Redirect(page.Root + "/sign-in?note=everywhere")
}
