package playground

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/access/results"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/projects"
	"github.com/freelancer-matching/service/ranking"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

const (
	maxTuned      = 50  // rows
	maxRanked     = 500 // places whose changes are known
	firstOnes     = 10  // of a stored brief, which are compared
	maxBriefs     = 8   // stored briefs
	maxTuning     = 2   // pages that are computed at a time
	tuneTime      = 10 * time.Second
	maxResultSize = 256 << 10 // bytes of a stored result that is compared
)

// A tuneHandler serves the page on which weights are tried.
type tuneHandler struct {
	*client
	slots chan struct{} // holds an element for each page that is being computed
}

// tuneView is the page on which weights are tried on the brief of a result, and on stored briefs.
type tuneView struct {
	Result, Brief string
	Fields        []weightField
	Fixed         []page.Option // the fields of the brief, for a match with these weights
	Weights       []page.Option // the fields of the weights, for the same
	Changed       bool          // some weights differ from those of the result
	Rows          []tunedRow
	Sentences     []string
	Briefs        []tunedBrief
	Late          int // stored briefs that were not compared in time
	Request       string

	parts map[string]bool // features that the scores have, before or after
}

// tunedRow is a person in the list with the tried weights.
type tunedRow struct {
	card
	rankChange
}

// rankChange is the place of somebody before and after a change of weights.
type rankChange struct {
	Before int // 0 if the person wasn't among the first maxRanked
	After  int
}

// Up returns the number of places that were won.
func (c rankChange) Up() int { return max(0, c.Before-c.After) }

// Down returns the number of places that were lost.
func (c rankChange) Down() int {
	if c.Before == 0 {
		return 0
	}
	return max(0, c.After-c.Before)
}

// New reports whether the person wasn't among the first before.
func (c rankChange) New() bool { return c.Before == 0 }

// Moved reports whether the place has changed.
func (c rankChange) Moved() bool { return c.Before != c.After }

// tunedBrief says what the tried weights do to a stored brief.
type tunedBrief struct {
	Name, URL string
	Changed   int // of the first
	Of        int
	Kept      int // of the expected people who were in the list before
	Expected  int
}

// showTuning shows what weights do. Without weights in the query, it shows the weights of the result.
func (h *tuneHandler) showTuning(v *page.Visit) error {
	r, err := h.savedMatches(v)
	if err != nil {
		return err
	}

	ctx, cancel := context.WithTimeout(v.Context(), tuneTime)
	defer cancel()
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	case <-ctx.Done():
		return &matching.Error{
			Code: matching.CodeEngineTimeout, Message: "Too many weights are being tried at once. Reload the page to retry.",
		}
	}

	tried := maps.Clone(r.Form)
	query := v.Request.URL.Query()
	for _, f := range featureFields() {
		if query.Has(f.Name) {
			tried.Set(f.Name, strings.TrimSpace(query.Get(f.Name)))
		}
	}
	view, err := h.newTuneView(ctx, v, &r, tried)
	p := page.Page{
		Template: "tune", Title: "Tune: " + r.Title, Section: "playground", Form: tried, Compressible: true, Wide: true,
	}
	if matching.CodeOf(err) == matching.CodeInvalid { // weights that can't be
		view, fallback := h.newTuneView(ctx, v, &r, r.Form)
		if fallback != nil {
			return fallback
		}
		view.show(tried)
		p.Data = view
		return v.Reject(err, p)
	}
	if err != nil {
		return err
	}
	p.Data = view

	return v.OK(p)
}

// newTuneView returns the page for the weights of a form.
func (h *tuneHandler) newTuneView(
	ctx context.Context, v *page.Visit, r *results.Result, tried url.Values,
) (*tuneView, error) {
	before, err := h.briefOf(v, r.Form)
	if err != nil {
		return nil, err
	}
	after, err := h.briefOf(v, tried)
	if err != nil {
		return nil, err
	}

	profile, err := ranking.Load(after.Profile)
	if err != nil {
		return nil, err
	}
	view := &tuneView{Result: r.ID, Brief: r.Title, Changed: !maps.Equal(before.Weights, after.Weights)}
	view.setFields(profile, after.Weights)
	view.show(tried)

	if err := h.addRows(ctx, v, r, view, before, after); err != nil {
		return nil, err
	}
	view.Sentences = tuneSentences(view.Rows, view.parts,
		weightsOf(profile, before.Weights), weightsOf(profile, after.Weights))
	if !view.Changed {
		return view, nil
	}
	return view, h.addBriefs(ctx, v, r, view, tried)
}

// weightsOf returns the weights of a profile with replacements.
func weightsOf(profile *ranking.Profile, replaced map[string]float64) map[string]float64 {
	weights := maps.Clone(profile.Weights)
	maps.Copy(weights, replaced)
	return weights
}

// briefOf returns the brief of a form, without its page.
func (h *client) briefOf(v *page.Visit, form url.Values) (*matching.Brief, error) {
	request, err := h.requestOf(v, form)
	if err != nil {
		return nil, err
	}
	return wholeBrief(&request, v.Account.Plan)
}

// setFields sets the fields of the weights.
func (t *tuneView) setFields(profile *ranking.Profile, replaced map[string]float64) {
	weights := weightsOf(profile, replaced)
	for _, f := range featureFields() {
		f.Value = plainNumber(weights[f.Feature])
		f.Default = plainNumber(profile.Weights[f.Feature])
		t.Fields = append(t.Fields, f)
	}
	t.Request = requestWeights(weights)
}

