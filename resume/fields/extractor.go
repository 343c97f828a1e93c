package fields

import (
	"context"
	"slices"
	"time"

	"freelancer-matching/internal/analysis"
	"freelancer-matching/resume"
	"freelancer-matching/taxonomy"
)

// An Extractor extracts fields from documents. It is safe for concurrent use.
type Extractor struct {
	services    services
	calibration calibration

	sections       *sectionReader
	person         *personReader
	positions      *positionReader
	degrees        *degreeReader
	spoken         *spokenReader
	certifications *certificationReader
	projects       *projectReader
	publications   *publicationReader
	skills         *skillReader
}

// services are what the readers of an Extractor have in common.
type services struct {
	taxonomy *taxonomy.Taxonomy
	analyzer *analysis.Analyzer
	words    *dictionary
	dates    *dates
}

// New returns an Extractor that recognizes the skills in t and distinguishes languages with analyzer. Current positions
// last until now, which is time.Now in production.
func New(t *taxonomy.Taxonomy, analyzer *analysis.Analyzer, now func() time.Time) *Extractor {
	words := newDictionary()
	s := services{taxonomy: t, analyzer: analyzer, words: words, dates: newFinder(words.dateWords, now)}
	return s.extractor(readCalibration())
}

// extractor returns an Extractor with the tables that convert strengths to confidences.
func (s services) extractor(c calibration) *Extractor {
	words, t := s.words, s.taxonomy
	titles := newTitles(words, t)
	divider := newSectionReader(words, s.dates, titles, t)
	dated := newEntryReader(words, s.dates, t)

	return &Extractor{
		services:       s,
		calibration:    c,
		sections:       divider,
		person:         newPersonReader(words, s.dates, titles, t),
		positions:      newPositionReader(dated, c),
		degrees:        newDegreeReader(words, dated, c),
		spoken:         newSpokenReader(words, c),
		certifications: newCertificationReader(words, s.dates, t, divider, c),
		projects:       newProjectReader(s.dates, c),
		publications:   newPublicationReader(words, s.dates, c),
		skills:         newSkillReader(words, s.dates, t, c),
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
		named      choice[naming]
		covered    []period
	)

	today := e.services.dates.today()
	// Each step takes time linear in the text, which is bounded, so checking between the steps is enough.
	for _, step := range []func(){
		func() { all, recognized = e.sections.sections(p) },
		func() { r.Language = e.language(p, all) },
		func() { c = e.person.contact(&doc, all) },
		func() { e.setContact(&r, c) },
		func() { named = e.setName(&r, p, all, c) },
		func() { e.setJobTitle(&r, p, all, c, named.value) },
		func() { e.setSummary(&r, all, named.value) },
		func() { r.Experience, covered = e.positions.positions(p, all, today) },
		func() { r.ExperienceYears = years(covered, today) },
		func() { r.Education = e.degrees.degrees(p, all) },
		func() { r.Languages = e.spoken.languages(all) },
		func() { r.Certifications = e.certifications.certifications(p, all) },
		func() { r.Projects = e.projects.projects(p, &doc, all) },
		func() { r.Publications = e.publications.publications(p, &doc, all) },
		func() { r.Volunteering = e.positions.volunteering(p, all, today) },
		func() { r.Skills = e.skills.skills(all, &r) },
		func() {
			if recognized == 0 {
				r.Warnings = append(r.Warnings, resume.WarnNoSections)
			}
			if instructs(e.services.words.instructionWords, p) {
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

// setContact, setName, setJobTitle and setSummary fill a field with the choice for it, and with the confidence in that
// choice.

func (e *Extractor) setContact(r *resume.Resume, c *contactReader) {
	found := c.result(r.Language)
	r.Contact = found.Contact
	for _, field := range []struct {
		name, value string
		strength    float64
		into        *float64
	}{
		{"email", found.Email, found.email, &r.Confidence.Email},
		{"phone", found.Phone, found.phone, &r.Confidence.Phone},
		{"location", found.Location, found.location, &r.Confidence.Location},
	} {
		if field.value != "" {
			*field.into = e.calibration.confidence(field.name, field.strength)
		}
	}
}

func (e *Extractor) setName(r *resume.Resume, p *page, all []*section, c *contactReader) choice[naming] {
	named, ok := e.person.name(p, all, c)
	if ok {
		r.Name, r.Confidence.Name = named.value.name, e.calibration.confidence("name", named.strength())
	}
	return named
}

func (e *Extractor) setJobTitle(r *resume.Resume, p *page, all []*section, c *contactReader, n naming) {
	if title, ok := e.person.jobTitle(p, all, c, n); ok {
		r.JobTitle, r.Confidence.JobTitle = title.value, e.calibration.confidence("job_title", title.strength())
	}
}

func (e *Extractor) setSummary(r *resume.Resume, all []*section, n naming) {
	if text, ok := summarize(all, n); ok {
		r.Summary, r.Confidence.Summary = text.value, e.calibration.confidence("summary", text.strength())
	}
}
