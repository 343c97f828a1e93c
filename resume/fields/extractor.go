package fields

import (
	"strings"
	"time"
	"unicode"

	"freelancer-matching/internal/analysis"
	"freelancer-matching/resume"
	"freelancer-matching/taxonomy"
)

// Extractor finds fields in documents. It is safe for concurrent use.
type Extractor struct {
	taxonomy *taxonomy.Taxonomy
	analyzer *analysis.Analyzer
	words    *dictionary
	dates    *dates
	now      func() time.Time
}

// futureYears is how far ahead a date may be: studies that are to end.
const futureYears = 8

// New is an Extractor of the skills of t, which tells languages by analyzer. Positions that are held now last until now,
// time.Now in a program.
func New(t *taxonomy.Taxonomy, analyzer *analysis.Analyzer, now func() time.Time) *Extractor {
	words := newDictionary()
	return &Extractor{taxonomy: t, analyzer: analyzer, words: words, now: now}
}

// Extract finds the fields of a document. It takes time linear in the size of the document, and never fails: what is
// not found is empty, and Quality says what is missing.
func (e *Extractor) Extract(doc resume.Document) resume.Resume {
	now := e.now().UTC()
	today := date{now.Year(), int(now.Month())}
	x := *e
	x.dates = &dates{words: e.words, lastYear: today.year + futureYears}
	return x.extract(doc, today)
}

func (e *Extractor) extract(doc resume.Document, today date) resume.Resume {
	p := newPage(&doc)
	r := resume.Resume{Pages: doc.Pages}
	r.Warnings = append(r.Warnings, doc.Warnings...)
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
	if e.instructs(p) {
		r.Warnings = append(r.Warnings, resume.WarnInstructions)
	}
	r.Quality = quality(&r, recognized)
	r.Freelancer = e.Freelancer(r, doc)
	return r
}

// minSummary is the length of text in the head that is a summary, in bytes.
const minSummary = 80

// summary is the text of the first section that is one, else the running text below the name.
func (e *Extractor) summary(all []*section, named naming) string {
	for _, s := range all {
		if s.is(summary) && len(s.lines) > 0 {
			if text := describe(s.lines); text != "" {
				return text
			}
		}
	}
	for _, s := range all {
		if s.kind != head {
			continue
		}
		var text []*line
		for i, l := range s.lines {
			if l == named.line || strings.Contains(l.text, "@") {
				continue
			}
			follows := len(text) > 0 && text[len(text)-1] == s.lines[i-1] && l.Gap < .3 && len(l.cells) == 1
			if sentence(l.text) || l.Bullet || follows {
				text = append(text, l)
			}
		}
		if found := describe(text); len(found) >= minSummary {
			return found
		}
	}
	return ""
}

// functionWords tell that a text is English: that none of the languages with an analysis of their own was recognised
// does not.
var functionWords = map[string]bool{
	"the": true, "and": true, "of": true, "to": true, "with": true, "for": true, "in": true, "on": true, "by": true, "from": true, "as": true,
}

// language is the ISO 639-1 code of the language of a text, "" where it cannot be told.
func (e *Extractor) language(p *page, all []*section) string {
	var b strings.Builder
	for i := range p.lines {
		if b.Len() < 20_000 {
			b.WriteString(p.lines[i].text)
			b.WriteByte('\n')
		}
	}
	text := b.String()
	if code := byScript(text); code != "" {
		return code
	}
	if l := e.analyzer.Language(text); l != analysis.English {
		return l.String()
	}
	spoken := make(map[string]int)
	best := ""
	for _, s := range all {
		if code := e.words.speech[s.heading]; s.heading != "" && code != "" {
			spoken[code]++
			if spoken[code] > spoken[best] {
				best = code
			}
		}
	}
	words, english := 0, 0
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		words++
		english += btoi(functionWords[word])
	}
	if best == "" && english*25 >= words || best == "en" || best != "" && spoken[best] < 2 && english*12 >= words {
		return "en"
	}
	return best
}

// byScript is the language of a text whose letters tell it.
func byScript(text string) string {
	counts := make(map[string]int)
	letters := 0
	for _, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}
		letters++
		switch {
		case r < 0x370:
		case unicode.Is(unicode.Han, r):
			counts["zh"] += 2 // a character is worth two letters
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			counts["ja"] += 2
		case unicode.Is(unicode.Hangul, r):
			counts["ko"] += 2
		case unicode.Is(unicode.Cyrillic, r):
			counts["ru"]++
		case unicode.Is(unicode.Arabic, r):
			counts["ar"]++
		case unicode.Is(unicode.Hebrew, r):
			counts["he"]++
		case unicode.Is(unicode.Greek, r):
			counts["el"]++
		case unicode.Is(unicode.Thai, r):
			counts["th"]++
		case unicode.Is(unicode.Devanagari, r):
			counts["hi"]++
		}
	}
	if counts["ja"]*8 > counts["zh"] && counts["ja"]+counts["zh"] > letters/3 {
		return "ja"
	}
	for _, code := range []string{"zh", "ko", "ru", "ar", "he", "el", "th", "hi"} {
		if counts[code] > letters/3 {
			if code == "ru" && strings.ContainsAny(text, "іїєґІЇЄҐ") {
				return "uk"
			}
			return code
		}
	}
	return ""
}
