package layout

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A row holds the chunks of a region that are on one line, from left to right.
type row struct {
	Box
	chunks   []chunk
	baseline float64
	size     float64
	parts    []row  // the rows that were joined to this one, in reading order; nil for other rows
	joint    string // between the parts
	heading  bool   // it is a heading in the margin
}

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
		rows = append(rows, row{Box: c.Box, chunks: []chunk{c}, baseline: c.baseline, size: c.size})
	}
	for _, r := range rows {
		slices.SortStableFunc(r.chunks, func(a, b chunk) int { return cmp.Compare(a.Left, b.Left) })
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
			if max(other.Left-c.Right, c.Left-other.Right) < touching*c.size {
				return i
			}
		}
	}

	return -1
}

// add adds a chunk to the row. The baseline of the row is the one of its largest text.
func (r *row) add(c chunk) {
	r.chunks = append(r.chunks, c)
	r.Box = r.Union(c.Box)
	if c.size > r.size {
		r.size = c.size
		r.baseline = c.baseline
	}
}

// text returns the words of a row from left to right.
func (r *row) text() string {
	var b strings.Builder
	for _, c := range r.chunks {
		for _, w := range c.words {
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(w.text)
		}
	}
	return b.String()
}

// length returns the length of a row in characters.
func (r *row) length() int {
	n := 0
	for _, c := range r.chunks {
		for _, w := range c.words {
			n += utf8.RuneCountInString(w.text) + 1
		}
	}
	return n
}

// bold reports whether most of a row is bold.
func (r *row) bold() bool {
	bold, length := 0, 0
	for _, c := range r.chunks {
		for _, w := range c.words {
			length += len(w.text)
			if w.bold {
				bold += len(w.text)
			}
		}
	}
	return 2*bold > length
}

// isDate reports whether a row is a date or a time range.
func (r *row) isDate() bool { return r.length() <= maxDate+1 && isDate(r.text()) }

// endsWithColon reports whether a row ends with a colon, as the name of a field does ("Date of birth:").
func (r *row) endsWithColon() bool {
	words := r.chunks[len(r.chunks)-1].words
	text := words[len(words)-1].text
	return strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：")
}

// startsItem reports whether a row starts with a bullet.
func (r *row) startsItem() bool {
	words := r.chunks[0].words
	_, bullet := trimBullet(words)
	return bullet
}
