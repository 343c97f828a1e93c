package ranking

import "math"

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

// of returns 1 for an amount up to the limit. Above it, it returns the probability that the true amount, whose
// logarithm is normally distributed, is at most Reach times the limit, relative to that of an amount at the limit.
func (c *Chance) of(amount, limit float64) float64 {
	if amount <= limit {
		return 1
	}
	return normal(math.Log(c.Reach*limit/amount)/c.Spread) / normal(math.Log(c.Reach)/c.Spread)
}

// normal returns the probability of a value up to z in the standard normal distribution.
func normal(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
