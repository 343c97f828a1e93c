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
	edge := 0.0
	for _, l := range right {
		edge = max(edge, l.Right)
	}

	leftMatches := matchingShare(left, right)
	rightMatches := matchingShare(right, left)
	flush := most(right, func(l line) bool { return edge-l.Right <= nearEdge })
	pairsOfBriefLines := min(leftMatches, rightMatches) >= allMatch &&
		min(meanLength(left), meanLength(right)) <= briefLines
	labels := leftMatches >= someMatch && areLabels(left, false) ||
		rightMatches >= someMatch && areLabels(right, flush)
	fewPairs := leftMatches >= mostMatch && len(left) <= fewLines ||
		rightMatches >= mostMatch && len(right) <= fewLines

	return pairsOfBriefLines || labels || fewPairs
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
	const larger = 1.12
	sizes := make([]float64, 0, len(left)+len(right))
	for _, l := range left {
		sizes = append(sizes, l.size)
	}

	for _, r := range right {
		sizes = append(sizes, r.size)
	}

	usual := median(sizes)
	leftDates := 0
	rightDates := 0
	dates := 0
	headings := 0

	for _, l := range left {
		if l.isDate() {
			leftDates++
		}
	}

	j := 0
	for i, r := range right {
		firstRow := i == 0 && j == 0
		if r.isDate() {
			rightDates++
		}

		tolerance := sameLine * r.size
		for j < len(left) && left[j].baseline > r.baseline+tolerance {
			j++
		}

		if j == len(left) || left[j].baseline < r.baseline-tolerance {
			continue
		}

		if r.isDate() && left[j].isDate() {
			dates++
		}

		largeHeadings := min(r.size, left[j].size) > larger*usual
		titlesOfColumns := firstRow && len(left) != len(right) && r.isDistinct() && left[j].isDistinct()
		if largeHeadings || titlesOfColumns {
			headings++
		}
	}

	fewDates := 2*leftDates < len(left) && 2*rightDates < len(right)
	return headings > 0 || dates > 0 && dates == min(leftDates, rightDates) && fewDates
}
