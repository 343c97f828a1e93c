package rtf

import "github.com/freelancer-matching/service/resume/flow"

// layout handles control words for paragraphs and tables.
func (d *document) layout(t token) {
	p := &d.group.paragraph
	switch t.word {
	case "pard":
		*p = paragraph{}
	case "s":
		if d.group.to == styleSheet {
			d.entry = t.value
		} else {
			p.style = t.value
		}

	case "outlinelevel":
		d.outline(t.value + 1)
	case "ls":
		p.bullet = t.value > 0
	case "sb":
		p.before = t.value
	case "cbpat":
		p.shading = t.value
	case "intbl":
		p.inTable = true
	case "itap":
		p.level = min(max(t.value, 0), 32)
		p.inTable = t.value > 0
	case "trowd":
		d.edges = d.edges[:0]
		d.shaded = false
	case "clcbpat", "clshdng":
		d.shaded = d.shaded || t.value > 0
	case "cellx":
		// A damaged file could declare any number of cells.
		if len(d.edges) < 100 {
			d.edges = append(d.edges, t.value)
		}
	}

	// The words above set properties, also in a style sheet. Those below end lines and cells, which only visible text
	// has.
	if d.group.to != visible {
		return
	}

	switch t.word {
	case "par", "sect", "page", "\n", "\r":
		if !d.builder.InParagraph() {
			d.startParagraph()
		}
		d.endParagraph()

	case "line", "softline", "lbr":
		d.builder.Break()
	case "cell":
		d.endCell(1)
	case "row":
		d.closeTables(0)
	case "nestcell":
		d.endCell(max(p.level, 2))
	case "nestrow":
		d.closeTables(max(p.level, 2) - 1)
	}
}

// outline sets the level of a heading, of the paragraph or of the style being defined.
func (d *document) outline(level int) {
	if level < 1 || level > 9 {
		level = 0
	}
	if d.group.to != styleSheet {
		d.group.paragraph.outline = level
		return
	}
	s := d.styles[d.entry]
	s.heading = level
	d.styles[d.entry] = s
}

// startParagraph starts a paragraph in the table that its format names.
func (d *document) startParagraph() {
	p := &d.group.paragraph
	level := 0
	if p.inTable {
		level = max(p.level, 1)
	}
	d.closeTables(level)
	d.openTables(level)
	heading := p.outline
	if heading == 0 {
		heading = d.styles[p.style].heading
	}
	const twips = 20 // in a point
	d.builder.StartParagraph(flow.Paragraph{
		Part: d.part, Heading: heading, Bullet: p.bullet, Gap: float64(p.before) / twips,
	})
}

func (d *document) endParagraph() {
	d.builder.EndParagraph()
	d.group.paragraph.bullet = false
}

// openTables opens tables up to a level, and the next cell of each.
func (d *document) openTables(level int) {
	for i := range level {
		if i == len(d.tables) {
			d.builder.StartRow()
			d.tables = append(d.tables, table{})
		}
		if t := &d.tables[i]; !t.inCell {
			d.builder.StartCell(d.width(t.cell))
			t.inCell = true
		}
	}
}

// width returns the width of a cell, or 0 if it is unknown.
func (d *document) width(cell int) int {
	if cell >= len(d.edges) {
		return 0
	}
	left := 0
	if cell > 0 {
		left = d.edges[cell-1]
	}
	return max(d.edges[cell]-left, 0)
}

// endCell ends a cell of the table at a level.
func (d *document) endCell(level int) {
	d.closeTables(level)
	d.openTables(level)
	d.endParagraph()
	d.builder.EndCell()
	t := &d.tables[level-1]
	t.inCell = false
	t.cell++
}

// closeTables ends the rows of tables deeper than a level.
func (d *document) closeTables(level int) {
	for len(d.tables) > level {
		d.endParagraph()
		if d.tables[len(d.tables)-1].inCell {
			d.builder.EndCell()
		}
		d.builder.EndRow()
		d.tables = d.tables[:len(d.tables)-1]
	}
}
