package ranking

import (
	"cmp"
	"math"
	"slices"

	"freelancer-matching/internal/matching"
)

// Explained is a score with its reasons.
type Explained struct {
	Score    float64
	Fit      float64        // Scorer.Fitness
	Level    matching.Level // of Fit
	Price    matching.Price
	Estimate matching.Estimate // hours and days to 0.1, cost to 0.01 in the client's currency
	// Features lists the features that take part. Rounded to six decimals, their contributions add up to Score and their
	// weights to 1.
	Features []matching.Feature
	// Adjustments lists the factors on the whole score, which are part of the contributions.
	Adjustments []matching.Adjustment
}

// Reasons of the adjustment for a candidate who lacks required skills.
const (
	noRequiredSkill   = "has none of the required skills"
	onlyRelatedSkills = "has none of the required skills, but a related one"
	missingSkill      = "lacks some of the required skills"
)

// Assess returns the same as Explain without Features and Adjustments, in a small part of the time.
func (s *Scorer) Assess(c *Candidate) Explained {
	fit := s.Fitness(c)
	return Explained{
		Score: s.Score(c), Fit: fit, Level: s.level(fit), Price: s.priceWord(&c.Signals),
		Estimate: s.quote(c),
	}
}

// Explain returns the same score as Score, with its reasons.
func (s *Scorer) Explain(c *Candidate) Explained {
	v := s.values(c)
	score := s.Score(c)
	kept := s.kept(c.Evidence)
	mix := s.mix(v)
	stretch := 1. // the effect of discount and curves on each part
	if mix > 0 {
		stretch = s.score(mix, kept) / mix
	}

	explained := s.Assess(c)
	explained.Features = []matching.Feature{}

	if kept < 1 {
		explained.Adjustments = append(explained.Adjustments, matching.Adjustment{
			Factor: round6(kept), Reason: s.lack(c.Evidence),
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

// lack returns the reason of the discount of a candidate with the given evidence.
func (s *Scorer) lack(evidence []matching.Evidence) string {
	switch has, related := s.has(evidence); {
	case has > 0:
		return missingSkill
	case related:
		return onlyRelatedSkills
	default:
		return noRequiredSkill
	}
}

// LacksSkills reports whether an adjustment is about required skills that somebody lacks.
func LacksSkills(a matching.Adjustment) bool {
	return a.Reason == noRequiredSkill || a.Reason == onlyRelatedSkills || a.Reason == missingSkill
}

// priceWord compares the price with the budget. It is the zero value for a request whose budget takes no part.
func (s *Scorer) priceWord(sig *matching.Signals) (p matching.Price) {
	if s.share[budget] == 0 {
		return p
	}

	limit := s.request.Budget.Value.High
	price := s.price(sig)
	if !s.hourly() {
		_, rounding := tenths(s.workHours(sig))
		price *= rounding // as in the estimate that readers see
	}

	switch {
	case !sig.HourlyRate.Known:
		p.Verdict = matching.PriceUnknown
	case price <= limit:
		p.Verdict = matching.PriceWithin
	default:
		p.Verdict = matching.PriceOver
		if times := math.Round(10*(price/limit)) / 10; !math.IsInf(times, 0) { // JSON has no infinities
			p.Times = matching.Some(times)
		}
	}
	return p
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

// tenths rounds hours to tenths, and returns the factor that this applies to a cost. Readers see the cost of the
// rounded hours, so that it is the product of the hours and the rate that they see.
func tenths(hours float64) (rounded, factor float64) {
	rounded = math.Round(hours*10) / 10
	if rounded == 0 {
		return hours, 1
	}
	return rounded, rounded / hours
}

// quote returns the estimate as the client sees it: rounded, and in the client's currency.
func (s *Scorer) quote(c *Candidate) matching.Estimate {
	to := func(x matching.Optional[float64], unit float64) matching.Optional[float64] {
		x.Value = math.Round(x.Value*unit) / unit
		return x
	}
	e := s.estimate(&c.Signals, &c.Schedule)
	hours, rounding := tenths(e.Hours.Value)
	e.Hours.Value = hours
	e.Cost.Value = s.request.Money.of(e.Cost.Value * rounding)
	return matching.Estimate{
		Hours: e.Hours, Days: to(e.Days, 10), Cost: to(e.Cost, 100), Currency: s.request.Money.Currency,
	}
}
