package overview

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/dashboard/apikeys"
	"github.com/freelancer-matching/service/server/dashboard/page"
	"github.com/freelancer-matching/service/server/dashboard/traffic"
)

// A HomeHandler serves the page after sign-in.
type HomeHandler struct {
	Users  *account.Users
	Links  *account.Links
	Keys   *apikey.Service
	Usage  traffic.Usage
	Quotas apikeys.Quotas
	Health Health
	Log    *slog.Logger
	Now    func() time.Time
}

// Routes returns the routes of the page.
func (h *HomeHandler) Routes() []page.Route {
	return []page.Route{
		page.Get("", account.Member, h.showHome),
		page.Get("/{$}", account.Member, page.RedirectTo("")),
	}
}

// maxHomeKeys is the number of keys whose quota the home page shows.
const maxHomeKeys = 3

// homeView is the data of the home page.
type homeView struct {
	Tasks    []task // of the checklist; empty when all are done
	Done     int    // tasks that are done
	Plan     apikey.Plan
	Keys     []traffic.KeyUsage // newest keys that have not ended
	MoreKeys int                // further keys that have not ended
	Data     dataHealth
	Week     traffic.Chart // requests of the last seven days
}

// task is one entry of the checklist for new accounts.
type task struct {
	Name, Detail string
	Done, Next   bool // Next marks the first task that is not done
	Link, Action string
}

// dataHealth is the state of the service and of its live data set.
type dataHealth struct {
	wire.DataSource
	Loaded   bool
	Problems []string // of all components
}

func newDataHealth(c wire.Components) dataHealth {
	h := dataHealth{DataSource: c.DataSource, Loaded: c.DataSource.Index != ""}
	for _, problem := range []string{c.DataSource.Error, c.SkillExtractor.Error, c.Database.Error, c.LLM.Error} {
		if problem != "" {
			h.Problems = append(h.Problems, problem)
		}
	}
	if c.ExchangeRates != nil && c.ExchangeRates.Status != wire.StatusCurrent {
		h.Problems = append(h.Problems, "The exchange rates of "+c.ExchangeRates.Date+" are outdated.")
	}
	return h
}

// showHome renders the page after sign-in: what to do next, and how the service and the account are doing.
func (h *HomeHandler) showHome(v *page.Visit) error {
	ctx := v.Context()
	if err := h.Usage.Flush(ctx); err != nil { // the health on the page names the cause, such as a full disk
		h.Log.Warn("home page without the latest use of keys", "error", err)
	}
	keys, err := h.Keys.ListOf(ctx, v.Account.ID)
	if err != nil {
		return err
	}

	view := homeView{Data: newDataHealth(h.Health.Check(ctx))}
	view.Plan, _ = apikey.PlanNamed(v.Account.Plan)

	// The newest keys are the ones in use; the page links to the others.
	for _, k := range slices.Backward(keys) {
		switch {
		case k.Ended(h.Now()):
		case len(view.Keys) < maxHomeKeys:
			view.Keys = append(view.Keys, traffic.KeyUsage{Key: apikeys.NewRow(k, h.Now()), Quota: h.Quotas.Of(ctx, k)})
		default:
			view.MoreKeys++
		}
	}

	days := traffic.Week(h.Now())
	counts, err := traffic.CountsOf(ctx, h.Usage, v.Account.ID, days)
	if err != nil {
		return err
	}

	view.Week = traffic.NewChart(days, counts)
	tasks, err := h.tasks(ctx, v, keys, view.Data.Loaded)
	if err != nil {
		return err
	}

	view.setTasks(tasks)
	return v.OK(page.Page{Template: "home", Title: "Home", Section: "home", Data: view})
}

// setTasks shows the tasks until all are done.
func (h *homeView) setTasks(tasks []task) {
	next := slices.IndexFunc(tasks, func(t task) bool { return !t.Done })
	if next < 0 {
		return
	}
	tasks[next].Next = true
	for _, t := range tasks {
		if t.Done {
			h.Done++
		}
	}
	h.Tasks = tasks
}

// tasks returns the checklist of a user. Only tasks that the user's role allows are part of it.
func (h *HomeHandler) tasks(ctx context.Context, v *page.Visit, keys []apikey.Key, loaded bool) ([]task, error) {
	create := task{
		Name: "Create an API key", Detail: "Copy it: it is shown only once.", Done: len(keys) > 0,
		Link: page.Root + "/keys/new", Action: "Create your first key",
	}

	// Members can't create keys, so the task has no link for them.
	if !page.May(v.User.Role, account.Owner) {
		create.Detail = "Ask an account owner to create a key."
		create.Link = ""
	}

	tasks := []task{create, {
		Name: "Send your first request", Detail: "Describe a project, and see who matches and why.",
		Done: slices.ContainsFunc(keys, func(k apikey.Key) bool { return !k.LastUsed.IsZero() }),
		Link: page.Root + "/playground", Action: "Open the playground",
	}}

	// Without data, no request has an answer: loading comes before the first request.
	if page.May(v.User.Role, account.Administrator) {
		tasks = slices.Insert(tasks, 1, task{
			Name: "Load your freelancers", Done: loaded, Link: page.Root + "/data", Action: "Show the data",
			Detail: "Run indexer load FILE. The server finds the data without a restart.",
		})
	}

	if !page.May(v.User.Role, account.Owner) {
		return tasks, nil
	}
	invited, err := h.hasColleagues(ctx, v.Account.ID)

	return append(tasks, task{
		Name: "Invite a colleague", Detail: "Members use the playground and see usage.", Done: invited,
		Link: page.Root + "/members", Action: "Invite",
	}), err
}

// hasColleagues reports whether an account has several users, or an open invitation.
func (h *HomeHandler) hasColleagues(ctx context.Context, id string) (bool, error) {
	users, err := h.Users.List(ctx, id)
	if err != nil || len(users) > 1 {
		return err == nil, err
	}
	links, err := h.Links.List(ctx, id)
	return slices.ContainsFunc(links, func(l account.Link) bool { return l.Purpose == account.Invitation }), err
}
