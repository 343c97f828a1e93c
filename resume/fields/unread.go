package fields

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"freelancer-matching/resume"
	"freelancer-matching/resume/dates"
	"freelancer-matching/resume/lexicon"
	"freelancer-matching/resume/sections"
	"freelancer-matching/resume/wording"
)

// unread has the date ranges of a document that are in no entry. Each may be a position or a degree that was missed.
type unread struct {
	positions, degrees []place
}

// A place is a text with its page, 0 if the document has no pages.
type place struct {
	text string
	page int
}

// String returns a place for a reason of the quality.
func (p place) String() string {
	if p.page == 0 {
		return fmt.Sprintf("“%s”", p.text)
	}
	return fmt.Sprintf("“%s” on page %d", p.text, p.page)
}

// unread returns the date ranges in the headers of the sections about experience and education, and of sections whose
// kind is unknown, that no entry of the resume has.
func (e *Extractor) unread(all []*sections.Section, r *resume.Resume) (missed unread) {
	known := periods(r)
	for _, s := range all {
		education := s.Is(lexicon.Education)
		if !education && !s.Is(lexicon.Experience) && s.Kind != lexicon.Other {
			continue
		}

		for _, l := range s.Lines {
			if utf8.RuneCountInString(l.Text) > wording.MaxHeader || wording.Sentence(l.Text) {
				continue
			}

			for _, span := range e.services.dates.Find(l.Text) {
				// The whole time at an employer covers those of its positions.
				if span.Single() || slices.ContainsFunc(known, span.Covers) {
					continue
				}
				at := place{l.Text[span.Start:span.End], l.Page}
				if education {
					missed.degrees = append(missed.degrees, at)
				} else {
					missed.positions = append(missed.positions, at)
				}
			}
		}
	}

	return missed
}

// periods returns the times of the entries of a resume.
func periods(r *resume.Resume) (all []dates.Span) {
	add := func(start, end string, current bool) {
		all = append(all, dates.Span{From: dates.Parse(start), To: dates.Parse(end), Current: current})
	}
	for _, p := range slices.Concat(r.Experience, r.Volunteering) {
		add(p.Start, p.End, p.Current)
	}
	for _, d := range r.Education {
		add(d.Start, d.End, d.End == "")
	}
	for _, p := range r.Projects {
		add(p.Start, p.End, p.End == "")
	}
	return all
}
