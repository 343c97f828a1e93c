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

// sides returns the chunks of a band that are in the column of labels, and those in the column of texts.
func (c recordColumn) sides(b band) (labels, texts []chunk) {
	left, right := b.sides(c.x)
	if c.atRight {
		return right, left
	}
	return left, right
}

// recordsAt returns how the columns at a gutter form records, if they do.
func (a arranger) recordsAt(bands []band, x float64) (recordColumn, bool) {
	var left, right []chunk
	for _, b := range bands {
		if b.free {
			leftPart, rightPart := b.sides(x)
			left = append(left, leftPart...)
			right = append(right, rightPart...)
		}
	}

	if len(left) == 0 || len(right) == 0 {
		return recordColumn{}, false
	}

	leftRows := rowsOf(left)
	rightRows := rowsOf(right)
	fromLeft, leftOK := a.recordColumn(leftRows, rightRows, recordColumn{x: x})
	fromRight, rightOK := a.recordColumn(rightRows, leftRows, recordColumn{x: x, atRight: true})

	// Labels usually precede their text, so those at the right count only if the left column has none that are certain.
	datesAtRight := rightOK && !fromRight.cells && !fromRight.headings
	switch {
	case leftOK && !fromLeft.cells:
		return fromLeft, true
	case datesAtRight:
		return fromRight, true
	default:
		return fromLeft, leftOK
	}
}

// encloses reports whether the text of records is itself in columns, divided at x: the labels are labels of the column
// further from them, too.
func (a arranger) encloses(rows []row, c recordColumn, x float64) bool {
	switch {
	case c.headings:
		return true
	case c.cells:
		return false
	}

	dividesText := x > c.x
	if c.atRight {
		dividesText = x <= c.x
	}
	if !dividesText {
		return false
	}

	labelRows, near, far := a.dividedTexts(rows, c, x)
	isEmpty := len(labelRows) == 0 || len(far) == 0 || len(near) == 0
	if isEmpty || !sideBySide(near, far) {
		return true // the gutter divides labels and texts, too
	}

	texts := newColumn(far)
	contradictions := 0
	labels := texts.labels(labelRows)
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

// dividedTexts returns the rows of the labels of records, and those of their texts on either side of a gutter at x: the
// side near the labels and the far side.
func (a arranger) dividedTexts(rows []row, c recordColumn, x float64) (labels, near, far []row) {
	var labelChunks, nearChunks, farChunks []chunk
	for _, b := range a.bandsAt(rows, c.x) {
		if !b.free {
			continue
		}

		ofLabels, ofTexts := c.sides(b)
		labelChunks = append(labelChunks, ofLabels...)

		for _, text := range ofTexts {
			beyondGutter := text.Left >= x-nearEdge
			if c.atRight {
				beyondGutter = text.Right <= x+nearEdge
			}

			if beyondGutter {
				farChunks = append(farChunks, text)
			} else {
				nearChunks = append(nearChunks, text)
			}
		}
	}

	return rowsOf(labelChunks), rowsOf(nearChunks), rowsOf(farChunks)
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
	count := countLabels(labels)
	known := a.knownAt(c)
	c.hits = count.hits
	c.from, c.to = c.space(narrow, texts)

	enough := c.hits >= minRecords || known.hits > 0 && c.hits > 0
	if !enough || float64(count.contradictions) > maxContradiction*float64(c.hits) {
		return c, false
	}

	c.headings = a.areHeadings(labels, texts, known.headings)
	if c.headings || count.areLabels(c.atRight) {
		return c, true
	}

	// Without headings and dates, only the shape of the columns is left: the rows of a table with wide spaces.
	plausible := count.contradictions == 0 && count.longest <= maxLabelLines && texts.beyond(narrow)
	if !plausible {
		return c, false
	}

	c.cells = known.cells || c.hits >= minRecords && texts.striped(labels)
	return c, c.cells
}

// A labelCount describes the labels of a column that have text beside them.
type labelCount struct {
	hits           int  // labels beside the start of a text
	contradictions int  // labels beside the middle of a text
	dated          int  // hits with a date
	named          int  // undated hits that end with a colon
	longest        int  // lines of the longest hit
	brief          bool // all lines of hits are as short as a heading
}

func countLabels(labels []label) labelCount {
	count := labelCount{brief: true}
	for _, l := range labels {
		if l.alone {
			continue
		}

		if !l.starts {
			count.contradictions++
			continue
		}

		count.hits++
		switch {
		case l.dated:
			count.dated++
		case l.named:
			count.named++
		}

		count.longest = max(count.longest, len(l.rows))
		for i := range l.rows {
			count.brief = count.brief && l.rows[i].length() <= maxHeadingLength
		}
	}
	return count
}

// areLabels reports whether labels are the dates of records or the names of fields. Fewer of them need a date where
// labels usually are, at the left, if there are many and none contradicts.
func (n labelCount) areLabels(atRight bool) bool {
	const most, some = 60, 30 // percent
	if n.longest > maxLabelLines || !n.brief {
		return false
	}

	named := n.named
	if atRight {
		named = 0
	}

	if 100*(n.dated+named) >= most*n.hits {
		return true
	}

	consistent := n.contradictions == 0 && n.hits >= manyRecords
	return consistent && !atRight && 100*n.dated >= some*n.hits
}

// space returns the left and the right end of the space between labels and texts. On later pages, records count as
// known at any gutter in it.
func (c recordColumn) space(narrow []row, texts column) (from, to float64) {
	from = c.x - nearEdge
	to = c.x + nearEdge
	for _, r := range narrow {
		if c.atRight {
			to = max(to, r.Left)
		} else {
			from = min(from, r.Right)
		}
	}

	if c.atRight {
		return min(from, texts.right), to
	}
	return from, max(to, texts.left)
}

// areHeadings reports whether the undated labels are headings in the margin: brief, alike, spread over the page, and
// beside texts of several lines. known is whether such headings were found elsewhere in the document; then any number
// of them is enough.
func (a arranger) areHeadings(labels []label, texts column, known bool) bool {
	var headings []row // the first row of each
	lines := 0
	for i := range labels {
		l := &labels[i]
		if l.dated {
			continue
		}

		// One label that can't be a heading speaks against all of them.
		if !l.mayBeHeading() {
			return false
		}

		headings = append(headings, l.rows[0])
		lines += len(l.rows)
	}

	if known {
		return len(headings) > 0
	}
	if len(headings) < minRecords {
		return false
	}

	top := headings[0]
	bottom := headings[len(headings)-1]
	alike := 0
	for _, h := range headings {
		if math.Abs(h.size-top.size) <= sameSize*top.size && h.bold() == top.bold() {
			alike++
		}
	}

	const mostAlike = 80 // percent
	spread := top.baseline-bottom.baseline >= minHeadingReach*a.page.Height()
	fewLines := float64(lines) <= maxHeadingShare*float64(len(texts.rows))
	return spread && fewLines && 100*alike >= mostAlike*len(headings)
}

// mayBeHeading reports whether a label is as short as a heading, and beside the start of a text.
func (l *label) mayBeHeading() bool {
	if l.alone || !l.starts {
		return false
	}

	length := 0
	for _, r := range l.rows {
		length += r.length()
	}
	return len(l.rows) <= maxHeadingLines && length <= maxHeadingLength
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
