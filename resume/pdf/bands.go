package pdf

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// band is rows that follow each other, either none or all of them free at a gutter.
type band struct {
	rows        []row
	free        bool
	left, right []line // the rows of each column
}

// line is where a row stands in a column.
type line struct {
	box
	baseline float64
	size     float64
	dated    bool // it has digits
	length   int  // in characters
}

func (b band) columns() bool {
	return b.free && len(b.left) > 1 && len(b.right) > 1 && max(len(b.left), len(b.right)) >= columnRows
}

// sides are the chunks on each side of a gutter.
func (b band) sides(x float64) (left, right []chunk) {
	for _, r := range b.rows {
		for _, c := range r.chunks {
			l, rest, _ := cut(c, x)
			if l != nil {
				left = append(left, *l)
			}
			if rest != nil {
				right = append(right, *rest)
			}
		}
	}
	return left, right
}

// loose tells whether a column may begin with the i-th word: the space before it is wide, and not that after a mark.
func (c chunk) loose(i int) bool {
	before := c.words[i-1]
	return c.words[i].left-before.right >= looseGap*c.size && (i > 1 || !before.icon && !before.bullet && !isMark(before.text))
}

// cut splits a chunk at a gutter, where it has a wide space there. It is crossed where there is none.
func cut(c chunk, x float64) (left, right *chunk, crossed bool) {
	switch {
	case c.right <= x+nearEdge/2:
		return &c, nil, false
	case c.left >= x-nearEdge:
		return nil, &c, false
	}
	for i := 1; i < len(c.words); i++ {
		if c.words[i].left >= x-nearEdge {
			if c.words[i].left > x+nearEdge || !c.loose(i) {
				break
			}
			l, r := newChunk(c.words[:i]), newChunk(c.words[i:])
			return &l, &r, false
		}
	}
	return &c, nil, true
}

// bandsAt splits rows where they cross a gutter, and where they no longer do.
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
		// A large line above both columns, as a name, is not of the one below it.
		if b.free && r.size > headingSize*usual && len(r.chunks) == 1 && (len(b.left) == 0 || len(b.right) == 0) {
			bands = append(bands[:n-1], band{rows: append(slices.Clip(b.rows), r)}, band{free: true})
			continue
		}
		b.rows = append(b.rows, r)
		b.left, b.right = append(b.left, left...), append(b.right, right...)
	}
	return a.merged(bands, x)
}

// section splits a band with columns above each heading that seems to be one of both: a short line on its own in the
// left column, away from the line above it, beside which the right column is empty for several lines. What is left of
// one at the end of the band heads what follows it.
func (b band) section(x float64) []band {
	const length, away, empty = 32, 0.5, 2.6
	rest := band{free: true}
	var sections []band
	above, right := 0.0, 0.0 // the bottom of the row above, and the baseline of the last one in the right column
	for i, r := range b.rows {
		left, other, _ := linesAt(r, x)
		alone := len(left) == 1 && len(other) == 0 && left[0].length <= length && len(rest.right) > 0 &&
			above-r.top >= away*r.size
		if alone {
			next, found := nextRight(b.rows[i+1:], x)
			if found && right-next >= empty*r.size*usualGap || !found && i == len(b.rows)-1 {
				sections = append(sections, rest)
				rest = band{free: found}
			}
		}
		rest.rows = append(rest.rows, r)
		rest.left, rest.right = append(rest.left, left...), append(rest.right, other...)
		above = r.bottom
		if len(other) > 0 {
			right = other[0].baseline
		}
	}
	return append(sections, rest)
}

// nextRight is the baseline of the first of the rows that is in the right column.
func nextRight(rows []row, x float64) (baseline float64, found bool) {
	for _, r := range rows {
		if _, right, _ := linesAt(r, x); len(right) > 0 {
			return right[0].baseline, true
		}
	}
	return 0, false
}

// merged splits bands into sections, and joins those without columns that follow each other.
func (a arranger) merged(bands []band, x float64) []band {
	var joined []band
	for _, whole := range bands {
		sections := []band{whole}
		if whole.columns() {
			if left, right := a.sidebar(whole.sides(x)); !left && !right {
				sections = whole.section(x)
			}
		}
		for _, b := range sections {
			n := len(joined)
			switch {
			case len(b.rows) == 0:
			case n > 0 && !b.columns() && !joined[n-1].columns():
				joined[n-1] = band{rows: append(slices.Clip(joined[n-1].rows), b.rows...)}
			default:
				joined = append(joined, b)
			}
		}
	}
	return joined
}

// linesAt is what a row has on each side of a gutter.
func linesAt(r row, x float64) (left, right []line, crossed bool) {
	var sides [2]*line
	for _, c := range r.chunks {
		l, rest, crosses := cut(c, x)
		if crosses {
			return nil, nil, true
		}
		for i, part := range [2]*chunk{l, rest} {
			if part != nil {
				sides[i] = sides[i].with(*part)
			}
		}
	}
	if sides[0] != nil {
		left = append(left, *sides[0])
	}
	if sides[1] != nil {
		right = append(right, *sides[1])
	}
	return left, right, false
}

func (l *line) with(c chunk) *line {
	if l == nil {
		l = &line{box: c.box, baseline: c.baseline, size: c.size}
	}
	l.box = l.union(c.box)
	for _, w := range c.words {
		l.dated = l.dated || strings.IndexFunc(w.text, unicode.IsDigit) >= 0
		l.length += utf8.RuneCountInString(w.text) + 1
	}
	return l
}
