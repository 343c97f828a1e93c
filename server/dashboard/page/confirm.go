package page

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/freelancer-matching/service/access/account"
)

// confirmTime is how long after a sign-in or a confirmation a user may make dangerous changes.
const confirmTime = 10 * time.Minute

// proofField is the form field with the password or the code that confirms a change.
const proofField = "confirmation"

// confirmView is the data of the page that asks a signed-in user to confirm a change.
type confirmView struct {
	Path   string
	Fields []Option // the form that is sent again, together with the confirmation
}

// confirm reports whether a user has proved who they are recently, or does so with this form. Otherwise, it asks for
// the password, or for a code if the user has a second factor. The page that asks contains the form, so nothing is
// entered twice.
func (s *site) confirm(v *Visit) (confirmed bool, err error) {
	if v.Since(sessionConfirmed) <= confirmTime {
		return true, nil
	}
	p := confirmPage(v)
	if !v.Request.PostForm.Has(proofField) {
		return false, v.Show(http.StatusForbidden, p)
	}
	proof := v.Request.PostForm.Get(proofField)
	if err := s.Accounts.Verifier.Confirm(v.Context(), v.By(), v.User.ID, proof); err != nil {
		return false, v.Reject(err, p)
	}
	s.sessions.Put(v.Context(), sessionConfirmed, s.Now().Unix())
	v.Request.PostForm.Del(proofField)
	v.Request.Form.Del(proofField)
	return true, nil
}

func confirmPage(v *Visit) Page {
	view := confirmView{Path: v.Request.URL.Path}
	for _, name := range slices.Sorted(maps.Keys(v.Request.PostForm)) {
		for _, value := range v.Request.PostForm[name] {
			if name != proofField {
				view.Fields = append(view.Fields, Option{name, value})
			}
		}
	}
	return Page{Template: "confirm", Title: "Confirm that it's you", Form: url.Values{}, Data: view}
}

// needsConfirmation reports whether a user has to confirm what a route does.
func needsConfirmation(u account.User, r Route) bool {
	return r.confirmed != "" && u.Role.Includes(r.confirmed)
}
