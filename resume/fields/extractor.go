package fields

import (
	"context"
	"slices"
	"time"

	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/achievements"
	"github.com/freelancer-matching/service/resume/dates"
	"github.com/freelancer-matching/service/resume/draft"
	"github.com/freelancer-matching/service/resume/entries"
	"github.com/freelancer-matching/service/resume/languages"
	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/odds"
	"github.com/freelancer-matching/service/resume/page"
	"github.com/freelancer-matching/service/resume/person"
	"github.com/freelancer-matching/service/resume/sections"
	"github.com/freelancer-matching/service/resume/skills"
	"github.com/freelancer-matching/service/taxonomy"
)

// An Extractor extracts fields from documents. It is safe for concurrent use.
type Extractor struct {
	services    services
	calibration odds.Calibration

	sections       *sections.Reader
	person         *person.Reader
	positions      *entries.PositionReader
	degrees        *entries.DegreeReader
	spoken         *languages.Reader
	certifications *achievements.CertificationReader
	projects       *achievements.ProjectReader
	publications   *achievements.PublicationReader
	skills         *skills.Reader
	drafts         *draft.Writer
}

// services are what the readers of an Extractor have in common.
type services struct {
	taxonomy *taxonomy.Taxonomy
	analyzer *analysis.Analyzer
	words    *lexicon.Lexicon
	dates    *dates.Finder
}

// New returns an Extractor that recognizes the skills in t and distinguishes languages with analyzer. Current positions
// last until now, which is time.Now in production.
func New(t *taxonomy.Taxonomy, analyzer *analysis.Analyzer, now func() time.Time) *Extractor {
	words := lexicon.New()
	s := services{taxonomy: t, analyzer: analyzer, words: words, dates: dates.NewFinder(words.DateWords, now)}
	return s.extractor(readCalibration())
}

// extractor returns an Extractor with the tables that convert strengths to confidences.
func (s services) extractor(c odds.Calibration) *Extractor {
	words, t := s.words, s.taxonomy
	titles := lexicon.NewTitles(words, t)
	divider := sections.NewReader(words, s.dates, titles, t)
	dated := entries.NewEntryReader(words, s.dates, t)

	return &Extractor{
		services:       s,
		calibration:    c,
		sections:       divider,
		person:         person.NewReader(words, s.dates, titles, t),
		positions:      entries.NewPositionReader(dated, c),
		degrees:        entries.NewDegreeReader(words, dated, c),
		spoken:         languages.NewReader(words, c),
		certifications: achievements.NewCertificationReader(words, s.dates, t, divider, c),
		projects:       achievements.NewProjectReader(s.dates, c),
		publications:   achievements.NewPublicationReader(words, s.dates, c),
		skills:         skills.NewReader(words, s.dates, t, c),
		drafts:         draft.NewWriter(words),
	}
}

// Extract extracts the fields of a document in time linear in its size. Fields that it does not find are empty, and
// Quality lists the important ones among them. It returns the error of ctx, soon after that ends, and no other.
func (e *Extractor) Extract(ctx context.Context, doc resume.Document) (resume.Resume, error) {
	doc, cut := page.Bounded(doc)
	r := resume.Resume{Pages: doc.Pages, Warnings: append([]resume.Warning(nil), doc.Warnings...)}
	if cut && !slices.Contains(r.Warnings, resume.WarnTruncated) {
		r.Warnings = append(r.Warnings, resume.WarnTruncated)
	}

	p := page.New(&doc)
	r.Lines = p.Document()
	if len(p.Lines) == 0 {
		r.Warnings = append(r.Warnings, resume.WarnNoSections)
		r.Quality = quality(&r, 0, unread{})
		return r, ctx.Err()
	}

	var (
		all        []*sections.Section
		recognized int
		contacts   *person.Contacts
		named      odds.Choice[person.Naming]
		covered    []dates.Period
	)

	today := e.services.dates.Today()
	// Each step takes time linear in the text, which is bounded, so checking between the steps is enough.
	for _, step := range []func(){
		func() { all, recognized = e.sections.Read(p) },
		func() { r.Language = e.language(p, all) },
		func() { contacts = e.person.Contact(&doc, all) },
		func() { e.setContact(&r, contacts) },
		func() { named = e.setName(&r, p, all, contacts) },
		func() { e.setJobTitle(&r, p, all, contacts, named.Value) },
		func() { e.setSummary(&r, all, named.Value) },
		func() { r.Experience, covered = e.positions.Read(p, all, today) },
		func() { r.ExperienceYears = dates.Years(covered, today) },
		func() { r.Education = e.degrees.Read(p, all) },
		func() { r.Languages = e.spoken.Read(all) },
		func() { r.Certifications = e.certifications.Read(p, all) },
		func() { r.Projects = e.projects.Read(p, &doc, all) },
		func() { r.Publications = e.publications.Read(p, &doc, all) },
		func() { r.Volunteering = e.positions.Volunteering(p, all, today) },
		func() { r.Skills = e.skills.Read(all, &r) },
		func() {
			if recognized == 0 {
				r.Warnings = append(r.Warnings, resume.WarnNoSections)
			}
			if instructs(e.services.words.InstructionWords, p) {
				r.Warnings = append(r.Warnings, resume.WarnInstructions)
			}
		},
		func() { r.Quality = quality(&r, recognized, e.unread(p, all, &r)) },
		func() { r.Freelancer, r.DraftNotes = e.drafts.Write(&r, &doc) },
	} {
		if err := ctx.Err(); err != nil {
			return resume.Resume{}, err
		}
		step()
	}

	return r, ctx.Err()
}

// setContact, setName, setJobTitle and setSummary fill a field with the choice for it, and with the confidence in that
// choice.

func (e *Extractor) setContact(r *resume.Resume, c *person.Contacts) {
	found := c.Result(r.Language)
	r.Contact = found.Contact
	for _, field := range []struct {
		name, value string
		strength    float64
		into        *float64
	}{
		{"email", found.Email, found.EmailStrength, &r.Confidence.Email},
		{"phone", found.Phone, found.PhoneStrength, &r.Confidence.Phone},
		{"location", found.Location, found.LocationStrength, &r.Confidence.Location},
	} {
		if field.value != "" {
			*field.into = e.calibration.Confidence(field.name, field.strength)
		}
	}
}

func (e *Extractor) setName(
	r *resume.Resume, p *page.Page, all []*sections.Section, c *person.Contacts,
) odds.Choice[person.Naming] {
	named, ok := e.person.Name(p, all, c)
	if ok {
		r.Name, r.Confidence.Name = named.Value.Name, e.calibration.Confidence("name", named.Strength())
	}
	return named
}

func (e *Extractor) setJobTitle(
	r *resume.Resume, p *page.Page, all []*sections.Section, c *person.Contacts, n person.Naming,
) {
	if title, ok := e.person.JobTitle(p, all, c, n); ok {
		r.JobTitle, r.Confidence.JobTitle = title.Value, e.calibration.Confidence("job_title", title.Strength())
	}
}

func (e *Extractor) setSummary(r *resume.Resume, all []*sections.Section, n person.Naming) {
	if text, ok := person.Summarize(all, n); ok {
		r.Summary, r.Confidence.Summary = text.Value, e.calibration.Confidence("summary", text.Strength())
	}
}
