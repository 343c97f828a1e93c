package playground

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/results"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/ranking"
	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// A matchHandler serves the playground for briefs.
type matchHandler struct {
	*client
	adverts chan struct{} // holds an element for each advert that is being received or read
}

const matchPath = "/api/v1/match"

// defaultLimit is the number of matches on a page of the list. The list leads on to maxCounted.
const defaultLimit = "50"

// matchView is the playground for briefs.
type matchView struct {
	playgroundView
	Profiles []page.Option
	Weights  []page.Option // fields of the form that another page shows

	Currencies currencyChoice
	More       bool // the section with filters and ranking starts open
	Answer     answerView
	View       string // viewCards, viewCode, or "" for the list
	MaxBytes   int    // size limit of a file with an advert

	Offset string // of a logged request; the form only passes it on
	Note   string // what of a logged request the form lacks; "" for nothing

	AdvertFault string         // what is wrong with the advert; "" for nothing
	Proposals   *proposalsView // nil unless an advert was read
	Workbench   *workbenchView // nil unless a saved answer with matches is shown as a list
}

// BudgetTypes returns what a budget can cover.
func (matchView) BudgetTypes() []page.Option {
	return page.Options("", "not sure", "fixed", "project", "hourly", "hour")
}

// Complexities returns the choices for the complexity of a project.
func (matchView) Complexities() []page.Option {
	return page.Options("", "Not sure", "low", "Low", "medium", "Medium", "high", "High")
}

// Limits returns the choices for the number of matches.
func (matchView) Limits() []page.Option {
	return page.Options("5", "5", "15", "15", "50", "50", "100", "100")
}

// sampleForm returns a form filled in with a sample brief.
func sampleForm() url.Values {
	return url.Values{
		"description": {"Online shop for a ceramics studio\n" +
			"React storefront with a Node.js backend and card payments."},
		"required_skills":     {"ReactJS, Node, Kubernetes"},
		"nice_to_have_skills": {"Figma"},
		"budget_low":          {"3000"},
		"budget_high":         {"9000"},
		"complexity":          {"medium"},
		"timeline":            {"45"},
		"limit":               {defaultLimit},
	}
}

func (h *matchHandler) matchPage(v *page.Visit, form url.Values) (page.Page, matchView, error) {
	shared, err := h.playgroundView(v, results.Match)
	if err != nil {
		return page.Page{}, matchView{}, err
	}
	published, err := h.published(v)
	view := matchView{playgroundView: shared, Profiles: profiles(published), MaxBytes: resume.MaxFile}
	view.Currencies.Data, view.Currencies.Others = h.Currencies(v.Context())
	for _, f := range featureFields() {
		if form.Get(f.Name) != "" {
			view.Weights = append(view.Weights, page.Option{Value: form.Get(f.Name), Label: f.Name})
		}
	}
	for _, name := range []string{
		"available", "min_rating", "min_experience", "max_hourly_rate", "countries", "languages", "time_zone",
		"within_hours", "must_have_skills", "exclude_skills", "start_date", "profile",
	} {
		view.More = view.More || form.Get(name) != ""
	}
	return page.Page{Template: "match", Title: "Playground", Section: "playground", Form: form, Data: view}, view, err
}

// profiles returns the choices for the ranking profile. The empty one is what the API uses by itself: the published
// ranking of the account if there is one.
func profiles(published *matching.Ranking) []page.Option {
	var options []page.Option
	if published != nil {
		options = append(options, page.Option{Label: versionName(published)})
	}
	for _, name := range ranking.Names() {
		value := name
		if name == defaultProfile && published == nil {
			value = ""
		}
		options = append(options, page.Option{Value: value, Label: page.Title(name)})
	}
	return options
}

func (h *matchHandler) showMatchForm(v *page.Visit) error {
	form := url.Values{"limit": {defaultLimit}}
	if v.Request.FormValue("sample") != "" {
		form = sampleForm()
	}
	if id := v.Request.FormValue(projectField); id != "" {
		var err error
		if form, err = h.projectForm(v, id); err != nil {
			return err
		}
	}
	var note string
	if id := v.Request.FormValue(requestField); id != "" {
		var err error
		if form, note, err = h.replayForm(v, id); err != nil {
			return err
		}
	}
	if id := v.Request.FormValue(savedField); id != "" {
		var err error
		if form, note, err = h.savedForm(v, id); err != nil {
			return err
		}
	}

	p, view, err := h.matchPage(v, form)
	if err != nil {
		return err
	}
	if v.Request.FormValue(requestField) != "" || note != "" {
		view.Note, view.Offset = note, form.Get("offset")
		p.Data = view
	}
	return v.OK(p)
}

