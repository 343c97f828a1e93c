package eval

import (
	"cmp"
	"slices"

	"freelancer-matching/ranking"
)

// Curve is a ranking.Curve as it is fitted; it always has knots.
type Curve ranking.Curve

// At is the value of the curve at x, 0 to 1.
func (c Curve) At(x float64) float64 { return ranking.Curve(c).At(x) }

// Reaches is the lowest x at which the curve is y, 0 to 1.
func (c Curve) Reaches(y float64) float64 {
	for i := 1; i < len(c); i++ {
		if low, high := c[i-1], c[i]; high[1] >= y && high[1] > low[1] {
			return low[0] + (high[0]-low[0])*max(0, y-low[1])/(high[1]-low[1])
		}
	}
	return 0 // a curve reaches every y in 0..1
}

// locate finds the knot at or before x, and how far x is from it to the next one, 0 to 1.
func (c Curve) locate(x float64) (knot int, part float64) {
	next, _ := slices.BinarySearchFunc(c, x, func(k [2]float64, x float64) int { return cmp.Compare(k[0], x) })
	next = min(max(next, 1), len(c)-1)
	low, high := c[next-1][0], c[next][0]
	return next - 1, (x - low) / (high - low)
}

// leastSlope keeps a fitted curve rising everywhere, so that candidates of different scores stay apart.
const leastSlope = .1

// FitCurve is the curve from the scores of judged outcomes to the share of good ones, fitted by least squares with so many
// knots between the ends, at quantiles of the scores; fewer where these are equal or at an end.
//
// Its heights are sums of rises that have the least slope and add up to 1. They are found by moving height from one rise to
// another, for every pair of them in turn, as far as it lowers the error, as sequential minimal optimization does
// (Platt 1998); the problem is convex, so this leads to the one minimum.
func FitCurve(outcomes []Outcome, knots int) Curve {
	judged := slices.DeleteFunc(slices.Clone(outcomes), func(o Outcome) bool { return !o.Judged })
	slices.SortStableFunc(judged, func(a, b Outcome) int { return cmp.Compare(a.Score, b.Score) })
	curve := Curve{{0, 0}}
	for k := range knots {
		if len(judged) == 0 {
			break
		}
		x := judged[len(judged)*(k+1)/(knots+1)].Score
		if x > curve[len(curve)-1][0] && x < 1 {
			curve = append(curve, [2]float64{x, 0})
		}
	}
	curve = append(curve, [2]float64{1, 1})
	rises := curve.fitRises(judged)
	for i, rise := range rises {
		curve[i+1][1] = curve[i][1] + rise
	}
	curve[len(curve)-1][1] = 1
	return curve
}

// fitRises are the heights that each stretch of the curve adds.
func (c Curve) fitRises(judged []Outcome) []float64 {
	n := len(c) - 1
	// reach[i][r] is how much of rise r lies below outcome i, 0 to 1; the curve is Σ rise·reach.
	reach := make([][]float64, len(judged))
	errors := make([]float64, len(judged)) // curve − outcome
	rises := make([]float64, n)
	least := make([]float64, n)
	for r := range rises {
		least[r] = leastSlope * (c[r+1][0] - c[r][0])
		rises[r] = least[r] + (1-leastSlope)/float64(n)
	}
	for i, o := range judged {
		knot, part := c.locate(o.Score)
		reach[i] = make([]float64, n)
		for r := range knot {
			reach[i][r] = 1
		}
		reach[i][knot] = part
		for r, rise := range rises {
			errors[i] += rise * reach[i][r]
		}
		if o.Grade >= Good {
			errors[i]--
		}
	}
	const rounds = 1000
	for range rounds {
		moved := 0.
		for to := range n {
			for from := range to {
				by := bestMove(reach, errors, from, to)
				by = min(max(by, least[to]-rises[to]), rises[from]-least[from])
				rises[from] -= by
				rises[to] += by
				for i := range errors {
					errors[i] += by * (reach[i][to] - reach[i][from])
				}
				moved = max(moved, by, -by)
			}
		}
		if moved < 1e-9 {
			break
		}
	}
	return rises
}

// bestMove is how much height to take from one rise and give to another so that the squares of the errors are least.
func bestMove(reach [][]float64, errors []float64, from, to int) float64 {
	var slope, curvature float64
	for i, e := range errors {
		d := reach[i][to] - reach[i][from]
		slope += e * d
		curvature += d * d
	}
	if curvature == 0 {
		return 0
	}
	return -slope / curvature
}
