package match

import (
	"freelancer-matching/internal/matching"
	"freelancer-matching/internal/plaintext"
)

// readable returns the title and description of a brief without markup, and a copy of the brief in which they hold only
// what is about the work: no greetings and no other polite phrases either. Only suggested filters read what a polite
// phrase says; the answer repeats the brief as it was sent.
func (s *Service) readable(brief *matching.Brief) (plain string, readable *matching.Brief) {
	title := plaintext.Of(brief.JobTitle)
	description := plaintext.Of(brief.Description)

	work := *brief
	work.JobTitle = s.courtesies.Without(title)
	work.Description = s.courtesies.Without(description)

	return title + "\n" + description, &work
}
