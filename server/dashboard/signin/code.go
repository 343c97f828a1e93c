package signin

import (
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

const (
	codePath = page.Root + "/sign-in/code"
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
func (h *Handler) letIn(v *page.Visit, u account.User, next string) error {
	if !u.TwoFactor.On() {
		if err := v.SignInAs(u); err != nil {
			return err
		}
		return v.Redirect(next)
	}
	if err := v.BeginSession(); err != nil {
		return err
	}
	v.Put(pendingUser, u.ID)
	v.Put(pendingGeneration, u.Sessions)
	v.PutNow(pendingSince)
	v.Put(pendingNext, next)
	if err := v.StoreSession(); err != nil {
		return err
	}
	return v.Redirect(codePath)
}

// pending returns the id of the user who has to enter a code, or "".
func (h *Handler) pending(v *page.Visit) string {
	if v.Since(pendingSince) > pendingTime {
		return ""
	}
	return v.GetString(pendingUser)
}

// codeView is the data of the page that asks for a code.
type codeView struct {
	Recovery bool // ask for a recovery code instead
}

func codePage(v *page.Visit) page.Page {
	view := codeView{Recovery: v.Request.FormValue("recovery") != ""}
	return page.Page{Template: "code", Title: "Two-factor authentication", Data: view}
}

func (h *Handler) showCode(v *page.Visit) error {
	switch {
	case v.SignedIn():
		return v.Redirect(page.Root)
	case h.pending(v) == "":
		return v.Redirect(page.Root + "/sign-in")
	}
	return v.OK(codePage(v))
}

func (h *Handler) enterCode(v *page.Visit) error {
	user := h.pending(v)
	if user == "" {
		return v.Redirect(page.Root + "/sign-in?note=late")
	}

	ctx := v.Context()
	u, err := h.Accounts.SignIns.EnterCode(ctx, account.SecondStep{
		User:     user,
		Sessions: v.GetInt(pendingGeneration),
		Code:     v.Value("code"),
		Address:  h.Address(v.Request),
		Browser:  v.Browser(),
		Agent:    v.Agent(),
	})
	if err != nil {
		return v.Reject(err, codePage(v))
	}

	// Signing in replaces the session, so where to go must be read before.
	next := v.GetString(pendingNext)
	if err := v.SignInAs(u); err != nil {
		return err
	}

	return v.Redirect(page.LocalPath(next))
}
