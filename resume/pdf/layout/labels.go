package layout

import (
	"math"
	"slices"
)

// A label is a block of lines in a narrow column.
type label struct {
	rows   []row
	beside int  // index of the row of text beside its first line, or -1
	starts bool // that row starts a text
	alone  bool // no text is beside any of its lines
	dated  bool
	named  bool // it ends with a colon
}

// A column holds the rows of a column of text.
type column struct {
	rows  []row
	right float64
	left  float64
	pitch float64 // usual distance between baselines, in heights of the font
}

func newColumn(rows []row) column {
	c := column{rows: rows, left: rows[0].Left, right: rows[0].Right, pitch: usualGap}
	var pitches []float64
	for i, r := range rows {
		c.left, c.right = min(c.left, r.Left), max(c.right, r.Right)
		if i > 0 {
			pitches = append(pitches, (rows[i-1].baseline-r.baseline)/r.size)
		}
	}
	const enough, maxPitch = 3, 1.9
	if len(pitches) >= enough {
		c.pitch = min(median(pitches), maxPitch)
	}
	return c
}

// starts reports whether a row starts a paragraph, a list item or a line of its own, rather than continue the row
// above.
func (c column) starts(i int) bool {
	if i == 0 {
		return true
	}

	previous := &c.rows[i-1]
	r := &c.rows[i]
	if r.startsItem() || c.apart(previous, r) {
		return true
	}

	looksDifferent := previous.bold() != r.bold() || math.Abs(previous.size-r.size) > sameSize*r.size
	if looksDifferent {
		return true
	}

	// A line of a paragraph is broken where its next word no longer fits. If the first word of this row would have fit
	// into the row above, that row ended on purpose.
	firstWord := r.chunks[0].words[0]
	room := c.right - previous.Right
	flushRight := math.Abs(previous.Right-r.Right) < nearEdge && math.Abs(previous.Left-r.Left) > nearEdge

	if firstWord.rtl {
		lastChunk := r.chunks[len(r.chunks)-1]
		firstWord = lastChunk.words[len(lastChunk.words)-1]
		room = previous.Left - c.left
	} else if flushRight {
		room = previous.Left - c.left
	}

	const wordSpace, slack = 0.3, 0.5 // heights of the font
	return room > (wordSpace+slack)*r.size+firstWord.Width()
}

// apart reports whether two adjacent rows are further apart than the lines of a paragraph.
func (c column) apart(above, below *row) bool {
	const wider = 1.25
	return above.baseline-below.baseline > wider*c.pitch*max(above.size, below.size)
}

// labels groups the rows of a narrow column into labels of the rows of this column.
func (c column) labels(narrow []row) []label {
	var all []label
	for i := range narrow {
		r := &narrow[i]
		dated := r.isDate()

		if n := len(all); n > 0 && c.continuesLabel(&all[n-1], r, dated) {
			all[n-1].rows = append(all[n-1].rows, *r)
			all[n-1].dated = all[n-1].dated || dated
			all[n-1].named = r.endsWithColon()
			continue
		}

		all = append(all, label{rows: narrow[i : i+1 : i+1], dated: dated, named: r.endsWithColon()})
	}

	for i := range all {
		c.anchor(&all[i])
	}

	return all
}

// continuesLabel reports whether the next row of a narrow column belongs to the label above it. dated is whether the
// row has a date.
func (c column) continuesLabel(l *label, next *row, dated bool) bool {
	above := &l.rows[len(l.rows)-1]
	if l.named || c.apart(above, next) {
		return false
	}

	// The end of a range ("– 2021") belongs to the date above it. Another date belongs to the next record.
	bothDated := dated && l.dated
	if bothDated && !continuesDate(above.text(), next.text()) {
		return false
	}

	// Rows that have no text beside them form a heading above the labels.
	belowHeading := c.beside(&l.rows[0]) < 0 && c.beside(next) >= 0
	if belowHeading {
		return false
	}

	// A first date may follow one line, such as an employer, that looks the same. A heading looks different.
	firstDate := dated && !l.dated
	looksSame := above.size == next.size && above.bold() == next.bold()
	if firstDate {
		return len(l.rows) == 1 && looksSame && !isCapitals(above.text())
	}

	return true
}

