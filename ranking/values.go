package ranking

import "github.com/freelancer-matching/service/internal/matching"

// values holds the value of each feature for one candidate, 0 to 1; 0 for features left out.
type values [features]float64

// mix returns the weighted mean of the values, which [Curve] maps to the score.
func (s *Scorer) mix(v values) float64 {
	sum := 0.
	for f, share := range s.share {
		sum += share * v[f]
	}
	return sum
}

// values returns a candidate's feature values. Scores, explanations and the decomposition for retrieval all use it.
func (s *Scorer) values(c *Candidate) values {
	v := s.signalValues(&c.Signals, &c.Schedule)
	if s.share[skills] > 0 {
		v[skills] = s.skills.value(c.Evidence)
	}
	if s.share[text] > 0 {
		v[text] = c.Text / (1 + c.Text)
	}
	if s.share[semantic] > 0 {
		v[semantic] = s.meaning.value(c)
	}
	return v
}

// signalValues returns the values of the features that depend on signals and schedule only.
func (s *Scorer) signalValues(sig *matching.Signals, schedule *matching.Schedule) (v values) {
	if s.share[budget] > 0 {
		v[budget] = s.budget.value(sig)
	}
	if s.share[timeline] > 0 {
		v[timeline] = s.timeline.value(sig, schedule)
	}
	if s.share[experience] > 0 {
		v[experience] = s.experience.value(sig)
	}
	if s.share[quality] > 0 {
		v[quality] = s.quality.value(sig)
	}
	return v
}
