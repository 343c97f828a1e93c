package dashboard

import (
	"net/http"

	"freelancer-matching/access/account"
)

// handler does the work of one route. An error that it returns is rendered by fail.
type handler func(v *visit) error

// route is one page or one form. Its path is a pattern of http.ServeMux.
type route struct {
	method, path string
	access       account.Role // the least role that it asks for; anyone: none
	handle       handler
	maxBody      int64 // bytes of a form
}

func at(method, path string, access account.Role, handle handler) route {
	return route{method, path, access, handle, maxForm}
}

// taking is the same route for larger forms.
func (r route) taking(maxBody int64) route {
	r.maxBody = maxBody
	return r
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
		at(get, "/sign-in", anyone, d.signInPage),
		at(post, "/sign-in", anyone, d.signIn),
		at(get, "/sign-up", anyone, d.signUpPage),
		at(post, "/sign-up", anyone, d.signUp),
		at(get, "/setup", anyone, d.setUpPage),
		at(post, "/setup", anyone, d.setUp),
		at(get, "/join", anyone, d.joinPage),
		at(post, "/join", anyone, d.join),
		at(get, "/reset", anyone, d.resetPage),
		at(post, "/reset", anyone, d.reset),

		at(get, "", account.Member, d.keysPage),
		at(get, "/{$}", account.Member, redirect("")),
		at(get, "/keys/new", account.Owner, d.newKeyPage),
		at(post, "/keys/new", account.Owner, d.createKey),
		at(get, "/keys/{id}", account.Member, d.keyPage),
		at(post, "/keys/{id}", account.Owner, d.changeKey),
		at(get, "/keys/{id}/{action}", account.Member, d.backToKey),
		at(post, "/keys/{id}/rotate", account.Owner, d.rotateKey),
		at(post, "/keys/{id}/disable", account.Owner, d.disableKey),
		at(post, "/keys/{id}/enable", account.Owner, d.enableKey),
		at(post, "/keys/{id}/revoke", account.Owner, d.revokeKey),

		at(get, "/usage", account.Member, d.usagePage),
		at(get, "/playground", account.Member, d.playgroundPage),
		at(post, "/playground", account.Member, d.play).taking(maxPlayground),
		at(get, "/playground/skill", account.Member, d.skillPage),
		at(post, "/playground/skill", account.Member, d.playSkill),
		at(get, "/playground/resume", account.Member, d.resumePage),
		at(post, "/playground/resume", account.Member, d.playResume).taking(maxResume),
		at(get, "/playground/interview", account.Member, d.interviewPage),
		at(post, "/playground/interview", account.Member, d.playInterview).taking(maxInterview),
		at(get, "/data", account.Member, d.dataPage),

		at(get, "/account", account.Member, d.accountPage),
		at(post, "/account/password", account.Member, d.changePassword),
		at(post, "/account/sign-out", account.Member, d.signOut),
		at(post, "/account/sign-out-everywhere", account.Member, d.signOutEverywhere),
		at(get, "/members", account.Owner, d.membersPage),
		at(post, "/members", account.Owner, d.inviteMember),
		at(post, "/members/{user}/role", account.Owner, d.setRole),
		at(post, "/members/{user}/remove", account.Owner, d.removeMember),
		at(post, "/members/invitations/{link}/revoke", account.Owner, d.revokeMemberLink),
		at(get, "/activity", account.Owner, d.activityPage),

		at(get, "/admin/accounts", account.Administrator, d.accountsPage),
		at(get, "/admin/accounts/{account}", account.Administrator, d.anAccountPage),
		at(post, "/admin/accounts/{account}/plan", account.Administrator, d.changePlan),
		at(post, "/admin/accounts/{account}/disable", account.Administrator, d.disableAccount),
		at(post, "/admin/accounts/{account}/enable", account.Administrator, d.enableAccount),
		at(post, "/admin/accounts/{account}/users/{user}/reset", account.Administrator, d.makeReset),
		at(get, "/admin/invitations", account.Administrator, d.invitationsPage),
		at(post, "/admin/invitations", account.Administrator, d.invite),
		at(post, "/admin/invitations/{link}/revoke", account.Administrator, d.revokeLink),
		at(get, "/admin/audit", account.Administrator, d.auditPage),

		at("", "/", anyone, d.nothingHere),
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
