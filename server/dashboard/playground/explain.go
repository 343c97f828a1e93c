package playground

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/freelancer-matching/service/access/results"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// An explainHandler serves the explanations of ranks.
type explainHandler struct{ *client }

const explainPath = matchPath + "/explain"

// explainView is the page that says why a freelancer has a rank, or none.
type explainView struct {
	playgroundView
	Standing wire.Standing
	Features []featureRow
}

// featureRow is one feature of the score of the freelancer.
type featureRow struct {
	segment
	Missing float64 // points that a perfect value would add
}

// playExplain asks the API for the rank of a freelancer in the answer to the brief of a saved result.
func (h *explainHandler) playExplain(v *page.Visit) error {
	r, _, err := h.matchesOf(v, v.Request.PathValue("result"))
	if err != nil {
		return err
	}
	var brief wire.MatchRequest
	if err := decodeResponse(r.Request, &brief); err != nil {
		return err
	}
	// the response always has both
	brief.Explain = false
	brief.Details = false
	brief.Offset = nil // the rank is among all matches
	id := v.Value("freelancer_id")
	form := url.Values{"key": {r.Key}, "match": {r.ID}, "freelancer_id": {id}}
	v.Request.PostForm = form
	v.Request.Form = form
	return h.play(v, call{
		kind: results.Explain, title: id, path: explainPath, body: wire.ExplainRequest{MatchRequest: brief, FreelancerID: id},
	})
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

// Filter returns an exclusion's filter in words.
func (explainView) Filter(e matching.Exclusion) string {
	if e.Filter == matching.ExcludedNoOverlap {
		return "No overlap"
	}
	return page.Title(strings.ReplaceAll(e.Filter, "_", " "))
}
