package pdf

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
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

// gutter finds where the right column of the region begins that has most rows in columns.
func (a arranger) gutter(rows []row) (x float64, found bool) {
	best := 0.0
	for _, candidate := range edges(rows) {
		score := 0.0
		var left, right []line
		for _, b := range a.bandsAt(rows, candidate) {
			if b.columns() {
				score += float64(min(len(b.left), len(b.right))) + 0.2*float64(len(b.left)+len(b.right))
				left, right = append(left, b.left...), append(right, b.right...)
			}
		}
		if score > best && !table(left, right) {
			x, found, best = candidate, true, score
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

// table tells whether the lines of two columns belong together, as a title and its date, or a label and its text, and so
// are no columns to be read one after the other.
func table(left, right []line) bool {
	const matched, surely, all, few, brief = 0.75, 0.85, 0.95, 6, 16
	edge := 0.0
	for _, l := range right {
		edge = max(edge, l.right)
	}
	fromLeft, fromRight := matches(left, right), matches(right, left)
	flush := most(right, func(l line) bool { return edge-l.right <= nearEdge })
	return min(fromLeft, fromRight) >= all && min(meanLength(left), meanLength(right)) <= brief ||
		fromLeft >= matched && label(left, false) || fromRight >= matched && label(right, flush) ||
		fromLeft >= surely && len(left) <= few || fromRight >= surely && len(right) <= few
}

// label tells whether the lines of a column are short, and such as stand beside others: dated, aligned at the margin, or
// far apart.
func label(lines []line, flush bool) bool {
	const much = 28 // characters
	return meanLength(lines) <= much && (flush || sparse(lines) || most(lines, func(l line) bool { return l.dated }))
}

// meanLength is how many characters a line has, on average.
func meanLength(lines []line) int {
	sum := 0
	for _, l := range lines {
		sum += l.length
	}
	return sum / max(len(lines), 1)
}

// most tells whether most lines are such.
func most(lines []line, such func(line) bool) bool {
	n := 0
	for _, l := range lines {
		if such(l) {
			n++
		}
	}
	return 10*n >= 6*len(lines)
}

// matches is the share of lines that have one on the same line in the other column.
func matches(lines, other []line) float64 {
	n, j := 0, 0
	for _, l := range lines {
		tolerance := sameLine * l.size
		for j < len(other) && other[j].baseline > l.baseline+tolerance {
			j++
		}
		if j < len(other) && other[j].baseline >= l.baseline-tolerance {
			n++
		}
	}
	return float64(n) / float64(max(len(lines), 1))
}

// sparse tells whether most lines are further apart than those of a paragraph.
func sparse(lines []line) bool {
	const close = 1.9
	near := 0
	for i := 1; i < len(lines); i++ {
		if lines[i-1].baseline-lines[i].baseline < close*lines[i].size {
			near++
		}
	}
	return 2*near < len(lines)
}
