package playground

import (
	"cmp"
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
	Profile       string            // name of the shipped profile whose weights were changed
	Published     *matching.Ranking // that ranks the brief; nil if another profile does

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
	leave, err := h.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()

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

// enter waits for a slot, which leave gives back.
func (h *tuneHandler) enter(ctx context.Context) (leave func(), err error) {
	select {
	case h.slots <- struct{}{}:
		return func() { <-h.slots }, nil
	case <-ctx.Done():
		return nil, &matching.Error{
			Code: matching.CodeEngineTimeout, Message: "Too many weights are being tried at once. Reload the page to retry.",
		}
	}
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

	was, err := weightsFor(before)
	if err != nil {
		return nil, err
	}
	now, err := weightsFor(after)
	if err != nil {
		return nil, err
	}
	view := &tuneView{
		Result: r.ID, Brief: r.Title, Changed: !maps.Equal(was, now), Profile: cmp.Or(after.Profile, defaultProfile),
	}
	if before.Ranking != nil {
		view.Profile = before.Ranking.Profile
		view.Published = before.Ranking
	}
	view.setFields(was, now)
	view.show(tried)

	if err := h.addRows(ctx, v, r, view, before, after); err != nil {
		return nil, err
	}
	view.Sentences = tuneSentences(view.Rows, view.parts, was, now)
	if !view.Changed {
		return view, nil
	}

	stored, err := h.storedBriefs(v, r.Title)
	if err != nil {
		return nil, err
	}
	view.Briefs, view.Late, err = h.compareBriefs(ctx, v, stored, before, after)
	return view, err
}

// weightsFor returns the weights that rank a brief.
func weightsFor(brief *matching.Brief) (map[string]float64, error) {
	name := brief.Profile
	replaced := brief.Weights
	if brief.Ranking != nil {
		name = brief.Ranking.Profile
		replaced = brief.Ranking.Weights
	}
	profile, err := ranking.Load(name)
	if err != nil {
		return nil, err
	}
	return weightsOf(profile, replaced), nil
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
	published, err := h.published(v)
	if err != nil {
		return nil, err
	}
	return wholeBrief(&request, v.Account.Plan, published)
}

// setFields sets the fields of the weights. The button that resets them sets those of the result.
func (t *tuneView) setFields(was, weights map[string]float64) {
	for _, f := range featureFields() {
		f.Value = plainNumber(weights[f.Feature])
		f.Default = plainNumber(was[f.Feature])
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

// compareBriefs compares stored briefs with the weights of two briefs. Only numbers are shown, so nobody counts as
// seen. late is the number of briefs that were not compared in time.
func (h *tuneHandler) compareBriefs(
	ctx context.Context, v *page.Visit, stored []storedBrief, before, after *matching.Brief,
) (compared []tunedBrief, late int, err error) {
	for i := range stored {
		one, err := h.compareBrief(ctx, v, &stored[i], before, after)
		switch {
		case ctx.Err() != nil && v.Context().Err() == nil:
			return compared, len(stored) - i, nil
		case matching.CodeOf(err) == matching.CodeInvalid: // a form of an earlier version
			continue
		case err != nil:
			return nil, 0, err
		}
		compared = append(compared, one)
	}
	return compared, 0, nil
}

// storedBrief is a brief of the account with the people who are expected in its list.
type storedBrief struct {
	tunedBrief
	form     url.Values
	expected []string
}

// storedBriefs returns briefs of the account: first of its projects, then of its last results, without the one that has
// the title.
func (h *tuneHandler) storedBriefs(v *page.Visit, without string) (list []storedBrief, err error) {
	all, err := h.Projects.List(v.Context(), v.Account.ID)
	if err != nil {
		return nil, err
	}

	seen := map[string]bool{without: true}
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

// compareBrief compares the lists of a stored brief with the weights of two briefs.
func (h *tuneHandler) compareBrief(
	ctx context.Context, v *page.Visit, b *storedBrief, first, second *matching.Brief,
) (tunedBrief, error) {
	brief, err := h.briefOf(v, b.form)
	if err != nil {
		return b.tunedBrief, err
	}
	brief.Limit = maxTuned
	order := func(like *matching.Brief) ([]string, error) {
		brief.Profile = like.Profile
		brief.Weights = like.Weights
		brief.Ranking = like.Ranking
		return h.Matcher.Order(ctx, brief)
	}

	before, err := order(first)
	if err != nil {
		return b.tunedBrief, err
	}
	after, err := order(second)
	if err != nil {
		return b.tunedBrief, err
	}

	compared := b.tunedBrief
	firstBefore := before[:min(len(before), firstOnes)]
	compared.Of = min(len(after), firstOnes)
	for _, id := range after[:compared.Of] {
		if !slices.Contains(firstBefore, id) {
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
