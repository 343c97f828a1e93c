package dashboard

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"freelancer-matching/access/account"
)

// confirmTime is how long after a sign-in or a confirmation a user may make dangerous changes.
const confirmTime = 10 * time.Minute

// proofField is the form field with the password or the code that confirms a change.
const proofField = "confirmation"

// confirmView is the data of the page that asks a signed-in user to confirm a change.
type confirmView struct {
	Path   string
	Fields []option // the form that is sent again, together with the confirmation
}

// confirm reports whether a user has proved who they are recently, or does so with this form. Otherwise, it asks for
// the password, or for a code if the user has a second factor. The page that asks contains the form, so nothing is
// entered twice.
func (d *dashboard) confirm(v *visit) (confirmed bool, err error) {
	if d.since(v, sessionConfirmed) <= confirmTime {
		return true, nil
	}
	p := confirmPage(v)
	if !v.r.PostForm.Has(proofField) {
		return false, d.show(v, http.StatusForbidden, p)
	}
	proof := v.r.PostForm.Get(proofField)
	if err := d.Accounts.Confirm(v.r.Context(), v.by(), v.user.ID, proof); err != nil {
		return false, d.rejectForm(v, err, p)
	}
	d.sessions.Put(v.r.Context(), sessionConfirmed, d.Now().Unix())
	v.r.PostForm.Del(proofField)
	v.r.Form.Del(proofField)
	return true, nil
}

func confirmPage(v *visit) page {
	view := confirmView{Path: v.r.URL.Path}
	for _, name := range slices.Sorted(maps.Keys(v.r.PostForm)) {
		for _, value := range v.r.PostForm[name] {
			if name != proofField {
				view.Fields = append(view.Fields, option{name, value})
			}
		}
	}
	return page{Template: "confirm", Title: "Confirm that it's you", Form: url.Values{}, Data: view}
}

// needsConfirmation reports whether a user has to confirm what a route does.
func needsConfirmation(u account.User, r route) bool {
	return r.confirmed != "" && u.Role.Includes(r.confirmed)
}
