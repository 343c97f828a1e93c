package scoring

import (
	"slices"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
)

// The scores, of 100, that change the difficulty of an adaptive interview: a score of StrongAnswer or more raises it,
// and one below WeakAnswer lowers it.
const (
	StrongAnswer = 70
	WeakAnswer   = 40
)

// NextDifficulty returns the difficulty of the question after an answer with the given score: one step up after a
// strong answer, one step down after a weak or missing one, otherwise the same. This is the one-up, one-down staircase
// of adaptive tests; it settles where a person's answers are neither strong nor weak.
func NextDifficulty(d interview.Difficulty, score matching.Optional[int]) interview.Difficulty {
	all := interview.Difficulties()
	i := slices.Index(all, d)
	switch {
	case !score.Known:
	case score.Value >= StrongAnswer:
		i++
	case score.Value < WeakAnswer:
		i--
	}
	return all[min(max(i, 0), len(all)-1)]
}
