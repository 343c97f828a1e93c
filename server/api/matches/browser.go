package matches

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/access/browsertoken"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/wire"
)

// bind binds the brief of a web page to what its token says. Features of the score that would reveal a hidden field
// take no part in it.
func bind(brief *matching.Brief, c *browsertoken.Claims) error {
	filters, err := wire.BoundFilters(c)
	if err != nil {
		return fmt.Errorf("filters of a browser token: %w", err)
	}
	brief.Bound = filters
	brief.BoundCurrency = c.Currency

	if features := c.Features(); len(features) > 0 {
		weights := maps.Clone(brief.Weights)
		if weights == nil {
			weights = make(map[string]float64)
		}
		for name := range features {
			weights[name] = 0
		}
		brief.Weights = weights
	}
	return nil
}

// conceal removes from the response to a web page what its token hides, and counts of freelancers whom the filters of
// the token exclude.
func conceal(answer *matching.Answer, c *browsertoken.Claims) {
	for i := range answer.Matches {
		concealMatch(&answer.Matches[i], c)
	}

	// These count all freelancers, or those who pass a filter of the page alone. With a filter by ID, they would be facts
	// about somebody whom the page must not see.
	answer.Filters = nil
	answer.ReasonDetail = nil
	answer.RequiredSkills = nil
	answer.AllRequiredSkills = nil
	answer.Ranking = nil // its name is for the members of the account
	if strings.HasPrefix(answer.Reason, matching.ReasonFilter) {
		answer.Reason = matching.ReasonFilter + "any"
	}

	refused := c.RefusedFilters()
	answer.SuggestedFilters = slices.DeleteFunc(answer.SuggestedFilters, func(s matching.SuggestedFilter) bool {
		_, is := refused[s.Filter]
		return is
	})
	features := c.Features()
	for i := range answer.Skipped {
		if field, is := features[answer.Skipped[i].Feature]; is {
			answer.Skipped[i].Reason = "the browser token hides " + field
		}
	}

	// It names the median of the rates.
	if c.Hides("hourly_rate") {
		answer.Budget = nil
	}
}

func concealMatch(m *matching.Match, c *browsertoken.Claims) {
	for _, name := range c.Hide {
		matching.FieldNamed(name).Copy(&m.Freelancer, &matching.Freelancer{})
	}

	// Price and estimate are computed from rate, experience and hours a week, which could be computed from them.
	if c.Hides("hourly_rate", "experience") {
		m.Price = matching.Price{}
		m.Estimate.Cost = matching.Optional[float64]{}
	}
	if c.Hides("experience") {
		m.Estimate.Hours = matching.Optional[float64]{}
	}
	if c.Hides("experience", "hours_per_week") {
		m.Estimate.Days = matching.Optional[float64]{}
	}

	features := c.Features()
	m.Explanation = slices.DeleteFunc(m.Explanation, func(f matching.Feature) bool {
		_, is := features[f.Name]
		return is
	})
}
