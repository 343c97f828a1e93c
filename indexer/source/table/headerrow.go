package table

import (
	"fmt"
	"strings"

	"github.com/freelancer-matching/service/indexer/source/headers"
	"github.com/freelancer-matching/service/internal/value"
)

// MaxTitleRows is the number of rows in which a header is looked for.
const MaxTitleRows = 20

// HeaderRow returns the index of the header among the first rows. Titles and notes may be above it: if the first row
// has no known header, the header is the first row with at least two.
func HeaderRow(records []Record, overrides headers.Overrides) int {
	if len(records) == 0 {
		return 0
	}
	known := overrides.CountKnown(records[0].Cells)
	filled := 0
	for _, cell := range records[0].Cells {
		if strings.TrimSpace(cell) != "" {
			filled++
		}
	}

	if known > 1 || known == 1 && filled > 1 {
		return 0
	}

	for i, rec := range records[:min(len(records), MaxTitleRows)] {
		if overrides.CountKnown(rec.Cells) > 1 {
			return i
		}
	}

	return 0
}

// TitleNote describes the rows above a header.
func TitleNote(records []Record, header int) string {
	title, _ := value.Line(strings.Join(records[0].Cells, " "), 60)
	return fmt.Sprintf("the header is in line %d; the lines above it were skipped, beginning with %q",
		records[header].Line, title)
}

// NumberedHeaders returns headers for a table without a header: "column 1", "column 2" and so on. Their number is that
// of most rows.
func NumberedHeaders(sample []Record) []string {
	counts := map[int]int{}
	most := 0
	for _, rec := range sample {
		n := len(rec.Cells)
		if counts[n]++; counts[n] > counts[most] {
			most = n
		}
	}
	headers := make([]string, most)
	for i := range headers {
		headers[i] = fmt.Sprintf("column %d", i+1)
	}
	return headers
}
