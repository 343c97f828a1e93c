package build

import (
	"fmt"

	"github.com/dustin/go-humanize/english"

	"github.com/freelancer-matching/service/indexer/source/columns"
	"github.com/freelancer-matching/service/indexer/source/table"
)

// Describe returns the table of columns, with examples and the number of warnings in the sample. If rows of the sample
// have no identity, later rejections name the columns that would identify them.
func (b *Builder) Describe(sample []table.Record) []columns.Column {
	columns := make([]columns.Column, len(b.Headers))
	warnings := make(map[string]int)
	var unidentified []table.Record

	for _, rec := range sample {
		row := b.Build(rec, 0)
		for _, warning := range row.Warnings {
			warnings[warning.Column]++
		}
		if lacksID(&row) {
			unidentified = append(unidentified, rec)
		}
		for i, cell := range rec.Cells[:min(len(rec.Cells), len(columns))] {
			columns[i].AddExample(cell)
		}
	}

	b.adviseID(sample, unidentified)

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
