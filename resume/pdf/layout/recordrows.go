package layout

import (
	"cmp"
	"slices"
)

// A record is a part of a page in which labels in a narrow column belong to the text beside them: a date and its
// position, or a heading in the margin and its section.
type record struct {
	labels  []row
	heading bool // the label is a heading
	dated   bool // the label has a date
	text    []row
}

// arrangeRecords returns the rows of records in reading order: each label before, beside or after the first line of
// its text.
func (a arranger) arrangeRecords(rows []row, c recordColumn, side bool, depth int) []region {
	all := region{side: side}
	if a.remember(c) {
		a.learn(rows, c)
	}

	var others []region // of a different kind
	flush := func() {
		if len(all.rows) > 0 {
			others = append(others, all)
			all = region{side: side}
		}
	}

	add := func(regions []region) {
		for _, r := range regions {
			if r.side != side {
				flush()
				others = append(others, r)
				continue
			}
			all.rows = append(all.rows, r.rows...)
		}
	}
	for _, b := range a.bandsAt(rows, c.x) {
		if !b.free {
			add(a.arrange(chunksIn(b.rows), side, depth+1))
			continue
		}

		left, right := b.sides(c.x)
		narrow := rowsOf(left)
		wide := rowsOf(right)
		if c.atRight {
			narrow, wide = wide, narrow
		}

		dated := !c.headings && !c.cells
		if dated && len(b.rows) < len(rows) {
			isDate := func(r row) bool { return r.isDate() }
			if areParallel(b.left, b.right) || !slices.ContainsFunc(narrow, isDate) {
				add(a.arrange(chunksIn(b.rows), side, depth+1))
				continue
			}
		}

		for _, r := range recordsOf(narrow, wide, c) {
			add(a.arrangeRecord(r, c, side, depth))
		}
	}

	flush()
	return others
}

// learn finds records within the text of others, which may be too few in a single one to be recognized.
func (a arranger) learn(rows []row, c recordColumn) {
	var texts []chunk
	for _, b := range a.bandsAt(rows, c.x) {
		if b.free {
			left, right := b.sides(c.x)
			if c.atRight {
				right = left
			}
			texts = append(texts, right...)
		}
	}
	if _, inner, _ := a.gutter(rowsOf(texts)); inner.hits > 0 {
		a.remember(inner)
	}
}

// remember reports whether records at a gutter were not known before, and keeps them.
func (a arranger) remember(c recordColumn) bool {
	const most = 16 // columns in a document
	if a.knownAt(c).hits > 0 || len(*a.known) == most {
		return false
	}
	*a.known = append(*a.known, c)
	return true
}

// recordsOf divides the rows of two columns into records, from top to bottom.
func recordsOf(narrow, wide []row, c recordColumn) []record {
	if len(narrow) == 0 || len(wide) == 0 {
		return []record{{text: append(slices.Clip(narrow), wide...)}}
	}

	texts := newColumn(wide)
	var records []record
	from := 0
	until := func(y float64) []row {
		first := from
		for from < len(wide) && wide[from].baseline > y {
			from++
		}
		return wide[first:from]
	}
	for _, l := range texts.labels(narrow) {
		y := l.rows[0].baseline
		if l.beside >= from {
			y = wide[l.beside].baseline
		}

		if above := until(y); len(above) > 0 {
			if n := len(records); n > 0 {
				records[n-1].text = above
			} else {
				records = append(records, record{text: above})
			}
		}

		if l.alone {
			records = append(records, record{text: l.rows}, record{})
			continue
		}

		records = append(records, record{labels: l.rows, heading: c.headings && !l.dated, dated: l.dated})
	}

	rest := wide[from:]
	records[len(records)-1].text = append(slices.Clip(records[len(records)-1].text), rest...)
	return records
}

// arrangeRecord returns the rows of a record in reading order.
func (a arranger) arrangeRecord(r record, c recordColumn, side bool, depth int) []region {
	var text []region
	if len(r.text) > 0 {
		text = a.arrange(chunksIn(r.text), side, depth+1)
	}

	if len(r.labels) == 0 {
		return text
	}

	if r.heading {
		return append([]region{{[]row{{
			Box: r.labels[0].Box, chunks: r.labels[0].chunks, baseline: r.labels[0].baseline, size: r.labels[0].size,
			parts: r.labels, joint: " ", heading: true,
		}}, side}}, text...)
	}

	readsInTurn := len(text) == 0 || c.cells || text[0].side != side
	if readsInTurn {
		return append([]region{{r.labels, side}}, text...)
	}

	rows := text[0].rows
	pairs := make([][]row, len(rows)) // the labels of each row
	texts := newColumn(rows)
	at := 0
	for i, l := range r.labels {
		if i > 0 && !continuesDate(r.labels[i-1].text(), l.text()) {
			at = texts.pair(&l, r.dated)
		}
		pairs[at] = append(pairs[at], l)
	}

	first := c.atRight == a.rtl // labels are read before their text
	var paired []row
	for i := range rows {
		switch labels := pairs[i]; {
		case len(labels) == 0:
			paired = append(paired, rows[i])
		case rows[i].startsItem(), first && len(labels) > 1 && i+1 < len(rows) && !texts.starts(i+1): // running text
			paired = append(paired, joinLabels(labels), rows[i])
		case first:
			paired = append(paired, joinRows("\t", joinLabels(labels), rows[i]))
		default:
			paired = append(paired, joinRows("\t", rows[i], joinLabels(labels)))
		}
	}

	text[0].rows = paired
	return text
}

// joinLabels returns a row that consists of labels in cells of their own, except that the lines of a date form one
// cell.
func joinLabels(labels []row) row {
	var cells []row
	for i, l := range labels {
		if i > 0 && continuesDate(labels[i-1].text(), l.text()) {
			cells[len(cells)-1] = joinRows(" ", cells[len(cells)-1], l)
			continue
		}
		cells = append(cells, l)
	}
	return joinRows("\t", cells...)
}

// joinRows returns a row that consists of others, which are read one after the other. Its
// baseline is the one of the highest row.
func joinRows(joint string, rows ...row) row {
	if len(rows) == 1 {
		return rows[0]
	}
	highest := slices.MaxFunc(rows, func(a, b row) int { return cmp.Compare(a.baseline, b.baseline) })
	joined := row{Box: highest.Box, baseline: highest.baseline, size: highest.size, parts: rows, joint: joint}
	for _, r := range rows {
		joined.Box = joined.Union(r.Box)
		joined.chunks = append(joined.chunks, r.chunks...)
	}
	return joined
}
