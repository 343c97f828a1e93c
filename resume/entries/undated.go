package entries

import (
	"strings"
	"unicode/utf8"

	"github.com/freelancer-matching/service/resume/page"
	"github.com/freelancer-matching/service/resume/sections"
	"github.com/freelancer-matching/service/resume/wording"
)

// maxHeaderLines bounds the header of a position without a date.
const maxHeaderLines = 3

// readLines returns the best reading of whole lines.
func (h *headerReader) readLines(lines []string, g *grammar) reading {
	w := &window{
		grammar:     g,
		school:      -1,
		texts:       lines,
		lineScores:  make([]float64, len(lines)),
		startScores: make([]float64, 1),
		breaks:      make([]separator, len(lines)),
	}
	w.cut(h)
	var t table
	return w.read(&neutral, 0, len(lines)-1, &t)
}

// undatedPositions splits a section about experience that has no dates. A position starts with lines that name a title
// and a company, and that stand out or precede running text. All other lines are descriptions.
func (e *EntryReader) undatedPositions(p *page.Page, s *sections.Section) []item {
	var items []item
	described := 0 // the first line below the header of the last item
	describeLast := func(end int) {
		if last := len(items) - 1; last >= 0 {
			items[last].description = page.Describe(s.Lines[described:end])
		}
	}

	// A title such as "Wizard" has no usual word, but looks like the sure headers of the section.
	sure := make(map[page.Style]bool)
	for i := 0; i < len(s.Lines); {
		_, n := e.undatedHeader(p, s, i, nil)
		if n == 1 && p.Distinct(s.Lines[i]) {
			sure[s.Lines[i].Style()] = true
		}
		i += max(n, 1)
	}

	for i := 0; i < len(s.Lines) && len(items) < page.MaxEntries; {
		r, n := e.undatedHeader(p, s, i, sure)
		if n == 0 {
			i++
			continue
		}

		describeLast(i)
		items = append(items, item{reading: r})
		i += n
		described = i
	}

	describeLast(len(s.Lines))
	return items
}

// undatedHeader reads the header of a position that starts at line from. It returns the number of its lines, or 0.
// looks are the styles of headers of one line, whose titles need no usual word.
func (e *EntryReader) undatedHeader(
	p *page.Page, s *sections.Section, from int, looks map[page.Style]bool,
) (r reading, n int) {
	var lines []string
	for n < maxHeaderLines && from+n < len(s.Lines) {
		if !e.mayBeHeader(p, s, from+n, n == 0) {
			break
		}

		lines = append(lines, s.Lines[from+n].Text)
		n++
		r = e.headers.readLines(lines, &positionGrammar)
		sure := e.headers.signs(r.texts[lead])&(1<<titleOutside|1<<titleInside|1<<seniorFirst|1<<knownTitle) != 0
		aboveText := from+n < len(s.Lines) && isTextBelow(s.Lines[from], s.Lines[from+n])
		sure = sure || n == 1 && r.texts[lead] != "" && looks[s.Lines[from].Style()]
		complete := sure && r.texts[host] != ""
		setApart := aboveText || p.Distinct(s.Lines[from])
		if complete && setApart {
			return r, n
		}
	}

	return reading{}, 0
}

// isTextBelow reports whether the line below a header is the description of its position: a list item, a sentence, or
// text that stands out less.
func isTextBelow(header, next *page.Line) bool {
	return next.Bullet || wording.Sentence(next.Text) || next.Style().Prominence() < header.Style().Prominence()
}

// mayBeHeader reports whether line i of a section may be a part of the header of a position without a date: its first
// line, or one right below that.
func (e *EntryReader) mayBeHeader(p *page.Page, s *sections.Section, i int, first bool) bool {
	const maxSpaces = 9
	l := s.Lines[i]
	if !page.HeaderShape(l) || strings.Count(l.Text, " ") > maxSpaces {
		return false
	}

	apart := !first && l.Gap > page.ParagraphGap
	sentence := strings.HasSuffix(l.Text, ".") && !e.words.EndsLegal(l.Key) || e.words.Narrates(l.Text)
	if apart || sentence || e.words.Activity(l.Text) {
		return false
	}

	return i == 0 || !page.Wrapped(p, s.Lines[i-1], l)
}

// undatedDegrees splits a section about education that has no dates. An entry starts at a school or a degree if the
// previous entry already has one.
func (e *EntryReader) undatedDegrees(s *sections.Section) []item {
	// List items are mostly remarks on the degrees, but some people list the degrees themselves.
	items := e.degreesAmong(s, false)
	if len(items) == 0 {
		items = e.degreesAmong(s, true)
	}
	return items
}

// degreesAmong returns the degrees in the lines of a section that are list items, or in the other ones.
func (e *EntryReader) degreesAmong(s *sections.Section, bullets bool) []item {
	var items []item
	var lines []string
	// of the last item
	hasSchool := true
	hasDegree := true
	for _, l := range s.Lines {
		if len(items) == page.MaxEntries {
			break
		}

		tooLong := utf8.RuneCountInString(l.Text) > wording.MaxHeader
		if l.Bullet != bullets || tooLong || e.words.Activity(l.Text) {
			continue
		}

		texts := e.headers.withoutSentence(l.Text)
		r := e.headers.readLines(texts, &degreeGrammar)
		degree := e.words.DegreeEnd(r.texts[lead]) > 0
		school := r.texts[host] != "" && e.words.IsOrganization(wording.Key(r.texts[host]))
		if !school && !degree {
			continue
		}

		// Some people write the school first, others the degree, so the second of a kind starts an entry.
		startsEntry := school && hasSchool || degree && hasDegree
		if startsEntry {
			// Below a school and its degree, another degree is of the same school.
			related := unrelated
			if last := len(items) - 1; last >= 0 && !school && hasSchool && !items[last].order.leadFirst {
				related = belongs
			}
			items = append(items, item{relation: related})
			lines = nil
			hasSchool = related == belongs
			hasDegree = false
		}

		lines = append(lines, texts...)
		items[len(items)-1].reading = e.headers.readLines(lines[:min(len(lines), maxHeaderLines)], &degreeGrammar)
		hasSchool = hasSchool || school
		hasDegree = hasDegree || degree
	}

	return items
}

// withoutSentence returns the lines of the header of a degree. A sentence that tells where a labeled degree was earned,
// such as "M.B.A: Completed MBA from Lindow College at Leeds", becomes the degree and the school.
func (h *headerReader) withoutSentence(text string) []string {
	degree, sentence, _ := wording.CutLabel(text)
	_, school, ok := strings.Cut(sentence, " from ")
	isSchool := ok && wording.Capitalized(school) && h.words.Schools.Any(wording.Key(school))
	if !isSchool || !h.words.StartsWithDegree(degree) {
		return []string{text}
	}

	// The town after a whole name is no part of it, as it is in "University of Texas at Austin".
	name, _, hasTown := strings.Cut(school, " at ")
	lastWord := wording.Key(name[strings.LastIndexByte(name, ' ')+1:])
	if hasTown && h.words.Schools.Has(lastWord) {
		school = name
	}

	return []string{degree, strings.TrimRight(school, ".")}
}
