package fields

import (
	"context"
	"slices"
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

	calibration calibration
}

// New returns an Extractor that recognizes the skills in t and distinguishes languages with analyzer. Current positions
// last until now, which is time.Now in production.
func New(t *taxonomy.Taxonomy, analyzer *analysis.Analyzer, now func() time.Time) *Extractor {
	words := newDictionary()
	return &Extractor{
		taxonomy: t, analyzer: analyzer, words: words, dates: &dates{words, now}, now: now,
		calibration: readCalibration(),
	}
}

// Extract extracts the fields of a document in time linear in its size. Fields that it does not find are empty, and
// Quality lists the important ones among them. It returns the error of ctx, soon after that ends, and no other.
func (e *Extractor) Extract(ctx context.Context, doc resume.Document) (resume.Resume, error) {
	doc, cut := bounded(doc)
	r := resume.Resume{Pages: doc.Pages, Warnings: append([]resume.Warning(nil), doc.Warnings...)}
	if cut && !slices.Contains(r.Warnings, resume.WarnTruncated) {
		r.Warnings = append(r.Warnings, resume.WarnTruncated)
	}
	p := newPage(&doc)
	if len(p.lines) == 0 {
		r.Warnings = append(r.Warnings, resume.WarnNoSections)
		r.Quality = quality(&r, 0)
		return r, ctx.Err()
	}
	var (
		all        []*section
		recognized int
		c          *contactReader
		named      naming
		covered    []period
	)
	now := e.now().UTC()
	today := date{now.Year(), int(now.Month())}
	// Each step takes time linear in the text, which is bounded, so checking between the steps is enough.
	for _, step := range []func(){
		func() { all, recognized = e.sections(p) },
		func() { r.Language = e.language(p, all) },
		func() { c = e.contact(&doc, all) },
		func() { r.Contact = c.result(r.Language) },
		func() { named = e.name(p, all, c) },
		func() { r.Name, r.JobTitle = named.name, e.jobTitle(all, c, named) },
		func() { r.Summary = e.summary(all, named) },
		func() { r.Experience, covered = e.positions(p, all, today) },
		func() { r.ExperienceYears = years(covered, today) },
		func() { r.Education = e.degrees(p, all) },
		func() { r.Languages = e.languages(all) },
		func() { r.Certifications = e.certifications(p, all) },
		func() { r.Skills = e.skills(all, &r) },
		func() {
			if recognized == 0 {
				r.Warnings = append(r.Warnings, resume.WarnNoSections)
			}
			if e.words.instructs(p) {
				r.Warnings = append(r.Warnings, resume.WarnInstructions)
			}
		},
		func() { r.Quality = quality(&r, recognized) },
		func() { r.Freelancer = draft(r, doc) },
	} {
		if err := ctx.Err(); err != nil {
			return resume.Resume{}, err
		}
		step()
	}
	return r, ctx.Err()
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
