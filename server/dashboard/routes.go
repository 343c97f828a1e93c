package dashboard

import (
	"net/http"

	"freelancer-matching/access/account"
)

// handler serves one route. Its errors are rendered by fail.
type handler func(v *visit) error

// route is one page or one form. Its path is a pattern of http.ServeMux.
type route struct {
	method, path string
	access       account.Role // lowest role that may use the route
	handle       handler
	maxBody      int64        // bytes
	file         bool         // the form contains a file, so it is multipart; all others are URL-encoded
	confirmed    account.Role // lowest role whose users must have proved recently who they are; "" for none
	enrolling    bool         // open to administrators who still need a second factor
}

func at(method, path string, access account.Role, handle handler) route {
	return route{method: method, path: path, access: access, handle: handle, maxBody: maxForm}
}

// limit returns the route with another size limit for its body.
func (r route) limit(maxBody int64) route {
	r.maxBody = maxBody
	return r
}

// withFile returns the route for a form with a file, with another size limit for its body.
func (r route) withFile(maxBody int64) route {
	r.maxBody = maxBody
	r.file = true
	return r
}

// confirmedBy returns the route for a dangerous change: users with at least a role must have proved recently who they
// are.
func (r route) confirmedBy(role account.Role) route {
	r.confirmed = role
	return r
}

// whileEnrolling returns the route open to administrators who still need a second factor.
func (r route) whileEnrolling() route {
	r.enrolling = true
	return r
}

// anyone is the access of routes that need no sign-in.
const anyone account.Role = ""

