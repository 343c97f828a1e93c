package match

import (
	"freelancer-matching/internal/matching"
	"freelancer-matching/internal/plaintext"
)

// readable returns a copy of a brief whose title and description hold only what is about the work: no markup, no
// greetings and no other polite phrases. Nothing else may read them, and the answer repeats the brief as it was sent.
func (s *Service) readable(b *matching.Brief) *matching.Brief {
	readable := *b
	readable.JobTitle = s.courtesies.Without(plaintext.Of(b.JobTitle))
	readable.Description = s.courtesies.Without(plaintext.Of(b.Description))
	return &readable
}
