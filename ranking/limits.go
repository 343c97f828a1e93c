package ranking

import "freelancer-matching/internal/matching"

// limitsCurve maps the weighted mean of the features to the score for a request whose budget and timeline have the
// given share in the mean. It lets these two features only lower a score:
//
//   - Somebody within budget and timeline gets the mean of the other features, as without a budget and a timeline. So
//     levels mean the same for every brief.
//   - Down to the floor, a value below 1 costs (1 - value) times the feature's weight relative to all others together.
//   - Below the floor, scores approach 0 more slowly, so that they keep their order.
//
// The curve rises, so it doesn't change the order.
func limitsCurve(share, floor float64) Curve {
	if share == 0 || share > 1-1e-9 { // no limit, or nothing but limits
		return nil
	}
	return Curve{{0, 0}, {share + (1-share)*floor, floor}, {1, 1}}
}

// hourlyRate returns a freelancer's rate, or the median of the data set instead of an unknown one.
func (s *Scorer) hourlyRate(sig *matching.Signals) float64 {
	return sig.HourlyRate.Or(s.request.Corpus.RateMedian.Value)
}
