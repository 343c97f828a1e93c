package sections

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/freelancer-matching/service/resume/dates"
	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/odds"
	"github.com/freelancer-matching/service/resume/page"
	"github.com/freelancer-matching/service/resume/wording"
)

// maxJudged is how many lines of a section are read to find its kind.
const maxJudged = 60

// A Content counts what the lines of a section are like.
type Content struct {
	lines, prose         int
	ranges, Dates        int // lines with a date range, or with any date
	titles, Companies    int // lines with a job title, or a company
	Degrees, Schools     int
	jobLabels            int // lines with a label of employers
	schoolLabels         int // lines with a label of schools, degrees or fields of study
	Languages, levels    int // lines that name a human language and little else; those of them with a level
	certificates, papers int // lines with a word for certifications or publications
	addresses            int // lines with an email address or a web address
	Items, Skills        int // list items, and those of them that are skills of the taxonomy
	bytes                int
}

// ContentOf reads the lines of a section.
func (r *Reader) ContentOf(lines []*page.Line) Content {
	var c Content
	for _, l := range lines[:min(len(lines), maxJudged)] {
		c.lines++
		c.bytes += len(l.Text)
		spans := r.dates.Find(wording.Truncate(l.Text, 3*wording.MaxHeader))
		isSentence := wording.Sentence(l.Text)
		count(&c.prose, isSentence && len(spans) == 0)
		count(&c.Dates, len(spans) > 0)
		count(&c.ranges, slices.ContainsFunc(spans, func(s dates.Span) bool { return !s.Single() }))
		count(&c.certificates, r.words.Certifications.Any(l.Key))
		count(&c.papers, r.words.Publications.Any(l.Key) || wording.Quoted(l.Text) && len(spans) > 0)
		count(&c.addresses, strings.Contains(l.Text, "@") || lexicon.WebAddress(l.Text) != "")

		if mentions := r.words.SpokenIn(l.Text); len(mentions) > 0 && r.words.OnlyLanguages(l.Text) {
			c.Languages++
			count(&c.levels, r.words.Level(l.Text) != "")
		}

		// Sentences mention titles and skills without being headers or lists.
		if isSentence {
			continue
		}
		r.countLabel(&c, l)
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

// countLabel counts the label of a line that starts with one: "Employer: Acme".
func (r *Reader) countLabel(c *Content, l *page.Line) {
	label, _, found := strings.Cut(l.Text, ":")
	if !found {
		return
	}
	switch r.words.Label(label) {
	case "employer":
		c.jobLabels++
	case "school", "degree", "field":
		c.schoolLabels++
	}
}

// countHeader counts the job titles, companies, degrees and schools of a line that is no running text.
func (r *Reader) countHeader(c *Content, l *page.Line) {
	var title, company, degree, school bool
	for _, part := range wording.SplitHeader(l.Text) {
		for piece := range strings.SplitSeq(part, ", ") {
			f := wording.NewFragment(piece)
			title = title || r.titles.TitleScore(f) > 1
			company = company || r.words.CompanyScore(f) > 0
			degree = degree || r.words.DegreeEnd(piece) > 0
			school = school || r.words.Schools.Any(f.Key)
		}
	}
	count(&c.titles, title)
	count(&c.Companies, company)
	count(&c.Degrees, degree)
	count(&c.Schools, school)
}

// countItems counts the items of a line, and the skills of the taxonomy among them.
func (r *Reader) countItems(c *Content, l *page.Line) {
	for item := range strings.FieldsFuncSeq(l.Text, wording.ListSign) {
		if c.Items >= maxJudged {
			return
		}

		item = strings.Trim(item, " .:-–—")
		if item == "" || utf8.RuneCountInString(item) > 50 {
			continue
		}

		c.Items++
		if r.taxonomy.Resolve(item).Known {
			c.Skills++
		}
	}
}

// contentKind returns the kind of a section by its content. guessed is the kind that its heading suggests, "" if none.
// It returns other if nothing speaks for any kind.
func (r *Reader) contentKind(lines []*page.Line, guessed lexicon.Kind) lexicon.Kind {
	c := r.ContentOf(lines)
	all := c.candidates()
	for i, candidate := range all {
		if candidate.Value == guessed {
			all[i].Score += 1.5
			guessed = ""
		}
	}
	if guessed != "" { // the content never speaks for kinds such as awards, which look like jobs, degrees or papers
		all = append(all, odds.Candidate[lexicon.Kind]{Value: guessed, Source: "heading", Score: 2})
	}
	if best, _ := odds.Choose(all, nil); best.Score > 0 {
		return best.Value
	}
	return lexicon.Other
}

// candidates returns the kinds that a section may have, with the features that speak for each.
func (c *Content) candidates() []odds.Candidate[lexicon.Kind] {
	share := func(n, of int) float64 { return float64(n) / float64(max(of, 1)) }
	from := func(k lexicon.Kind, features ...odds.Feature) odds.Candidate[lexicon.Kind] {
		return odds.NewCandidate(k, "content", append(features, odds.If("any other kind", true, -2))...)
	}
	learned := c.Degrees + c.Schools
	headers := max(c.lines-c.prose, 1)

	return []odds.Candidate[lexicon.Kind]{
		from(lexicon.Experience,
			odds.If("date ranges", c.ranges > 0, 1.5),
			odds.If("job titles", c.titles > 0, 1.5),
			odds.If("as many job titles as date ranges", c.titles > 0 && c.titles >= c.ranges, .5),
			odds.If("companies", c.Companies > c.Schools, .5),
			odds.If("labels of employers", c.jobLabels > 0, 1.5),
			odds.If("more labels of schools and degrees", c.schoolLabels > c.jobLabels, -3),
			odds.If("more degrees and schools than titles", learned > c.titles, -2),
			odds.If("publications", share(c.papers, c.lines) > .3, -2),
		),
		from(lexicon.Education,
			odds.If("degrees", c.Degrees > 0, 1.5),
			odds.If("schools", c.Schools > 0, 1),
			odds.If("dates", c.Dates > 0, .5),
			odds.If("labels of schools or degrees", c.schoolLabels > 0, 1.5),
			odds.If("more labels of employers", c.jobLabels > c.schoolLabels, -3),
			odds.If("more job titles than degrees and schools", c.titles > learned, -2),
			odds.If("mostly running text", share(c.prose, c.lines) > .7, -2),
			odds.If("certifications", c.certificates > c.Degrees, -1.5),
		),
		from(lexicon.Languages,
			odds.If("most lines name languages only", share(c.Languages, c.lines) > .6, 2),
			odds.If("levels of languages", c.levels > 0 && share(c.Languages, c.lines) > .4, 1.5),
		),
		from(lexicon.Skills,
			odds.If("some items are skills", c.Skills > 2 && share(c.Skills, c.Items) > .3, 1.5),
			odds.If("most items are skills", c.Skills > 2 && share(c.Skills, c.Items) > .6, 1.5),
			odds.If("dates", c.Dates > 0, -1.5),
			odds.If("running text", c.prose > 0 && share(c.prose, c.lines) > .3, -1),
			odds.If("languages", share(c.Languages, c.lines) > .6, -3),
		),
		from(lexicon.Certifications,
			odds.If("words for certifications", c.certificates > 0, 1),
			odds.If("most lines have words for certifications", share(c.certificates, headers) > .4, 1.5),
			odds.If("dates", c.Dates > 0, .5),
			odds.If("date ranges of jobs", c.ranges > 0 && c.titles > 0, -1.5),
			odds.If("schools", c.Schools >= c.certificates, -1),
		),
		from(lexicon.Publications,
			odds.If("words for publications", c.papers > 0, .5),
			odds.If("most lines have words for publications", share(c.papers, c.lines) > .3, 2),
			odds.If("dates", c.Dates > 0, .5),
			odds.If("date ranges", c.ranges > 0, -1),
		),
		from(lexicon.Summary,
			odds.If("running text only", share(c.prose, c.lines) > .5 && c.Dates == 0, 1.5),
			odds.If("enough text", c.bytes >= MinSummary && c.bytes < wording.MaxText, 1),
			odds.If("list items", c.Items > c.prose*4, -1),
		),
		from(lexicon.Contact,
			odds.If("addresses", share(c.addresses, c.lines) > .4, 3),
		),
	}
}

// MinSummary is the length in bytes from which running text below the name is a summary.
const MinSummary = 80
