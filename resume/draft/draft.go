// Package draft makes a draft of a person's record from the fields of a resume, fit to be published after a look at it:
// without employers and personal facts in the description. What a resume doesn't state stays unknown or is derived, and
// a note says so.
package draft

import (
	"cmp"
	"strings"
	"unicode"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/value"
	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/lexicon"
)

// A Writer makes drafts. It is safe for concurrent use.
type Writer struct{ words *lexicon.Lexicon }

// NewWriter returns a Writer that knows the words of a lexicon.
func NewWriter(words *lexicon.Lexicon) *Writer { return &Writer{words} }

// Write returns a draft of the record of the person whose resume is r, which was read from a document. Resumes with the
// same text have the same ID. The notes say why fields are unknown, and which ones were derived or shortened.
func (w *Writer) Write(r *resume.Resume, doc *resume.Document) (matching.Freelancer, []resume.DraftNote) {
	var notes []resume.DraftNote
	note := func(field string, kind resume.DraftNoteKind, reason string) {
		if reason != "" {
			notes = append(notes, resume.DraftNote{Field: field, Kind: kind, Reason: reason})
		}
	}

	record := matching.Freelancer{
		ID:         identity(doc),
		Name:       r.Name,
		ProfileURL: profile(r.Contact.Links),
	}
	record.Skills = skillNames(r.Skills)
	record.Languages = spoken(r.Languages)
	if !strings.ContainsFunc(r.Contact.Location, unicode.IsDigit) { // street addresses and postal codes are not stored
		record.Location = r.Contact.Location
	}

	title, derived := w.title(r)
	record.JobTitle = title
	note("job_title", resume.Derived, derived)
	if title == "" {
		note("job_title", resume.Unknown, "Neither the head of the resume nor a position has a job title.")
	}

	record.Experience = r.ExperienceYears
	if !r.ExperienceYears.Known {
		note("experience", resume.Unknown, unknownYears(r.Experience))
	}

	record.Country, derived = w.country(r.Contact)
	note("country", resume.Derived, derived)

	text, omitted := w.description(r)
	record.Description = text
	note("description", resume.LeftOut, omitted)

	return record, notes
}

// unknownYears returns why the years of experience are unknown.
func unknownYears(positions []resume.Position) string {
	if len(positions) == 0 {
		return "No positions were found, so the years are unknown."
	}
	return "No position has a start and an end, so the years are unknown."
}

// skillNames returns the names of skills for a record: first those of the taxonomy, then the others as written.
func skillNames(skills []resume.Skill) (names []string) {
	var unknown []string
	for _, s := range skills {
		if s.ID == "" {
			unknown = append(unknown, s.Name)
		} else {
			names = append(names, s.Name)
		}
	}
	return append(names, unknown...)
}

// spoken returns the languages of a record. Languages and levels that have no code are left out.
func spoken(languages []resume.Language) (list []matching.SpokenLanguage) {
	for _, l := range languages {
		tag, _ := value.Language(l.Name)
		level, _ := value.LanguageLevel(l.Level)
		list, _ = value.AddLanguage(list, matching.SpokenLanguage{Tag: tag, Level: level})
	}
	return list
}

// newestFirst orders positions by when they ended, current ones first. Equal ones keep their order.
func newestFirst(a, b resume.Position) int { return cmp.Compare(until(b), until(a)) }

// until returns when a position ended, as a string that sorts by time. A bare year means its end.
func until(p resume.Position) string {
	end := cmp.Or(p.End, p.Start)
	switch {
	case p.Current:
		return "now" // larger than all digits
	case len(end) == len("2006"):
		return end + "-99"
	default:
		return end
	}
}

// identity returns a hash of the words of the text.
func identity(doc *resume.Document) string {
	var text strings.Builder
	text.WriteString("text")
	for _, l := range doc.Lines {
		for word := range strings.FieldsSeq(l.Text) {
			text.WriteString(" " + word)
		}
	}
	return resume.IDOf(text.String())
}

// profile returns the web address that presents the person best, or "".
func profile(links []resume.ContactLink) string {
	for _, kind := range []string{"linkedin", "portfolio", "website", "github"} {
		for _, l := range links {
			if l.Kind == kind {
				return l.URL
			}
		}
	}
	if len(links) > 0 {
		return links[0].URL
	}
	return ""
}
