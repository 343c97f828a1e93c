package eval

import (
	"cmp"
	"slices"

	"freelancer-matching/ranking"
)

// Curve is a fitted [ranking.Curve]. It always has at least the end knots (0, 0) and (1, 1).
type Curve ranking.Curve

// At returns the value of the curve at x, 0 to 1.
func (c Curve) At(x float64) float64 { return ranking.Curve(c).At(x) }

// Reaches returns the lowest x, 0 to 1, at which the curve has the value y.
func (c Curve) Reaches(y float64) float64 {
	for i := 1; i < len(c); i++ {
		if low, high := c[i-1], c[i]; high[1] >= y && high[1] > low[1] {
			return low[0] + (high[0]-low[0])*max(0, y-low[1])/(high[1]-low[1])
		}
	}
	return 0 // not reached for y in 0..1: the curve covers that range
}

// locate returns the stretch between two knots that contains x, by its first knot, and the position of x in it, 0 to 1.
func (c Curve) locate(x float64) (knot int, part float64) {
	next, _ := slices.BinarySearchFunc(c, x, func(k [2]float64, x float64) int { return cmp.Compare(k[0], x) })
	next = min(max(next, 1), len(c)-1)
	low := c[next-1][0]
	high := c[next][0]
	return next - 1, (x - low) / (high - low)
}

// minSlope keeps a fitted curve rising everywhere, so that different scores stay different.
const minSlope = .1

// FitCurve fits a curve from score to share of good matches, by least squares on the judged outcomes. It puts the given
// number of knots between the ends, at quantiles of the scores, and omits duplicates and quantiles at an end.
//
// Each stretch between two knots rises by at least minSlope times its width, and the rises add up to 1. For every pair
// of stretches in turn, the fit moves height from one to the other as long as that lowers the error, as in sequential
// minimal optimization (Platt 1998). The problem is convex, so this finds the global minimum.
func FitCurve(outcomes []Outcome, knots int) Curve {
	judged := slices.DeleteFunc(slices.Clone(outcomes), func(o Outcome) bool { return !o.Judged })
	slices.SortStableFunc(judged, func(a, b Outcome) int { return cmp.Compare(a.Score, b.Score) })
	curve := Curve{{0, 0}}
	for k := range knots {
		if len(judged) == 0 {
			break
		}

		// Quantiles put as many judged outcomes into each stretch. Equal ones would make a stretch of width 0.
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

// fitRises returns how much the curve rises in each stretch between two knots.
func (c Curve) fitRises(judged []Outcome) []float64 {
	n := len(c) - 1
	// reach[i][r] is the part of stretch r that lies below the score of outcome i, 0 to 1. The curve is Σ rise·reach.
	reach := make([][]float64, len(judged))
	errors := make([]float64, len(judged)) // curve − outcome
	rises := make([]float64, n)
	minRises := make([]float64, n)
	for r := range rises {
		minRises[r] = minSlope * (c[r+1][0] - c[r][0])
		rises[r] = minRises[r] + (1-minSlope)/float64(n)
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
				by = min(max(by, minRises[to]-rises[to]), rises[from]-minRises[from])
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

// bestMove returns the height to move from one rise to another to minimize the sum of squared errors.
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
