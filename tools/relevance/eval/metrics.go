package eval

import (
	"math"
	"slices"

	"github.com/freelancer-matching/service/internal/matching"
)

// DCG returns the discounted cumulative gain of grades in ranked order, Σ (2^grade − 1) ÷ log2(rank + 1)
// (Burges et al. 2005).
func DCG(grades []Grade) float64 {
	sum := 0.
	for i, g := range grades {
		sum += (math.Exp2(float64(g)) - 1) / math.Log2(float64(i+2))
	}
	return sum
}

// NDCG returns the DCG of the first k ranked grades divided by the DCG of the ideal order of all judged grades, 0 to 1.
// It is unknown if every judged grade is Unsuitable.
func NDCG(ranked, judged []Grade, k int) matching.Optional[float64] {
	best := slices.SortedFunc(slices.Values(judged), func(a, b Grade) int { return int(b - a) })
	ideal := DCG(first(best, k))
	if ideal == 0 {
		return matching.Optional[float64]{}
	}
	return matching.Some(DCG(first(ranked, k)) / ideal)
}

// Precision returns the share of the first k ranks graded at least Good. Missing ranks count as not good.
func Precision(ranked []Grade, k int) float64 {
	return float64(good(first(ranked, k))) / float64(k)
}

// ReciprocalRank returns 1 ÷ the rank of the first grade of at least Good, or 0 if the ranking has none. It is unknown
// if no judged grade is at least Good.
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

// Recall returns the share of all judged grades of at least Good that are among the first k ranked grades. It is
// unknown if no judged grade is at least Good.
func Recall(ranked, judged []Grade, k int) matching.Optional[float64] {
	all := good(judged)
	if all == 0 {
		return matching.Optional[float64]{}
	}
	return matching.Some(float64(good(first(ranked, k))) / float64(all))
}

// RetrievalRecall returns the share of the k best documents that are among an engine's candidates, given the final
// scores of all documents and of the candidates, in any order. A candidate that ties with the k-th best document counts
// as found, because retrieval doesn't decide the order among ties. It returns 1 if there are no documents.
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
