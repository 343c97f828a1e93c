package ranking

// Parts returns what each feature contributes to a candidate's score for a weight of 1, in the order of Features: the
// sum of these parts, each times the weight of its feature in the profile, orders candidates as their scores do. A
// feature that takes no part has 0. The curve of the profile, which changes no order, is left out, so that the parts
// are linear in the weights. They don't depend on the scale of the weights.
func (s *Scorer) Parts(c *Candidate) []float64 {
	v := s.values(c)
	mix := s.mix(v)

	// Limits and discount have the same effect on each part.
	kept := s.skills.kept(c.Evidence)
	if mix > 0 {
		kept *= s.limits.At(mix) / mix
	}

	sum := 0.
	for f := range features {
		sum += s.profile.Weights[f.String()]
	}

	parts := make([]float64, features)
	for f := range features {
		if weight := s.profile.Weights[f.String()]; weight > 0 {
			parts[f] = s.share[f] / weight * sum * v[f] * kept
		}
	}
	return parts
}
