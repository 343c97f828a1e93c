package entries

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/freelancer-matching/service/resume/dates"
	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/page"
	"github.com/freelancer-matching/service/resume/sections"
	"github.com/freelancer-matching/service/resume/wording"
)

// A dateLines finds the lines whose dates start entries.
type dateLines struct {
	words *lexicon.Lexicon
	dates *dates.Finder
}

// withWholeDates returns the section with each date on one line. Some layouts divide a date range over up to three
// lines, or the first cells of three rows: "05/2019", "–" and "03/2021". Others have a column of dates beside a list,
// so that a date seems to end the first item.
func (d *dateLines) withWholeDates(s *sections.Section) *sections.Section {
	whole := *s
	whole.Lines = nil
	for i := 0; i < len(s.Lines); i++ {
		l := s.Lines[i]
		if date, text, ok := d.dateBeside(l); ok {
			whole.Lines = append(whole.Lines, date, text)
			continue
		}

		// The dates of a column stand one below the other, so a range may take three rows.
		n, inCells, text := d.dividedRange(s.Lines[i:min(i+3, len(s.Lines))])
		if n == 0 {
			whole.Lines = append(whole.Lines, l)
			continue
		}

		joined := *l
		if inCells {
			joined.Text = text + "\t" + strings.Join(l.Cells[1:], "\t")
		} else {
			joined.Text = text
		}

		joined.Key = wording.Key(joined.Text)
		joined.Cells = strings.Split(joined.Text, "\t")
		whole.Lines = append(whole.Lines, &joined)
		for _, next := range s.Lines[i+1 : i+n] {
			if inCells {
				whole.Lines = append(whole.Lines, page.WithCells(next, next.Cells[1:]))
			}
		}

		i += n - 1
	}

	return &whole
}

// dateBeside divides a list item, or running text, that ends with a date in a cell of its own.
func (d *dateLines) dateBeside(l *page.Line) (date, text *page.Line, ok bool) {
	n := len(l.Cells) - 1
	endsWithDate := n >= 1 && len(l.Text) <= 3*wording.MaxHeader && d.dates.IsDate(l.Cells[n])
	if !endsWithDate {
		return nil, nil, false
	}

	// Beside the title of a position, the date belongs to the title.
	if !l.Bullet && !wording.Sentence(strings.Join(l.Cells[:n], " ")) {
		return nil, nil, false
	}

	date = page.WithCells(l, l.Cells[n:])
	date.Bullet = false
	return date, page.WithCells(l, l.Cells[:n]), true
}

// dividedRange returns the number of lines, two or three, over which a date range is divided, 0 if it isn't. inCells
// reports whether it is divided over their first cells. text is the first line, or its first cell, with the whole
// range.
func (d *dateLines) dividedRange(lines []*page.Line) (n int, inCells bool, text string) {
	for n = len(lines); n > 1; n-- {
		if texts, ok := loneTexts(lines[:n]); ok && d.completes(texts) {
			return n, false, d.rangeOf(texts)
		}

		cells, ok := firstCells(lines[:n])
		if !ok || !d.completes(cells) {
			continue
		}

		// A column of whole dates, one in each row, is a list of entries and no divided range.
		wholeDates := d.dates.IsDate(cells[0]) && d.dates.IsDate(cells[1])
		if !wholeDates {
			return n, true, d.rangeOf(cells)
		}
	}

	return 0, false, ""
}

// loneTexts returns the texts of lines. It returns false if a line after the first has several cells.
func loneTexts(lines []*page.Line) (texts []string, ok bool) {
	for i, l := range lines {
		isAlone := len(l.Cells) == 1 || i == 0 && len(l.Cells) > 0
		if !isAlone {
			return nil, false
		}
		texts = append(texts, l.Text)
	}
	return texts, true
}

// firstCells returns the first cells of lines. It returns false if a line has only one cell, or one too long for a
// date.
func firstCells(lines []*page.Line) (cells []string, ok bool) {
	for _, l := range lines {
		if len(l.Cells) < 2 || len(l.Cells[0]) >= wording.MaxHeading {
			return nil, false
		}
		cells = append(cells, l.Cells[0])
	}
	return cells, true
}

// rangeOf joins the parts of a date range. It puts a dash between dates that stand one below the other without one.
func (d *dateLines) rangeOf(parts []string) string {
	twoDates := len(parts) == 2 && d.dates.IsDate(parts[0]) && d.dates.IsDate(parts[1])
	if twoDates {
		return parts[0] + " – " + parts[1]
	}
	return strings.Join(parts, " ")
}

