package learn

import (
	"math"
	"slices"
)

const (
	maxSteps = 30
	// enough is the decrease of the loss, relative to it, at which the fit ends.
	enough = 1e-7
)

// A pair says that a list is better with one person above another.
type pair struct {
	values []float64 // of the chosen person, minus the other's
	fixed  float64
	weight float64 // the gain, divided by the attention of the position
}

// fit returns weights for which chosen people come before the others of their lists. Each choice counts the more, the
// less attention its position gets, so that the sum over all choices is the one without position bias. A loss that is
// convex in the weights stands for the number of people above the chosen one. Few data pull the weights to the shipped
// ones, up to a factor.
func fit(lists []List, attention, shipped []float64, regularizer float64) []float64 {
	pairs := pairsOf(lists, attention)
	if len(pairs) == 0 {
		return slices.Clone(shipped)
	}

	// The order depends on the proportions of the weights alone, but the loss also on their scale. So the scale of the
	// shipped weights is fitted first, and is no reason to leave them.
	scale := fitScale(pairs, shipped)
	prior := make([]float64, len(shipped))
	for i := range prior {
		prior[i] = scale * shipped[i]
	}

	problem := problem{pairs, scale, prior, regularizer}
	weights := slices.Clone(prior)
	loss := problem.loss(weights)
	for range maxSteps {
		step := problem.step(weights)
		next, nextLoss := problem.search(weights, step, loss)
		done := loss-nextLoss <= enough*loss
		weights = next
		loss = nextLoss
		if done {
			break
		}
	}

	return normalized(weights, shipped)
}

// pairsOf returns a pair for each person with a gain and each other one in the list who gained less.
func pairsOf(lists []List, attention []float64) (pairs []pair) {
	for i := range lists {
		shown := lists[i].Shown
		for position := range shown {
			chosen := &shown[position]
			if chosen.Gain <= 0 {
				continue
			}
			weight := chosen.Gain / at(attention, position+1)
			for j := range shown {
				other := &shown[j]
				if other.Gain >= chosen.Gain {
					continue
				}
				values := make([]float64, len(chosen.Values))
				for f := range values {
					values[f] = chosen.Values[f] - other.Values[f]
				}
				pairs = append(pairs, pair{values, chosen.Fixed - other.Fixed, weight})
			}
		}
	}
	return pairs
}

// fitScale returns the factor of the shipped weights with the lowest loss.
func fitScale(pairs []pair, shipped []float64) float64 {
	best, bestLoss := 1., math.Inf(1)
	for scale := 1.; scale <= 64; scale *= math.Sqrt2 {
		p := problem{pairs: pairs, scale: scale}
		scaled := make([]float64, len(shipped))
		for i := range scaled {
			scaled[i] = scale * shipped[i]
		}
		if loss := p.loss(scaled); loss < bestLoss {
			best = scale
			bestLoss = loss
		}
	}
	return best
}

// A problem is the loss to minimize over non-negative weights: the logistic loss of the pairs, and the squared distance
// to prior.
type problem struct {
	pairs       []pair
	scale       float64 // of the fixed part of scores
	prior       []float64
	regularizer float64
}

func (p *problem) margin(pair *pair, weights []float64) float64 {
	m := p.scale * pair.fixed
	for f, value := range pair.values {
		m += value * weights[f]
	}
	return m
}

func (p *problem) loss(weights []float64) (sum float64) {
	for i := range p.pairs {
		m := p.margin(&p.pairs[i], weights)
		sum += p.pairs[i].weight * (math.Log1p(math.Exp(-math.Abs(m))) + max(0, -m))
	}
	for f, prior := range p.prior {
		d := weights[f] - prior
		sum += p.regularizer / 2 * d * d
	}
	return sum
}

// step returns the minimum of the quadratic approximation of the loss over non-negative weights, by coordinate descent.
func (p *problem) step(weights []float64) []float64 {
	n := len(weights)
	gradient := make([]float64, n)
	curvature := make([][]float64, n)
	for f := range curvature {
		curvature[f] = make([]float64, n)
		curvature[f][f] = p.regularizer
		gradient[f] = p.regularizer * (weights[f] - p.prior[f])
	}

	for i := range p.pairs {
		pair := &p.pairs[i]
		wrong := 1 / (1 + math.Exp(p.margin(pair, weights)))
		slope := -pair.weight * wrong
		bend := pair.weight * wrong * (1 - wrong)
		for f, value := range pair.values {
			gradient[f] += slope * value
			for g := range f + 1 {
				curvature[f][g] += bend * value * pair.values[g]
			}
		}
	}
	for f := range n {
		for g := range f {
			curvature[g][f] = curvature[f][g]
		}
	}

	const sweeps = 200
	next := slices.Clone(weights)
	for range sweeps {
		for f := range n {
			slope := gradient[f]
			for g := range n {
				slope += curvature[f][g] * (next[g] - weights[g])
			}
			next[f] = max(0, next[f]-slope/curvature[f][f])
		}
	}
	return next
}

// search returns the best of the weights between two, which are halfway points, with their loss.
func (p *problem) search(from, to []float64, loss float64) ([]float64, float64) {
	const halvings = 20
	for range halvings {
		if l := p.loss(to); l < loss {
			return to, l
		}
		middle := make([]float64, len(to))
		for f := range middle {
			middle[f] = (from[f] + to[f]) / 2
		}
		to = middle
	}
	return from, loss
}
