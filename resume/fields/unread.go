package fields

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/dates"
	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/page"
	"github.com/freelancer-matching/service/resume/sections"
	"github.com/freelancer-matching/service/resume/wording"
)

// unread is what no entry of a resume has.
type unread struct {
	positions, degrees  []place // date ranges, each of which may be a position or a degree that was missed
	jobText, degreeText unreadText
	pages               []int // without a section whose kind is known
}

// unreadText is the text of sections of one kind that is in no entry.
type unreadText struct {
	lines []place
	share float64 // of the text of these sections
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

// placeOf returns where a text is: on the first line that has it. It has no page if no line has all of it.
func placeOf(r *resume.Resume, text string) place {
	at := place{text: wording.Truncate(text, maxQuoted)}
	for i := range r.Lines {
		if strings.Contains(r.Lines[i].Text, text) {
			at.page = r.Lines[i].Page
			break
		}
	}
	return at
}

// maxQuoted bounds the text of a place in bytes.
const maxQuoted = 80

// unread returns what no entry of a resume has.
func (e *Extractor) unread(p *page.Page, all []*sections.Section, r *resume.Resume) unread {
	missed := e.unreadDates(all, r)
	var jobs, degrees []string
	for _, p := range r.Experience {
		jobs = append(jobs, p.Title, p.Company, p.Location, p.Description)
	}
	for _, d := range r.Education {
		degrees = append(degrees, d.Degree, d.Field, d.Institution)
	}

	// Without any entry, the list is reported as missing.
	if len(r.Experience) > 0 {
		missed.jobText = e.unreadText(all, lexicon.Experience, jobs)
	}
	if len(r.Education) > 0 {
		missed.degreeText = e.unreadText(all, lexicon.Education, degrees)
	}
	missed.pages = pagesWithoutSections(p, all)
	return missed
}

// unreadText returns the lines of the sections of a kind whose words are mostly in none of the texts of entries. What
// degrees are about has no field, so that only lines with a degree or a school count there.
func (e *Extractor) unreadText(all []*sections.Section, kind lexicon.Kind, entries []string) unreadText {
	read := make(map[string]bool)
	for _, text := range entries {
		for word := range strings.FieldsSeq(wording.Key(text)) {
			read[word] = true
		}
	}

	var found unreadText
	total, lost := 0, 0
	for _, s := range all {
		if !s.Is(kind) {
			continue
		}
		for _, l := range s.Lines {
			key := wording.Key(l.Text)
			names := e.services.words.NamesSchool(l.Text) || e.services.words.StartsWithDegree(l.Text)
			if kind == lexicon.Education && !names {
				continue
			}

			total += len(key)
			if mostlyUnread(wording.Key(e.withoutDates(l.Text)), read) {
				lost += len(key)
				found.lines = append(found.lines, place{wording.Truncate(l.Text, maxQuoted), l.Page})
			}
		}
	}

	found.share = float64(lost) / float64(max(total, 1))
	return found
}

// withoutDates returns a text without its dates, which unreadDates looks for.
func (e *Extractor) withoutDates(text string) string {
	for _, span := range slices.Backward(e.services.dates.Find(text)) {
		text = e.services.dates.Without(text, span)
	}
	return text
}

// mostlyUnread reports whether most words of a key are in none of the entries. Numbers, which may be dates, and short
// words don't count.
func mostlyUnread(key string, read map[string]bool) bool {
	const minWords = 2
	words, unknown := 0, 0
	for word := range strings.FieldsSeq(key) {
		if utf8.RuneCountInString(word) < 3 && !wording.Wide(word) || wording.HasDigit(word) {
			continue
		}
		words++
		if !read[word] {
			unknown++
		}
	}
	return words >= minWords && 2*unknown > words
}

// pagesWithoutSections returns the pages with text of which no line is in a section whose kind is known.
func pagesWithoutSections(p *page.Page, all []*sections.Section) (pages []int) {
	const minLines = 5
	lines := make(map[int]int)
	for i := range p.Lines {
		lines[p.Lines[i].Page]++
	}

	unknown := []lexicon.Kind{lexicon.Head, lexicon.Margin, lexicon.Other, ""}
	for _, s := range all {
		if slices.Contains(unknown, s.Kind) {
			continue
		}
		for _, l := range s.Lines {
			delete(lines, l.Page)
		}
	}

	for number, n := range lines {
		if number > 0 && n >= minLines {
			pages = append(pages, number)
		}
	}
	slices.Sort(pages)
	return pages
}

// unreadDates returns the date ranges in the headers of the sections about experience and education, and of sections
// whose kind is unknown, that no entry of the resume has.
func (e *Extractor) unreadDates(all []*sections.Section, r *resume.Resume) (missed unread) {
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
