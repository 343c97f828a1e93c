package load

import (
	"encoding/json"
	"fmt"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/synthetic"
)

// variety is the number of different briefs that are sent before they repeat. It is large enough to defeat caches.
const variety = 8192

// A wireBrief is the body of POST /api/v1/match. It is declared separately from the server's type, so that the program
// depends on the wire format like any client.
type wireBrief struct {
	Description      string                     `json:"description"`
	JobTitle         string                     `json:"job_title,omitempty"`
	RequiredSkills   []string                   `json:"required_skills,omitempty"`
	NiceToHaveSkills []string                   `json:"nice_to_have_skills,omitempty"`
	BudgetRange      []float64                  `json:"budget_range,omitempty"`
	BudgetType       string                     `json:"budget_type,omitempty"`
	Complexity       matching.Complexity        `json:"complexity,omitempty"`
	Timeline         matching.Optional[int]     `json:"timeline,omitzero"`
	EffortHours      matching.Optional[float64] `json:"effort_hours,omitzero"`
	Filters          *wireFilters               `json:"filters,omitempty"`
	Weights          map[string]float64         `json:"weights,omitempty"`
	Limit            int                        `json:"limit"`
}

type wireFilters struct {
	Available      matching.Optional[bool]    `json:"available,omitzero"`
	MinRating      matching.Optional[float64] `json:"min_rating,omitzero"`
	MinExperience  matching.Optional[float64] `json:"min_experience,omitzero"`
	MaxHourlyRate  matching.Optional[float64] `json:"max_hourly_rate,omitzero"`
	MustHaveSkills []string                   `json:"must_have_skills,omitempty"`
}

// encodeBriefs returns the bodies of the requests, which are created before the measurement so as not to affect it.
func encodeBriefs(seed uint64, lexical bool) ([][]byte, error) {
	generator, err := synthetic.New()
	if err != nil {
		return nil, fmt.Errorf("read the words of briefs: %w", err)
	}

	bodies := make([][]byte, 0, variety)
	for brief := range generator.Briefs(seed) {
		w := wire(brief)
		if lexical {
			w.Weights = map[string]float64{"semantic": 0}
		}

		body, err := json.Marshal(w)
		if err != nil {
			return nil, fmt.Errorf("encode a brief: %w", err)
		}
		if bodies = append(bodies, body); len(bodies) == variety {
			break
		}
	}

	return bodies, nil
}

func wire(b matching.Brief) wireBrief {
	w := wireBrief{
		Description:      b.Description,
		JobTitle:         b.JobTitle,
		RequiredSkills:   b.RequiredSkills,
		NiceToHaveSkills: b.NiceToHaveSkills,
		Complexity:       b.Complexity,
		Timeline:         b.TimelineDays,
		EffortHours:      b.EffortHours,
		Limit:            b.Limit,
	}

	if b.Budget.Known {
		w.BudgetRange = []float64{b.Budget.Value.Low, b.Budget.Value.High}
		w.BudgetType = string(b.Budget.Value.Kind)
	}

	filters := wireFilters{
		b.Filters.Available, b.Filters.MinRating, b.Filters.MinExperience, b.Filters.MaxHourlyRate,
		b.Filters.MustHaveSkills,
	}
	hasFilters := filters.Available.Known || filters.MinRating.Known || filters.MinExperience.Known ||
		filters.MaxHourlyRate.Known || filters.MustHaveSkills != nil
	if hasFilters {
		w.Filters = &filters
	}

	return w
}
