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

	const space, slack = 0.3, 0.5
	first := r.chunks[0].words[0]
	free := c.right - previous.Right

	if first.rtl {
		last := r.chunks[len(r.chunks)-1]
		first = last.words[len(last.words)-1]
		free = previous.Left - c.left
	} else if math.Abs(previous.Right-r.Right) < nearEdge && math.Abs(previous.Left-r.Left) > nearEdge { // flush right
		free = previous.Left - c.left
	}

	return free > (space+slack)*r.size+first.Width()
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

		if n := len(all); n > 0 {
			l := &all[n-1]
			above := &l.rows[len(l.rows)-1]
			anotherDate := dated && l.dated && !continuesDate(above.text(), r.text())
			belowHeading := c.beside(&l.rows[0]) < 0 && c.beside(r) >= 0 // the rows so far are a heading above labels
			startsLabel := c.apart(above, r) || anotherDate || belowHeading

			// A date may follow a line that looks the same, but not a heading.
			afterLine := len(l.rows) == 1 && above.size == r.size && above.bold() == r.bold() && !isCapitals(above.text())
			mayContinue := l.dated || !dated || afterLine
			if mayContinue && !startsLabel {
				l.rows = append(l.rows, *r)
				l.dated = l.dated || dated
				continue
			}
		}

		all = append(all, label{rows: narrow[i : i+1 : i+1], dated: dated})
	}

	for i := range all {
		c.anchor(&all[i])
	}

	return all
}

// anchor finds the row beside the first line of a label.
func (c column) anchor(l *label) {
	const overlap = 0.6
	first := &l.rows[0]
	last := &l.rows[len(l.rows)-1]
	l.beside = c.beside(first)
	l.starts = l.beside >= 0 && c.starts(l.beside)
	l.alone = true
	for i := c.firstBelow(first); i < len(c.rows) && c.rows[i].baseline > last.baseline-2*last.size && l.alone; i++ {
		r := &c.rows[i]
		l.alone = r.baseline > first.baseline+overlap*max(r.size, first.size) ||
			r.baseline < last.baseline-overlap*max(r.size, last.size)
	}
}

// beside returns the index of the row beside another one, or -1 if none.
func (c column) beside(label *row) int {
	const tight = 0.35
	found := -1
	nearest := math.Inf(1)
	for i := c.firstBelow(label); i < len(c.rows) && c.rows[i].baseline > label.baseline-2*label.size; i++ {
		r := &c.rows[i]
		distance := math.Abs(r.baseline - label.baseline)
		if distance <= tight*max(r.size, label.size)+math.Abs(r.size-label.size) && distance < nearest {
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
// the lines of a paragraph, and whether most further lines of labels
// don't belong to a line of text.
func (c column) striped(labels []label) bool {
	unpaired, further := 0, 0
	for i, l := range labels {
		if l.alone {
			continue
		}
		if l.beside > 0 && !c.apart(&c.rows[l.beside-1], &c.rows[l.beside]) {
			return false
		}

		if i > 0 {
			above := labels[i-1].rows
			if !c.apart(&above[len(above)-1], &l.rows[0]) {
				return false
			}
		}

		for j := range l.rows[1:] {
			k := l.beside + j + 1
			paired := k < len(c.rows) && c.starts(k) && !c.rows[k].startsItem()
			if !paired {
				unpaired++
			}
			further++
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

		ends := i+1 == len(c.rows) || c.starts(i+1)
		ownLine := c.starts(i) && ends && !r.startsItem() && r.length() <= maxOwnLine
		if ownLine || !dated {
			return i
		}
	}
	return 0
}
