package ranking

import "freelancer-matching/internal/matching"

// What follows is the score taken apart for an engine, so that the hits it returns hold the best matches. Before the
// profile's curve, which changes no order, and apart from rounding, the score of a candidate is
//
//	Text/(1+Text)·TextWeight + Σ SkillWeights[i]·Credits[Evidence[i]] + Semantic·SemanticWeight
//	+ Fit(Signals) + Quality(Signals)

// TextWeight is the share of the text feature in the score.
func (s *Scorer) TextWeight() float64 { return s.share[text] }

// SemanticWeight is the share of the semantic feature in the score.
func (s *Scorer) SemanticWeight() float64 { return s.share[semantic] }

// SkillWeights is, for each of Request.Skills, what full credit for it adds to the score.
func (s *Scorer) SkillWeights() []float64 {
	weights := make([]float64, len(s.skillShare))
	for i, part := range s.skillShare {
		weights[i] = s.share[skills] * part
	}
	return weights
}

// Credits is the share of a skill's weight that each kind of evidence earns.
func (s *Scorer) Credits() [matching.Listed + 1]float64 { return s.credits }

// Fit is what hourly rate, experience and availability add to the score: budget, timeline and experience.
func (s *Scorer) Fit(sig matching.Signals) float64 {
	v := s.signalValues(&sig)
	v[quality] = 0
	return s.mix(v)
}

// Quality is what rating and total sales add to the score.
func (s *Scorer) Quality(sig matching.Signals) float64 {
	v := s.signalValues(&sig)
	return s.mix(values{quality: v[quality]})
}
