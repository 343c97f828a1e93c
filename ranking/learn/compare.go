package learn

import (
	"cmp"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
)

// A Comparison says what an order of the same lists by other weights would have gained.
type Comparison struct {
	Lists int
	Gains int // people with a gain
	// Better is the difference of the mean discounted gain, 1/log2(1+position), of a chosen person. It rests on the
	// estimated attention, so it says how large the effect is, but doesn't prove it.
	Better Estimate
	// Neighbors is about randomized neighbors whose order the weights would change: the gain of the one who would come
	// first, minus the other's. A coin has put each of them first equally often, so position bias cancels out, whatever
	// the attention is. Its lower bound is the proof.
	Neighbors Estimate
	Exposure  []Exposure // by group
}

// An Estimate is a mean with its 95 % interval.
type Estimate struct {
	Mean, Low, High float64
	N               int // lists with a choice
}

// Exposure is how much attention a group gets: the sum of 1/log2(1+position) over its people.
type Exposure struct {
	Group  string
	People int     // in the lists, once for each list
	Change float64 // of the sum, as a share of the one before
}

// gain is what one list contributes to a comparison.
type gain struct {
	difference float64
	chosen     float64 // sum of the gains, each divided by the attention of its position
}

// compare compares two orders of lists.
func compare(lists []List, attention, before, after []float64, o Options) Comparison {
	c := Comparison{Lists: len(lists), Gains: gains(lists)}
	exposureBefore := map[string]float64{}
	exposureAfter := map[string]float64{}
	people := map[string]int{}

	all := make([]gain, len(lists))
	for i := range lists {
		shown := lists[i].Shown
		rankBefore := ranks(shown, before)
		rankAfter := ranks(shown, after)
		for j := range shown {
			p := &shown[j]
			was := discount(rankBefore[j])
			is := discount(rankAfter[j])
			weight := p.Gain / at(attention, j+1)
			all[i].chosen += weight
			all[i].difference += weight * (is - was)

			for _, group := range p.Groups {
				exposureBefore[group] += was
				exposureAfter[group] += is
				people[group]++
			}
		}
	}

	c.Better = estimate(all, o)
	c.Neighbors = estimate(disagreements(lists, before, after), o)
	for _, group := range slices.Sorted(maps.Keys(people)) {
		c.Exposure = append(c.Exposure, Exposure{
			group, people[group], exposureAfter[group]/exposureBefore[group] - 1,
		})
	}
	return c
}

// ranks returns the rank of each person by some weights, from 1. Ties keep the order of the list.
func ranks(shown []Person, weights []float64) []int {
	order := make([]int, len(shown))
	scores := make([]float64, len(shown))
	for i := range order {
		order[i] = i
		scores[i] = shown[i].score(weights)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })

	ranks := make([]int, len(shown))
	for rank, i := range order {
		ranks[i] = rank + 1
	}
	return ranks
}

func discount(rank int) float64 { return 1 / math.Log2(float64(1+rank)) }

// disagreements returns the differences of the gains of randomized neighbors whose order two sets of weights disagree
// about, in favor of the second.
func disagreements(lists []List, before, after []float64) (all []gain) {
	for i := range lists {
		l := &lists[i]
		if !l.hasSwap() {
			continue
		}
		upper := &l.Shown[l.Swap-1]
		lower := &l.Shown[l.Swap]
		was := upper.score(before) - lower.score(before)
		is := upper.score(after) - lower.score(after)
		switch {
		case was < 0 && is > 0:
			all = append(all, gain{upper.Gain - lower.Gain, 1})
		case was > 0 && is < 0:
			all = append(all, gain{lower.Gain - upper.Gain, 1})
		}
	}
	return all
}

// estimate returns the ratio of the sums of some gains. The interval has the 2.5th and 97.5th percentile of a bootstrap
// over lists.
func estimate(all []gain, o Options) Estimate {
	indexes := make([]int, len(all))
	e := Estimate{}
	for i := range indexes {
		indexes[i] = i
		if all[i].difference != 0 {
			e.N++
		}
	}
	e.Mean = ratio(all, indexes)
	if len(all) == 0 || o.Resamples == 0 {
		return e
	}

	random := rand.New(rand.NewPCG(o.Seed, 0)) //nolint:gosec // repeatable samples
	sampled := make([]float64, o.Resamples)
	for i := range sampled {
		for j := range indexes {
			indexes[j] = random.IntN(len(all))
		}
		sampled[i] = ratio(all, indexes)
	}
	slices.Sort(sampled)
	percentile := func(share float64) float64 { return sampled[int(share*float64(len(sampled)-1)+.5)] }
	e.Low = percentile(.025)
	e.High = percentile(.975)
	return e
}

// ratio returns the mean difference for a chosen person, over the lists with these indexes.
func ratio(all []gain, indexes []int) float64 {
	difference, chosen := 0., 0.
	for _, i := range indexes {
		difference += all[i].difference
		chosen += all[i].chosen
	}
	if chosen == 0 {
		return 0
	}
	return difference / chosen
}