// playMatch sends the brief in the form to the API, with what the pressed button changes in it.
func (h *matchHandler) playMatch(v *page.Visit) error {
	applyButtons(v)

	// From here on, the form is what the user would have typed, and the page shows it that way.
	published, err := h.published(v)
	if err != nil {
		return err
	}
	f := &briefReader{FormReader: page.FormReader{Visit: v}, ranking: published}
	f.dataCurrency, _ = h.Currencies(v.Context())
	request := f.matchRequest()

	if len(f.Faults) == 0 {
		return h.play(v, call{
			kind: results.Match, title: briefTitle(&request), path: matchPath, body: request,
			succeeded: func(plan string, r *results.Result) { h.addMatchExtras(v, &request, plan, r) },
		})
	}
	f.addFaultsOf(&request)
	p, view, err := h.matchPage(v, v.Request.PostForm)
	if err != nil {
		return err
	}

	view.reject("the brief was not sent", f.Faults)
	p.Data = view
	p.Faults = view.faults

	return v.Show(http.StatusUnprocessableEntity, p)
}

// briefTitle returns what a brief asks for, in a few words.
func briefTitle(r *wire.MatchRequest) string {
	return cmp.Or(r.JobTitle, r.Description, strings.Join(r.RequiredSkills, ", "))
}

// matchResult returns the page of the answer to a brief.
func (h *matchHandler) matchResult(v *page.Visit, r *results.Result) (page.Page, error) {
	p, view, err := h.matchPage(v, r.Form)
	if err != nil {
		return p, err
	}
	var answer wire.MatchAnswer
	if err := view.load(h.client, r, &answer); err != nil {
		return p, err
	}
	offset := 0
	if r.Request != nil {
		if offset, err = offsetOf(r); err != nil {
			return p, err
		}
	}
	view.Answer = newAnswerView(&answer, offset)
	view.Answer.Assumptions = assumptions(r.Form, &answer, view.Currencies)

	for i := range view.Answer.Cards {
		c := &view.Answer.Cards[i]
		c.Interview = briefInterviewURL(r.ID, c.Freelancer.ID)
		if r.ID != "" {
			c.Page = profileURL(r.ID, c.Freelancer.ID)
		}
	}
	h.addGists(v.Context(), view.Answer.Cards)
	if err := h.addProject(v, r, &view.Answer); err != nil {
		return p, err
	}
	if err := h.addBell(v, r, &view.Answer); err != nil {
		return p, err
	}

	isPage := v.Request.Method == http.MethodGet
	if isPage && slices.Contains([]string{viewCards, viewCode}, v.Request.FormValue("view")) {
		view.View = v.Request.FormValue("view")
	}

	// A result that isn't saved has no address that could select a row.
	if isPage && r.ID != "" && view.View == "" && len(view.Answer.Cards) > 0 {
		view.Workbench, err = h.newWorkbench(v.Context(), r, &view.Answer, v.Request.FormValue("person"))
		if err != nil {
			return p, err
		}
		p.Wide = true
	}

	for i := range view.Answer.Steps {
		step := &view.Answer.Steps[i]
		step.Lifts = slices.ContainsFunc(filterFields(step.Filter), func(field string) bool {
			return r.Form.Get(field) != ""
		})
	}

	p.Title = "Matches: " + r.Title
	if offset > 0 {
		p.Title = "Matches from " + page.Decimal(0, float64(offset+1)) + ": " + r.Title
	}
	p.Data = view
	p.Faults = view.faults
	return p, nil
}

// briefInterviewURL returns the address of the form for an interview with a freelancer about the brief of a result. The
// ID of the result is "" if it was not saved.
func briefInterviewURL(result, freelancer string) string {
	query := url.Values{"freelancer": {freelancer}}
	if result != "" {
		query.Set("from", result)
	}
	return page.Root + "/playground/interview?" + query.Encode()
}

// addFaultsOf adds what the API would reject in the request.
func (f *briefReader) addFaultsOf(r *wire.MatchRequest) {
	f.addAPIFaults(func(plan apikey.Plan, faults *validate.Faults) { r.Brief(plan, faults) })
}

// matchRequest returns the request that the form describes.
func (f *briefReader) matchRequest() wire.MatchRequest {
	r := wire.MatchRequest{
		Description:      f.Value("description"),
		JobTitle:         f.Value("job_title"),
		RequiredSkills:   page.SplitList(f.Value("required_skills")),
		NiceToHaveSkills: page.SplitList(f.Value("nice_to_have_skills")),
		Complexity:       f.Text("complexity"),
		EffortHours:      f.hours("effort_hours", "effort_unit"),
		Timeline:         f.days("timeline"),
		StartDate:        f.Text("start_date"),
		Filters:          f.matchFilters(),
		Profile:          f.Value("profile"),
		Limit:            f.Integer("limit"),
		Offset:           f.Integer("offset"),
		Explain:          true,
		Details:          true,
	}

	f.setWeights(&r)

	f.budget(&r)
	r.Currency = f.Text("currency") // an amount may name it

	return r
}
