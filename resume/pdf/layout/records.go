package layout

import (
	"math"
)

// Shapes of records.
const (
	minRecords       = 2    // in a column that is not known from elsewhere in the document
	manyRecords      = 4    // of which not all have a date
	maxContradiction = 0.1  // share of labels that don't start beside the start of a text
	maxHeadingLines  = 4    // of one heading in the margin
	maxHeadingLength = 48   // characters
	maxHeadingShare  = 0.5  // of the lines of a heading in the margin among those of its text
	minHeadingReach  = 0.35 // of the headings in the margin, as a share of the page
	maxLabelLines    = 5
	maxOwnLine       = 60   // characters of a line that isn't a sentence
	sameSize         = 0.08 // maximum difference, as a share
)

// A recordColumn is the narrow column of records at a gutter.
type recordColumn struct {
	x        float64
	from, to float64 // the space between both columns
	atRight  bool
	headings bool // undated labels are headings
	cells    bool // labels and texts are read one after the other
	rows     int  // rows in bands of both columns
	hits     int  // labels beside the start of a text
}

// before reports whether these records should be read before other ones in the same columns: headings enclose dates,
// and otherwise more of them are more certain.
func (c recordColumn) before(other recordColumn) bool {
	switch {
	case c.hits == 0 || other.hits == 0:
		return c.hits > 0
	case c.headings != other.headings:
		return c.headings
	case c.cells != other.cells:
		return other.cells
	case c.hits != other.hits:
		return c.hits > other.hits
	default: // the same column, if it has wide spaces: its labels are complete
		return c.atRight == other.atRight && (c.x > other.x) != c.atRight
	}
}

// recordsAt returns how the columns at a gutter form records, if they do.
func (a arranger) recordsAt(bands []band, x float64) (recordColumn, bool) {
	var left, right []chunk
	for _, b := range bands {
		if b.free {
			l, r := b.sides(x)
			left = append(left, l...)
			right = append(right, r...)
		}
	}

	if len(left) == 0 || len(right) == 0 {
		return recordColumn{}, false
	}

	leftRows := rowsOf(left)
	rightRows := rowsOf(right)
	fromLeft, leftOK := a.recordColumn(leftRows, rightRows, recordColumn{x: x})
	fromRight, rightOK := a.recordColumn(rightRows, leftRows, recordColumn{x: x, atRight: true})
	switch {
	case leftOK && !fromLeft.cells:
		return fromLeft, true
	case rightOK && !fromRight.cells && !fromRight.headings:
		return fromRight, true
	default:
		return fromLeft, leftOK
	}
}

// encloses reports whether the text of records is itself in columns, divided at x: the labels are labels of the column
// further from them, too.
func (a arranger) encloses(rows []row, c recordColumn, x float64) bool {
	outsideText := c.atRight == (x > c.x)
	if c.headings || c.cells {
		return c.headings
	}
	if outsideText {
		return false
	}

	var narrow, near, far []chunk
	for _, b := range a.bandsAt(rows, c.x) {
		if !b.free {
			continue
		}

		labels, texts := b.sides(c.x)
		if c.atRight {
			labels, texts = texts, labels
		}

		narrow = append(narrow, labels...)

		for _, t := range texts {
			beyond := t.Left >= x-nearEdge
			if c.atRight {
				beyond = t.Right <= x+nearEdge
			}

			if beyond {
				far = append(far, t)
			} else {
				near = append(near, t)
			}
		}
	}

	isEmpty := len(narrow) == 0 || len(far) == 0 || len(near) == 0
	if isEmpty || !sideBySide(rowsOf(near), rowsOf(far)) {
		return true // the gutter divides labels and texts, too
	}

	texts := newColumn(rowsOf(far))
	contradictions := 0
	labels := texts.labels(rowsOf(narrow))
	for _, l := range labels {
		if l.alone {
			continue
		}

		withinParagraph := l.beside > 0 && !texts.apart(&texts.rows[l.beside-1], &texts.rows[l.beside])
		if !l.starts || withinParagraph {
			contradictions++
		}
	}

	return 4*contradictions <= len(labels)
}

