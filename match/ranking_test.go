package match_test

import (
	"math"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
)

// The published ranking of an account gives the same scores as its weights in a request, which still add up. The answer
// and its versions name it.
func TestMatch_Ranking(t *testing.T) {
	w := newWorld(t, boats(4)...)
	weights := map[string]float64{"text": .2, "quality": .15}
	brief := matching.Brief{JobTitle: "Boat", Limit: 4, Explain: true, Weights: weights, Profile: "economy"}
	asked := w.match(brief)

	brief.Weights, brief.Profile = nil, ""
	plain := w.match(brief)
	if plain.Ranking != nil || plain.Versions.Ranking != 0 {
		t.Errorf("without a ranking, the answer names %+v", plain.Ranking)
	}

	brief.Ranking = &matching.Ranking{Name: "Mine", Version: 3, Profile: "economy", Weights: weights}
	published := w.match(brief)
	for i := range published.Matches {
		m := &published.Matches[i]
		if other := &asked.Matches[i]; m.Freelancer.ID != other.Freelancer.ID || m.Score != other.Score {
			t.Errorf("match %d is %s %v, with the weights in the request %s %v", i, m.Freelancer.ID, m.Score,
				other.Freelancer.ID, other.Score)
		}
		sum := 0.
		for _, f := range m.Explanation {
			sum += f.Contribution
		}
		if math.Abs(sum-m.Score) > 1e-5 {
			t.Errorf("contributions of match %d add up to %v, want %v", i, sum, m.Score)
		}
	}

	use := published.Ranking
	if use == nil || use.Name != "Mine" || use.Version != 3 || !strings.Contains(use.Message, "no profile and no") {
		t.Errorf("ranking %+v", use)
	}
	if v := published.Versions; v.Ranking != 3 || v.Profile != "economy" || v.Overridden {
		t.Errorf("versions %+v", v)
	}

	standing, err := w.service.Explain(t.Context(), &brief, published.Matches[1].Freelancer.ID)
	if err != nil {
		t.Fatal(err)
	}
	if standing.Match.Score != published.Matches[1].Score || standing.Answer.Ranking == nil {
		t.Errorf("standing %v by %+v", standing.Match.Score, standing.Answer.Ranking)
	}
}

// A ranking that this release doesn't accept is left out, and the answer says so.
func TestMatch_InvalidRanking(t *testing.T) {
	w := newWorld(t, boats(2)...)
	brief := matching.Brief{JobTitle: "Boat", Limit: 2}
	want := w.match(brief).Matches[0].Score
	for name, r := range map[string]matching.Ranking{
		"profile": {Name: "Old", Version: 1, Profile: "gone"},
		"feature": {Name: "Old", Version: 1, Profile: "default", Weights: map[string]float64{"gone": 1}},
	} {
		brief.Ranking = &r
		answer := w.match(brief)
		said := len(answer.Skipped) > 0 && answer.Skipped[len(answer.Skipped)-1].Feature == matching.SkippedRanking
		if answer.Matches[0].Score != want || answer.Ranking != nil || !said {
			t.Errorf("unknown %s: score %v, want %v; skipped %+v", name, answer.Matches[0].Score, want, answer.Skipped)
		}
	}
}
