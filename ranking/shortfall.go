package ranking

import "github.com/freelancer-matching/service/internal/matching"

// Shortfalls returns, for each feature of an explanation, by how much the score of a candidate would be higher if the
// feature had its highest value and all others stayed the same. Full skills also remove the discount.
func (s *Scorer) Shortfalls(c *Candidate) []matching.Shortfall {
	v := s.values(c)
	score := s.Score(c)
	kept := s.skills.kept(c.Evidence)
	list := []matching.Shortfall{}
	for f, share := range s.share {
		if share == 0 {
			continue
		}
		full := v
		keptThen := kept
		full[f] = 1
		if feature(f) == skills {
			keptThen = 1
		}
		points := round6(round6(s.score(s.mix(full), keptThen)) - score)
		list = append(list, matching.Shortfall{Feature: feature(f).String(), Points: max(0, points)})
	}
	return list
}

// Final returns the score, rounded to 1e-6, for a retrieval score, which the methods for engines describe and which
// doesn't include the profile's curve.
func (s *Scorer) Final(retrieval float64) float64 { return round6(s.profile.Curve.At(retrieval)) }