// sideBySide reports whether many rows of one column are beside a row of another.
func sideBySide(near, far []row) bool {
	lines := func(rows []row) []line {
		var all []line
		for _, r := range rows {
			all = append(all, line{Box: r.Box, baseline: r.baseline, size: r.size})
		}
		return all
	}
	return overlapping(lines(near), lines(far))
}

// recordColumn reports whether one of two columns has labels of records whose text is in the other. c has the place of
// the columns.
func (a arranger) recordColumn(narrow, wide []row, c recordColumn) (recordColumn, bool) {
	texts := newColumn(wide)
	labels := texts.labels(narrow)
	known := a.knownAt(c)
	contradictions := 0
	dated := 0
	undated := 0
	longest := 0
	brief := true
	for _, l := range labels {
		switch {
		case l.alone:
			continue
		case !l.starts:
			contradictions++
			continue
		case l.dated:
			dated++
		default:
			undated++
		}

		c.hits++
		longest = max(longest, len(l.rows))

		for i := range l.rows {
			brief = brief && l.rows[i].length() <= maxHeadingLength
		}
	}

	// On later pages, records count as known at any gutter in the space between both columns.
	c.from, c.to = c.x-nearEdge, c.x+nearEdge
	for _, r := range narrow {
		if c.atRight {
			c.to = max(c.to, r.Left)
		} else {
			c.from = min(c.from, r.Right)
		}
	}

	if c.atRight {
		c.from = min(c.from, texts.right)
	} else {
		c.to = max(c.to, texts.left)
	}

	enough := c.hits >= minRecords || known.hits > 0 && c.hits > 0
	if !enough || float64(contradictions) > maxContradiction*float64(c.hits) {
		return c, false
	}

	switch c.headings = a.areHeadings(labels, texts, known.headings); {
	case c.headings:
	case 10*dated >= 6*c.hits && longest <= maxLabelLines && brief:
	case contradictions == 0 && !c.atRight && 10*dated >= 3*c.hits && c.hits >= manyRecords &&
		longest <= maxLabelLines && brief:
	case contradictions == 0 && longest <= maxLabelLines && texts.beyond(narrow) &&
		(known.cells || c.hits >= minRecords && texts.striped(labels)):
		c.cells = true
	default:
		return c, false
	}

	return c, true
}

// areHeadings reports whether the undated labels are headings in the margin: brief, alike, spread over the page, and
// beside texts of several lines.
func (a arranger) areHeadings(labels []label, texts column, known bool) bool {
	var first, last float64
	n := 0
	lines := 0
	alike := 0
	var top *row
	for i := range labels {
		l := &labels[i]
		if l.dated {
			continue
		}
		// One label that can't be a heading speaks against all of them.
		if l.alone || !l.starts {
			return false
		}

		length := 0
		for _, r := range l.rows {
			length += r.length()
		}

		if len(l.rows) > maxHeadingLines || length > maxHeadingLength {
			return false
		}

		if top == nil {
			top = &l.rows[0]
			first = top.baseline
		}

		last = l.rows[0].baseline
		if math.Abs(l.rows[0].size-top.size) <= sameSize*top.size && l.rows[0].bold() == top.bold() {
			alike++
		}

		n++
		lines += len(l.rows)
	}

	return known && n > 0 || n >= minRecords && 10*alike >= 8*n && first-last >= minHeadingReach*a.height &&
		float64(lines) <= maxHeadingShare*float64(len(texts.rows))
}

// knownAt returns the records that were found at the same gutter elsewhere in the document.
func (a arranger) knownAt(c recordColumn) recordColumn {
	for _, k := range *a.known {
		samePlace := k.from <= c.x && c.x <= k.to
		if samePlace && k.atRight == c.atRight {
			return k
		}
	}
	return recordColumn{}
}
