package layout

import "slices"

// isTable reports whether the lines of two columns belong together in pairs, like a title and its date or a label and
// its text. Such columns are read row by row.
func isTable(left, right []line) bool {
	const (
		someMatch  = 0.75 // of the lines of a column have a line beside them
		mostMatch  = 0.85
		allMatch   = 0.95
		fewLines   = 6
		briefLines = 16 // characters
	)

	if areParallel(left, right) {
		return false
	}

	left, right = withoutHeadings(left, right), withoutHeadings(right, left)
	leftMatches := matchingShare(left, right)
	rightMatches := matchingShare(right, left)

	// Words and numbers side by side, such as skills and years.
	allInPairs := min(leftMatches, rightMatches) >= allMatch
	if allInPairs && min(meanLength(left), meanLength(right)) <= briefLines {
		return true
	}

	// Labels at the left of their text, or dates at the right margin. Not every line of the text has a label.
	rightMargin := 0.0
	for _, l := range right {
		rightMargin = max(rightMargin, l.Right)
	}
	flushRight := most(right, func(l line) bool { return rightMargin-l.Right <= nearEdge })
	if leftMatches >= someMatch && areLabels(left, false) {
		return true
	}
	if rightMatches >= someMatch && areLabels(right, flushRight) {
		return true
	}

	// A few lines of any length, all beside lines of the other column.
	return leftMatches >= mostMatch && len(left) <= fewLines || rightMatches >= mostMatch && len(right) <= fewLines
}

// withoutHeadings returns the lines of a column without headings: lines larger than usual with no line of the other
// column beside them. A title may have its date beside it, but a heading is alone on its line.
func withoutHeadings(lines, other []line) []line {
	const larger = 1.12
	sizes := make([]float64, len(lines))
	for i, l := range lines {
		sizes[i] = l.size
	}
	usual := median(sizes)
	return slices.DeleteFunc(slices.Clone(lines), func(l line) bool {
		return l.size > larger*usual && matchingShare([]line{l}, other) == 0
	})
}

// areLabels reports whether the lines of a column look like labels of other lines: they are short, and flush with the
// margin, far apart, or dated.
func areLabels(lines []line, flush bool) bool {
	const maxMean = 28 // characters
	return meanLength(lines) <= maxMean && (flush || sparse(lines) || most(lines, func(l line) bool { return l.dated }))
}

// meanLength returns the mean length of a line in characters.
func meanLength(lines []line) int {
	sum := 0
	for _, l := range lines {
		sum += l.length
	}
	return sum / max(len(lines), 1)
}

// most reports whether at least 60 % of the lines satisfy a condition.
func most(lines []line, satisfies func(line) bool) bool {
	n := 0
	for _, l := range lines {
		if satisfies(l) {
			n++
		}
	}
	return 10*n >= 6*len(lines)
}

// matchingShare returns the share of lines that have a line of the other column beside them.
func matchingShare(lines, other []line) float64 {
	matches := 0
	next := 0 // of the other column; both go down the page
	for _, l := range lines {
		tolerance := sameLine * l.size
		for next < len(other) && other[next].baseline > l.baseline+tolerance {
			next++
		}
		if next < len(other) && other[next].baseline >= l.baseline-tolerance {
			matches++
		}
	}
	return float64(matches) / float64(max(len(lines), 1))
}

// sparse reports whether most lines are further apart than in a paragraph.
func sparse(lines []line) bool {
	const close = 1.9 // heights of the font
	near := 0
	for i := 1; i < len(lines); i++ {
		if lines[i-1].baseline-lines[i].baseline < close*lines[i].size {
			near++
		}
	}
	return 2*near < len(lines)
}

// overlapping reports whether lines of two columns are beside each other. Columns are beside each other, but short
// lines and dates at the other margin may take turns.
func overlapping(left, right []line) bool {
	const minShare = 0.15
	return max(besideShare(left, right), besideShare(right, left)) >= minShare
}

// besideShare returns the share of lines that are beside a line of the other column, at least in part.
func besideShare(lines, other []line) float64 {
	const part = 0.8 // of the height of the font
	n, j := 0, 0
	for _, l := range lines {
		for j < len(other) && other[j].baseline > l.baseline+part*l.size {
			j++
		}
		if j < len(other) && other[j].baseline > l.baseline-part*l.size {
			n++
		}
	}
	return float64(n) / float64(max(len(lines), 1))
}

// areParallel reports whether two columns look alike line by line, as cards side by side do: in the same lines both
// have a date, or both have a large heading.
func areParallel(left, right []line) bool {
	usual := medianSize(left, right)
	leftDates := countDates(left)
	rightDates := countDates(right)
	sharedDates := 0

	l := 0
	for r := range right {
		bothFirst := l == 0 && r == 0

		// Lines go down the page, so baselines become smaller.
		tolerance := sameLine * right[r].size
		for l < len(left) && left[l].baseline > right[r].baseline+tolerance {
			l++
		}

		beside := l < len(left) && left[l].baseline >= right[r].baseline-tolerance
		if !beside {
			continue
		}

		if left[l].isDate() && right[r].isDate() {
			sharedDates++
		}

		// Columns of the same length may be a table, whose first row is distinct, too.
		const larger = 1.12
		largeHeadings := min(left[l].size, right[r].size) > larger*usual
		mayBeTitles := bothFirst && len(left) != len(right)
		titlesOfColumns := mayBeTitles && left[l].isDistinct() && right[r].isDistinct()
		if largeHeadings || titlesOfColumns {
			return true
		}
	}

	// If most lines have dates, the columns are two columns of dates, and not cards.
	fewDates := 2*leftDates < len(left) && 2*rightDates < len(right)
	return sharedDates > 0 && fewDates && sharedDates == min(leftDates, rightDates)
}

// medianSize returns the median size of the lines of two columns.
func medianSize(left, right []line) float64 {
	sizes := make([]float64, 0, len(left)+len(right))
	for _, l := range left {
		sizes = append(sizes, l.size)
	}
	for _, l := range right {
		sizes = append(sizes, l.size)
	}
	return median(sizes)
}

func countDates(lines []line) int {
	n := 0
	for _, l := range lines {
		if l.isDate() {
			n++
		}
	}
	return n
}
