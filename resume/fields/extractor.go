package fields

import (
	"strings"
	"time"

	"freelancer-matching/internal/analysis"
	"freelancer-matching/resume"
	"freelancer-matching/taxonomy"
)

// An Extractor extracts fields from documents. It is safe for concurrent use.
type Extractor struct {
	taxonomy *taxonomy.Taxonomy
	analyzer *analysis.Analyzer
	words    *dictionary
	dates    *dates
	now      func() time.Time
}

// New returns an Extractor that recognizes the skills in t and distinguishes languages with analyzer. Current positions
// last until now, which is time.Now in production.
func New(t *taxonomy.Taxonomy, analyzer *analysis.Analyzer, now func() time.Time) *Extractor {
	words := newDictionary()
	return &Extractor{taxonomy: t, analyzer: analyzer, words: words, dates: &dates{words, now}, now: now}
}

// Extract extracts the fields of a document in time linear in its size. It never fails: fields that it does not find
// are empty, and Quality lists the important ones among them.
func (e *Extractor) Extract(doc resume.Document) resume.Resume {
	p := newPage(&doc)
	r := resume.Resume{Pages: doc.Pages, Warnings: append([]resume.Warning(nil), doc.Warnings...)}
	if len(p.lines) == 0 {
		r.Warnings = append(r.Warnings, resume.WarnNoSections)
		r.Quality = quality(&r, 0)
		return r
	}
	all, recognized := e.words.sections(p)
	r.Language = e.language(p, all)
	c := e.contact(&doc, all)
	r.Contact = c.result(r.Language)
	named := e.name(p, all, c)
	r.Name = named.name
	r.JobTitle = e.jobTitle(all, c, named)
	r.Summary = e.summary(all, named)
	now := e.now().UTC()
	today := date{now.Year(), int(now.Month())}
	var covered []period
	r.Experience, covered = e.positions(p, all, today)
	r.ExperienceYears = years(covered, today)
	r.Education = e.degrees(p, all)
	r.Languages = e.languages(all)
	r.Certifications = e.certifications(p, all)
	r.Skills = e.skills(all, &r)
	if recognized == 0 {
		r.Warnings = append(r.Warnings, resume.WarnNoSections)
	}
	if e.words.instructs(p) {
		r.Warnings = append(r.Warnings, resume.WarnInstructions)
	}
	r.Quality = quality(&r, recognized)
	r.Freelancer = draft(r, doc)
	return r
}

// minSummary is the length in bytes from which running text below the name is a summary.
const minSummary = 80

// summary returns the text of the first section that is a summary, or else the running text below the name.
func (e *Extractor) summary(all []*section, named naming) string {
	for _, s := range all {
		if s.is(summary) {
			if text := describe(s.lines); text != "" {
				return text
			}
		}
	}
	for _, s := range all {
		if s.kind != head {
			continue
		}
		var lines []*line
		for i, l := range s.lines {
			if l == named.line || strings.Contains(l.text, "@") {
				continue
			}
			continues := len(lines) > 0 && lines[len(lines)-1] == s.lines[i-1] && l.Gap < .3 && len(l.cells) == 1
			if sentence(l.text) || l.Bullet || continues {
				lines = append(lines, l)
			}
		}
		if text := describe(lines); len(text) >= minSummary {
			return text
		}
	}
	return ""
}
