package dashboard

import (
	"net/url"

	"freelancer-matching/access/account"
)

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

func (d *dashboard) signInPage(v *visit) page {
	return page{
		Template: "signin",
		Title:    "Sign in",
		Form:     url.Values{"next": {localPath(v.r.FormValue("next"))}, "email": {v.value("email")}},
		Data:     signInView{Note: signInNotes()[v.r.URL.Query().Get("note")], SignUp: d.SignUp},
	}
}

func (d *dashboard) showSignIn(v *visit) error {
	if v.signedIn() {
		return v.redirect(localPath(v.r.FormValue("next")))
	}
	return d.ok(v, d.signInPage(v))
}

func (d *dashboard) signIn(v *visit) error {
	user, _, err := d.Accounts.SignIn(v.r.Context(), account.Credentials{
		Email: v.value("email"), Password: v.r.PostForm.Get("password"), Address: d.Address(v.r), Browser: d.browser(v.r),
	})
	if err != nil {
		return d.rejectForm(v, err, d.signInPage(v))
	}
	return d.letIn(v, user, localPath(v.value("next")))
}

func (d *dashboard) signUpPage(v *visit) page {
	return page{
		Template: "signup",
		Title:    "Create an account",
		Form:     url.Values{"account_name": {v.value("account_name")}, "email": {v.value("email")}},
		Data:     d.SignUp,
	}
}

func (d *dashboard) showSignUp(v *visit) error {
	if v.signedIn() {
		return v.redirect(root)
	}
	return d.ok(v, d.signUpPage(v))
}

func (d *dashboard) signUp(v *visit) error {
	user, err := d.register(v)
	if err != nil {
		return d.rejectForm(v, err, d.signUpPage(v))
	}
	if err := d.signInAs(v, user); err != nil {
		return err
	}
	return v.redirect(root)
}

func (d *dashboard) signOut(v *visit) error {
	if err := d.endSession(v); err != nil {
		return err
	}
	return v.redirect(root + "/sign-in?note=out")
}

func (d *dashboard) signOutEverywhere(v *visit) error {
	if err := d.Accounts.SignOutEverywhere(v.r.Context(), v.by(), v.user.ID); err != nil {
		return err
	}
	if err := d.endSession(v); err != nil {
		return err
	}
	return v.redirect(root + "/sign-in?note=everywhere")
}
