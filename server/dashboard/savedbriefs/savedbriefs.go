package savedbriefs

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/briefs"
	"github.com/freelancer-matching/service/feed"
	"github.com/freelancer-matching/service/freelancers"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/dashboard/page"
	"github.com/freelancer-matching/service/server/dashboard/playground"
)

// perPage is how many briefs a page of the list shows.
const perPage = 50

// A Handler serves the pages. All fields are required.
type Handler struct {
	Briefs    Briefs
	Records   Records
	Views     page.Views
	Endpoints Endpoints
	// Currencies returns the code of the currency that amounts are in unless a brief names one, or "" if that is unknown.
	Currencies func(ctx context.Context) (data string, others []string)
}

// Briefs manages the saved briefs of accounts; see briefs.Service.
type Briefs interface {
	Watches() bool
	Page(ctx context.Context, account, user string, offset, limit int) ([]briefs.Seen, int, error)
	Seen(ctx context.Context, account, user, id string) (briefs.Seen, error)
	Look(ctx context.Context, user, id string) error
	Change(
		ctx context.Context, by audit.By, account, id string, choose func(*briefs.Settings) error,
	) (briefs.Brief, error)
	Delete(ctx context.Context, by audit.By, account, id string) error
}

// Records reads what is stored about freelancers; see freelancers.Service.
type Records interface {
	GetAll(ctx context.Context, ids []string) (map[string]freelancers.Stored, error)
}

// Endpoints lists the webhook endpoints of an account; see feed.Endpoints.
type Endpoints interface {
	List(ctx context.Context, account string) ([]feed.Endpoint, error)
}

// Routes returns the routes of the pages.
func (h *Handler) Routes() []page.Route {
	const member = account.Member

	return []page.Route{
		page.Get("/briefs", member, page.Showing(h.listPage)),
		page.Get("/briefs/{brief}", member, h.showBrief),
		page.Post("/briefs/{brief}", member, h.changeBrief),
		page.Post("/briefs/{brief}/state", member, h.changeState),
		page.Post("/briefs/{brief}/delete", member, h.deleteBrief),
	}
}

// stateOf returns CSS class and label of the badge of a brief.
func (h *Handler) stateOf(n *briefs.Settings) page.Option {
	switch {
	case n.Closed:
		return page.Option{Value: "off", Label: "Closed"}
	case h.Briefs.Watches():
		return page.Option{Value: "on", Label: "Watched"}
	default:
		return page.Option{Value: "off", Label: "Saved"}
	}
}

// listView is the data of the page with all briefs.
type listView struct {
	Rows           []listRow
	Watches        bool
	Total          int
	Max            int    // saved briefs that the plan allows; 0 for any number
	Plan           string // name
	Previous, Next string // addresses of pages; "" at both ends
}

// Left returns how many briefs the plan allows still.
func (v *listView) Left() int { return max(0, v.Max-v.Total) }

// listRow is a brief in the list.
type listRow struct {
	briefs.Seen
	URL   string
	State page.Option
}

func (h *Handler) listPage(v *page.Visit) (page.Page, error) {
	offset, err := strconv.Atoi(v.Request.FormValue("offset"))
	if err != nil || offset < 0 {
		offset = 0
	}
	list, total, err := h.Briefs.Page(v.Context(), v.Account.ID, v.User.ID, offset, perPage)
	if err != nil {
		return page.Page{}, err
	}

	plan, _ := apikey.PlanNamed(v.Account.Plan)
	view := listView{Watches: h.Briefs.Watches(), Total: total, Max: plan.Briefs, Plan: page.Title(v.Account.Plan)}
	for _, b := range list {
		view.Rows = append(view.Rows, listRow{b, page.BriefURL(b.ID), h.stateOf(&b.Settings)})
	}
	address := func(offset int) string { return page.BriefsPath + "?offset=" + strconv.Itoa(offset) }
	if offset > 0 {
		view.Previous = address(max(0, offset-perPage))
	}
	if offset+perPage < total {
		view.Next = address(offset + perPage)
	}
	return page.Page{Template: "savedbriefs", Title: "Saved briefs", Section: "briefs", Data: &view}, nil
}

