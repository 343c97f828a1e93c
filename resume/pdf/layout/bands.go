package layout

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A band is a sequence of rows that either all cross a gutter or all leave it free.
type band struct {
	rows        []row
	free        bool
	left, right []line // the lines of each column, if the gutter is free
}

// A line is the part of a row in one column.
type line struct {
	Box
	baseline float64
	size     float64
	dated    bool // it has digits
	last     *chunk
	length   int // in characters
}

// isDate reports whether the end of a line is a date.
func (l line) isDate() bool { return l.dated && (&row{chunks: []chunk{*l.last}}).isDate() }

// isDistinct reports whether the end of a line is bold or in capitals.
func (l line) isDistinct() bool {
	r := row{chunks: []chunk{*l.last}}
	return r.bold() || isCapitals(r.text())
}

// hasColumns reports whether the gutter divides the band into columns.
func (b band) hasColumns() bool {
	return b.free && len(b.left) > 1 && len(b.right) > 1 && max(len(b.left), len(b.right)) >= minColumnRows
}

// sides returns the chunks on each side of a gutter.
func (b band) sides(x float64) (left, right []chunk) {
	for _, r := range b.rows {
		for _, c := range r.chunks {
			leftPart, rightPart, _ := cut(c, x)
			if leftPart != nil {
				left = append(left, *leftPart)
			}
			if rightPart != nil {
				right = append(right, *rightPart)
			}
		}
	}
	return left, right
}

// mayStartColumn reports whether a column may start with the i-th word: a wide space precedes it, other than the space
// after a bullet or beside a dash.
func (c chunk) mayStartColumn(i int) bool {
	previous := c.words[i-1]
	afterBullet := i == 1 && (previous.icon || previous.bullet || isBullet(previous.text))
	besideDash := isDashAlone(previous.text) || isDashAlone(c.words[i].text)
	return !afterBullet && !besideDash && c.words[i].Left-previous.Right >= looseGap*c.size
}

// cut splits a chunk at a gutter if it has a wide space there. crossed is whether the chunk crosses the gutter.
func cut(c chunk, x float64) (left, right *chunk, crossed bool) {
	switch {
	case c.Right <= x+nearEdge/2:
		return &c, nil, false
	case c.Left >= x-nearEdge:
		return nil, &c, false
	}
	for i := 1; i < len(c.words); i++ {
		if c.words[i].Left >= x-nearEdge {
			if c.words[i].Left > x+nearEdge || !c.mayStartColumn(i) {
				break
			}
			l := newChunk(c.words[:i])
			r := newChunk(c.words[i:])
			return &l, &r, false
		}
	}
	return &c, nil, true
}

// bandsAt splits rows into bands at a gutter.
func (a arranger) bandsAt(rows []row, x float64) []band {
	usual := usualSize(rows)
	var bands []band
	for _, r := range rows {
		left, right, crossed := linesAt(r, x)
		n := len(bands)
		if n == 0 || bands[n-1].free == crossed {
			bands = append(bands, band{free: !crossed})
			n++
		}

		b := &bands[n-1]
		// A large line above both columns, like a name, doesn't belong to the column below it.
		oneColumnEmpty := b.free && (len(b.left) == 0 || len(b.right) == 0)
		isTitle := r.size > headingSize*usual && len(r.chunks) == 1
		if oneColumnEmpty && isTitle {
			bands = append(bands[:n-1], band{rows: append(slices.Clip(b.rows), r)}, band{free: true})
			continue
		}

		b.add(r, left, right)
	}

	return a.merge(bands, x)
}

// add adds a row with its lines in each column.
func (b *band) add(r row, left, right []line) {
	b.rows = append(b.rows, r)
	b.left, b.right = append(b.left, left...), append(b.right, right...)
}

