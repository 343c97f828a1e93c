package eval

import (
	"math"
	"slices"

	"freelancer-matching/internal/matching"
)

// DCG is the discounted cumulative gain of grades in ranked order: Σ (2^grade − 1) ÷ log2(rank + 1) (Burges et al. 2005).
func DCG(grades []Grade) float64 {
	sum := 0.
	for i, g := range grades {
		sum += (math.Exp2(float64(g)) - 1) / math.Log2(float64(i+2))
	}
	return sum
}

// NDCG is the DCG of the first k grades, divided by that of the best order of all judged ones, 0 to 1. Unknown where
// nobody judged is better than Unsuitable.
func NDCG(ranked, judged []Grade, k int) matching.Optional[float64] {
	best := slices.SortedFunc(slices.Values(judged), func(a, b Grade) int { return int(b - a) })
	ideal := DCG(first(best, k))
	if ideal == 0 {
		return matching.Optional[float64]{}
	}
	return matching.Some(DCG(first(ranked, k)) / ideal)
}

// Precision is how many of the first k places hold someone at least Good, divided by k; missing places count as bad.
func Precision(ranked []Grade, k int) float64 {
	return float64(good(first(ranked, k))) / float64(k)
}

// ReciprocalRank is 1 ÷ the rank of the first who is at least Good, 0 where there is none in the ranking. Unknown where
// none was judged so.
func ReciprocalRank(ranked, judged []Grade) matching.Optional[float64] {
	if good(judged) == 0 {
		return matching.Optional[float64]{}
	}
	i := slices.IndexFunc(ranked, func(g Grade) bool { return g >= Good })
	if i < 0 {
		return matching.Some(0.)
	}
	return matching.Some(1 / float64(i+1))
}

// Recall is the share of all judged at least Good that the first k places hold. Unknown where there is none.
func Recall(ranked, judged []Grade, k int) matching.Optional[float64] {
	all := good(judged)
	if all == 0 {
		return matching.Optional[float64]{}
	}
	return matching.Some(float64(good(first(ranked, k))) / float64(all))
}

// RetrievalRecall is the share of the k best of all documents that are among the candidates an engine returned, given
// the final scores of both in any order. Who scores the same as the k-th best counts as found, since order among equals
// is no matter of retrieval. It is 1 where there are no documents.
func RetrievalRecall(all, candidates []float64, k int) float64 {
	best := slices.Sorted(slices.Values(all))
	k = min(k, len(best))
	if k == 0 {
		return 1
	}
	threshold := best[len(best)-k]
	found := 0
	for _, score := range candidates {
		if score >= threshold {
			found++
		}
	}
	return float64(min(found, k)) / float64(k)
}

func good(grades []Grade) int {
	n := 0
	for _, g := range grades {
		if g >= Good {
			n++
		}
	}
	return n
}

func first(grades []Grade, k int) []Grade { return grades[:min(k, len(grades))] }
