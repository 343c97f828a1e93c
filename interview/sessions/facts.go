package sessions

import (
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
)

// The largest counts in AnswerFacts. Others are ignored.
const (
	maxSeconds    = 30 * 24 * 60 * 60
	maxCharacters = 10_000_000
	maxPastes     = 100_000
)

// mergeFacts returns the larger of both counts. Counts of b out of range are ignored.
func mergeFacts(a, b interview.AnswerFacts) interview.AnswerFacts {
	larger := func(into *matching.Optional[int], count matching.Optional[int], limit int) {
		isPlausible := count.Known && count.Value >= 0 && count.Value <= limit
		isLarger := !into.Known || count.Value > into.Value
		if isPlausible && isLarger {
			*into = count
		}
	}
	larger(&a.Seconds, b.Seconds, maxSeconds)
	larger(&a.TypedCharacters, b.TypedCharacters, maxCharacters)
	larger(&a.PastedCharacters, b.PastedCharacters, maxCharacters)
	larger(&a.Pastes, b.Pastes, maxPastes)
	return a
}
