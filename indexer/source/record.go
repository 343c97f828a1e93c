package source

import (
	"fmt"
	"strconv"
	"strings"

	"freelancer-matching/indexer/rows"
)

// Record implements rows.Raw for the last row that was built. Columns without a header, or with the header of an
// earlier column, are named after their position. The name of a repeated header ends with the position in brackets,
// which the recognition of headers ignores. Cells beyond the header are included under names of their own, because the
// row may have shifted.
func (b *builder) Record() rows.Record {
	if len(b.cells) == 0 {
		return nil // a line that could not be split into cells
	}
	record := make(rows.Record, 0, max(len(b.headers), len(b.cells)))
	seen := make(map[string]bool, len(b.headers))
	for i := range cap(record) {
		name := ""
		if i < len(b.headers) {
			name = strings.Clone(b.headers[i])
		}

		switch {
		case i >= len(b.headers):
			name = extraCell + strconv.Itoa(i+1) + ")"
		case name == "" || seen[name]:
			name = strings.TrimSpace(fmt.Sprintf("%s (column %d)", name, i+1))
		}

		seen[name] = true
		record = append(record, rows.Cell{
			Header:  name,
			Value:   strings.Clone(cellAt(b.cells, i)),
			Missing: b.isRagged && i >= len(b.cells),
		})
	}

	return record
}