// briefView is the data of the page of a brief.
type briefView struct {
	briefs.Seen
	URL        string
	State      page.Option
	Watches    bool
	Chips      []playground.BriefChip
	Again      string // address of the form that matches the brief again
	Project    string // address of the project that it was saved from; "" for none
	People     []personView
	Empty      string // why nobody is on the list; "" if somebody is
	Levels     []page.Option
	NoMessages bool // the brief announces changes, and no endpoint gets them
}

// personView is somebody on the list of a brief.
type personView struct {
	briefs.Person
	Name  string
	Title string // the title, or the first words of the description
	URL   string // "" if nothing is stored about them any more
	New   bool   // since the user looked last
}

// find returns the brief that the path names.
func (h *Handler) find(v *page.Visit) (briefs.Seen, error) {
	b, err := h.Briefs.Seen(v.Context(), v.Account.ID, v.User.ID, v.Request.PathValue("brief"))
	return b, notFound(err)
}

// notFound returns the error for a brief that an account doesn't have as one that has a page of its own.
func notFound(err error) error {
	if matching.CodeOf(err) == briefs.CodeUnknown {
		return page.ErrNotFound
	}
	return err
}

// showBrief shows a brief with its list. Everybody on it counts as seen.
func (h *Handler) showBrief(v *page.Visit) error {
	b, err := h.find(v)
	if err != nil {
		return err
	}
	p, err := h.briefPage(v, &b)
	if err != nil {
		return err
	}
	if err := h.Briefs.Look(v.Context(), v.User.ID, b.ID); err != nil {
		return err
	}
	return v.OK(p)
}

// briefPage returns the page of a brief, with its settings in the form.
func (h *Handler) briefPage(v *page.Visit, b *briefs.Seen) (page.Page, error) {
	n := &b.Settings
	view := briefView{
		Seen: *b, URL: page.BriefURL(b.ID), State: h.stateOf(n), Watches: h.Briefs.Watches(),
		Again: playground.SavedBriefURL(b.ID), Levels: levels(),
	}
	if strings.HasPrefix(b.Origin, "prj_") {
		view.Project = page.Root + "/projects/" + b.Origin
	}

	var err error
	currency, _ := h.Currencies(v.Context())
	if view.Chips, err = playground.RequestChips(n.Request, currency); err != nil {
		return page.Page{}, err
	}
	if view.People, err = h.people(v, b); err != nil {
		return page.Page{}, err
	}
	view.Empty = whyEmpty(&view)

	endpoints, err := h.Endpoints.List(v.Context(), v.Account.ID)
	if err != nil {
		return page.Page{}, err
	}
	getsMessages := func(e feed.Endpoint) bool { return e.On() && slices.ContainsFunc(e.Events, isAboutBriefs) }
	view.NoMessages = view.Watches && n.Notify && !n.Closed && !slices.ContainsFunc(endpoints, getsMessages)

	form := url.Values{
		"name": {n.Name}, "top": {strconv.Itoa(n.Top)}, "min_level": {string(n.MinLevel)},
	}
	if n.MinScore > 0 {
		form.Set("min_score", strconv.FormatFloat(n.MinScore, 'f', -1, 64))
	}
	if n.Notify {
		form.Set("notify", "yes")
	}
	return page.Page{
		Template: "savedbrief", Title: n.Name, Section: "briefs", Form: form, Data: &view, Compressible: true,
	}, nil
}

func isAboutBriefs(e feed.Event) bool {
	return e == feed.BriefEntered || e == feed.BriefLeft || e == feed.BriefAvailable
}

// levels returns the choices for the lowest level.
func levels() []page.Option {
	return page.Options("", "Any", string(matching.LevelWeak), "Weak", string(matching.LevelFair), "Fair",
		string(matching.LevelStrong), "Strong", string(matching.LevelExcellent), "Excellent")
}

