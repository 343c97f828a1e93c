package layout

import "github.com/freelancer-matching/service/resume"

// A pageColumns is where the lines of a page with a sidebar are.
type pageColumns struct{ side, body Box }

// columnsOf returns the columns of a page, if it has a sidebar with the body beside it.
func columnsOf(lines []placed) (c pageColumns, ok bool) {
	var side, body []Box
	for _, l := range lines {
		if l.Part == resume.Sidebar {
			side = append(side, l.Box)
		}
		if l.Part == resume.Body {
			body = append(body, l.Box)
		}
	}
	if len(side) == 0 || len(body) == 0 {
		return c, false
	}

	c = pageColumns{side: union(side), body: union(body)}
	return c, c.sideIsLeft() || c.body.Right < c.side.Left
}

func (c pageColumns) sideIsLeft() bool { return c.side.Right < c.body.Left }

// inSide and inBody report whether a line is in one of the columns. Its lines may be longer than on the other page.

func (c pageColumns) inSide(l Box) bool {
	return l.Left >= c.side.Left-nearEdge && (!c.sideIsLeft() || l.Right < c.body.Left)
}

func (c pageColumns) inBody(l Box) bool {
	if c.sideIsLeft() {
		return l.Left >= c.body.Left-nearEdge
	}
	return l.Right < c.side.Left
}

// continueSidebars marks the lines of a page without a sidebar that are where an earlier page, or else the next one,
// has its sidebar. A column that is short on its own page shows only there that it is one: without it, the text beside
// it would continue the sidebar instead of the body of the page before.
func continueSidebars(pages [][]placed) {
	var known pageColumns
	found := false
	for i, lines := range pages {
		c, ok := columnsOf(lines)
		switch {
		case ok && !found && i > 0:
			c.mark(pages[i-1])
			fallthrough
		case ok:
			known, found = c, true
		case found:
			known.mark(lines)
		}
	}
}

// mark marks the lines of a page that are in the sidebar, unless a line is in neither column, or all are in one.
func (c pageColumns) mark(lines []placed) {
	var side []int
	hasBody := false
	for i, l := range lines {
		switch {
		case l.Part != resume.Body:
		case c.inBody(l.Box):
			hasBody = true
		case c.inSide(l.Box):
			side = append(side, i)
		default:
			return
		}
	}

	if !hasBody {
		return
	}
	for _, i := range side {
		lines[i].Part = resume.Sidebar
	}
}

// union returns the box around boxes.
func union(boxes []Box) Box {
	b := boxes[0]
	for _, other := range boxes[1:] {
		b = b.Union(other)
	}
	return b
}
