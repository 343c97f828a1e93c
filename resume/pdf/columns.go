package pdf

import (
	"cmp"
	"math"
	"slices"
)

// row is the chunks of a region that stand on one line, from left to right.
type row struct {
	box
	chunks   []chunk
	baseline float64
	size     float64
}

// region is a part of a page that is read from top to bottom.
type region struct {
	rows []row
	side bool // beside the main text
}

// Shapes of columns.
const (
	sameLine    = 0.3  // how far apart baselines of one line may be, in heights of the font
	nearEdge    = 2    // how far apart the edges of one column may be, in points
	columnRows  = 3    // rows that a column has at least
	sideWidth   = 0.42 // of both columns, that a sidebar is wide at most
	sideHeight  = 0.3  // of the page, that a sidebar is high at least
	candidates  = 48   // gutters that are tried in one region
	deepest     = 6    // columns within columns
	headingSize = 1.4  // of the usual size, from which text above columns belongs to neither
)

// rowsOf groups chunks by their lines, from top to bottom.
func rowsOf(chunks []chunk) []row {
	sorted := slices.Clone(chunks)
	slices.SortStableFunc(sorted, func(a, b chunk) int { return cmp.Compare(b.baseline, a.baseline) })
	var rows []row
	for _, c := range sorted {
		if i := rowFor(rows, c); i >= 0 {
			rows[i].add(c)
			continue
		}
		rows = append(rows, row{box: c.box, chunks: []chunk{c}, baseline: c.baseline, size: c.size})
	}
	for _, r := range rows {
		slices.SortStableFunc(r.chunks, func(a, b chunk) int { return cmp.Compare(a.left, b.left) })
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(b.baseline, a.baseline) })
	return rows
}

// rowFor is the row that a chunk belongs to, -1 for none of them. Small text may be raised by half a line beside the other.
func rowFor(rows []row, c chunk) int {
	const recent, small, raised, touching = 4, 0.85, 0.55, 0.5
	for i := len(rows) - 1; i >= max(0, len(rows)-recent); i-- {
		r := rows[i]
		distance := r.baseline - c.baseline
		if distance <= sameLine*max(r.size, c.size) {
			return i
		}
		if distance > raised*c.size || r.size > small*c.size {
			continue
		}
		for _, other := range r.chunks {
			if max(other.left-c.right, c.left-other.right) < touching*c.size {
				return i
			}
		}
	}
	return -1
}

// add puts a chunk into a row. Its baseline is that of its largest text.
func (r *row) add(c chunk) {
	r.chunks = append(r.chunks, c)
	r.box = r.union(c.box)
	if c.size > r.size {
		r.size, r.baseline = c.size, c.baseline
	}
}

func chunksIn(rows []row) []chunk {
	var chunks []chunk
	for _, r := range rows {
		chunks = append(chunks, r.chunks...)
	}
	return chunks
}

// arranger finds the columns of one page.
type arranger struct {
	height float64 // of the page
	rtl    bool    // columns are read from right to left
}

// arrange splits a region into those that are read one after the other.
func (a arranger) arrange(chunks []chunk, side bool, depth int) []region {
	rows := rowsOf(chunks)
	whole := []region{{rows, side}}
	if depth >= deepest || len(rows) < columnRows {
		return whole
	}
	x, found := a.gutter(rows)
	if !found {
		return whole
	}
	var regions []region
	for _, b := range a.bandsAt(rows, x) {
		if !b.columns() {
			regions = append(regions, a.arrangeRest(b.rows, len(rows), side, depth)...)
			continue
		}
		left, right := b.sides(x)
		leftSide, rightSide := a.sidebar(left, right)
		first := a.arrange(left, side || leftSide, depth+1)
		second := a.arrange(right, side || rightSide, depth+1)
		if a.rtl {
			first, second = second, first
		}
		regions = append(append(regions, first...), second...)
	}
	return regions
}

