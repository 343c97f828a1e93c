package page

import "github.com/freelancer-matching/service/access/account"

// navGroup is a titled list of links in the navigation.
type navGroup struct {
	ID, Title string // "" for the first group
	Links     []navLink
}

// navLink leads to a section of the dashboard.
type navLink struct {
	Path, Section, Label string
	Icon                 string // path of an SVG of 16 units
}

// navigation returns the links that a role may follow, by group.
func navigation(role account.Role) []navGroup {
	groups := []navGroup{{Links: []navLink{
		{Root, "home", "Home", "M2.5 7.5 8 3l5.5 4.5M4 6.5V13h8V6.5M6.8 13V9.5h2.4V13"},
		{Root + "/playground", "playground", "Playground", "M5 3.2v9.6L12.5 8z"},
		{Root + "/teams", "teams", "Teams", "M9.9 5a1.9 1.9 0 1 1-3.8 0a1.9 1.9 0 0 1 3.8 0z" +
			"M4.8 13.3c.2-2.9 1.4-4.4 3.2-4.4" +
			"s3 1.5 3.2 4.4M3.7 8.3a1.5 1.5 0 1 1 1-2.6M1.5 12.6c0-1.8.7-2.9 2-3.2M12.3 8.3a1.5 1.5 0 1 0-1-2.6" +
			"M14.5 12.6c0-1.8-.7-2.9-2-3.2"},
		{Root + "/projects", "projects", "Projects", "M2.5 4.5h4l1.5 2h5.5v6.5h-11zM2.5 6.5v-2"},
		{BriefsPath, "briefs", "Saved briefs", "M4 11V7.5a4 4 0 0 1 8 0V11l1.2 1.5H2.8zM6.7 14.2h2.6"},
		{FreelancersPath, "freelancers", "Freelancers", "M3.5 3h9A1.5 1.5 0 0 1 14 4.5v7a1.5 1.5 0 0 1" +
			"-1.5 1.5h-9A1.5 1.5 0 0 1 2 11.5v-7A1.5 1.5 0 0 1 3.5 3zM6.8 7a1.3 1.3 0 1 1-2.6 0a1.3 1.3 0 0 1 2.6 0z" +
			"M3.5 10.8c.4-1.2 1.1-1.7 2-1.7s1.6.5 2 1.7M9.5 6.5H12m-2.5 3H12"},
		{Root + "/outcomes", "outcomes", "Outcomes", "M2.5 3h11L9.5 8v5l-3-1.5V8z"},
		{Root + "/usage", "usage", "Usage", "M3 13V9m3.3 4V5m3.4 8V7.5M13 13V3"},
		{Root + "/requests", "requests", "Request log", "M2.5 4h11M2.5 8h11M2.5 12h7"},
		{Root + "/keys", "keys", "API keys", "M8 11a3 3 0 1 1-6 0a3 3 0 0 1 6 0zM7.2 8.8 13 3m-2.5 2.5 2 2"},
		{Root + "/webhooks", "webhooks", "Webhooks", "M8 6.2 6 10.5M8 6.2a2.2 2.2 0 1 1 2-1.3M8.5 11.5h4M10.2 8.2 8.6 5.4" +
			"M6 10.5a2 2 0 1 1-3.2-1.2M12.5 11.5a2 2 0 1 1 0-2"},
		{Root + "/reference", "reference", "API reference", "M3 3h4.5L8 3.5 8.5 3H13v9.5H8.5L8 13l-.5-.5H3zM8 3.5V13"},
		{Root + "/interviews", "interviews", "Interviews", "M2.5 3.5h11v7H7l-3 2.5v-2.5H2.5z"},
		{Root + "/data", "data", "Data", "M3 4c0-1 2.2-1.8 5-1.8s5 .8 5 1.8-2.2 1.8-5 1.8S3 5 3 4z" +
			"M3 4v8c0 1 2.2 1.8 5 1.8s5-.8 5-1.8V4M3 8c0 1 2.2 1.8 5 1.8S13 9 13 8"},
	}}}

	own := navGroup{ID: "nav-account", Title: "Account", Links: []navLink{{
		Root + "/account", "account", "Account",
		"M10.6 5.2a2.6 2.6 0 1 1-5.2 0a2.6 2.6 0 0 1 5.2 0zM3 13.5c.5-2.6 2.5-4 5-4s4.5 1.4 5 4",
	}}}

	// The navigation only hides what a role can't open. What rejects a request is the check of its route.
	if May(role, account.Owner) {
		own.Links = append(own.Links,
			navLink{Root + "/members", "members", "Members", "M7.7 5.5a2.2 2.2 0 1 1-4.4 0a2.2 2.2 0 0 1 4.4 0z" +
				"M1.5 13c.4-2.3 2-3.5 4-3.5s3.6 1.2 4 3.5M10.5 3.5a2.2 2.2 0 0 1 0 4M12 9.8c1.4.5 2.3 1.6 2.5 3.2"},
			navLink{Root + "/activity", "activity", "Activity", "M1.5 8h3l2-5 3 10 2-5h3"})
	}

	groups = append(groups, own)

	if May(role, account.Administrator) {
		groups = append(groups, navGroup{ID: "nav-admin", Title: "Administration", Links: administration()})
	}

	return groups
}

// administration returns the links for administrators.
func administration() []navLink {
	return []navLink{
		{Root + "/admin/accounts", "accounts", "Accounts", "M2.5 13.5V4l5-1.5v11m0-7 6 1.5v5.5m-12 0h13"},
		{Root + "/admin/usage", "adminusage", "All usage", "M3 13V9m3.3 4V5m3.4 8V7M13 13V3"},
		{Root + "/admin/invitations", "invitations", "Invitations", "M3.5 3.5h9A1.5 1.5 0 0 1 14 5v6a1.5 1.5 0 0 1" +
			"-1.5 1.5h-9A1.5 1.5 0 0 1 2 11V5a1.5 1.5 0 0 1 1.5-1.5zM2.5 5 8 9l5.5-4"},
		{Root + "/admin/audit", "audit", "Audit log", "M4 2.5h6l3 3v8H4zM6.5 8h4m-4 2.5h4"},
	}
}
