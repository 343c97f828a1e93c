package pdf

import "slices"

// table tells whether the lines of two columns belong together, as a title and its date, or a label and its text, and so
// are no columns to be read one after the other.
func table(left, right []line) bool {
	const matched, surely, all, few, brief = 0.75, 0.85, 0.95, 6, 16
	left, right = withoutHeadings(left, right), withoutHeadings(right, left)
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

// withoutHeadings leaves out the lines of a column that are larger than most of it and have none of the other beside them: a
// heading stands alone, in a table as in a column, but a title may have its date beside it.
func withoutHeadings(lines, other []line) []line {
	const larger = 1.12
	sizes := make([]float64, len(lines))
	for i, l := range lines {
		sizes[i] = l.size
	}
	slices.Sort(sizes)
	return slices.DeleteFunc(slices.Clone(lines), func(l line) bool {
		return l.size > larger*sizes[len(sizes)/2] && matches([]line{l}, other) == 0
	})
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
