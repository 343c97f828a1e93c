package ranking

import (
	"cmp"
	"math"
	"slices"

	"github.com/freelancer-matching/service/internal/matching"
)

// Explained is a score with its reasons.
type Explained struct {
	Score    float64
	Fit      float64           // Scorer.Fitness
	Level    matching.Level    // of Fit
	Price    matching.Price    // zero if the budget takes no part
	Estimate matching.Estimate // hours and days to 0.1, cost to 0.01 in the client's currency
	// Features lists the features that take part. Rounded to six decimals, their contributions add up to Score and their
	// weights to 1.
	Features []matching.Feature
	// Adjustments lists the factors on the whole score, which are part of the contributions.
	Adjustments []matching.Adjustment
}

// Assess returns the same as Explain without Features and Adjustments, in a small part of the time.
func (s *Scorer) Assess(c *Candidate) Explained {
	fit := s.Fitness(c)
	assessed := Explained{
		Score: s.Score(c), Fit: fit, Level: s.level(fit), Estimate: s.work.quote(c, s.money),
	}
	if s.share[budget] > 0 {
		assessed.Price = s.budget.verdict(&c.Signals)
	}
	return assessed
}

// Explain returns the same score as Score, with its reasons.
func (s *Scorer) Explain(c *Candidate) Explained {
	v := s.values(c)
	score := s.Score(c)
	kept := s.skills.kept(c.Evidence)
	mix := s.mix(v)

	// Discount and curves have the same effect on each part.
	stretch := 1.
	if mix > 0 {
		stretch = s.score(mix, kept) / mix
	}

	explained := s.Assess(c)
	explained.Features = []matching.Feature{}

	if kept < 1 {
		explained.Adjustments = append(explained.Adjustments, matching.Adjustment{
			Factor: round6(kept), Reason: s.skills.lack(c.Evidence),
		})
	}

	if s.limits != nil && mix > 0 {
		explained.Adjustments = append(explained.Adjustments, matching.Adjustment{
			Factor: round6(s.limits.At(mix) / mix), Reason: "budget and timeline only lower scores",
		})
	}

	parts := make([]float64, features)
	shares := 0.
	for f, share := range s.share {
		parts[f] = share * v[f] * stretch
		shares += share
	}

	contributions := apportion(parts, score)
	weights := apportion(s.share[:], math.Round(shares)) // 0 if no feature takes part
	for f := range features {
		if s.share[f] == 0 {
			continue
		}

		explained.Features = append(explained.Features, matching.Feature{
			Name:         f.String(),
			Value:        round6(v[f]),
			Weight:       weights[f],
			Contribution: contributions[f],
			Summary:      s.summary(f, c, v[f]),
		})
	}

	return explained
}

// apportion rounds parts to six decimals so that they still add up to the rounded total: it rounds all down and gives
// the missing millionths to the parts with the largest remainders (Hamilton's method).
func apportion(parts []float64, total float64) []float64 {
	millionths := make([]float64, len(parts))
	byRemainder := make([]int, len(parts))
	missing := math.Round(total * 1e6)
	for i, part := range parts {
		byRemainder[i] = i
		millionths[i] = math.Floor(part * 1e6)
		missing -= millionths[i]
	}
	slices.SortStableFunc(byRemainder, func(a, b int) int {
		return cmp.Compare(parts[b]*1e6-millionths[b], parts[a]*1e6-millionths[a])
	})
	for _, i := range byRemainder[:int(missing)] {
		millionths[i]++
	}
	for i := range millionths {
		millionths[i] /= 1e6
	}
	return millionths
}
