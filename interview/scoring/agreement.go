package scoring

import (
	"slices"

	"github.com/freelancer-matching/service/interview"
)

// Compare adds the comparison of two judgments of an answer to an agreement.
func Compare(a *interview.Agreement, q *interview.Question, first, second []interview.Mark) {
	a.Answers++
	disputed := false
	for _, m := range first {
		i := slices.IndexFunc(second, func(o interview.Mark) bool { return o.Criterion == m.Criterion })
		// Marks that don't count in the total aren't compared.
		if i < 0 || q.Weights[m.Criterion] == 0 {
			continue
		}
		a.Marks++
		switch gap := max(m.Level-second[i].Level, second[i].Level-m.Level); {
		case gap == 0:
			a.Exact++
			a.WithinOne++
		case gap < bigGap:
			a.WithinOne++
		default:
			disputed = true
		}
	}

	if disputed {
		a.Disputed = append(a.Disputed, q.ID)
	}
}