// arrangeRest arranges what lies between columns.
func (a arranger) arrangeRest(rows []row, of int, side bool, depth int) []region {
	if len(rows) == of {
		return []region{{rows, side}}
	}
	return a.arrange(chunksIn(rows), side, depth+1)
}

// sidebar tells whether one of two columns is beside the main text: narrow, high, and with less text.
func (a arranger) sidebar(left, right []chunk) (isLeft, isRight bool) {
	l, r := extent(left), extent(right)
	total := l.union(r).width()
	if min(l.height(), r.height()) < sideHeight*a.height && l.union(r).height() < 2*sideHeight*a.height {
		return false, false
	}
	columnLeft, columnRight := r.left-l.left, r.right-max(l.right, r.left-total*0.1)
	switch {
	case columnLeft < sideWidth*total && ink(left) < ink(right):
		return true, false
	case columnRight < sideWidth*total && ink(right) < ink(left):
		return false, true
	}
	return false, false
}

func extent(chunks []chunk) box {
	b := chunks[0].box
	for _, c := range chunks[1:] {
		b = b.union(c.box)
	}
	return b
}

// ink is about how much text there is.
func ink(chunks []chunk) float64 {
	var sum float64
	for _, c := range chunks {
		sum += c.width() / max(c.size, 1)
	}
	return sum
}

func usualSize(rows []row) float64 {
	var sizes []float64
	for _, r := range rows {
		for range r.chunks {
			sizes = append(sizes, r.size)
		}
	}
	slices.Sort(sizes)
	return sizes[len(sizes)/2]
}

// gutter finds where the right column of the region begins that has most rows in columns. A table is none, nor is another
// gutter that has fewer of the table's rows on both sides.
func (a arranger) gutter(rows []row) (x float64, found bool) {
	type split struct{ x, score, edge float64 }
	var splits []split
	var tables []split
	for _, candidate := range edges(rows) {
		s := split{x: candidate, edge: math.Inf(1)}
		var left, right []line
		for _, b := range a.bandsAt(rows, candidate) {
			if b.columns() {
				s.score += float64(min(len(b.left), len(b.right))) + 0.2*float64(len(b.left)+len(b.right))
				left, right = append(left, b.left...), append(right, b.right...)
			}
		}
		for _, l := range right {
			s.edge = min(s.edge, l.left)
		}
		switch {
		case s.score == 0:
		case table(left, right):
			tables = append(tables, s)
		default:
			splits = append(splits, s)
		}
	}
	best := 0.0
	for _, s := range splits {
		ofTable := slices.ContainsFunc(tables, func(t split) bool {
			return t.score >= s.score && math.Abs(t.edge-s.edge) <= nearEdge
		})
		if s.score > best && !ofTable {
			x, found, best = s.x, true, s.score
		}
	}
	return x, found
}

// edges are where a right column may begin: where several chunks do, or just right of where several end.
func edges(rows []row) []float64 {
	var lefts, rights []float64
	for _, r := range rows {
		for _, c := range r.chunks {
			lefts = append(lefts, c.left)
			rights = append(rights, c.right+nearEdge)
			for i := 1; i < len(c.words); i++ {
				if c.loose(i) {
					lefts = append(lefts, c.words[i].left)
				}
			}
		}
	}
	type edge struct {
		x     float64
		count int
	}
	var found []edge
	for i, positions := range [2][]float64{lefts, rights} {
		slices.Sort(positions)
		for len(positions) > 0 {
			n := 1
			for n < len(positions) && positions[n]-positions[0] <= nearEdge {
				n++
			}
			if n >= 2 {
				found = append(found, edge{positions[i*(n-1)], n})
			}
			positions = positions[n:]
		}
	}
	slices.SortStableFunc(found, func(a, b edge) int { return cmp.Compare(b.count, a.count) })
	var xs []float64
	for _, e := range found[:min(len(found), candidates)] {
		xs = append(xs, e.x)
	}
	return xs
}
