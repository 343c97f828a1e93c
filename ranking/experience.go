package ranking

import (
	"fmt"

	"github.com/freelancer-matching/service/internal/matching"
)

// An experienceScorer compares years of experience with those that the complexity of a request asks for.
type experienceScorer struct {
	complexity matching.Complexity
	years      float64 // that the complexity asks for; 0 without a complexity
	neutral    float64 // the value of an unknown experience
}

// newExperienceScorer returns the scorer for the complexity of a request, if it has one.
func newExperienceScorer(p *Profile, r *Request) experienceScorer {
	return experienceScorer{
		complexity: r.Complexity, years: p.Experience.Years[r.Complexity], neutral: p.Neutral,
	}
}

// value returns the share, 0 to 1, of the years that the freelancer has.
func (e *experienceScorer) value(sig *matching.Signals) float64 {
	if !sig.Experience.Known {
		return e.neutral
	}
	return min(1, sig.Experience.Value/e.years)
}

// summary compares the years in words.
func (e *experienceScorer) summary(sig *matching.Signals) string {
	if !sig.Experience.Known {
		return "unknown experience, counted as neutral"
	}
	return fmt.Sprintf("%s of experience; %s complexity asks for %s",
		plural(sig.Experience.Value, "year"), e.complexity, amount(e.years))
}
