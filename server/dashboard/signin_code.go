package dashboard

import (
	"time"

	"freelancer-matching/access/account"
)

const (
	codePath = root + "/sign-in/code"
	// pendingTime is how long a sign-in waits for its code.
	pendingTime = 10 * time.Minute
)

// The values in the session of a user who has entered the password but not yet the code. It has no other user.
const (
	pendingUser       = "pending_user"
	pendingGeneration = "pending_generation"
	pendingSince      = "pending_since"
	pendingNext       = "pending_next" // path to go to afterwards
)

// letIn signs a user in, or first asks for the code of the user's second factor.
func (h *signInHandler) letIn(v *visit, u account.User, next string) error {
	if !u.TwoFactor.On() {
		if err := v.signInAs(u); err != nil {
			return err
		}
		return v.redirect(next)
	}
	if err := v.beginSession(); err != nil {
		return err
	}
	v.put(pendingUser, u.ID)
	v.put(pendingGeneration, u.Sessions)
	v.putNow(pendingSince)
	v.put(pendingNext, next)
	if err := v.storeSession(); err != nil {
		return err
	}
	return v.redirect(codePath)
}

// pending returns the id of the user who has to enter a code, or "".
func (h *signInHandler) pending(v *visit) string {
	if v.since(pendingSince) > pendingTime {
		return ""
	}
	return v.getString(pendingUser)
}

// codeView is the data of the page that asks for a code.
type codeView struct {
	Recovery bool // ask for a recovery code instead
}

func codePage(v *visit) page {
	return page{Template: "code", Title: "Two-factor authentication", Data: codeView{v.request.FormValue("recovery") != ""}}
}

func (h *signInHandler) showCode(v *visit) error {
	switch {
	case v.signedIn():
		return v.redirect(root)
	case h.pending(v) == "":
		return v.redirect(root + "/sign-in")
	}
	return v.ok(codePage(v))
}

func (h *signInHandler) enterCode(v *visit) error {
	user := h.pending(v)
	if user == "" {
		return v.redirect(root + "/sign-in?note=late")
	}
	ctx := v.context()
	u, err := h.Accounts.SignInWithCode(ctx, account.SecondStep{
		User:     user,
		Sessions: v.getInt(pendingGeneration),
		Code:     v.value("code"),
		Address:  h.Address(v.request),
		Browser:  v.browser(),
	})
	if err != nil {
		return v.reject(err, codePage(v))
	}

	next := v.getString(pendingNext)
	if err := v.signInAs(u); err != nil {
		return err
	}

	return v.redirect(localPath(next))
}
