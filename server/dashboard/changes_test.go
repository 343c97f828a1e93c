package dashboard_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
)

// Everyone sees the changes of their own credentials, and owners also those of the account's keys.
func TestSecurityPage(t *testing.T) {
	const path = "/dashboard/account/security"
	w := newWorld(t)
	w.as(w.stranger).get(path).expect(t, http.StatusOK, "Someone signed in as you from a new browser",
		"you, or somebody signed in as you")

	b := w.as(w.member)
	b.get(path).expect(t, http.StatusOK, "Someone signed in as you from a new browser")
	b.post("/dashboard/account/password", "present", password, "password", newPassword).expect(t, http.StatusSeeOther)
	w.key(w.owner, "Website")
	_, err := w.accounts.Users.SetRole(t.Context(), audit.By{Actor: w.owner.ID}, w.member.ID, account.Member)
	w.must(err)
	own := b.get(path).expect(t, http.StatusOK, "Your password was changed", "with the old password", "127.0.0.1")
	if strings.Contains(own.body, "API key was") || strings.Contains(own.body, "Website") {
		t.Error("a member sees the keys")
	}

	ofOwner := w.as(w.owner).get(path).expect(t, http.StatusOK, "An API key was created", `"Website"`)
	if strings.Contains(ofOwner.body, "Your password was changed") {
		t.Error("the owner sees the member's changes")
	}

	// What happens in another account, and without one, is none of theirs.
	other := apikey.Request{Name: "Other", Plan: "freelancer"}
	_, _, err = w.keys.Create(t.Context(), audit.By{Actor: audit.System}, other)
	w.must(err)
	if strings.Contains(w.as(w.stranger).get(path).body, "API key was") {
		t.Error("a stranger sees keys of others")
	}
}
