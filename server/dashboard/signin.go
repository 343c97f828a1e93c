package dashboard

import (
	"net/url"

	"freelancer-matching/access/account"
)

// signInView is what the sign-in page shows beside its form.
type signInView struct {
	Note   string // why one is here, or what was just done
	SignUp account.SignUpPolicy
}

// The notes of the sign-in page, by the word in its address. Whoever has signed out has no session to keep a notice in.
func signInNote(word string) string {
	switch word {
	case "out":
		return "You are signed out."
	case "everywhere":
		return "You are signed out on every device."
	default:
		return ""
	}
}

func (d *dashboard) signInForm(v *visit) page {
	form := url.Values{"next": {localPath(v.r.FormValue("next"))}, "email": {v.value("email")}}
	return page{
		Template: "signin", Title: "Sign in", Form: form,
		Data: signInView{Note: signInNote(v.r.URL.Query().Get("note")), SignUp: d.SignUp},
	}
}

func (d *dashboard) signInPage(v *visit) error {
	if v.signedIn() {
		return v.redirect(localPath(v.r.FormValue("next")))
	}
	return d.ok(v, d.signInForm(v))
}

func (d *dashboard) signIn(v *visit) error {
	user, err := d.Accounts.SignIn(v.r.Context(), d.Address(v.r), v.value("email"), v.r.PostForm.Get("password"))
	if err != nil {
		return d.again(v, err, d.signInForm(v))
	}
	if err := d.begin(v, user); err != nil {
		return err
	}
	return v.redirect(localPath(v.value("next")))
}

func (d *dashboard) signUpForm(v *visit) page {
	return page{
		Template: "signup", Title: "Create an account",
		Form: url.Values{"account_name": {v.value("account_name")}, "email": {v.value("email")}}, Data: d.SignUp,
	}
}

func (d *dashboard) signUpPage(v *visit) error {
	if v.signedIn() {
		return v.redirect(root)
	}
	return d.ok(v, d.signUpForm(v))
}

func (d *dashboard) signUp(v *visit) error {
	user, err := d.Accounts.Register(v.r.Context(), v.by(), account.NewUser{
		Email: v.value("email"), Password: v.r.PostForm.Get("password"), AccountName: v.value("account_name"),
	})
	if err != nil {
		return d.again(v, err, d.signUpForm(v))
	}
	if err := d.begin(v, user); err != nil {
		return err
	}
	return v.redirect(root)
}

func (d *dashboard) signOut(v *visit) error {
	if err := d.end(v); err != nil {
		return err
	}
	return v.redirect(root + "/sign-in?note=out")
}

func (d *dashboard) signOutEverywhere(v *visit) error {
	if err := d.Accounts.SignOutEverywhere(v.r.Context(), v.by(), v.user.ID); err != nil {
		return err
	}
	if err := d.end(v); err != nil {
		return err
	}
	return v.redirect(root + "/sign-in?note=everywhere")
}
