package flow

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/freelancer-matching/service/resume"
)

const (
	minSidebarLines = 8   // of a sidebar and of the cell beside it
	maxSidebarShare = .42 // of the width
	maxPairedLines  = 3   // of two cells that are read across
	shortText       = 40  // maximum length of a text beside the first line of another cell, in characters
)

// A Row is a row of a table.
type Row struct{ Cells []Cell }

// A Cell is a cell of a row.
type Cell struct {
	Width int // in a unit that all cells of the row share; 0 if unknown
	Lines []Line
}

// year matches the year of a date.
var year = regexp.MustCompile(`(^|[^0-9])(19|20)[0-9]{2}([^0-9]|$)`)

// Lines returns the lines of a row in reading order. Cells of one line are read across; larger cells are read one after
// the other. Two cells of equal height, one of them with dates, are read across. A date or place beside a larger cell
// belongs to its first line. A narrow, tall cell is a sidebar.
func (r Row) Lines() []Line {
	var cells []Cell
	height := 0 // in lines
	for _, c := range r.Cells {
		if len(c.Lines) > 0 {
			c.Lines = joinRanges(c.Lines)
			cells = append(cells, c)
			height = max(height, len(c.Lines))
		}
	}

	switch {
	case len(cells) == 0:
		return nil
	case len(cells) == 1:
		return cells[0].Lines
	case height == 1:
		return []Line{joinLine(cells, 0)}
	case arePaired(cells):
		lines := make([]Line, height)
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
func joinRanges(lines []Line) []Line {
	for i := 0; i+1 < len(lines); i++ {
		text := lines[i].Text
		last, _ := utf8.DecodeLastRuneInString(text)
		if strings.ContainsRune("-–—", last) && year.MatchString(text) && isShort(text) {
			lines[i].Text += " " + lines[i+1].Text
			lines[i].Links = append(lines[i].Links, lines[i+1].Links...)
			lines = slices.Delete(lines, i+1, i+2)
		}
	}
	return lines
}

// arePaired reports whether two cells have the same number of lines and one of them starts with a date.
func arePaired(cells []Cell) bool {
	if len(cells) != 2 || len(cells[0].Lines) != len(cells[1].Lines) || len(cells[0].Lines) > maxPairedLines {
		return false
	}
	return year.MatchString(cells[0].Lines[0].Text) != year.MatchString(cells[1].Lines[0].Text)
}

// markSidebar marks the lines of a cell if it is a sidebar beside the other cell.
func markSidebar(c, other Cell) {
	tall := min(len(c.Lines), len(other.Lines)) >= minSidebarLines
	widthsKnown := c.Width != 0 && other.Width != 0
	if !tall || !widthsKnown || float64(c.Width) > maxSidebarShare*float64(c.Width+other.Width) {
		return
	}
	for i := range c.Lines {
		if c.Lines[i].Part == resume.Body {
			c.Lines[i].Part = resume.Sidebar
		}
	}
}

// linesByCell returns the lines of one cell after the other. A cell with a short text joins the first line of the cell
// beside it: the following one if the text is a date, or else the previous one.
func linesByCell(cells []Cell) []Line {
	var lines []Line
	for len(cells) > 0 {
		n := 1 // cells that are read together
		if len(cells) > 1 && cells[0].isShort() && year.MatchString(cells[0].Lines[0].Text) {
			n = 2
		}
		if len(cells[n-1].Lines) > 1 {
			for n < len(cells) && cells[n].isShort() {
				n++
			}
		}
		lines = append(lines, joinLine(cells[:n], 0))
		for _, c := range cells[:n] {
			lines = append(lines, c.Lines[1:]...)
		}
		cells = cells[n:]
	}
	return lines
}

// isShort reports whether a cell has only a short text.
func (c Cell) isShort() bool { return len(c.Lines) == 1 && isShort(c.Lines[0].Text) }

func isShort(text string) bool {
	return !strings.Contains(text, "\t") && utf8.RuneCountInString(text) <= shortText
}

// joinLine joins the i-th line of all cells. It looks like the longest of them.
func joinLine(cells []Cell, i int) Line {
	if len(cells) == 1 {
		return cells[0].Lines[i]
	}

	var texts []string
	var joined Line
	longest := 0
	for n, c := range cells {
		l := c.Lines[i]
		if n == 0 {
			joined.Line = l.Line
		}

		if len(l.Text) > longest {
			longest = len(l.Text)
			joined.Size = l.Size
			joined.Bold = l.Bold
		}

		texts = append(texts, l.Text)
		joined.Links = append(joined.Links, l.Links...)
	}

	joined.Text = strings.Join(texts, "\t")

	// A row with several cells is neither a heading nor an item of a list, whatever its first cell is.
	joined.Heading = 0
	joined.Bullet = false

	return joined
}
