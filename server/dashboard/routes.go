package dashboard

import (
	"net/http"

	"freelancer-matching/server/account"
)

// handler does the work of one route. An error that it returns is rendered by fail.
type handler func(v *visit) error

// route is one page or one form. Its path is a pattern of http.ServeMux.
type route struct {
	method, path string
	access       account.Role // the least role that it asks for; anyone: none
	handle       handler
}

// anyone is the access of routes that nobody has to sign in for.
const anyone account.Role = ""

// routes is every route but the static files.
func (d *dashboard) routes() []route {
	const (
		get  = http.MethodGet
		post = http.MethodPost
	)
	routes := []route{
		{get, "/sign-in", anyone, d.signInPage},
		{post, "/sign-in", anyone, d.signIn},
		{get, "/sign-up", anyone, d.signUpPage},
		{post, "/sign-up", anyone, d.signUp},
		{get, "/setup", anyone, d.setUpPage},
		{post, "/setup", anyone, d.setUp},
		{get, "/join", anyone, d.joinPage},
		{post, "/join", anyone, d.join},
		{get, "/reset", anyone, d.resetPage},
		{post, "/reset", anyone, d.reset},

		{get, "", account.Member, d.keysPage},
		{get, "/{$}", account.Member, redirect("")},
		{get, "/keys/new", account.Owner, d.newKeyPage},
		{post, "/keys/new", account.Owner, d.createKey},
		{get, "/keys/{id}", account.Member, d.keyPage},
		{post, "/keys/{id}", account.Owner, d.changeKey},
		{get, "/keys/{id}/{action}", account.Member, d.backToKey},
		{post, "/keys/{id}/rotate", account.Owner, d.rotateKey},
		{post, "/keys/{id}/disable", account.Owner, d.disableKey},
		{post, "/keys/{id}/enable", account.Owner, d.enableKey},
		{post, "/keys/{id}/revoke", account.Owner, d.revokeKey},

		{get, "/usage", account.Member, d.usagePage},
		{get, "/playground", account.Member, d.playgroundPage},
		{post, "/playground", account.Member, d.play},
		{get, "/playground/skill", account.Member, d.skillPage},
		{post, "/playground/skill", account.Member, d.playSkill},
		{get, "/playground/resume", account.Member, d.resumePage},
		{post, "/playground/resume", account.Member, d.playResume},
		{get, "/playground/interview", account.Member, d.interviewPage},
		{post, "/playground/interview", account.Member, d.playInterview},
		{get, "/data", account.Member, d.dataPage},

		{get, "/account", account.Member, d.accountPage},
		{post, "/account/password", account.Member, d.changePassword},
		{post, "/account/sign-out", account.Member, d.signOut},
		{post, "/account/sign-out-everywhere", account.Member, d.signOutEverywhere},
		{get, "/members", account.Owner, d.membersPage},
		{post, "/members", account.Owner, d.inviteMember},
		{post, "/members/{user}/role", account.Owner, d.setRole},
		{post, "/members/{user}/remove", account.Owner, d.removeMember},
		{post, "/members/invitations/{link}/revoke", account.Owner, d.revokeMemberLink},
		{get, "/activity", account.Owner, d.activityPage},

		{get, "/admin/accounts", account.Administrator, d.accountsPage},
		{get, "/admin/accounts/{account}", account.Administrator, d.anAccountPage},
		{post, "/admin/accounts/{account}/plan", account.Administrator, d.changePlan},
		{post, "/admin/accounts/{account}/disable", account.Administrator, d.disableAccount},
		{post, "/admin/accounts/{account}/enable", account.Administrator, d.enableAccount},
		{post, "/admin/accounts/{account}/users/{user}/reset", account.Administrator, d.makeReset},
		{get, "/admin/invitations", account.Administrator, d.invitationsPage},
		{post, "/admin/invitations", account.Administrator, d.invite},
		{post, "/admin/invitations/{link}/revoke", account.Administrator, d.revokeLink},
		{get, "/admin/audit", account.Administrator, d.auditPage},

		{"", "/", anyone, d.nothingHere},
	}
	for i := range routes {
		routes[i].path = root + routes[i].path
	}
	return routes
}

// redirect answers with the way to another page.
func redirect(path string) handler {
	return func(v *visit) error { return v.redirect(root + path) }
}

// nothingHere answers every address that no other route does.
func (d *dashboard) nothingHere(*visit) error { return errNotFound }

// may reports whether a role is enough for an access.
func may(role, access account.Role) bool { return access == anyone || role.Includes(access) }
