package ranking

import "github.com/freelancer-matching/service/internal/matching"

// The methods in this file decompose the score for an engine, so that its hits contain the best matches. Before the
// profile's curve, which doesn't change the order, and apart from rounding, the score of a candidate is the sum
//
//	Text/(1+Text)·TextWeight + Σ SkillWeights[i]·Credits[Evidence[i]] + Semantic·SemanticWeight
//	+ Fit(Signals) + Quality(Signals)
//
// as Bend maps it, and lowered by Discount for a candidate who lacks required skills.

// TextWeight returns the share of the text feature in the score.
func (s *Scorer) TextWeight() float64 { return s.share[text] }

// WeighsMeaning reports whether the similarity in meaning counts in the profile's scores, where vectors exist.
func (p *Profile) WeighsMeaning() bool { return p.Weights[semantic.String()] > 0 }

// SemanticWeight returns the share of the semantic feature in the score.
func (s *Scorer) SemanticWeight() float64 { return s.share[semantic] }

// SkillWeights returns, for each of Request.Skills, the contribution of full credit to the score.
func (s *Scorer) SkillWeights() []float64 {
	weights := make([]float64, len(s.skills.share))
	for i, part := range s.skills.share {
		weights[i] = s.share[skills] * part
	}
	return weights
}

// Discount returns what candidates lose who lack required skills. It is zero if nobody loses anything.
func (s *Scorer) Discount() matching.Discount { return s.skills.discount }

// Bend returns the point at which limitsCurve bends, or zeros if the request has no limits.
func (s *Scorer) Bend() (from, to float64) {
	if s.limits == nil {
		return 0, 0
	}
	return s.limits[1][0], s.limits[1][1]
}

// Credits returns the share of a skill's weight that each kind of evidence earns.
func (s *Scorer) Credits() [matching.Listed + 1]float64 { return s.skills.credits }

// Fit returns the contribution of budget, timeline and experience, which depend on rate, experience, availability and
// schedule.
func (s *Scorer) Fit(sig matching.Signals, schedule matching.Schedule) float64 {
	v := s.signalValues(&sig, &schedule)
	v[quality] = 0
	return s.mix(v)
}

// Quality returns the contribution of rating and total sales to the score.
func (s *Scorer) Quality(sig matching.Signals) float64 {
	v := s.signalValues(&sig, &matching.Schedule{})
	return s.mix(values{quality: v[quality]})
}