// completes reports whether the parts of a text are a date range only together: the first ends within the range, and
// the others consist of its rest.
func (d *dateLines) completes(parts []string) bool {
	for i, part := range parts {
		tooLong := len(part) > 3*wording.MaxHeader || i > 0 && len(part) > wording.MaxHeading/2
		if tooLong {
			return false
		}
	}

	first := d.dates.Find(parts[0])
	if len(first) > 0 && !first[len(first)-1].Single() {
		return false // the first part has a whole range
	}

	// Three parts are two dates around a dash, not three dates.
	secondIsDate := d.dates.IsDate(parts[1])
	if len(parts) == 3 && secondIsDate {
		return false
	}

	// Of two dates, the second is written like the first. A much shorter one, such as a year, is about something else.
	const slack = 3 // bytes, because names of months differ in length
	twoDates := len(parts) == 2 && secondIsDate && d.dates.IsDate(parts[0])
	if twoDates && len(parts[1]) < len(parts[0])-slack {
		return false
	}

	whole := d.rangeOf(parts)
	spans := d.dates.Find(whole)
	if len(spans) == 0 {
		return false
	}

	last := spans[len(spans)-1]
	rest := strings.TrimRight(whole[last.End:], " .")
	return !last.Single() && last.Start < len(parts[0]) && rest == ""
}

// anchors returns the lines whose dates start entries. List items count only if no other line does.
func (d *dateLines) anchors(s *sections.Section, g *grammar) []anchor {
	for _, bullets := range []bool{false, true} {
		var anchors []anchor
		for i, l := range s.Lines {
			candidate := l.Bullet == bullets && len(l.Text) <= 3*wording.MaxHeader
			if !candidate || len(anchors) == page.MaxEntries {
				continue
			}

			// Degrees are often written as one phrase, with the year in the middle.
			marking, ok := d.startingDate(l.Text)
			if !ok && g == &degreeGrammar {
				marking, ok = d.dateWithin(l)
			}

			if ok {
				anchors = append(anchors, anchor{i, marking})
			}
		}

		if len(anchors) > 0 {
			return anchors
		}
	}

	return nil
}

// dateWithin returns the only date of a line that names a degree or a school: "BSc Physics 2016 University of X".
func (d *dateLines) dateWithin(l *page.Line) (dates.Span, bool) {
	spans := d.dates.Find(l.Text)
	if len(spans) != 1 {
		return dates.Span{}, false
	}

	if wording.Sentence(l.Text) || wording.FirstIsLower(l.Text) || d.words.Narrates(l.Text) {
		return dates.Span{}, false
	}

	if d.words.DegreeEnd(l.Text) <= 0 {
		return dates.Span{}, false
	}

	before := l.Text[:spans[0].Start]
	after := strings.TrimLeft(l.Text[spans[0].End:], " ,")
	besideDegree := d.words.StartsWithDegree(before) || d.words.StartsWithDegree(after)
	if besideDegree || d.words.Schools.Any(l.Key) {
		return spans[0], true
	}
	return dates.Span{}, false
}

// startingDate returns the date that makes a line the start of an entry: the first date range, or else the first date.
// It must be set apart from the rest of the line, and the rest must not be running text.
func (d *dateLines) startingDate(text string) (dates.Span, bool) {
	spans := d.dates.Find(text)
	if len(spans) == 0 || d.words.Narrates(text) {
		return dates.Span{}, false
	}

	isRange := func(s dates.Span) bool { return !s.Single() }
	date := d.dates.Extended(text, spans[max(0, slices.IndexFunc(spans, isRange))])
	rest := strings.Trim(d.dates.Without(text, date), "\t ")
	if rest == "" {
		return date, true
	}

	for cell := range strings.SplitSeq(rest, "\t") {
		if cell = strings.TrimSpace(cell); cell != "" && wording.Sentence(cell) {
			return dates.Span{}, false
		}
	}

	if isRange(date) {
		return date, true
	}

	// A single date may also be part of a name or a version, so signs must set it apart, or the ends of the line.
	before := strings.TrimRight(text[:date.Start], " ")
	after := strings.TrimLeft(text[date.End:], " ")
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	apartBefore := before == "" || strings.ContainsRune("\t,|(:;.–-·—", last)
	apartAfter := strings.ContainsRune("\t,|):;.·–", next)
	apart := after == "" || apartBefore && apartAfter

	return date, apart && !wording.FirstIsLower(text)
}