// routes returns all routes except the static files.
func (d *dashboard) routes() []route {
	const (
		get  = http.MethodGet
		post = http.MethodPost
	)

	routes := []route{
		at(get, "/sign-in", anyone, d.showSignIn),
		at(post, "/sign-in", anyone, d.signIn),
		at(get, "/sign-in/code", anyone, d.showCode),
		at(post, "/sign-in/code", anyone, d.enterCode),
		at(get, "/sign-up", anyone, d.showSignUp),
		at(post, "/sign-up", anyone, d.signUp),
		at(get, "/setup", anyone, d.showSetup),
		at(post, "/setup", anyone, d.setUp),
		at(get, "/join", anyone, d.showJoin),
		at(post, "/join", anyone, d.join),
		at(get, "/reset", anyone, d.showReset),
		at(post, "/reset", anyone, d.reset),

		at(get, "", account.Member, d.showHome),
		at(get, "/{$}", account.Member, redirect("")),
		at(get, "/keys", account.Member, d.showKeys),
		at(get, "/keys/{$}", account.Member, redirect("/keys")),
		at(get, "/keys/new", account.Owner, d.showKeyForm),
		at(post, "/keys/new", account.Owner, d.createKey),
		at(get, "/keys/{id}", account.Member, d.showKey),
		at(get, "/keys/{id}/secret", account.Owner, d.showNewKey),
		at(post, "/keys/{id}", account.Owner, d.changeKey),
		at(get, "/keys/{id}/{action}", account.Member, d.redirectToKey),
		at(post, "/keys/{id}/rotate", account.Owner, d.rotateKey),
		at(post, "/keys/{id}/disable", account.Owner, d.disableKey),
		at(post, "/keys/{id}/enable", account.Owner, d.enableKey),
		at(post, "/keys/{id}/revoke", account.Owner, d.revokeKey),

		at(get, "/usage", account.Member, d.showUsage),
		at(get, "/playground", account.Member, d.showMatchForm),
		at(post, "/playground", account.Member, d.playMatch).limit(maxMatchForm),
		at(get, "/playground/r/{result}", account.Member, d.showResult),
		at(get, "/playground/r/{result}/matches.csv", account.Member, d.exportMatchesCSV),
		at(get, "/playground/r/{result}/matches.json", account.Member, d.exportMatchesJSON),
		at(post, "/playground/r/{result}/explain", account.Member, d.playExplain),
		at(get, "/playground/compare", account.Member, d.showComparison),
		at(get, "/playground/skills", account.Member, d.completeSkill),
		at(get, "/playground/skill", account.Member, d.showSkillForm),
		at(post, "/playground/skill", account.Member, d.playSkill),
		at(get, "/playground/resume", account.Member, d.showResumeForm),
		at(post, "/playground/resume", account.Member, d.playResume).withFile(maxResumeForm),
		at(get, "/playground/interview", account.Member, d.showInterviewForm),
		at(post, "/playground/interview", account.Member, d.playInterview).limit(maxInterviewForm),
		at(get, "/interviews", account.Member, d.showInterviews),
		at(get, "/interviews/{session}", account.Member, d.showInterview),
		at(post, "/interviews/{session}/invitation", account.Member, d.inviteCandidate),
		at(post, "/interviews/{session}/invitation/revoke", account.Member, d.revokeCandidate),
		at(post, "/interviews/{session}/reviews", account.Member, d.reviewMark),
		at(post, "/interviews/{session}/delete", account.Owner, d.deleteInterview),
		at(get, "/data", account.Member, d.showData),
		at(get, "/reference", account.Member, d.showReference),
		at(get, "/reference/{operation}", account.Member, d.showOperation),

		at(get, "/account", account.Member, d.showAccount),
		at(post, "/account/password", account.Member, d.changePassword),
		at(post, "/account/export", account.Member, d.exportUser),
		at(post, "/account/export-account", account.Owner, d.exportAccount).confirmedBy(account.Owner),
		at(post, "/account/leave", account.Member, d.leaveAccount),
		at(post, "/account/delete", account.Owner, d.deleteAccount),
		at(get, "/account/two-factor", account.Member, d.showing(d.twoFactorPage)).whileEnrolling(),
		at(post, "/account/two-factor", account.Member, d.enableTwoFactor).whileEnrolling(),
		at(post, "/account/two-factor/start", account.Member, d.startEnrollment).
			confirmedBy(account.Member).whileEnrolling(),
		at(post, "/account/two-factor/cancel", account.Member, d.cancelEnrollment).whileEnrolling(),
		at(get, "/account/two-factor/codes", account.Member, d.showNewCodes),
		at(post, "/account/two-factor/codes", account.Member, d.newRecoveryCodes).confirmedBy(account.Member),
		at(post, "/account/two-factor/disable", account.Member, d.disableTwoFactor).confirmedBy(account.Member),
		at(post, "/account/sign-out", account.Member, d.signOut).whileEnrolling(),
		at(post, "/account/sign-out-everywhere", account.Member, d.signOutEverywhere).whileEnrolling(),
		at(get, "/members", account.Owner, d.showing(d.membersPage)),
		at(post, "/members", account.Owner, d.inviteMember).confirmedBy(account.Administrator),
		at(post, "/members/{user}/role", account.Owner, d.setRole).confirmedBy(account.Administrator),
		at(post, "/members/{user}/remove", account.Owner, d.removeMember).confirmedBy(account.Administrator),
		at(get, "/members/invitations/{link}", account.Owner, d.showMembersLink),
		at(post, "/members/invitations/{link}/revoke", account.Owner, d.revokeMemberLink),
		at(get, "/activity", account.Owner, d.showActivity),
		at(get, "/activity.csv", account.Owner, d.exportActivity),

		at(get, "/admin/accounts", account.Administrator, d.showAccounts),
		at(get, "/admin/accounts/{account}", account.Administrator, d.showing(d.accountDetailPage)),
		at(post, "/admin/accounts/{account}/plan", account.Administrator, d.changePlan).
			confirmedBy(account.Administrator),
		at(post, "/admin/accounts/{account}/keys/{key}/permissions", account.Administrator, d.setPermissions).
			confirmedBy(account.Administrator),
		at(post, "/admin/accounts/{account}/disable", account.Administrator, d.disableAccount).
			confirmedBy(account.Administrator),
		at(post, "/admin/accounts/{account}/enable", account.Administrator, d.enableAccount).
			confirmedBy(account.Administrator),
		at(post, "/admin/accounts/{account}/users/{user}/reset", account.Administrator, d.createResetLink).
			confirmedBy(account.Administrator),
		at(get, "/admin/accounts/{account}/users/{user}/reset/{link}", account.Administrator, d.showResetLink),
		at(get, "/admin/usage", account.Administrator, d.showAccountsUsage),
		at(get, "/admin/invitations", account.Administrator, d.showing(d.invitationsPage)),
		at(post, "/admin/invitations", account.Administrator, d.invite).confirmedBy(account.Administrator),
		at(get, "/admin/invitations/{link}", account.Administrator, d.showInvitation),
		at(post, "/admin/invitations/{link}/revoke", account.Administrator, d.revokeLink).
			confirmedBy(account.Administrator),
		at(get, "/admin/freelancers", account.Administrator, d.showFreelancers),
		at(get, "/admin/freelancers/{freelancer}", account.Administrator, d.showing(d.freelancerPage)),
		at(post, "/admin/freelancers/{freelancer}", account.Administrator, d.changeFreelancer).limit(maxMatchForm).
			confirmedBy(account.Administrator),
		at(post, "/admin/freelancers/{freelancer}/delete", account.Administrator, d.deleteFreelancer).
			confirmedBy(account.Administrator),
		at(get, "/admin/audit", account.Administrator, d.showAudit),
		at(get, "/admin/audit.csv", account.Administrator, d.exportAudit),

		at("", "/", anyone, func(*visit) error { return errNotFound }),
	}
	for i := range routes {
		routes[i].path = root + routes[i].path
	}

	return routes
}

// redirect returns a handler that redirects to a path of the dashboard.
func redirect(path string) handler {
	return func(v *visit) error { return v.redirect(root + path) }
}

// showing returns a handler that renders the page that build returns.
func (d *dashboard) showing(build func(*visit) (page, error)) handler {
	return func(v *visit) error {
		p, err := build(v)
		if err != nil {
			return err
		}
		return d.ok(v, p)
	}
}

// may reports whether a role is sufficient for an access.
func may(role, access account.Role) bool { return access == anyone || role.Includes(access) }
