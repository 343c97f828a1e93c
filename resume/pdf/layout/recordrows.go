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

// A regionList collects regions in reading order. Regions of its side that follow each other become one, because the
// records of a page are one text.
type regionList struct {
	side bool
	all  []region
	last region // of the same side, not in all yet
}

func (l *regionList) add(regions []region) {
	for _, r := range regions {
		if r.side != l.side {
			l.finish()
			l.all = append(l.all, r)
			continue
		}
		l.last.rows = append(l.last.rows, r.rows...)
	}
}

// finish ends the current region and returns all.
func (l *regionList) finish() []region {
	if len(l.last.rows) > 0 {
		l.last.side = l.side
		l.all = append(l.all, l.last)
		l.last = region{}
	}
	return l.all
}

// arrangeRecords returns the rows of records in reading order: each label before, beside or after the first line of
// its text.
func (a arranger) arrangeRecords(rows []row, c recordColumn, side bool, depth int) []region {
	if a.remember(c) {
		a.learn(rows, c)
	}

	list := regionList{side: side}
	for _, b := range a.bandsAt(rows, c.x) {
		if !b.free {
			list.add(a.arrange(chunksIn(b.rows), side, depth+1))
			continue
		}

		labels, texts := c.sides(b)
		labelRows := rowsOf(labels)
		textRows := rowsOf(texts)

		// Records of dates may be only a part of the rows. A band of cards, or one without dates, isn't among them.
		partOfRows := len(b.rows) < len(rows)
		ofDates := !c.headings && !c.cells
		if ofDates && partOfRows {
			isDate := func(r row) bool { return r.isDate() }
			if areParallel(b.left, b.right) || !slices.ContainsFunc(labelRows, isDate) {
				list.add(a.arrange(chunksIn(b.rows), side, depth+1))
				continue
			}
		}

		for _, r := range recordsOf(labelRows, textRows, c) {
			list.add(a.arrangeRecord(r, c, side, depth))
		}
	}

	return list.finish()
}

// learn finds records within the text of others, which may be too few in a single one to be recognized.
func (a arranger) learn(rows []row, c recordColumn) {
	var all []chunk
	for _, b := range a.bandsAt(rows, c.x) {
		if b.free {
			_, texts := c.sides(b)
			all = append(all, texts...)
		}
	}
	if _, inner, _ := a.gutter(rowsOf(all)); inner.hits > 0 {
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
	next := 0 // the first row of text that no record has yet
	for _, l := range texts.labels(narrow) {
		// A record begins at the row beside its label, whose baseline may be a little higher or lower.
		top := l.rows[0].baseline
		if l.beside >= next {
			top = wide[l.beside].baseline
		}

		first := next
		for next < len(wide) && wide[next].baseline > top {
			next++
		}

		// The text above this label belongs to the record before.
		if above := wide[first:next]; len(above) > 0 {
			if n := len(records); n > 0 {
				records[n-1].text = above
			} else {
				records = append(records, record{text: above})
			}
		}

		// A label without text is text itself. An empty record takes the text up to the next label.
		if l.alone {
			records = append(records, record{text: l.rows}, record{})
			continue
		}

		records = append(records, record{labels: l.rows, heading: c.headings && !l.dated, dated: l.dated})
	}

	last := &records[len(records)-1]
	last.text = append(slices.Clip(last.text), wide[next:]...)
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
		first := r.labels[0]
		heading := row{
			Box: first.Box, chunks: first.chunks, baseline: first.baseline, size: first.size,
			parts: r.labels, joint: " ", heading: true,
		}
		return append([]region{{[]row{heading}, side}}, text...)
	}

	// Labels can only share lines with text that is in the same part of the page.
	readsInTurn := len(text) == 0 || c.cells || text[0].side != side
	if readsInTurn {
		return append([]region{{r.labels, side}}, text...)
	}

	labelsFirst := c.atRight == a.rtl
	text[0].rows = withLabels(text[0].rows, r, labelsFirst)
	return text
}

// withLabels returns the rows of a record's text, each joined with its labels. labelsFirst is whether labels are read
// before their text.
func withLabels(rows []row, r record, labelsFirst bool) []row {
	texts := newColumn(rows)
	labelsOf := make([][]row, len(rows))
	at := 0
	for i, l := range r.labels {
		// The lines of one date stay together, beside the row of the first one.
		if i > 0 && !continuesDate(r.labels[i-1].text(), l.text()) {
			at = texts.pair(&l, r.dated)
		}
		labelsOf[at] = append(labelsOf[at], l)
	}

	var all []row
	for i, text := range rows {
		if len(labelsOf[i]) == 0 {
			all = append(all, text)
			continue
		}

		// Several labels in the first line of a paragraph would tear its sentence apart.
		labels := joinLabels(labelsOf[i])
		wraps := i+1 < len(rows) && !texts.starts(i+1)
		runningText := wraps && labelsFirst && len(labelsOf[i]) > 1
		switch {
		case text.startsItem() || runningText:
			all = append(all, labels, text)
		case labelsFirst:
			all = append(all, joinRows("\t", labels, text))
		default:
			all = append(all, joinRows("\t", text, labels))
		}
	}

	return all
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