// sections splits a band with columns above each heading of both columns: a short line alone in the left column, away
// from the line above it, beside which the right column is empty for several lines. A heading at the end of the band
// becomes a band of its own.
func (b band) sections(x float64) []band {
	const (
		maxLength   = 32  // of the heading, in characters
		spaceAbove  = 0.5 // in heights of its font
		emptyBeside = 1.9 // lines
	)

	usual := usualSize(b.rows)
	largest := 0.0
	for _, r := range b.rows {
		largest = max(largest, r.size)
	}

	section := band{free: true}
	var sections []band
	bottomAbove := 0.0   // of the previous row
	rightBaseline := 0.0 // of the last line in the right column
	for i, r := range b.rows {
		left, right, _ := linesAt(r, x)

		alone := len(left) == 1 && len(right) == 0 && len(r.chunks) == 1
		spaced := bottomAbove-r.Top >= spaceAbove*r.size
		besideText := len(section.right) > 0 // so far, the section has both columns
		mayBeHeading := alone && spaced && besideText && left[0].length <= maxLength && !left[0].isDate()

		if mayBeHeading {
			nextBaseline, found := nextInRightColumn(b.rows[i+1:], x)

			// A heading of both columns interrupts the right one. A heading of the left column doesn't.
			interrupted := found && rightBaseline-nextBaseline >= emptyBeside*r.size*usualGap
			interruptsBoth := interrupted && b.bothStart(i+1, x)
			atEnd := !found && i == len(b.rows)-1
			if interruptsBoth || atEnd {
				sections = append(sections, section)
				section = band{free: found}
			}
		}

		// Headings side by side start a section in both columns, so the text above them is read before either.
		if headingsBeside(left, right, usual, largest) && len(section.rows) > 0 {
			sections = append(sections, section)
			section = band{free: true}
		}

		section.add(r, left, right)
		bottomAbove = r.Bottom
		if len(right) > 0 {
			rightBaseline = right[0].baseline
		}
	}

	return append(sections, section)
}

// headingsBeside reports whether the lines of both columns in a row are headings: no text is larger, and most text is
// smaller or looks different.
func headingsBeside(left, right []line, usual, largest float64) bool {
	const larger, muchLarger = 1.03, 1.12
	if len(left) == 0 || len(right) == 0 {
		return false
	}
	size := min(left[0].size, right[0].size)
	if size <= (1-sameSize)*largest {
		return false
	}
	return size > muchLarger*usual || size > larger*usual && left[0].isDistinct() && right[0].isDistinct()
}

// bothStart reports whether both columns have text in the i-th row.
func (b band) bothStart(i int, x float64) bool {
	if i == len(b.rows) {
		return false
	}
	left, right, _ := linesAt(b.rows[i], x)
	return len(left) > 0 && len(right) > 0
}

// nextInRightColumn returns the baseline of the first row that has text in the right column.
func nextInRightColumn(rows []row, x float64) (baseline float64, found bool) {
	for _, r := range rows {
		if _, right, _ := linesAt(r, x); len(right) > 0 {
			return right[0].baseline, true
		}
	}
	return 0, false
}

// merge splits bands into sections and joins adjacent bands without columns.
func (a arranger) merge(bands []band, x float64) []band {
	var merged []band
	for _, b := range bands {
		sections := []band{b}
		if b.hasColumns() {
			if left, right := a.sidebar(b.sides(x)); !left && !right {
				sections = b.sections(x)
			}
		}

		for _, section := range sections {
			n := len(merged)
			switch {
			case len(section.rows) == 0:
			case n > 0 && !section.hasColumns() && !merged[n-1].hasColumns():
				merged[n-1] = band{rows: append(slices.Clip(merged[n-1].rows), section.rows...)}
			default:
				merged = append(merged, section)
			}
		}
	}

	return merged
}

// linesAt returns the line of a row on each side of a gutter: each at most one, and none if the row crosses the gutter.
func linesAt(r row, x float64) (left, right []line, crossed bool) {
	for _, c := range r.chunks {
		leftPart, rightPart, crosses := cut(c, x)
		if crosses {
			return nil, nil, true
		}
		left = extend(left, leftPart)
		right = extend(right, rightPart)
	}
	return left, right, false
}

// extend adds a chunk, unless it is nil, to the only line of lines.
func extend(lines []line, c *chunk) []line {
	if c == nil {
		return lines
	}
	if len(lines) == 0 {
		lines = []line{{Box: c.Box, baseline: c.baseline, size: c.size}}
	}
	l := &lines[0]
	l.Box = l.Union(c.Box)
	for _, w := range c.words {
		l.dated = l.dated || strings.ContainsFunc(w.text, unicode.IsDigit)
		l.length += utf8.RuneCountInString(w.text) + 1
	}
	l.last = c
	return lines
}
