package docx

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"freelancer-matching/resume"
)

const (
	sidebarLines = 8   // that a cell has at least to be a column of the page
	sidebarShare = .42 // of the width, at most
	zipped       = 3   // lines of two cells that may stand side by side
	shortCell    = 40  // characters of a cell that stands beside the first line of another
)

// row is a row of a table while it is read.
type row struct {
	cells   []cell
	skipped bool // deleted, or hidden
}

type cell struct {
	width int // in any unit, the same for all cells of a row; 0: unknown
	lines []line
}

// year finds what dates in resumes have and other short texts have not.
var year = regexp.MustCompile(`(^|[^0-9])(19|20)[0-9]{2}([^0-9]|$)`)

// lines are those of a row as a person reads them: across where every cell is one line, cell by cell where the cells are
// blocks. A date or place beside a block belongs to the first line of it, and blocks of equal height with dates in one are
// read across. A narrow, tall cell is a sidebar.
func (r row) lines() []line {
	var cells []cell
	tall := 0
	for _, c := range r.cells {
		if len(c.lines) > 0 {
			c.lines = joinRanges(c.lines)
			cells = append(cells, c)
			tall = max(tall, len(c.lines))
		}
	}
	switch {
	case len(cells) == 0:
		return nil
	case len(cells) == 1:
		return cells[0].lines
	case tall == 1:
		return []line{across(cells, 0)}
	case sideBySide(cells):
		lines := make([]line, tall)
		for i := range lines {
			lines[i] = across(cells, i)
		}
		return lines
	case len(cells) == 2:
		markSidebar(cells[0], cells[1])
		markSidebar(cells[1], cells[0])
	}
	return blocks(cells)
}

// joinRanges joins dates that a narrow cell breaks behind their dash: "Jan 2019 –", "Dec 2021".
func joinRanges(lines []line) []line {
	for i := 0; i+1 < len(lines); i++ {
		text := lines[i].Text
		if last, _ := utf8.DecodeLastRuneInString(text); strings.ContainsRune("-–—", last) && year.MatchString(text) && short(text) {
			lines[i].Text += " " + lines[i+1].Text
			lines[i].links = append(lines[i].links, lines[i+1].links...)
			lines = slices.Delete(lines, i+1, i+2)
		}
	}
	return lines
}

// sideBySide tells cells of equally many lines, with dates in one beside the first line of the other.
func sideBySide(cells []cell) bool {
	if len(cells) != 2 || len(cells[0].lines) != len(cells[1].lines) || len(cells[0].lines) > zipped {
		return false
	}
	return year.MatchString(cells[0].lines[0].Text) != year.MatchString(cells[1].lines[0].Text)
}

// markSidebar marks the lines of a cell that is a column beside the main one.
func markSidebar(c, other cell) {
	whole := float64(c.width + other.width)
	if len(c.lines) < sidebarLines || len(other.lines) < sidebarLines || c.width == 0 || other.width == 0 ||
		float64(c.width) > sidebarShare*whole {
		return
	}
	for i := range c.lines {
		if c.lines[i].Part == resume.Body {
			c.lines[i].Part = resume.Sidebar
		}
	}
}

// blocks are the lines of cells one after another, with short cells beside the first line of the block that they belong to:
// a date before it, anything behind it.
func blocks(cells []cell) []line {
	var lines []line
	for len(cells) > 0 {
		n := 1
		if len(cells) > 1 && cells[0].isShort() && year.MatchString(cells[0].lines[0].Text) {
			n = 2
		}
		if len(cells[n-1].lines) > 1 {
			for n < len(cells) && cells[n].isShort() {
				n++
			}
		}
		lines = append(lines, across(cells[:n], 0))
		for _, c := range cells[:n] {
			lines = append(lines, c.lines[1:]...)
		}
		cells = cells[n:]
	}
	return lines
}

// isShort tells a cell that may stand beside the first line of another.
func (c cell) isShort() bool { return len(c.lines) == 1 && short(c.lines[0].Text) }

func short(text string) bool {
	return !strings.Contains(text, "\t") && utf8.RuneCountInString(text) <= shortCell
}

// across is line i of all cells as one, looking as the longest of them does.
func across(cells []cell, i int) line {
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
