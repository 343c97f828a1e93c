package pdf

import (
	"cmp"
	"math"
	"slices"
)

// A row holds the chunks of a region that are on one line, from left to right.
type row struct {
	box
	chunks   []chunk
	baseline float64
	size     float64
}

// A region is a part of a page that is read from top to bottom.
type region struct {
	rows []row
	side bool // a sidebar
}

// Shapes of columns.
const (
	sameLine       = 0.3  // maximum distance between baselines of one line, in heights of the font
	nearEdge       = 2    // maximum distance between left edges of one column, in points
	minColumnRows  = 3    // rows of the longer of two columns
	maxSideWidth   = 0.42 // of a sidebar, as a share of both columns
	minSideHeight  = 0.3  // of a sidebar, as a share of the page
	maxGutters     = 48   // candidates tried in one region
	maxDepth       = 6    // of columns within columns
	headingSize    = 1.4  // of a title above both columns, in usual sizes of text
	lineWeight     = 0.2  // of a line in a gutter's score, where a pair of lines side by side has 1
	maxGutterWidth = 0.1  // that counts toward the width of the right column, as a share of both columns
)

// rowsOf groups chunks by lines, from top to bottom.
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

// rowFor returns the index of the row that a chunk belongs to, or -1 if none. Small text beside larger text may be
// raised by half a line.
func rowFor(rows []row, c chunk) int {
	const (
		recent   = 4 // rows that are considered
		small    = 0.85
		raised   = 0.55
		touching = 0.5
	)
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

// add adds a chunk to the row. The baseline of the row is the one of its largest text.
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

// An arranger finds the columns of one page.
type arranger struct {
	height float64 // of the page
	rtl    bool    // columns are read from right to left
}

// arrange splits chunks into regions, in reading order. side is whether the chunks belong to a sidebar.
func (a arranger) arrange(chunks []chunk, side bool, depth int) []region {
	rows := rowsOf(chunks)
	undivided := []region{{rows, side}}
	if depth >= maxDepth || len(rows) < minColumnRows {
		return undivided
	}
	x, found := a.gutter(rows)
	if !found {
		return undivided
	}
	var regions []region
	for _, b := range a.bandsAt(rows, x) {
		if !b.hasColumns() {
			if len(b.rows) == len(rows) {
				return undivided
			}
			regions = append(regions, a.arrange(chunksIn(b.rows), side, depth+1)...)
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

// sidebar reports which of two columns is a sidebar, if any: it is narrow and high, and has less text than the other.
func (a arranger) sidebar(left, right []chunk) (isLeft, isRight bool) {
	leftBox, rightBox := extent(left), extent(right)
	both := leftBox.union(rightBox)
	shorter := min(leftBox.height(), rightBox.height())
	if shorter < minSideHeight*a.height && both.height() < 2*minSideHeight*a.height {
		return false, false
	}
	leftWidth := rightBox.left - leftBox.left
	rightWidth := rightBox.right - max(leftBox.right, rightBox.left-maxGutterWidth*both.width())
	leftText, rightText := amountOfText(left), amountOfText(right)
	isLeft = leftWidth < maxSideWidth*both.width() && leftText < rightText
	isRight = rightWidth < maxSideWidth*both.width() && rightText < leftText
	return isLeft, isRight
}

// extent returns the box around chunks.
func extent(chunks []chunk) box {
	b := chunks[0].box
	for _, c := range chunks[1:] {
		b = b.union(c.box)
	}
	return b
}

// amountOfText estimates the amount of text by its width in heights of the font.
func amountOfText(chunks []chunk) float64 {
	var sum float64
	for _, c := range chunks {
		sum += c.width() / max(c.size, 1)
	}
	return sum
}

// usualSize returns the median size of the text.
func usualSize(rows []row) float64 {
	var sizes []float64
	for _, r := range rows {
		for range r.chunks {
			sizes = append(sizes, r.size)
		}
	}
	return median(sizes)
}

// A gutter is a candidate for the space between two columns.
type gutter struct {
	x     float64 // near the left edge of the right column
	score float64 // grows with the number of rows that are in columns
	edge  float64 // the left edge of the right column
	table bool    // the columns form a table
}

// gutter returns the position of the best gutter. Gutters of tables don't count, because tables are read row by row.
// Nor does another gutter at the same column of a table, if it has a lower score.
func (a arranger) gutter(rows []row) (x float64, found bool) {
	var gutters []gutter
	for _, x := range gutterPositions(rows) {
		if g := a.evaluate(rows, x); g.score > 0 {
			gutters = append(gutters, g)
		}
	}
	var best gutter
	for _, g := range gutters {
		splitsTable := slices.ContainsFunc(gutters, func(other gutter) bool {
			return other.table && other.score >= g.score && math.Abs(other.edge-g.edge) <= nearEdge
		})
		if !g.table && !splitsTable && g.score > best.score {
			best = g
		}
	}
	return best.x, best.score > 0
}

// evaluate returns the gutter at x.
func (a arranger) evaluate(rows []row, x float64) gutter {
	g := gutter{x: x, edge: math.Inf(1)}
	var left, right []line
	for _, b := range a.bandsAt(rows, x) {
		if b.hasColumns() {
			g.score += float64(min(len(b.left), len(b.right))) + lineWeight*float64(len(b.left)+len(b.right))
			left, right = append(left, b.left...), append(right, b.right...)
		}
	}
	for _, l := range right {
		g.edge = min(g.edge, l.left)
	}
	g.table = g.score > 0 && isTable(left, right)
	return g
}

// gutterPositions returns where a right column may start: where several chunks start, or just right of where several
// end. The most frequent positions come first.
func gutterPositions(rows []row) []float64 {
	var starts, ends []float64
	for _, r := range rows {
		for _, c := range r.chunks {
			starts = append(starts, c.left)
			ends = append(ends, c.right+nearEdge)
			for i := 1; i < len(c.words); i++ {
				if c.mayStartColumn(i) {
					starts = append(starts, c.words[i].left)
				}
			}
		}
	}
	type cluster struct {
		x     float64
		count int
	}
	var clusters []cluster
	addClusters := func(positions []float64, x func(positions []float64) float64) {
		slices.Sort(positions)
		for len(positions) > 0 {
			n := 1
			for n < len(positions) && positions[n]-positions[0] <= nearEdge {
				n++
			}
			if n > 1 {
				clusters = append(clusters, cluster{x(positions[:n]), n})
			}
			positions = positions[n:]
		}
	}
	addClusters(starts, slices.Min)
	addClusters(ends, slices.Max)
	slices.SortStableFunc(clusters, func(a, b cluster) int { return cmp.Compare(b.count, a.count) })
	var xs []float64
	for _, c := range clusters[:min(len(clusters), maxGutters)] {
		xs = append(xs, c.x)
	}
	return xs
}
