package fields

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// maxJudged is how many lines of a section are read to find its kind.
const maxJudged = 60

// A content counts what the lines of a section are like.
type content struct {
	lines, prose         int
	ranges, dates        int // lines with a date range, or with any date
	titles, companies    int // lines with a job title, or a company
	degrees, schools     int
	languages, levels    int // lines that name a human language and little else; those of them with a level
	certificates, papers int // lines with a word for certifications or publications
	addresses            int // lines with an email address or a web address
	items, skills        int // list items, and those of them that are skills of the taxonomy
	bytes                int
}

// contentOf reads the lines of a section.
func (r *sectionReader) contentOf(lines []*line) content {
	var c content
	for _, l := range lines[:min(len(lines), maxJudged)] {
		c.lines++
		c.bytes += len(l.text)
		spans := r.dates.find(truncate(l.text, 3*maxHeader))
		isSentence := sentence(l.text)
		count(&c.prose, isSentence && len(spans) == 0)
		count(&c.dates, len(spans) > 0)
		count(&c.ranges, slices.ContainsFunc(spans, func(s span) bool { return !s.single() }))
		count(&c.certificates, r.words.certifications.any(l.key))
		count(&c.papers, r.words.publications.any(l.key) || quoted(l.text) && len(spans) > 0)
		count(&c.addresses, strings.Contains(l.text, "@") || webAddress(l.text) != "")

		if mentions := r.words.spokenIn(l.text); len(mentions) > 0 && r.words.onlyLanguages(l.text) {
			c.languages++
			count(&c.levels, r.words.level(l.text) != "")
		}

		if isSentence {
			continue
		}
		r.countHeader(&c, l)
		r.countItems(&c, l)
	}

	return c
}

// count increments n if is is true.
func count(n *int, is bool) {
	if is {
		*n++
	}
}

// countHeader counts the job titles, companies, degrees and schools of a line that is no running text.
func (r *sectionReader) countHeader(c *content, l *line) {
	var title, company, degree, school bool
	for _, part := range splitHeader(l.text) {
		for piece := range strings.SplitSeq(part, ", ") {
			f := newFragment(piece)
			title = title || r.titles.titleScore(f) > 1
			company = company || r.words.companyScore(f) > 0
			degree = degree || r.words.degreeEnd(piece) > 0
			school = school || r.words.schools.any(f.key)
		}
	}
	count(&c.titles, title)
	count(&c.companies, company)
	count(&c.degrees, degree)
	count(&c.schools, school)
}

// countItems counts the items of a line, and the skills of the taxonomy among them.
func (r *sectionReader) countItems(c *content, l *line) {
	for item := range strings.FieldsFuncSeq(l.text, listSign) {
		item = strings.Trim(item, " .:-–—")
		if item == "" || utf8.RuneCountInString(item) > 50 || c.items >= maxJudged {
			continue
		}
		c.items++
		if r.taxonomy.Resolve(item).Known {
			c.skills++
		}
	}
}

// quoted reports whether a text has a title in quotation marks.
func quoted(text string) bool { return strings.ContainsAny(text, `"“”„«»`) }

// contentKind returns the kind of a section by its content. guessed is the kind that its heading suggests, "" if none.
// It returns other if nothing speaks for any kind.
func (r *sectionReader) contentKind(lines []*line, guessed kind) kind {
	c := r.contentOf(lines)
	all := c.candidates()
	for i, candidate := range all {
		if candidate.value == guessed {
			all[i].score += 1.5
			guessed = ""
		}
	}
	if guessed != "" { // the content never speaks for kinds such as awards, which look like jobs, degrees or papers
		all = append(all, candidate[kind]{value: guessed, source: "heading", score: 2})
	}
	if best, _ := choose(all, nil); best.score > 0 {
		return best.value
	}
	return other
}

// candidates returns the kinds that a section may have, with the features that speak for each.
func (c *content) candidates() []candidate[kind] {
	share := func(n, of int) float64 { return float64(n) / float64(max(of, 1)) }
	from := func(k kind, features ...feature) candidate[kind] {
		return newCandidate(k, "content", append(features, feature{"any other kind", true, -2})...)
	}
	learned := c.degrees + c.schools
	headers := max(c.lines-c.prose, 1)

	return []candidate[kind]{
		from(experience,
			feature{"date ranges", c.ranges > 0, 1.5},
			feature{"job titles", c.titles > 0, 1.5},
			feature{"as many job titles as date ranges", c.titles > 0 && c.titles >= c.ranges, .5},
			feature{"companies", c.companies > c.schools, .5},
			feature{"more degrees and schools than titles", learned > c.titles, -2},
			feature{"publications", share(c.papers, c.lines) > .3, -2},
		),
		from(education,
			feature{"degrees", c.degrees > 0, 1.5},
			feature{"schools", c.schools > 0, 1},
			feature{"dates", c.dates > 0, .5},
			feature{"more job titles than degrees and schools", c.titles > learned, -2},
			feature{"mostly running text", share(c.prose, c.lines) > .7, -2},
			feature{"certifications", c.certificates > c.degrees, -1.5},
		),
		from(languages,
			feature{"most lines name languages only", share(c.languages, c.lines) > .6, 2},
			feature{"levels of languages", c.levels > 0 && share(c.languages, c.lines) > .4, 1.5},
		),
		from(skills,
			feature{"some items are skills", c.skills > 2 && share(c.skills, c.items) > .3, 1.5},
			feature{"most items are skills", c.skills > 2 && share(c.skills, c.items) > .6, 1.5},
			feature{"dates", c.dates > 0, -1.5},
			feature{"running text", c.prose > 0 && share(c.prose, c.lines) > .3, -1},
			feature{"languages", share(c.languages, c.lines) > .6, -3},
		),
		from(certifications,
			feature{"words for certifications", c.certificates > 0, 1},
			feature{"most lines have words for certifications", share(c.certificates, headers) > .4, 1.5},
			feature{"dates", c.dates > 0, .5},
			feature{"date ranges of jobs", c.ranges > 0 && c.titles > 0, -1.5},
			feature{"schools", c.schools >= c.certificates, -1},
		),
		from(publications,
			feature{"words for publications", c.papers > 0, .5},
			feature{"most lines have words for publications", share(c.papers, c.lines) > .3, 2},
			feature{"dates", c.dates > 0, .5},
			feature{"date ranges", c.ranges > 0, -1},
		),
		from(summary,
			feature{"running text only", share(c.prose, c.lines) > .5 && c.dates == 0, 1.5},
			feature{"enough text", c.bytes >= minSummary && c.bytes < maxText, 1},
			feature{"list items", c.items > c.prose*4, -1},
		),
		from(contact,
			feature{"addresses", share(c.addresses, c.lines) > .4, 3},
		),
	}
}
