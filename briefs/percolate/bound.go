package percolate

import (
	"cmp"
	"slices"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match"
)

// slackOfBounds is what a bound may be too low by because of rounding: scores are rounded to 1e-6.
const slackOfBounds = 2e-6

// A bounds says how high the score of a document can be for a brief, given what it lacks.
type bounds struct {
	w        *match.Watch
	demands  [][]int   // clauses of each demand
	required int       // number of demands that the discount is about
	skills   float64   // the highest contribution of all demands
	rest     float64   // of meaning, fit and quality
	credit   float64   // the highest for a demand
	weights  []float64 // of the text
	text     float64   // their sum
}

func newBounds(w *match.Watch) *bounds {
	q := w.Query
	b := &bounds{
		w: w, demands: q.Demands(), credit: q.Credit[matching.Listed], weights: w.Scoring.Weights,
	}
	shares := 0.
	for _, demand := range b.demands {
		first := q.Skills[demand[0]]
		shares += first.Weight
		b.skills += first.Weight * b.credit
		if first.Required {
			b.required++
		}
	}
	for _, weight := range b.weights {
		b.text += weight
	}

	// The shares of all features add up to 1, and no value exceeds 1.
	textWeight := q.TextWeight
	b.rest = max(0, 1-shares-textWeight) + 1e-9
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
func (b *bounds) of(sum, terms float64, met int, related bool) float64 {
	q := b.w.Query
	if b.w.Reference > 0 {
		sum += q.TextWeight * terms / (terms + b.w.Reference)
	}
	kept := q.Discount.Kept(b.required, met, related)
	return b.w.Scorer.Final(q.Bend.At(min(1, sum))*kept) + slackOfBounds
}

// A cover is what a document must have at least one of to reach a score.
type cover struct {
	unreachable bool     // no document reaches it
	skills      []string // IDs
	terms       []int    // numbers of terms of the query
	broad       bool     // any document may reach it
}

// coverOf returns the cover for a score: as few and as rare skills and terms as possible, so that few documents have
// one. It is the prefix filter of similarity joins (Chaudhuri, Ganti and Kaushik, ICDE 2006), with the score as bound.
func (b *bounds) coverOf(score float64) (c cover) {
	q := b.w.Query
	if b.of(b.skills+b.rest, b.text, b.required, true) < score {
		c.unreachable = true
		return c
	}

	// Rare skills weigh more than common ones.
	order := slices.Clone(b.demands)
	slices.SortStableFunc(order, func(x, y []int) int { return cmp.Compare(q.Skills[y[0]].Weight, q.Skills[x[0]].Weight) })
	skills, met, related := b.skills, b.required, false
	for _, demand := range order {
		first := q.Skills[demand[0]]
		skills -= first.Weight * b.credit
		if first.Required {
			met--
		}
		for _, clause := range demand {
			c.skills = append(c.skills, q.Skills[clause].ID)
			hasFamily := q.Skills[clause].Family != ""
			related = related || hasFamily && first.Required
			if hasFamily && clause == familyClause(b, demand) { // a sibling still earns its credit
				skills += first.Weight * q.Credit[matching.Sibling]
			}
		}
		if b.of(max(0, skills)+b.rest, b.text, met, related) < score {
			return c
		}
	}

	terms := make([]int, 0, len(b.weights))
	for i, weight := range b.weights {
		if weight > 0 {
			terms = append(terms, i)
		}
	}
	slices.SortStableFunc(terms, func(x, y int) int { return cmp.Compare(b.weights[y], b.weights[x]) })
	text := b.text
	for _, term := range terms {
		text -= b.weights[term]
		c.terms = append(c.terms, term)
		if b.of(max(0, skills)+b.rest, max(0, text), met, related) < score {
			return c
		}
	}

	return cover{broad: true}
}

// familyClause returns the first clause of a demand that has a family, or -1.
func familyClause(b *bounds, demand []int) int {
	for _, clause := range demand {
		if b.w.Query.Skills[clause].Family != "" {
			return clause
		}
	}
	return -1
}
