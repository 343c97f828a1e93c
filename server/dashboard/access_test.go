package dashboard_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/server/dashboard"
)

// fill replaces the placeholders in the pattern of a route by IDs.
func fill(pattern string, ids map[string]string) string {
	path := strings.ReplaceAll(pattern, "{$}", "")
	for _, name := range slices.Sorted(maps.Keys(ids)) {
		path = strings.ReplaceAll(path, "{"+name+"}", ids[name])
	}
	return path
}

// Each route redirects signed-out users to the sign-in page, rejects users with a lower role, and serves the others.
func TestRoutes_RequireTheirRole(t *testing.T) {
	w := newWorld(t)
	browsers := map[account.Role]*browser{"": w.browser()}
	ids := map[account.Role]map[string]string{}
	users := map[account.Role]account.User{
		account.Member: w.member, account.Owner: w.owner, account.Administrator: w.admin,
	}
	for role, user := range users {
		browsers[role] = w.as(user)
		if role == account.Member {
			continue
		}
		_, key := w.key(user, "Website")
		invite := account.Invite{Account: user.Account}
		_, link, err := w.accounts.Links.Invite(t.Context(), audit.By{Actor: user.ID}, invite)
		w.must(err)
		ids[role] = map[string]string{
			"id": key.ID, "action": "rotate", "user": user.ID, "link": link.ID, "account": user.Account,
			"session": w.interview(user, "Mira"),
		}
	}

	ids[account.Member], ids[""] = ids[account.Owner], ids[account.Owner]

	ranks := []account.Role{"", account.Member, account.Owner, account.Administrator}
	for _, route := range dashboard.Routes() {
		for rank, role := range ranks {
			method := route.Method
			if method == "" {
				method = http.MethodGet
			}

			t.Run(method+" "+route.Path+" as "+string(role), func(t *testing.T) {
				b := browsers[role]
				path := fill(route.Path, ids[role])
				a := b.do(method, path, form("role", "owner", "grace", "0s"), nil)
				needed := slices.Index(ranks, route.Access)
				switch {
				case route.Path == "/dashboard/sign-in/code": // leads back to the sign-in page without a password
				case rank >= needed:
					if a.status == http.StatusForbidden || a.status >= 500 || a.location == "/dashboard/sign-in" {
						t.Errorf("status %d, location %q for a sufficient role\n%s", a.status, a.location, a.text())
					}

				case role == "":
					if a.status != http.StatusSeeOther || !strings.HasPrefix(a.location, "/dashboard/sign-in") {
						t.Errorf("status %d, location %q, want a redirect to the sign-in page", a.status, a.location)
					}

				case a.status != http.StatusForbidden:
					t.Errorf("status %d, want 403", a.status)
				}

				if strings.Contains(path, "sign-out") && role != "" {
					*b = *w.as(users[role])
				}
			})
		}
	}
}

