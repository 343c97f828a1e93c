package settings

import (
	"io"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

func (h *Handler) exportUser(v *page.Visit) error {
	return v.Download("my-data.json", func(w io.Writer) error {
		return h.Exports.ExportUser(v.Context(), v.By(), v.User.ID, w)
	})
}

func (h *Handler) exportAccount(v *page.Visit) error {
	return v.Download("account-data.json", func(w io.Writer) error {
		return h.Exports.ExportAccount(v.Context(), v.By(), v.Account.ID, w)
	})
}

// storeResults turns on or off whether results of the playground are stored. Turning it off deletes those that are.
func (h *Handler) storeResults(v *page.Visit) error {
	on := v.Value("store") == "yes"
	if err := h.Accounts.Accounts.StoreResults(v.Context(), v.By(), v.Account.ID, on); err != nil {
		return v.Reject(err, page.AccountPage())
	}

	notice := "Playground results are stored again."
	if !on {
		notice = "Playground results are no longer stored. Those that were are deleted."
		if err := h.Results.DeleteOf(v.Context(), v.Account.ID); err != nil {
			return err
		}
	}
	v.Notice(notice)

	return v.Redirect(page.Root + "/account")
}

// leaveAccount removes the user from the account.
func (h *Handler) leaveAccount(v *page.Visit) error {
	err := h.Accounts.Users.Leave(v.Context(), v.By(), v.User.ID, v.Request.PostForm.Get("leave_proof"))
	return h.depart(v, err, "left")
}

// deleteAccount deletes the account with everything in it.
func (h *Handler) deleteAccount(v *page.Visit) error {
	err := h.Accounts.Accounts.Close(v.Context(), v.By(), v.User.ID, v.Value("name"),
		v.Request.PostForm.Get("delete_proof"))
	return h.depart(v, err, "deleted")
}

// depart ends the session of a user who no longer exists. If the refusal is not nil, the user still does.
func (h *Handler) depart(v *page.Visit, refusal error, note string) error {
	if refusal != nil {
		p := page.AccountPage()
		p.Form = map[string][]string{"name": {v.Value("name")}}
		return v.Reject(refusal, p)
	}
	if err := v.EndSession(); err != nil {
		return err
	}
	v.User = account.User{}
	v.Account = account.Account{}
	return v.Redirect(page.Root + "/sign-in?note=" + note)
}
