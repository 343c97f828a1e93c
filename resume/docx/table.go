package docx

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"freelancer-matching/resume"
)

const (
	minSidebarLines = 8   // of a sidebar and of the cell beside it
	maxSidebarShare = .42 // of the width
	maxPairedLines  = 3   // of two cells that are read across
	shortText       = 40  // maximum length of a text beside the first line of another cell, in characters
)

// A row is a row of a table.
type row struct {
	cells   []cell
	omitted bool // deleted or hidden
}

type cell struct {
	width int // in a unit that all cells of the row share; 0 if unknown
	lines []line
}

// year matches the year of a date.
var year = regexp.MustCompile(`(^|[^0-9])(19|20)[0-9]{2}([^0-9]|$)`)

// lines returns the lines of a row in reading order. Cells of one line are read across; larger cells are read one after
// the other. Two cells of equal height, one of them with dates, are read across. A date or place beside a larger cell
// belongs to its first line. A narrow, tall cell is a sidebar.
func (r row) lines() []line {
	var cells []cell
	height := 0 // in lines
	for _, c := range r.cells {
		if len(c.lines) > 0 {
			c.lines = joinRanges(c.lines)
			cells = append(cells, c)
			height = max(height, len(c.lines))
		}
	}
	switch {
	case len(cells) == 0:
		return nil
	case len(cells) == 1:
		return cells[0].lines
	case height == 1:
		return []line{joinLine(cells, 0)}
	case arePaired(cells):
		lines := make([]line, height)
		for i := range lines {
			lines[i] = joinLine(cells, i)
		}
		return lines
	case len(cells) == 2:
		markSidebar(cells[0], cells[1])
		markSidebar(cells[1], cells[0])
	}
	return linesByCell(cells)
}

// joinRanges joins ranges of dates that a narrow cell breaks after the dash: "Jan 2019 –", "Dec 2021".
func joinRanges(lines []line) []line {
	for i := 0; i+1 < len(lines); i++ {
		text := lines[i].Text
		last, _ := utf8.DecodeLastRuneInString(text)
		if strings.ContainsRune("-–—", last) && year.MatchString(text) && isShort(text) {
			lines[i].Text += " " + lines[i+1].Text
			lines[i].links = append(lines[i].links, lines[i+1].links...)
			lines = slices.Delete(lines, i+1, i+2)
		}
	}
	return lines
}

// arePaired reports whether two cells have the same number of lines and one of them starts with a date.
func arePaired(cells []cell) bool {
	if len(cells) != 2 || len(cells[0].lines) != len(cells[1].lines) || len(cells[0].lines) > maxPairedLines {
		return false
	}
	return year.MatchString(cells[0].lines[0].Text) != year.MatchString(cells[1].lines[0].Text)
}

// markSidebar marks the lines of a cell if it is a sidebar beside the other cell.
func markSidebar(c, other cell) {
	tall := min(len(c.lines), len(other.lines)) >= minSidebarLines
	widthsKnown := c.width != 0 && other.width != 0
	if !tall || !widthsKnown || float64(c.width) > maxSidebarShare*float64(c.width+other.width) {
		return
	}
	for i := range c.lines {
		if c.lines[i].Part == resume.Body {
			c.lines[i].Part = resume.Sidebar
		}
	}
}

// linesByCell returns the lines of one cell after the other. A cell with a short text joins the first line of the cell
// beside it: the following one if the text is a date, or else the previous one.
func linesByCell(cells []cell) []line {
	var lines []line
	for len(cells) > 0 {
		n := 1 // cells that are read together
		if len(cells) > 1 && cells[0].isShort() && year.MatchString(cells[0].lines[0].Text) {
			n = 2
		}
		if len(cells[n-1].lines) > 1 {
			for n < len(cells) && cells[n].isShort() {
				n++
			}
		}
		lines = append(lines, joinLine(cells[:n], 0))
		for _, c := range cells[:n] {
			lines = append(lines, c.lines[1:]...)
		}
		cells = cells[n:]
	}
	return lines
}

// isShort reports whether a cell has only a short text.
func (c cell) isShort() bool { return len(c.lines) == 1 && isShort(c.lines[0].Text) }

func isShort(text string) bool {
	return !strings.Contains(text, "\t") && utf8.RuneCountInString(text) <= shortText
}

// joinLine joins the i-th line of all cells. It looks like the longest of them.
func joinLine(cells []cell, i int) line {
	if len(cells) == 1 {
		return cells[0].lines[i]
	}
	var texts []string
	var joined line
	longest := 0
	for n, c := range cells {
		l := c.lines[i]
		if n == 0 {
			joined.Line = l.Line
		}
		if len(l.Text) > longest {
			longest = len(l.Text)
			joined.Size, joined.Bold = l.Size, l.Bold
		}
		texts = append(texts, l.Text)
		joined.links = append(joined.links, l.links...)
	}
	joined.Text, joined.Heading, joined.Bullet = strings.Join(texts, "\t"), 0, false
	return joined
}
