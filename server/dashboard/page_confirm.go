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
func (s *site) confirm(v *visit) (confirmed bool, err error) {
	if v.since(sessionConfirmed) <= confirmTime {
		return true, nil
	}
	p := confirmPage(v)
	if !v.request.PostForm.Has(proofField) {
		return false, v.show(http.StatusForbidden, p)
	}
	proof := v.request.PostForm.Get(proofField)
	if err := s.Accounts.Confirm(v.context(), v.by(), v.user.ID, proof); err != nil {
		return false, v.reject(err, p)
	}
	s.sessions.Put(v.context(), sessionConfirmed, s.Now().Unix())
	v.request.PostForm.Del(proofField)
	v.request.Form.Del(proofField)
	return true, nil
}

func confirmPage(v *visit) page {
	view := confirmView{Path: v.request.URL.Path}
	for _, name := range slices.Sorted(maps.Keys(v.request.PostForm)) {
		for _, value := range v.request.PostForm[name] {
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
