// Package simulation draws lists with people who are chosen by known weights, to test what package learn recovers.
package simulation

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/freelancer-matching/service/ranking/learn"
)

// A World says how people are shown and chosen.
type World struct {
	Shown []float64 // the weights that order the lists
	Truth []float64 // the weights by which clients choose; nil if they choose by nothing that is known
	Lists int
	Days  int     // over which the lists are spread
	Swaps bool    // in each list, a coin decides the order of two neighbors
	Bias  float64 // the attention of position k is k^-Bias
	// Favored is the feature that people of the group "group: a" have more of than others; -1 for none.
	Favored int
	Seed    uint64
}

const (
	candidates = 30
	shown      = 10
	sharpness  = 12 // of choices by the true score
)

// Draw returns the lists of the world.
func (w *World) Draw() []learn.List {
	random := rand.New(rand.NewPCG(w.Seed, 1)) //nolint:gosec // a repeatable world
	end := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	span := time.Duration(w.Days) * 24 * time.Hour

	lists := make([]learn.List, w.Lists)
	for i := range lists {
		lists[i] = w.list(random)
		lists[i].At = end.Add(-span + span*time.Duration(i)/time.Duration(w.Lists))
	}
	return lists
}

func (w *World) list(random *rand.Rand) learn.List {
	people := make([]learn.Person, candidates)
	for i := range people {
		people[i] = w.person(random)
	}
	slices.SortStableFunc(people, func(a, b learn.Person) int {
		return cmp.Compare(dot(b.Values, w.Shown), dot(a.Values, w.Shown))
	})
	l := learn.List{Shown: people[:shown]}

	if w.Swaps {
		l.Swap = 1 + random.IntN(shown-1)
		if random.IntN(2) == 0 {
			l.Shown[l.Swap-1], l.Shown[l.Swap] = l.Shown[l.Swap], l.Shown[l.Swap-1]
		}
	}

	for k := range l.Shown {
		attention := math.Pow(float64(k+1), -w.Bias)
		if random.Float64() < attention*w.relevance(&l.Shown[k]) {
			l.Shown[k].Gain = 1
		}
	}
	return l
}

func (w *World) person(random *rand.Rand) learn.Person {
	p := learn.Person{Values: make([]float64, len(w.Shown)), Groups: []string{"group: b"}}
	for f := range p.Values {
		p.Values[f] = random.Float64()
	}
	if random.IntN(2) == 0 {
		p.Groups[0] = "group: a"
	}
	if w.Favored >= 0 && p.Groups[0] == "group: b" {
		p.Values[w.Favored] /= 2
	}
	return p
}

// relevance returns the probability that a client who looks at somebody chooses them.
func (w *World) relevance(p *learn.Person) float64 {
	if w.Truth == nil {
		return .3
	}
	sum := 0.
	for _, weight := range w.Truth {
		sum += weight
	}
	return 1 / (1 + math.Exp(-sharpness*(dot(p.Values, w.Truth)/sum-.65)))
}

func dot(values, weights []float64) (sum float64) {
	for i, value := range values {
		sum += value * weights[i]
	}
	return sum
}