// show shows the submitted weights and the brief in the forms.
func (t *tuneView) show(form url.Values) {
	t.Fixed, t.Weights = nil, nil
	for i := range t.Fields {
		f := &t.Fields[i]
		if form.Has(f.Name) {
			f.Value = form.Get(f.Name)
		}
		t.Weights = append(t.Weights, page.Option{Label: f.Name, Value: f.Value})
	}
	for _, name := range slices.Sorted(maps.Keys(form)) {
		if !strings.HasPrefix(name, page.WeightPrefix) && name != "offset" && name != "view" && form.Get(name) != "" {
			t.Fixed = append(t.Fixed, page.Option{Label: name, Value: form.Get(name)})
		}
	}
}

// addRows adds the list with the tried weights. People whom the result didn't show count toward the account's limit.
func (h *tuneHandler) addRows(
	ctx context.Context, v *page.Visit, r *results.Result, view *tuneView, before, after *matching.Brief,
) error {
	before.Limit = maxRanked
	order, err := h.Matcher.Order(ctx, before)
	if err != nil {
		return err
	}
	place := make(map[string]int, len(order))
	for i, id := range order {
		place[id] = i + 1
	}

	after.Limit = maxTuned
	after.Explain = true
	after.Details = true
	found, err := h.Matcher.Match(ctx, after)
	if err != nil {
		return err
	}

	saved, err := h.savedAnswer(r)
	if err != nil {
		return err
	}
	answer := wire.NewMatchAnswer(after, found, wire.AsZero)
	shown := newAnswerView(&answer, 0)
	view.parts = map[string]bool{}
	addParts(view.parts, saved.Cards)
	addParts(view.parts, shown.Cards)
	var others []string
	for i := range shown.Cards {
		c := &shown.Cards[i]
		id := c.Freelancer.ID
		c.Page = page.FreelancerURL(id)
		if slices.ContainsFunc(saved.Cards, hasID(id)) {
			c.Page = profileURL(r.ID, id)
		} else {
			others = append(others, id)
		}
		view.Rows = append(view.Rows, tunedRow{*c, rankChange{place[id], i + 1}})
	}

	return v.CountViews(h.Views, others...)
}

// addBriefs compares the stored briefs of the account: first of its projects, then of its last results. Only numbers
// are shown, so nobody counts as seen.
func (h *tuneHandler) addBriefs(
	ctx context.Context, v *page.Visit, r *results.Result, view *tuneView, tried url.Values,
) error {
	stored, err := h.storedBriefs(v, r)
	if err != nil {
		return err
	}

	for i := range stored {
		b := &stored[i]
		compared, err := h.compareBrief(ctx, v, b, r.Form, tried)
		switch {
		case ctx.Err() != nil && v.Context().Err() == nil:
			view.Late = len(stored) - i
			return nil
		case matching.CodeOf(err) == matching.CodeInvalid: // a form of an earlier version
			continue
		case err != nil:
			return err
		}
		view.Briefs = append(view.Briefs, compared)
	}
	return nil
}

// storedBrief is a brief of the account with the people who are expected in its list.
type storedBrief struct {
	tunedBrief
	form     url.Values
	expected []string
}

// storedBriefs returns the briefs of the account's projects and results, apart from the one that is tuned.
func (h *tuneHandler) storedBriefs(v *page.Visit, r *results.Result) (list []storedBrief, err error) {
	all, err := h.Projects.List(v.Context(), v.Account.ID)
	if err != nil {
		return nil, err
	}

	seen := map[string]bool{r.Title: true}
	for i := range all[:min(len(all), maxBriefs)] {
		p, people, err := h.Projects.Find(v.Context(), v.Account.ID, all[i].ID)
		if err != nil {
			return nil, err
		}
		b := storedBrief{
			tunedBrief: tunedBrief{Name: p.Name, URL: page.Root + "/projects/" + p.ID}, form: p.Brief.Form,
		}
		for _, person := range people {
			if person.State != projects.Declined {
				b.expected = append(b.expected, person.Freelancer)
			}
		}
		seen[p.Name] = true
		list = append(list, b)
	}

	recent, err := h.Results.Newest(v.Context(), v.Account.ID, results.Match, 2*maxBriefs, maxResultSize)
	if err != nil {
		return nil, err
	}
	for i := range recent {
		one := &recent[i]
		if len(list) == maxBriefs {
			break
		}
		if !hasMatches(one) || seen[one.Title] {
			continue
		}
		seen[one.Title] = true
		list = append(list, storedBrief{tunedBrief: tunedBrief{Name: one.Title, URL: resultsPath + one.ID}, form: one.Form})
	}

	return list, nil
}

// compareBrief compares the lists of a stored brief with the weights of two forms.
func (h *tuneHandler) compareBrief(
	ctx context.Context, v *page.Visit, b *storedBrief, base, tried url.Values,
) (tunedBrief, error) {
	order := func(weights url.Values) ([]string, error) {
		form := maps.Clone(b.form)
		for _, f := range featureFields() {
			form.Del(f.Name)
			if weights.Has(f.Name) {
				form.Set(f.Name, weights.Get(f.Name))
			}
		}
		brief, err := h.briefOf(v, form)
		if err != nil {
			return nil, err
		}
		brief.Limit = maxTuned
		return h.Matcher.Order(ctx, brief)
	}

	before, err := order(base)
	if err != nil {
		return b.tunedBrief, err
	}
	after, err := order(tried)
	if err != nil {
		return b.tunedBrief, err
	}

	compared := b.tunedBrief
	first := before[:min(len(before), firstOnes)]
	compared.Of = min(len(after), firstOnes)
	for _, id := range after[:compared.Of] {
		if !slices.Contains(first, id) {
			compared.Changed++
		}
	}
	for _, id := range b.expected {
		if slices.Contains(before, id) {
			compared.Expected++
			if slices.Contains(after, id) {
				compared.Kept++
			}
		}
	}

	return compared, nil
}
