package dashboard

import (
	"io"

	"freelancer-matching/access/account"
)

func (h *settingsHandler) exportUser(v *visit) error {
	return v.download("my-data.json", func(w io.Writer) error {
		return h.Exports.ExportUser(v.context(), v.by(), v.user.ID, w)
	})
}

func (h *settingsHandler) exportAccount(v *visit) error {
	return v.download("account-data.json", func(w io.Writer) error {
		return h.Exports.ExportAccount(v.context(), v.by(), v.account.ID, w)
	})
}

// leaveAccount removes the user from the account.
func (h *settingsHandler) leaveAccount(v *visit) error {
	err := h.Accounts.Leave(v.context(), v.by(), v.user.ID, v.request.PostForm.Get("leave_proof"))
	return h.depart(v, err, "left")
}

// deleteAccount deletes the account with everything in it.
func (h *settingsHandler) deleteAccount(v *visit) error {
	err := h.Accounts.CloseAccount(v.context(), v.by(), v.user.ID, v.value("name"),
		v.request.PostForm.Get("delete_proof"))
	return h.depart(v, err, "deleted")
}

// depart ends the session of a user who no longer exists. If the refusal is not nil, the user still does.
func (h *settingsHandler) depart(v *visit, refusal error, note string) error {
	if refusal != nil {
		p := accountPage()
		p.Form = map[string][]string{"name": {v.value("name")}}
		return v.reject(refusal, p)
	}
	if err := v.endSession(); err != nil {
		return err
	}
	v.user = account.User{}
	v.account = account.Account{}
	return v.redirect(root + "/sign-in?note=" + note)
}
