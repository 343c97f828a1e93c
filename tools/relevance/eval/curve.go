package eval

import (
	"cmp"
	"math"
	"slices"

	"github.com/freelancer-matching/service/ranking"
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

// The fit ends when no move in a round is larger than smallestMove, which the digits of a profile can't show. maxRounds
// bounds the time if that takes too long.
const (
	maxRounds    = 1000
	smallestMove = 1e-9
)

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
	f := c.newRiseFit(judged)
	for range maxRounds {
		largestMove := 0.
		for to := range f.rises {
			for from := range to {
				largestMove = max(largestMove, math.Abs(f.move(from, to)))
			}
		}
		if largestMove < smallestMove {
			break
		}
	}
	return f.rises
}

// A riseFit fits the rises of a curve, by stretch.
type riseFit struct {
	rises    []float64
	minRises []float64
	reach    [][]float64 // by outcome, see Curve.reach
	errors   []float64   // by outcome, curve − outcome, which is 1 for a good match and 0 otherwise
}

// newRiseFit returns a fit in which the stretches share the height above their least rises equally.
func (c Curve) newRiseFit(judged []Outcome) *riseFit {
	stretches := len(c) - 1
	f := &riseFit{
		rises: make([]float64, stretches), minRises: make([]float64, stretches),
		reach: make([][]float64, len(judged)), errors: make([]float64, len(judged)),
	}
	for s := range f.rises {
		f.minRises[s] = minSlope * (c[s+1][0] - c[s][0])
		f.rises[s] = f.minRises[s] + (1-minSlope)/float64(stretches)
	}

	for i, o := range judged {
		f.reach[i] = c.reach(o.Score)
		for s, rise := range f.rises {
			f.errors[i] += rise * f.reach[i][s]
		}
		if o.Grade >= Good {
			f.errors[i]--
		}
	}

	return f
}

// move moves height from one rise to another so that the error is least, and returns the height. It is negative if it
// moves in the other direction. Neither stretch falls below its least rise.
func (f *riseFit) move(from, to int) float64 {
	height := f.bestMove(from, to)
	height = max(height, f.minRises[to]-f.rises[to])
	height = min(height, f.rises[from]-f.minRises[from])

	f.rises[from] -= height
	f.rises[to] += height
	for i := range f.errors {
		f.errors[i] += height * (f.reach[i][to] - f.reach[i][from])
	}

	return height
}

// reach returns the part of each stretch that lies below a score, 0 to 1. The curve has the value Σ rise·reach there.
func (c Curve) reach(score float64) []float64 {
	reach := make([]float64, len(c)-1)
	knot, part := c.locate(score)
	for s := range knot {
		reach[s] = 1
	}
	reach[knot] = part
	return reach
}

// bestMove returns the height to move from one rise to another to minimize the sum of squared errors.
func (f *riseFit) bestMove(from, to int) float64 {
	var slope, curvature float64
	for i, e := range f.errors {
		d := f.reach[i][to] - f.reach[i][from]
		slope += e * d
		curvature += d * d
	}
	if curvature == 0 {
		return 0
	}
	return -slope / curvature
}
