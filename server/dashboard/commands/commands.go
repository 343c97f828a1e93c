// Package commands serves the command menu: links to pages, actions, projects and freelancers. A script shows them in a
// dialog on every page.
package commands

import (
	"context"
	"log/slog"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/views"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/projects"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// Limits of a search by name.
const (
	minName    = 2   // characters
	maxName    = 100 // bytes
	maxFound   = 5   // of each kind
	searchTime = 2 * time.Second
)

// A Handler serves the menu.
type Handler struct {
	Projects Projects
	// Named returns freelancers with a name, as far as the user may see them. They count toward the daily limit.
	Named func(ctx context.Context, v *page.Visit, name string, limit int) ([]matching.Freelancer, error)
	Log   *slog.Logger
}

// Projects lists the projects of an account; see projects.Service.
type Projects interface {
	List(ctx context.Context, account string) ([]projects.Summary, error)
}

// Routes returns the routes of the menu.
func (h *Handler) Routes() []page.Route {
	return []page.Route{page.Get("/go", account.Member, page.Showing(h.menuPage))}
}

// A command is a link of the menu.
type command struct{ Label, URL, Detail string }

// menuView is the data of the menu. The pages are in the page's navigation.
type menuView struct {
	Searched    bool
	Projects    []command
	Freelancers []command
	Problem     string // why freelancers are missing; "" if they aren't
	Actions     []command
}

// menuPage returns the menu, with what a name finds.
func (h *Handler) menuPage(v *page.Visit) (page.Page, error) {
	name := strings.TrimSpace(v.Request.FormValue("q"))
	if len(name) > maxName {
		name = strings.ToValidUTF8(name[:maxName], "")
	}

	view := menuView{Actions: actions(v.User.Role), Searched: utf8.RuneCountInString(name) >= minName}
	if view.Searched {
		h.search(v, name, &view)
	}

	return page.Page{Template: "commands", Title: "Go to", Form: url.Values{"q": {name}}, Data: view}, nil
}

// search adds the projects and the freelancers with a name. The menu works without them, so a failure is only
// reported.
func (h *Handler) search(v *page.Visit, name string, view *menuView) {
	ctx, cancel := context.WithTimeout(v.Context(), searchTime)
	defer cancel()

	list, err := h.Projects.List(ctx, v.Account.ID)
	if err != nil {
		h.Log.WarnContext(ctx, "command menu without projects", "error", err)
		view.Problem = "Projects can't be searched at the moment. Open the page Projects. "
	}
	for _, p := range list {
		isNamed := strings.Contains(strings.ToLower(p.Name), strings.ToLower(name))
		if isNamed && len(view.Projects) < maxFound {
			view.Projects = append(view.Projects, command{Label: p.Name, URL: page.Root + "/projects/" + p.ID})
		}
	}

	found, err := h.Named(ctx, v, name, maxFound)
	switch {
	case matching.CodeOf(err) == views.CodeLimit:
		view.Problem += "Freelancers are missing: your account has reached its daily limit of freelancers."
	case err != nil:
		h.Log.WarnContext(ctx, "command menu without freelancers", "error", err)
		view.Problem += "Freelancers can't be searched at the moment. Open the page Freelancers."
	}
	for i := range found {
		f := &found[i]
		label := f.Name
		if label == "" {
			label = f.ID
		}
		view.Freelancers = append(view.Freelancers,
			command{Label: label, URL: page.FreelancerURL(f.ID), Detail: f.JobTitle})
	}
}

// actions returns what a role may do from anywhere. The form that signs out is part of the template.
func actions(role account.Role) []command {
	const root = page.Root

	all := []command{
		{Label: "New match", URL: root + "/playground"},
		{Label: "New team", URL: root + "/teams", Detail: "People for several roles within one budget"},
		{Label: "New project", URL: root + "/playground", Detail: "Match a brief, then save it as a project"},
		{Label: "Paste an advert", URL: root + "/playground#advert"},
		{Label: "Verify a skill", URL: root + "/playground/skill"},
		{Label: "Parse a resume", URL: root + "/playground/resume"},
		{Label: "New interview", URL: root + "/playground/interview"},
		{Label: "Compare matches", URL: root + "/playground/compare"},
	}

	if page.May(role, account.Owner) {
		all = append(all,
			command{Label: "Create API key", URL: root + "/keys/new"},
			command{Label: "Create test key", URL: root + "/keys/new?test"},
			command{Label: "Create webhook", URL: root + "/webhooks/new"},
			command{Label: "Invite a member", URL: root + "/members#invite"})
	}

	if page.May(role, account.Administrator) {
		all = append(all,
			command{Label: "Upload freelancers", URL: root + "/data#upload"},
			command{Label: "Add a freelancer", URL: root + "/admin/new-freelancer"})
	}

	return append(all,
		command{Label: "Change password", URL: root + "/account#change"},
		command{Label: "Sessions", URL: root + "/account/sessions"})
}
