package table

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/indexer/rows"
)

// extraCell begins the name of a cell beyond the header.
const extraCell = "(extra cell "

// SplitRecord returns the columns of a record and its cells, which include those beyond the header and end where the
// row ended.
func SplitRecord(record rows.Record) (columns, cells []string) {
	var extra []string
	end := 0
	for _, cell := range record {
		if strings.HasPrefix(cell.Header, extraCell) {
			extra = append(extra, cell.Value)
			continue
		}
		columns = append(columns, cell.Header)
		cells = append(cells, cell.Value)
		if !cell.Missing {
			end = len(cells)
		}
	}
	if len(extra) > 0 {
		return columns, append(cells, extra...)
	}
	return columns, cells[:end]
}

// OriginalHeader returns the header of a column that Record has named.
func OriginalHeader(name string, column int) string {
	header, ok := strings.CutSuffix(name, "(column "+strconv.Itoa(column+1)+")")
	if !ok {
		return name
	}
	return strings.TrimSpace(header)
}

// RawRecord returns the cells of a row with the names of their columns. Columns without a header, or with the header of
// an earlier column, are named after their position. The name of a repeated header ends with the position in brackets,
// which the recognition of headers ignores. Cells beyond the header are included under names of their own, because the
// row may have shifted.
func RawRecord(headers, cells []string, isRagged bool) rows.Record {
	if len(cells) == 0 {
		return nil // a line that could not be split into cells
	}
	record := make(rows.Record, 0, max(len(headers), len(cells)))
	seen := make(map[string]bool, len(headers))
	for i := range cap(record) {
		name := ""
		if i < len(headers) {
			name = strings.Clone(headers[i])
		}

		switch {
		case i >= len(headers):
			name = extraCell + strconv.Itoa(i+1) + ")"
		case name == "" || seen[name]:
			name = strings.TrimSpace(fmt.Sprintf("%s (column %d)", name, i+1))
		}

		seen[name] = true
		record = append(record, rows.Cell{
			Header:  name,
			Value:   strings.Clone(CellAt(cells, i)),
			Missing: isRagged && i >= len(cells),
		})
	}

	return record
}
