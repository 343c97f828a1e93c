package playground

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/freelancer-matching/service/access/results"
	"github.com/freelancer-matching/service/freelancers"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// An explainHandler serves the explanations of ranks.
type explainHandler struct{ *client }

const (
	explainPath = matchPath + "/explain"
	// maxNamesakes is how many people with a name there are to choose from.
	maxNamesakes = 20
	// alternativesTime is how long an explanation waits for alternatives.
	alternativesTime = 3 * time.Second
)

// explainView is the page that says why a freelancer has a rank, or none.
type explainView struct {
	playgroundView
	Standing     wire.Standing
	Features     []featureRow
	Weakest      []featureRow // the features that cost the most points
	Alternatives alternatives

	Wanted    string               // the name that several people have
	Namesakes []freelancers.Stored // to choose from
	More      int                  // people with this name who aren't among them
}

// alternatives is what would lead to a better rank, as a result keeps it.
type alternatives struct {
	List        []matching.Alternative `json:"list,omitempty"`
	Unsupported bool                   `json:"unsupported,omitempty"` // the engine can't compute any
	Failed      bool                   `json:"failed,omitempty"`
}

// featureRow is one feature of the score of the freelancer.
type featureRow struct {
	segment
	Missing float64 // points that a perfect value would add
}

// playExplain asks the API for the rank of a freelancer in the answer to the brief of a saved result. The form has an
// ID or a name. If several people have the name, the page lets the user choose.
func (h *explainHandler) playExplain(v *page.Visit) error {
	r, _, err := h.matchesOf(v, v.Request.PathValue("result"))
	if err != nil {
		return err
	}
	var brief wire.MatchRequest
	if err := decodeResponse(r.Request, &brief); err != nil {
		return err
	}

	id := strings.TrimSpace(v.Value("freelancer_id"))
	found, err := h.named(v.Context(), id)
	if err != nil {
		return err
	}
	switch {
	case found.Total == 1:
		id = found.Freelancers[0].Freelancer.ID
	case found.Total > 1:
		return h.showNamesakes(v, &r, id, &found)
	}

	// the response always has both
	brief.Explain = false
	brief.Details = false
	brief.Offset = nil // the rank is among all matches

	form := url.Values{"key": {r.Key}, "match": {r.ID}, "freelancer_id": {id}}
	v.Request.PostForm = form
	v.Request.Form = form
	return h.play(v, call{
		kind: results.Explain, title: id, path: explainPath, body: wire.ExplainRequest{MatchRequest: brief, FreelancerID: id},
		succeeded: func(plan string, r *results.Result) { h.addAlternatives(v, &brief, plan, id, r) },
	})
}

// named returns the people with a name, or nobody if it is the ID of somebody.
func (h *client) named(ctx context.Context, text string) (found freelancers.Found, err error) {
	_, err = h.Records.Get(ctx, text)
	if matching.CodeOf(err) != matching.CodeFreelancerUnknown {
		return found, err
	}
	return h.Records.Find(ctx, freelancers.Search{Name: text}, 0, maxNamesakes)
}

// showNamesakes shows the people with a name, of whom the user chooses one.
func (h *explainHandler) showNamesakes(
	v *page.Visit, r *results.Result, name string, found *freelancers.Found,
) error {
	ids := make([]string, len(found.Freelancers))
	for i := range found.Freelancers {
		ids[i] = found.Freelancers[i].Freelancer.ID
	}
	if err := v.CountViews(h.Views, ids...); err != nil {
		return err
	}

	return v.OK(page.Page{
		Template: "explain", Title: "Why not…?", Section: "playground",
		Data: explainView{
			playgroundView: playgroundView{Match: r.ID}, Wanted: name, Namesakes: found.Freelancers,
			More: found.Total - len(found.Freelancers),
		},
	})
}

// addAlternatives adds to a result what would lead to a better rank. It never fails the result, whose request has
// counted.
func (h *explainHandler) addAlternatives(
	v *page.Visit, request *wire.MatchRequest, plan, id string, r *results.Result,
) {
	ctx, cancel := context.WithTimeout(v.Context(), alternativesTime)
	defer cancel()

	var found alternatives
	published, err := h.published(v)
	var brief *matching.Brief
	if err == nil {
		brief, err = wholeBrief(request, plan, published)
	}
	if err == nil {
		var isSupported bool
		found.List, isSupported, err = h.Matcher.Alternatives(ctx, brief, id)
		found.Unsupported = !isSupported
	}
	if err != nil {
		h.Log.WarnContext(ctx, "alternatives not computed", "error", err)
		found = alternatives{Failed: true}
	}
	if r.Overview, err = json.Marshal(found); err != nil {
		panic(err) // texts and finite numbers can always be encoded
	}
}

// explainResult returns the page of the rank of a freelancer.
func (h *explainHandler) explainResult(_ *page.Visit, r *results.Result) (page.Page, error) {
	view := explainView{playgroundView: playgroundView{Match: r.Form.Get("match")}}
	var answer wire.ExplainAnswer
	if err := view.load(h.client, r, &answer); err != nil {
		return page.Page{}, err
	}

	if r.Status == http.StatusOK {
		view.Standing = answer.Data
		view.Features = featureRows(&answer.Data)
		view.Weakest = weakest(view.Features)
		view.Alternatives.Failed = r.Overview == nil // of an earlier version
		if r.Overview != nil {
			if err := decodeResponse(r.Overview, &view.Alternatives); err != nil {
				return page.Page{}, err
			}
		}
	}

	return page.Page{
		Template: "explain", Title: "Why this rank", Section: "playground", Form: r.Form, Data: view,
	}, nil
}

// featureRows returns the features of a score with what each one lacks.
func featureRows(s *wire.Standing) []featureRow {
	missing := map[string]float64{}
	for _, short := range s.Shortfalls {
		missing[short.Feature] = short.Points
	}
	var rows []featureRow
	for _, part := range segments(s.Match.Explanation) {
		rows = append(rows, featureRow{part, missing[part.Name]})
	}
	return rows
}

// weakest returns the two features that lack the most points, of those that lack any which a page shows.
func weakest(rows []featureRow) []featureRow {
	const shown = .0005
	lacking := slices.DeleteFunc(slices.Clone(rows), func(f featureRow) bool { return f.Missing < shown })
	slices.SortStableFunc(lacking, func(a, b featureRow) int { return cmp.Compare(b.Missing, a.Missing) })
	return lacking[:min(len(lacking), 2)]
}

// Filter returns an exclusion's filter in words.
func (explainView) Filter(e matching.Exclusion) string {
	if e.Filter == matching.ExcludedNoOverlap {
		return "No overlap"
	}
	return page.Title(strings.ReplaceAll(e.Filter, "_", " "))
}

// Remedy says what would have to change for a freelancer to pass a filter.
func (explainView) Remedy(e matching.Exclusion) string {
	switch e.Filter {
	case matching.SkippedCopies:
		return "The profile would have to say something of its own."
	case matching.ExcludedNoOverlap:
		return "The profile would have to share " + e.Wanted + "."
	case "ids", "exclude_ids":
		return "The brief would have to stop filtering by ID."
	case "exclude_skills":
		return "The brief would have to stop excluding these skills."
	default:
		return "The record would have to show " + e.Wanted + ", or the brief would have to do without the filter."
	}
}

// Ordinal returns a rank such as 4th.
func (explainView) Ordinal(n int) string { return humanize.Ordinal(n) }
