// Package learn fits the weights of a ranking to what clients did with the people whom they saw, and decides whether
// the result may be published. It corrects for the attention that high positions get, by lists in which a coin decided
// the order of two neighbors. It has no I/O.
//
// The model is the ranking's own: a sum of feature values with non-negative weights. So what is learned is a set of
// weights, a better value never lowers a score, and contributions add up as before.
package learn

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

// A List is what a client saw for a brief.
type List struct {
	At    time.Time
	Shown []Person // in the order shown, the first at position 1
	// Swap is the upper position, from 1, of the two neighbors whose order a fair coin decided; 0 for none.
	Swap int
}

// hasSwap reports whether a coin decided the order of two neighbors.
func (l *List) hasSwap() bool { return l.Swap >= 1 && l.Swap < len(l.Shown) }

// A Person is somebody in a list.
type Person struct {
	// Values has the value of each feature, 0 to 1, times what multiplies its weight for this brief; 0 for a feature that
	// was left out.
	Values []float64
	// Fixed is the part of the score that no weight changes, such as the part of the sentence encoder.
	Fixed float64
	// Gain is what came of it, 0 to 1: 0 for somebody who was only shown or was rejected.
	Gain   float64
	Groups []string // such as "sex: female"; for the exposure alone
}

// score returns the score by some weights.
func (p *Person) score(weights []float64) float64 {
	sum := p.Fixed
	for i, value := range p.Values {
		sum += value * weights[i]
	}
	return sum
}

// Options are the numbers of Propose. DefaultOptions has the values that are used without reasons for others.
type Options struct {
	HeldOut     time.Duration // lists of the last such time decide, and don't take part in the fit
	MinGains    int           // people with a gain before that time; fewer keep the shipped weights
	MinHeldOut  int           // the same for the held-out lists
	MinSwapped  int           // people with a gain at the positions of coins
	MinDecided  int           // choices among held-out neighbors whose order the weights would change
	Regularizer float64       // how strongly few data pull the weights to the shipped ones, above 0
	MaxLoss     float64       // share, 0 to 1, of its exposure that a group may lose
	Resamples   int           // of the bootstrap
	Seed        uint64        // of the bootstrap
	Uncorrected bool          // fit as if all positions had the same attention, to show what that does
}

// DefaultOptions returns the options that the tool uses by default.
func DefaultOptions() Options {
	return Options{
		HeldOut: 7 * 24 * time.Hour, MinGains: 200, MinHeldOut: 50, MinSwapped: 100, MinDecided: 30,
		Regularizer: 1, MaxLoss: .05, Resamples: 1000, Seed: 1,
	}
}

// A Proposal is the result of Propose.
type Proposal struct {
	Publish bool
	// Reasons says in words why the weights may not be published; empty if they may.
	Reasons   []string
	Weights   []float64 // the shipped ones unless something was fitted
	Attention []float64 // by position, from 1 for the first; nil without enough coins
	Before    time.Time // the lists before it were fitted
	Gains     int       // people with a gain in the fitted lists
	Swapped   int       // the same at positions whose order a coin decided
	Comparison
}

// Propose fits weights to the lists before the held-out time, and compares them with the current ones on the others.
// current are the weights that rank now, and shipped those to which few data pull. All slices have the same order of
// features. skills and quality are the features of which the second must not weigh more than the first.
func Propose(lists []List, current, shipped []float64, skills, quality int, o Options) Proposal {
	p := Proposal{Weights: shipped}
	past, heldOut, start := split(lists, o.HeldOut)
	p.Before = start
	p.Gains = gains(past)
	p.Comparison.Gains = gains(heldOut)

	refuse := func(format string, args ...any) {
		p.Reasons = append(p.Reasons, fmt.Sprintf(format, args...))
	}
	if p.Gains < o.MinGains {
		refuse("only %d people were chosen before the held-out time; %d are needed", p.Gains, o.MinGains)
	}
	if p.Comparison.Gains < o.MinHeldOut {
		refuse("only %d people were chosen in the held-out time; %d are needed", p.Comparison.Gains, o.MinHeldOut)
	}
	p.Swapped = swappedGains(past)
	if n := p.Swapped; n < o.MinSwapped {
		refuse("only %d people were chosen at positions of randomized neighbors; %d are needed to know how much attention "+
			"each position gets", n, o.MinSwapped)
	}
	if len(p.Reasons) > 0 {
		return p
	}

	p.Attention = Attention(past)
	fitted := p.Attention
	if o.Uncorrected {
		fitted = nil
	}
	p.Weights = fit(past, fitted, shipped, o.Regularizer)

	// A rule of ranking profiles: nobody gains more from a rating than from the skills that a client asks for.
	p.Weights[quality] = min(p.Weights[quality], p.Weights[skills])

	p.Comparison = compare(heldOut, p.Attention, current, p.Weights, o)
	switch n := p.Neighbors; {
	case n.N < o.MinDecided:
		refuse("in the held-out time, only %d choices among randomized neighbors tell the orders apart; %d are needed", n.N,
			o.MinDecided)
	case n.Low <= 0:
		refuse("the held-out lists don't show with 95 %% confidence that the new order is better: of randomized neighbors, "+
			"it prefers those who were chosen %+.3f [%+.3f, %+.3f] more often", n.Mean, n.Low, n.High)
	case p.Better.Low <= 0:
		refuse("the estimated effect on whole lists may be a loss: %+.3f [%+.3f, %+.3f]", p.Better.Mean, p.Better.Low,
			p.Better.High)
	}
	for _, g := range p.Exposure {
		if g.Change < -o.MaxLoss {
			refuse("the exposure of the group %q would fall by %.1f %%; %.1f %% are allowed", g.Group, -100*g.Change,
				100*o.MaxLoss)
		}
	}
	p.Publish = len(p.Reasons) == 0
	return p
}