// anchor finds the row beside the first line of a label, and whether there is text beside any of its lines.
func (c column) anchor(l *label) {
	first := &l.rows[0]
	last := &l.rows[len(l.rows)-1]
	l.beside = c.beside(first)
	l.starts = l.beside >= 0 && (l.named || c.starts(l.beside))
	l.alone = true

	// Rows go down the page, and baselines grow upward.
	const overlap = 0.6 // heights of the font
	bottom := last.baseline - 2*last.size
	for i := c.firstBelow(first); i < len(c.rows) && c.rows[i].baseline > bottom; i++ {
		text := &c.rows[i]
		above := text.baseline > first.baseline+overlap*max(text.size, first.size)
		below := text.baseline < last.baseline-overlap*max(text.size, last.size)
		if !above && !below {
			l.alone = false
			return
		}
	}
}

// beside returns the index of the row beside another one, or -1 if none.
func (c column) beside(label *row) int {
	const tight = 0.35 // of the larger font
	found := -1
	nearest := math.Inf(1)
	bottom := label.baseline - 2*label.size

	for i := c.firstBelow(label); i < len(c.rows) && c.rows[i].baseline > bottom; i++ {
		r := &c.rows[i]
		distance := math.Abs(r.baseline - label.baseline)

		// Rows of different sizes may be aligned at their tops instead of their baselines.
		tolerance := tight*max(r.size, label.size) + math.Abs(r.size-label.size)
		if distance <= tolerance && distance < nearest {
			found = i
			nearest = distance
		}
	}

	return found
}

// firstBelow returns the index of the first row that is not far above another one.
func (c column) firstBelow(label *row) int {
	i, _ := slices.BinarySearchFunc(c.rows, label.baseline+2*label.size, func(r row, y float64) int {
		if r.baseline > y {
			return -1
		}
		return 1
	})
	return i
}

// beyond reports whether there is a wide space between all rows of a narrow column and this column.
func (c column) beyond(narrow []row) bool {
	const space = 0.8 // heights of the font
	return !slices.ContainsFunc(narrow, func(r row) bool { return c.left-r.Right < space*r.size })
}

// striped reports whether each label but the first, and the text beside it, are further below what precedes them than
// the lines of a paragraph, and whether most further lines of labels don't belong to a line of text. The rows of a
// table whose cells have several lines look like this.
func (c column) striped(labels []label) bool {
	unpaired := 0
	further := 0
	for i, l := range labels {
		if l.alone {
			continue
		}

		textFollowsClosely := l.beside > 0 && !c.apart(&c.rows[l.beside-1], &c.rows[l.beside])
		if textFollowsClosely {
			return false
		}

		if i > 0 {
			above := labels[i-1].rows
			if !c.apart(&above[len(above)-1], &l.rows[0]) {
				return false
			}
		}

		// The second line of a label is beside the second row of its text, and so on.
		for j := 1; j < len(l.rows); j++ {
			further++
			beside := l.beside + j
			paired := beside < len(c.rows) && c.starts(beside) && !c.rows[beside].startsItem()
			if !paired {
				unpaired++
			}
		}
	}

	return further > 0 && 2*unpaired >= further
}

// pair returns the index of the row that a further line of a label belongs to: the row beside it, or else the first
// row. Below a date, the row beside it must be a line of its own.
func (c column) pair(l *row, dated bool) int {
	for i := range c.rows {
		r := &c.rows[i]
		beside := math.Abs(r.baseline-l.baseline) <= sameLine*max(r.size, l.size)
		if !beside {
			continue
		}
		if !dated || c.ownLine(i) {
			return i
		}
	}
	return 0
}

// ownLine reports whether a row is a line of its own: neither a part of a paragraph nor a list item nor a sentence.
func (c column) ownLine(i int) bool {
	r := &c.rows[i]
	startsAndEnds := c.starts(i) && (i+1 == len(c.rows) || c.starts(i+1))
	return startsAndEnds && !r.startsItem() && r.length() <= maxOwnLine
}