// The owner of one account can neither see nor change anything in another account, even with valid IDs.
func TestRoutes_HideOtherAccounts(t *testing.T) {
	w := newWorld(t)
	_, key := w.key(w.owner, "Website")
	invite := account.Invite{Account: w.owner.Account}
	_, link, err := w.accounts.Links.Invite(t.Context(), audit.By{Actor: w.owner.ID}, invite)
	w.must(err)
	ids := map[string]string{
		"id": key.ID, "user": w.member.ID, "link": link.ID, "session": w.interview(w.owner, "Website"),
	}
	stranger := w.as(w.stranger)
	state := func() any {
		keys, err := w.keys.ListOf(t.Context(), w.owner.Account)
		w.must(err)
		users, err := w.accounts.Users.List(t.Context(), w.owner.Account)
		w.must(err)
		links, err := w.accounts.Links.List(t.Context(), w.owner.Account)
		w.must(err)
		return []any{keys, users, links}
	}

	before := state()
	for _, route := range dashboard.Routes() {
		redirects := strings.Contains(route.Path, "{$}") || strings.Contains(route.Path, "{action}")
		if !strings.Contains(route.Path, "{") || redirects || route.Access == account.Administrator {
			continue
		}

		t.Run(route.Method+" "+route.Path, func(t *testing.T) {
			fields := form("name", "Mine", "role", "owner", "grace", "0s", "confirm", key.Last4)
			a := stranger.do(route.Method, fill(route.Path, ids), fields, nil)
			a.expect(t, http.StatusNotFound, "Page not found")
			if strings.Contains(a.body, "Website") {
				t.Error("the response contains the name of the key")
			}
		})
	}

	stranger.get("/dashboard/usage?key="+key.ID).expect(t, http.StatusNotFound)
	w.api.status = http.StatusOK
	w.api.body = `{}`
	stranger.post("/dashboard/playground", "key", key.ID, "description", "x").expect(t, http.StatusNotFound)
	stranger.post(skillPath, "key", key.ID, "keyword", "x").expect(t, http.StatusNotFound)
	stranger.post(interviewPath, "key", key.ID, "freelancer_id", "f1").expect(t, http.StatusNotFound)
	stranger.upload(key.ID, "resume.pdf", "%PDF").expect(t, http.StatusNotFound)

	if w.api.path != "" {
		t.Error("a request was sent with the key of another account")
	}
	compareTokens := cmp.Comparer(func(a, b account.Token) bool { return a == b })
	if diff := cmp.Diff(before, state(), compareTokens, comparePrefixes()); diff != "" {
		t.Errorf("the other account has changed:\n%s", diff)
	}
}

// Users cannot assign a role above their own, and cannot change users with a role above their own.
func TestMembers_CannotExceedTheirRole(t *testing.T) {
	w := newWorld(t)
	// An administrator in the owner's account.
	secret, _, err := w.accounts.Links.Invite(t.Context(), audit.By{Actor: w.admin.ID},
		account.Invite{Account: w.owner.Account, Role: account.Administrator})
	w.must(err)
	above := w.register("above@example.com", "", secret)
	owner := w.as(w.owner)
	for name, a := range map[string]answer{
		"invites an administrator":  owner.post("/dashboard/members", "role", "administrator"),
		"invites without a role":    owner.post("/dashboard/members", "role", ""),
		"invites with unknown role": owner.post("/dashboard/members", "role", "emperor"),
		"promotes themselves":       owner.post("/dashboard/members/"+w.owner.ID+"/role", "role", "administrator"),
		"promotes a member":         owner.post("/dashboard/members/"+w.member.ID+"/role", "role", "administrator"),
		"demotes an administrator":  owner.post("/dashboard/members/"+above.ID+"/role", "role", "member"),
		"removes an administrator":  owner.post("/dashboard/members/"+above.ID+"/remove", "confirm", "yes"),
	} {
		if a.status != http.StatusForbidden {
			t.Errorf("an owner %s: %d, want 403", name, a.status)
		}
	}

	users, err := w.accounts.Users.List(t.Context(), w.owner.Account)
	w.must(err)
	roles := map[string]account.Role{}
	for _, u := range users {
		roles[u.Email] = u.Role
	}

	want := map[string]account.Role{
		"owner@example.com":  account.Owner,
		"member@example.com": account.Member,
		"above@example.com":  account.Administrator,
	}
	if diff := cmp.Diff(want, roles); diff != "" {
		t.Error(diff)
	}
}

// Members do not see forms that only owners may submit.
func TestPages_HideFormsOfOwnersFromMembers(t *testing.T) {
	w := newWorld(t)
	_, key := w.key(w.owner, "Website")
	member := w.as(w.member)
	for _, path := range []string{
		"", "/keys", "/keys/" + key.ID, "/usage", "/playground", "/playground/skill", "/playground/resume",
		"/playground/interview", "/data", "/account",
	} {
		a := member.get("/dashboard"+path).expect(t, http.StatusOK)
		for _, absent := range []string{
			"/dashboard/keys/new", "/rotate", "/revoke", "/dashboard/members", "/dashboard/admin",
		} {
			if strings.Contains(a.body, absent) {
				t.Errorf("%s shows %s to a member", path, absent)
			}
		}
	}
}
