package build

import (
	"fmt"

	"github.com/dustin/go-humanize/english"

	"freelancer-matching/indexer/source/columns"
	"freelancer-matching/indexer/source/table"
)

// Describe returns the table of columns, with examples and the number of warnings in the sample.
func (b *Builder) Describe(sample []table.Record) []columns.Column {
	columns := make([]columns.Column, len(b.Headers))
	warnings := make(map[string]int)
	for _, rec := range sample {
		for _, warning := range b.Build(rec, 0).Warnings {
			warnings[warning.Column]++
		}
		for i, cell := range rec.Cells[:min(len(rec.Cells), len(columns))] {
			columns[i].AddExample(cell)
		}
	}

	for i, header := range b.Headers {
		c := &columns[i]
		use := b.Mapping.Columns[i]
		if n := warnings[header]; n > 0 {
			use.AddNote(fmt.Sprintf("warnings in %d of the first %s", n, english.Plural(len(sample), "row", "")))
		}
		c.Header, c.Field, c.How, c.Note, c.Doubt = header, use.Field.String(), use.How, use.Note, use.Doubt
	}

	return columns
}
