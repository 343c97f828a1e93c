package percolate

import (
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match"
)

// slackOfBounds is what a bound may be too low by because of rounding: scores are rounded to 1e-6.
const slackOfBounds = 2e-6

// A bounds says how high the score of a document can be for a brief, given a part of what it has.
type bounds struct {
	w        *match.Watch
	demands  [][]int // clauses of each demand
	required int     // number of demands that the discount is about
	rest     float64 // the highest contribution of meaning, fit and quality
}

func newBounds(w *match.Watch) *bounds {
	b := &bounds{w: w, demands: w.Query.Demands()}
	shares := 0.
	for _, demand := range b.demands {
		first := w.Query.Skills[demand[0]]
		shares += first.Weight
		if first.Required {
			b.required++
		}
	}

	// The shares of all features add up to 1, and no value exceeds 1.
	b.rest = max(0, 1-shares-w.Query.TextWeight) + 1e-9
	return b
}

// met returns the number of required demands that evidence for the skills of the query meets, and whether there is
// evidence for any of them.
func (b *bounds) met(evidence []matching.Evidence) (n int, related bool) {
	for _, demand := range b.demands {
		if !b.w.Query.Skills[demand[0]].Required {
			continue
		}
		best := matching.NoEvidence
		for _, clause := range demand {
			best = max(best, evidence[clause])
		}
		related = related || best != matching.NoEvidence
		if best.Matches() {
			n++
		}
	}
	return n, related
}

// of returns the highest final score for a sum of all contributions but the text, a text score, and a number of
// required demands that are met. related says whether there is evidence for another one.
func (b *bounds) of(sum, text float64, met int, related bool) float64 {
	q := b.w.Query
	if b.w.Reference > 0 {
		sum += q.TextWeight * text / (text + b.w.Reference)
	}
	return b.final(sum, q.Discount.Kept(b.required, met, related))
}

// final returns the highest final score for a sum of contributions, of which a discount leaves a share.
func (b *bounds) final(sum, kept float64) float64 {
	return b.w.Scorer.Final(b.w.Query.Bend.At(min(1, sum))*kept) + slackOfBounds
}

// least returns a sum of contributions below which nobody reaches a final score. It exceeds 1 if nobody does.
func (b *bounds) least(score float64) float64 {
	low, high := 0., 1.
	switch {
	case b.final(low, 1) >= score:
		return low
	case b.final(high, 1) < score:
		return 2
	}
	for range 24 {
		middle := (low + high) / 2
		if b.final(middle, 1) < score {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}