// split returns the lists before the last span of time and in it, each by time, and where it begins.
func split(lists []List, last time.Duration) (past, heldOut []List, start time.Time) {
	if len(lists) == 0 {
		return nil, nil, start
	}
	lists = slices.Clone(lists)
	slices.SortStableFunc(lists, func(a, b List) int { return a.At.Compare(b.At) })
	start = lists[len(lists)-1].At.Add(-last)
	i, _ := slices.BinarySearchFunc(lists, start, func(l List, at time.Time) int {
		return cmp.Or(l.At.Compare(at), -1) // those at the start are not held out
	})
	return lists[:i], lists[i:], start
}

// gains returns the number of people with a gain.
func gains(lists []List) (n int) {
	for i := range lists {
		for j := range lists[i].Shown {
			if lists[i].Shown[j].Gain > 0 {
				n++
			}
		}
	}
	return n
}

// minAttention bounds the weight of a single choice far down.
const minAttention = .05

// at returns the attention of a position, from 1. Later positions get as much as the last known one.
func at(attention []float64, position int) float64 {
	if len(attention) == 0 {
		return 1
	}
	return attention[min(position, len(attention))-1]
}

// Attention estimates how much attention each position gets, relative to the first. A coin puts the same people at both
// positions of a pair equally often, so what they gain there differs by the attention alone (Joachims, Swaminathan and
// Schnabel 2017). It never rises from one position to the next.
func Attention(lists []List) []float64 {
	var upper, lower []float64 // gains by upper position
	for i := range lists {
		l := &lists[i]
		if !l.hasSwap() {
			continue
		}
		for len(upper) < l.Swap {
			upper = append(upper, 0)
			lower = append(lower, 0)
		}
		upper[l.Swap-1] += l.Shown[l.Swap-1].Gain
		lower[l.Swap-1] += l.Shown[l.Swap].Gain
	}

	// Pairs with few gains are drawn to the ratio of all pairs.
	const prior = 10
	allUpper, allLower := 1., 1.
	for k := range upper {
		allUpper += upper[k]
		allLower += lower[k]
	}
	usual := min(1, allLower/allUpper)

	attention := []float64{1}
	for k := range upper {
		ratio := (lower[k] + prior*usual) / (upper[k] + prior)
		attention = append(attention, max(minAttention, attention[k]*min(1, ratio)))
	}
	return attention
}

// swappedGains returns the number of people with a gain at positions whose order a coin decided.
func swappedGains(lists []List) (n int) {
	for i := range lists {
		l := &lists[i]
		if !l.hasSwap() {
			continue
		}
		for _, p := range l.Shown[l.Swap-1 : l.Swap+1] {
			if p.Gain > 0 {
				n++
			}
		}
	}
	return n
}

// normalized returns weights with the sum of others, rounded to thousandths. A weight that isn't 0 in like doesn't
// become 0: lists that such weights order would say nothing about the feature, so that it could never count again.
func normalized(weights, like []float64) []float64 {
	sum, want := 0., 0.
	for i := range weights {
		sum += weights[i]
		want += like[i]
	}
	result := slices.Clone(like)
	if sum == 0 {
		return result
	}
	for i, w := range weights {
		result[i] = math.Round(1000*w*want/sum) / 1000
		if like[i] > 0 {
			result[i] = max(.001, result[i])
		}
	}
	return result
}