// whyEmpty says why nobody is on a list, or returns "" if somebody is.
func whyEmpty(v *briefView) string {
	n := &v.Settings
	switch {
	case len(v.People) > 0:
		return ""
	case !v.Watches:
		return "This server’s search engine, Elasticsearch, can’t watch briefs. Match the brief again to see who is best " +
			"now."
	case n.Closed:
		return "A closed brief isn’t watched. Reopen it to get a new list, or match it again."
	case v.Matched.IsZero():
		return "The list is being put together. Reload the page in a moment."
	case n.MinScore > 0 || n.MinLevel != "":
		return "Nobody reaches the minimum now. Who does later appears here."
	default:
		return "Nobody matches this brief now. Who does later appears here."
	}
}

// people returns the people on a list with their records.
func (h *Handler) people(v *page.Visit, b *briefs.Seen) ([]personView, error) {
	if len(b.People) == 0 || !h.Briefs.Watches() {
		return nil, nil
	}
	ids := make([]string, len(b.People))
	for i := range b.People {
		ids[i] = b.People[i].ID
	}
	if err := v.CountViews(h.Views, ids...); err != nil {
		return nil, err
	}
	records, err := h.Records.GetAll(v.Context(), ids)
	if err != nil {
		return nil, err
	}

	list := make([]personView, len(b.People))
	for i := range b.People {
		person := &b.People[i]
		list[i] = personView{Person: *person, Name: person.ID, New: b.IsNew(person)}
		record, isStored := records[person.ID]
		if !isStored {
			continue
		}
		f := &record.Freelancer
		list[i].Name = cmp.Or(f.Name, f.ID)
		list[i].Title = cmp.Or(f.JobTitle, page.Gist(f.Description))
		list[i].URL = page.FreelancerURL(f.ID)
	}
	return list, nil
}

// changeBrief changes name, places and minimum of a brief.
func (h *Handler) changeBrief(v *page.Visit) error {
	b, err := h.find(v)
	if err != nil {
		return err
	}

	f := &page.FormReader{Visit: v}
	top := f.Integer("top")
	minScore := f.Decimal("min_score")
	err = matching.Invalid(f.Faults)
	if err == nil {
		_, err = h.Briefs.Change(v.Context(), v.By(), v.Account.ID, b.ID, func(n *briefs.Settings) error {
			n.Name = v.Value("name")
			n.Top = briefs.DefaultTop
			if top != nil {
				n.Top = *top
			}
			n.MinScore = 0
			if minScore != nil {
				n.MinScore = *minScore
			}
			n.MinLevel = matching.Level(v.Value("min_level"))
			n.Notify = h.Briefs.Watches() && v.Value("notify") != ""
			return nil
		})
	}
	if err != nil {
		p, pageErr := h.briefPage(v, &b)
		if pageErr != nil {
			return pageErr
		}
		p.Form = v.Request.PostForm
		return v.Reject(notFound(err), p)
	}
	v.Notice("Saved.")
	return v.Redirect(page.BriefURL(b.ID))
}

// changeState closes a brief, or reopens it.
func (h *Handler) changeState(v *page.Visit) error {
	id := v.Request.PathValue("brief")
	closed := v.Value("closed") != ""
	_, err := h.Briefs.Change(v.Context(), v.By(), v.Account.ID, id, func(n *briefs.Settings) error {
		n.Closed = closed
		return nil
	})
	if err != nil {
		return notFound(err)
	}
	if closed {
		v.Notice("Closed. The brief is kept, and nobody is announced any more.")
	} else {
		v.Notice("Reopened.")
	}
	return v.Redirect(page.BriefURL(id))
}

func (h *Handler) deleteBrief(v *page.Visit) error {
	b, err := h.find(v)
	if err != nil {
		return err
	}
	if err := h.Briefs.Delete(v.Context(), v.By(), v.Account.ID, b.ID); err != nil {
		return notFound(err)
	}
	v.Notice("Saved brief “" + b.Settings.Name + "” deleted.")
	return v.Redirect(page.BriefsPath)
}
