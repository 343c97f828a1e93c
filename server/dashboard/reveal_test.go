package dashboard_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/apikey"
)

// A form that creates a secret redirects to a page that shows it once. A reload says so, and creates nothing.
func TestReveal_ShowsSecretsOnce(t *testing.T) {
	w := newWorld(t)
	_, k := w.key(w.owner, "Website")
	accounts := "/dashboard/admin/accounts/" + w.owner.Account
	secret := regexp.MustCompile(`svc_pr_[0-9A-Za-z]{36}|#[\w-]{43}`)
	for name, tt := range map[string]struct {
		b             *browser
		form, pattern string
		fields        []string
		reloaded      string
	}{
		"new key": {
			w.as(w.owner), "/dashboard/keys/new", `^/dashboard/keys/key_\w+/secret$`,
			[]string{"id", apikey.NewID(), "name", "Shop"},
			"This key was already shown",
		},
		"rotated key": {
			w.as(w.owner), "/dashboard/keys/" + k.ID + "/rotate", `^/dashboard/keys/key_\w+/secret$`,
			[]string{"grace", "0s"},
			"This key was already shown",
		},
		"invitation of a member": {
			w.as(w.owner), "/dashboard/members", `^/dashboard/members/invitations/lnk_\w+$`,
			[]string{"role", "member", "email", "new@example.com"},
			"revoke it and create a new one",
		},
		"invitation of an account": {
			w.as(w.admin), "/dashboard/admin/invitations", `^/dashboard/admin/invitations/lnk_\w+$`,
			[]string{"plan", "professional"},
			"revoke it and create a new one",
		},
		"reset link": {
			w.as(w.admin), accounts + "/users/" + w.member.ID + "/reset",
			"^" + accounts + `/users/\w+/reset/lnk_\w+$`, nil, "create a new one, which replaces it",
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := tt.b.post(tt.form, tt.fields...).expect(t, http.StatusSeeOther)
			if !regexp.MustCompile(tt.pattern).MatchString(a.location) || secret.MatchString(a.body) {
				t.Fatalf("redirected to %q", a.location)
			}

			if !secret.MatchString(tt.b.get(a.location).expect(t, http.StatusOK).body) {
				t.Error("the secret is not shown")
			}

			if reloaded := tt.b.get(a.location).expect(t, http.StatusOK, tt.reloaded); secret.MatchString(reloaded.body) {
				t.Error("the secret is shown again")
			}
		})
	}

	members := w.as(w.owner).get("/dashboard/members").body
	if strings.Count(members, "/dashboard/members/invitations/lnk_") != 1 {
		t.Error("reloading has created another invitation")
	}
}

// A secret waits for its page for a few minutes, only in the session that created it, and not in plain text.
func TestReveal_HoldsSecretsInTheSession(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.owner)
	path := b.post("/dashboard/keys/new", "id", apikey.NewID(), "name", "Shop").expect(t, http.StatusSeeOther).location
	w.as(w.owner).get(path).expect(t, http.StatusOK, "This key was already shown")
	w.as(w.member).get(path).expect(t, http.StatusForbidden)
	w.as(w.stranger).get(path).expect(t, http.StatusNotFound)
	w.clock.advance(5*time.Minute + time.Second)
	if a := b.get(path).expect(t, http.StatusOK, "This key was already shown"); tokenPattern.MatchString(a.body) {
		t.Error("the key is shown after its time")
	}
	link := b.post("/dashboard/members", "role", "member").expect(t, http.StatusSeeOther).location
	w.as(w.stranger).get(link).expect(t, http.StatusNotFound)
	b.post(link+"/revoke").expect(t, http.StatusSeeOther)
	b.get(link).expect(t, http.StatusNotFound)
}

// An owner who invites a member of the account learns that, and nothing is created.
func TestMembers_InviteAnExistingMember(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.owner)
	b.post("/dashboard/members", "role", "member", "email", w.member.Email).
		expect(t, http.StatusUnprocessableEntity, "The user member@example.com is already a member of this account.")
	b.post("/dashboard/members", "role", "member", "email", w.stranger.Email).
		expect(t, http.StatusUnprocessableEntity, "A user of this service has this email address.")
}
