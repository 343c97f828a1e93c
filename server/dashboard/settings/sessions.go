package settings

import (
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

const sessionsPath = page.Root + "/account/sessions"

// sessionsPage lists the browsers in which the user is signed in.
func sessionsPage(v *page.Visit) (page.Page, error) {
	list, err := v.Sessions()
	return page.Page{Template: "sessions", Title: "Sessions", Section: "account", Data: list}, err
}

// endSession signs the user out in another browser.
func (h *Handler) endSession(v *page.Visit) error {
	found, err := v.EndOtherSession(v.Request.PathValue("session"))
	if err != nil {
		return err
	}
	if !found {
		return &matching.Error{Code: matching.CodeNotFound, Message: "This session does not exist, or has ended."}
	}
	v.Notice("Signed out in that browser.")
	return v.Redirect(sessionsPath)
}
