package layout

import (
	"cmp"
	"math"
	"slices"
)

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
	unalignedLoss  = 0.2  // of a gutter's score, if no line of the right column starts at its edge
	maxIndent      = 3    // of list items, in heights of the font
	lineWeight     = 0.2  // of a line in a gutter's score, where a pair of lines side by side has 1
	maxGutterWidth = 0.1  // that counts toward the width of the right column, as a share of both columns
)

func chunksIn(rows []row) []chunk {
	var chunks []chunk
	for _, r := range rows {
		chunks = append(chunks, r.chunks...)
	}
	return chunks
}

// An arranger finds the columns of one page.
type arranger struct {
	page   Box
	height float64         // of the text on the page
	rtl    bool            // columns are read from right to left
	known  *[]recordColumn // found so far in the document
}

// arrange splits chunks into regions, in reading order. side is whether the chunks belong to a sidebar.
func (a arranger) arrange(chunks []chunk, side bool, depth int) []region {
	rows := rowsOf(chunks)
	undivided := []region{{rows, side}}
	if depth >= maxDepth || len(rows) < minColumnRows {
		return undivided
	}

	x, records, found := a.gutter(rows)
	switch {
	case records.hits > 0:
		return a.arrangeRecords(rows, records, side, depth)
	case !found:
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

		// Each column may have columns of its own, for example a table beside a sidebar.
		left, right := b.sides(x)
		leftSide, rightSide := a.sidebar(left, right)
		if !leftSide && !rightSide {
			leftSide, rightSide = a.shortSidebar(left, right)
		}

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
	leftBox := extent(left)
	rightBox := extent(right)
	both := leftBox.Union(rightBox)
	shorter := min(leftBox.Height(), rightBox.Height())
	if shorter < minSideHeight*a.page.Height() && both.Height() < 2*minSideHeight*a.page.Height() {
		return false, false
	}
	return a.narrowSide(left, right)
}

// shortSidebar reports which of two columns is a sidebar on a page with little text, such as the last one: the columns
// are most of its text, and not as wide as each other.
func (a arranger) shortSidebar(left, right []chunk) (isLeft, isRight bool) {
	const mostText = 0.8 // of the height of the text on the page
	leftBox := extent(left)
	rightBox := extent(right)
	short := min(leftBox.Height(), rightBox.Height()) < minSideHeight*a.height
	if short || leftBox.Union(rightBox).Height() < mostText*a.height || !unequalLines(left, right) {
		return false, false
	}
	return a.narrowSide(left, right)
}

// narrowSide reports which of two columns is narrower than the other and has less text.
func (a arranger) narrowSide(left, right []chunk) (isLeft, isRight bool) {
	leftBox := extent(left)
	rightBox := extent(right)
	both := leftBox.Union(rightBox)

	// The lines of the right column may all be short. Its margin is as wide as that of the left column.
	margin := leftBox.Left - a.page.Left
	width := max(both.Width(), a.page.Right-margin-leftBox.Left)
	leftWidth := rightBox.Left - leftBox.Left
	rightWidth := rightBox.Right - max(leftBox.Right, rightBox.Left-maxGutterWidth*both.Width())
	leftText := amountOfText(left)
	rightText := amountOfText(right)
	isLeft = leftWidth < maxSideWidth*width && leftText < rightText
	isRight = rightWidth < maxSideWidth*both.Width() && rightText < leftText
	return isLeft, isRight
}

// unequalLines reports whether the longest text of one of two columns is clearly longer than that of the other.
func unequalLines(left, right []chunk) bool {
	const longer = 1.3
	byWidth := func(a, b chunk) int { return cmp.Compare(a.Width(), b.Width()) }
	leftWidth := slices.MaxFunc(left, byWidth).Width()
	rightWidth := slices.MaxFunc(right, byWidth).Width()
	return max(leftWidth, rightWidth) > longer*min(leftWidth, rightWidth)
}

// extent returns the box around chunks.
func extent(chunks []chunk) Box {
	b := chunks[0].Box
	for _, c := range chunks[1:] {
		b = b.Union(c.Box)
	}
	return b
}

// amountOfText estimates the amount of text by its width in heights of the font.
func amountOfText(chunks []chunk) float64 {
	var sum float64
	for _, c := range chunks {
		sum += c.Width() / max(c.size, 1)
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
	rows  int     // rows that are in columns
	table bool    // the columns form a table or records
}

// gutter returns the position of the best gutter, or how the columns at another one form records, if these extend
// further. Gutters of tables don't count, because tables are read row by row. Nor does another gutter at the same
// column of a table, if it has a lower score.
func (a arranger) gutter(rows []row) (x float64, records recordColumn, found bool) {
	var gutters []gutter
	for _, x := range gutterPositions(rows) {
		g, c := a.evaluate(rows, x)
		if g.score > 0 {
			gutters = append(gutters, g)
		}

		if c.before(records) {
			records = c
		}
	}

	// A table's own gutter never wins: its score only keeps another gutter at the same edge from splitting the table.
	var best gutter
	for _, g := range gutters {
		splitsTable := slices.ContainsFunc(gutters, func(other gutter) bool {
			return other.table && other.score >= g.score && math.Abs(other.edge-g.edge) <= nearEdge
		})
		candidate := !g.table && !splitsTable
		if candidate && g.score > best.score {
			best = g
		}
	}

	if best.score > 0 && records.hits > 0 {
		fewRecords := 2*records.rows < best.rows && !records.headings
		if fewRecords || !a.encloses(rows, records, best.x) {
			records = recordColumn{}
		}
	}

	return best.x, records, best.score > 0
}

// evaluate returns the gutter at x, and how the columns there form records, if they do.
func (a arranger) evaluate(rows []row, x float64) (gutter, recordColumn) {
	g := gutter{x: x, edge: math.Inf(1)}
	var left, right []line
	bands := a.bandsAt(rows, x)
	for _, b := range bands {
		if b.hasColumns() {
			pairs := min(len(b.left), len(b.right))
			g.rows += len(b.rows)
			g.score += float64(pairs) + lineWeight*float64(len(b.left)+len(b.right))
			left = append(left, b.left...)
			right = append(right, b.right...)
		}
	}

	for _, l := range right {
		g.edge = min(g.edge, l.Left)
	}

	// Records on a later page may be too few to show their columns, so a column known from an earlier page is tried
	// too.
	known := slices.ContainsFunc(*a.known, func(c recordColumn) bool { return x >= c.from && x <= c.to })
	if g.score == 0 && !known {
		return g, recordColumn{}
	}

	// Cards side by side look like a table of records, but each column is read by itself.
	records, isRecords := a.recordsAt(bands, x)
	if isRecords && records.cells && areParallel(left, right) {
		isRecords = false
	}

	if isRecords {
		records.rows = g.rows
	} else {
		records = recordColumn{}
	}

	// Lines that start further right than a list item belong to another column, or are centered.
	unaligned := 0
	for _, l := range right {
		if l.Left-g.edge > maxIndent*l.size {
			unaligned++
		}
	}

	g.score *= 1 - unalignedLoss*float64(unaligned)/float64(max(len(right), 1))
	g.table = isRecords
	if !isRecords && g.score > 0 {
		g.table = isTable(left, right) || !overlapping(left, right)
	}
	return g, records
}

// flushRight returns where the widest chunk starts that ends at the right margin, behind other text, and the number of
// such chunks.
func flushRight(rows []row) (x float64, count int) {
	margin := math.Inf(-1)
	for _, r := range rows {
		margin = max(margin, r.Right)
	}
	x = math.Inf(1)
	for _, r := range rows {
		if last := r.chunks[len(r.chunks)-1]; len(r.chunks) > 1 && margin-last.Right <= nearEdge {
			x = min(x, last.Left)
			count++
		}
	}
	return x, count
}

// gutterPositions returns where a right column may start: where several chunks start, just right of where several end,
// or where the widest chunk starts that ends at the right margin. The most frequent positions come first.
func gutterPositions(rows []row) []float64 {
	var starts, ends []float64
	for _, r := range rows {
		for _, c := range r.chunks {
			starts = append(starts, c.Left)
			ends = append(ends, c.Right+nearEdge)

			for i := 1; i < len(c.words); i++ {
				if c.mayStartColumn(i) {
					starts = append(starts, c.words[i].Left)
				}
			}
		}
	}

	type cluster struct {
		x     float64
		count int
	}

	var clusters []cluster
	if x, n := flushRight(rows); n > 1 {
		clusters = append(clusters, cluster{x, n})
	}

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

	// Evaluating a position is expensive, so only the most frequent ones are kept.
	slices.SortStableFunc(clusters, func(a, b cluster) int { return cmp.Compare(b.count, a.count) })
	var xs []float64
	for _, c := range clusters[:min(len(clusters), maxGutters)] {
		xs = append(xs, c.x)
	}

	return xs
}
