package relevance

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"testing"

	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/realdata"
)

// pricedMatch holds the members of a match that tell what it costs.
type pricedMatch struct {
	Freelancer struct {
		ID string `json:"id"`
	} `json:"freelancer"`
	Level    matching.Level `json:"level"`
	Estimate struct {
		Cost *float64 `json:"cost"`
	} `json:"estimate"`
}

// Among real freelancers, a budget of a tenth of the usual cost moves the order and no level, and hiding a rate doesn't
// pay.
func TestMatch_BudgetOnRealData(t *testing.T) {
	realdata.Path(t, "relevance")
	set, err := openJudgedSet("")
	if err != nil {
		t.Fatal(err)
	}

	s, err := start(t.Context(), set.freelancers, config.EncoderOff)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()

	for _, profile := range []string{"default", "economy"} {
		first := 0
		moved := 0
		unknown := 0
		for _, b := range set.briefs {
			w := way{drop: names{"budget_range", "budget_type", "complexity", "timeline"}, profile: profile}
			body, err := w.body(b)
			if err != nil {
				t.Fatal(err)
			}

			body["limit"] = pageSize
			body["effort_hours"] = 100
			free := s.priced(t, body)
			var costs []float64
			for _, m := range free {
				if m.Estimate.Cost != nil {
					costs = append(costs, *m.Estimate.Cost)
				}
			}

			slices.Sort(costs)
			budget := costs[len(costs)/2] / 10
			body["budget_range"] = []float64{0, budget}
			for i, m := range s.priced(t, body) {
				at := func(f pricedMatch) bool { return f.Freelancer.ID == m.Freelancer.ID }
				if was := slices.IndexFunc(free, at); was >= 0 && free[was].Level != m.Level {
					t.Errorf("brief %s: %s is %s with a budget, %s without", b.ID, m.Freelancer.ID, m.Level, free[was].Level)
				}

				if i >= 10 {
					continue
				}

				first++

				if m.Freelancer.ID != free[i].Freelancer.ID {
					moved++
				}

				if m.Estimate.Cost == nil {
					unknown++
				}
			}
		}

		t.Logf("profile %s: of %d first matches, %d are others than without a budget, and %d have no rate",
			profile, first, moved, unknown)
		if 2*moved < first || 10*unknown > first { // 19 percent of all freelancers have no rate
			t.Errorf("profile %s: of %d first matches, %d are others than without a budget, and %d have no rate",
				profile, first, moved, unknown)
		}
	}
}

// priced sends a match request and returns the matches.
func (s *service) priced(t *testing.T, body map[string]any) []pricedMatch {
	t.Helper()
	encoded, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}

	request, err := http.NewRequestWithContext(
		t.Context(), http.MethodPost, s.url+"/api/v1/match", bytes.NewReader(encoded))
	if err != nil {
		t.Fatal(err)
	}

	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-API-Key", s.key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()

	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}

	var answer struct{ Matches []pricedMatch }
	if err := json.Unmarshal(content, &answer); err != nil {
		t.Fatalf("%v in %s", err, content)
	}

	return answer.Matches
}
