package source

import (
	"fmt"

	"github.com/dustin/go-humanize/english"
)

// describe returns the table of columns, with examples and the number of warnings in the sample.
func (b *builder) describe(sample []record) []Column {
	columns := make([]Column, len(b.headers))
	warnings := make(map[string]int)
	for _, rec := range sample {
		for _, warning := range b.build(rec, 0).Warnings {
			warnings[warning.Column]++
		}
		for i, cell := range rec.cells[:min(len(rec.cells), len(columns))] {
			columns[i].addExample(cell)
		}
	}

	for i, header := range b.headers {
		c := &columns[i]
		use := b.mapping.columns[i]
		if n := warnings[header]; n > 0 {
			use.addNote(fmt.Sprintf("warnings in %d of the first %s", n, english.Plural(len(sample), "row", "")))
		}
		c.Header, c.Field, c.How, c.Note, c.Doubt = header, use.field.String(), use.how, use.note, use.doubt
	}

	return columns
}
