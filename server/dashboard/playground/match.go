package playground

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"freelancer-matching/access/results"
	"freelancer-matching/ranking"
	"freelancer-matching/server/api/wire"
	"freelancer-matching/server/dashboard/page"
)

// A matchHandler serves the playground for briefs.
type matchHandler struct{ *client }

const matchPath = "/api/v1/match"

// matchView is the playground for briefs.
type matchView struct {
	playgroundView
	Profiles []page.Option

	Currencies currencyChoice
	More       bool // the section with filters and ranking starts open
	Answer     answerView
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
	return page.Options("3", "3", "5", "5", "10", "10", "20", "20")
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
		"limit":               {"5"},
	}
}

func (h *matchHandler) matchPage(v *page.Visit, form url.Values) (page.Page, matchView, error) {
	shared, err := h.playgroundView(v, results.Match)
	view := matchView{playgroundView: shared, Profiles: profiles()}
	view.Currencies.Data, view.Currencies.Others = h.Currencies(v.Context())
	for _, name := range []string{
		"available", "min_rating", "min_experience", "max_hourly_rate", "countries", "languages", "time_zone",
		"within_hours", "must_have_skills", "exclude_skills", "start_date", "profile",
	} {
		view.More = view.More || form.Get(name) != ""
	}
	return page.Page{Template: "match", Title: "Playground", Section: "playground", Form: form, Data: view}, view, err
}

func profiles() []page.Option {
	var options []page.Option
	for _, name := range ranking.Names() {
		value := name
		if name == "default" {
			value = "" // the API's default
		}
		options = append(options, page.Option{Value: value, Label: page.Title(name)})
	}
	return options
}

func (h *matchHandler) showMatchForm(v *page.Visit) error {
	form := url.Values{"limit": {"5"}}
	if v.Request.FormValue("sample") != "" {
		form = sampleForm()
	}
	p, _, err := h.matchPage(v, form)
	if err != nil {
		return err
	}
	return v.OK(p)
}

// playMatch sends the brief in the form to the API.
//
// The button of a suggestion sends the same form, and the filter, which then replaces the fields.
func (h *matchHandler) playMatch(v *page.Visit) error {
	for field, values := range filterForm(v.Value("use")) {
		v.Request.PostForm[field] = values
		v.Request.Form[field] = values
	}

	v.Request.PostForm.Del("use")
	replaceSkill(v.Request.PostForm)
	v.Request.Form["required_skills"], v.Request.Form["nice_to_have_skills"] =
		v.Request.PostForm["required_skills"], v.Request.PostForm["nice_to_have_skills"]

	// From here on, the form is what the user would have typed, and the page shows it that way.
	f := &briefReader{page.FormReader{Visit: v}}
	request := f.matchRequest()

	if len(f.Faults) == 0 {
		return h.play(v, call{kind: results.Match, title: briefTitle(&request), path: matchPath, body: request})
	}
	p, view, err := h.matchPage(v, v.Request.PostForm)
	if err != nil {
		return err
	}

	view.reject("the brief was not sent", f.Faults)
	p.Data = view
	p.Faults = view.faults

	return v.Show(http.StatusUnprocessableEntity, p)
}

// replaceSkill replaces a skill of the brief by another one. The button of a correction sends both as "replace",
// separated by a comma, which no skill of the form contains.
func replaceSkill(form url.Values) {
	from, to, ok := strings.Cut(form.Get("replace"), ",")
	form.Del("replace")
	if !ok {
		return
	}
	for _, field := range []string{"required_skills", "nice_to_have_skills"} {
		skills := page.SplitList(form.Get(field))
		for i, skill := range skills {
			if strings.EqualFold(skill, from) {
				skills[i] = to
			}
		}
		if form.Has(field) {
			form.Set(field, strings.Join(skills, ", "))
		}
	}
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
	view.Answer = newAnswerView(&answer)
	view.Answer.AsTable = v.Request.Method == http.MethodGet && v.Request.FormValue("view") == "table"
	for i := range view.Answer.Cards {
		c := &view.Answer.Cards[i]
		c.Interview = briefInterviewURL(r.ID, c.Freelancer.ID)
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

// A briefReader reads a brief from a form.
type briefReader struct{ page.FormReader }

// matchRequest returns the request that the form describes.
func (f *briefReader) matchRequest() wire.MatchRequest {
	r := wire.MatchRequest{
		Description:      f.Value("description"),
		JobTitle:         f.Value("job_title"),
		RequiredSkills:   page.SplitList(f.Value("required_skills")),
		NiceToHaveSkills: page.SplitList(f.Value("nice_to_have_skills")),
		Complexity:       f.Text("complexity"),
		EffortHours:      f.Decimal("effort_hours"),
		Timeline:         f.Integer("timeline"),
		StartDate:        f.Text("start_date"),
		Currency:         f.Text("currency"),
		Filters:          f.matchFilters(),
		Profile:          f.Value("profile"),
		Limit:            f.Integer("limit"),
		Explain:          true,
		Details:          true,
	}

	r.Weights = f.weights(&r)

	// A highest amount alone is a range from 0. A lowest amount alone has no such meaning.
	low := f.Decimal("budget_low")
	high := f.Decimal("budget_high")
	if low == nil && high != nil {
		low = new(0.)
	}

	switch {
	case high != nil:
		r.BudgetRange, r.BudgetType = []float64{*low, *high}, f.Text("budget_type")
	case low != nil && f.Value("budget_high") == "":
		f.AddFault("budget_high", "enter the highest amount too, or leave both empty")
	}

	return r
}
