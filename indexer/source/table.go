package source

import (
	"fmt"
	"strconv"
	"strings"

	"freelancer-matching/indexer/rows"
	"freelancer-matching/internal/value"
)

// record is one row in any format, before its cells are parsed. The cells are valid until the next record.
type record struct {
	line     int
	position int // of the row in its file, from 1; 0 to count
	cells    []string
	skip     string // why the row is not about anybody
	fault    string // why the row has no cells
	value    string // the part of the file that has the fault
	warnings []rows.Fault
}

// recordReader reads a file row by row, up to io.EOF.
type recordReader interface {
	next() (record, error)
}

// table is the beginning of a file in any format.
type table struct {
	headers []string
	sample  []record
}

// sampleRows is the number of rows in a sample.
const sampleRows = 200

// The limits of rows.
const (
	maxCell    = 1 << 20 // bytes
	maxRow     = 4 << 20 // bytes
	maxColumns = 500
	maxValue   = 200 // characters of the value in a fault
)

func isBlank(cells []string) bool {
	for _, cell := range cells {
		if strings.TrimSpace(cell) != "" {
			return false
		}
	}
	return true
}

// cellAt returns a cell, or "" beyond the end of a short row.
func cellAt(cells []string, column int) string {
	if column >= len(cells) {
		return ""
	}
	return cells[column]
}

func tooManyColumns(n int) error {
	return fmt.Errorf("%d columns, more than the limit of %d; check that this is a table of freelancers and that the "+
		"delimiter is right", n, maxColumns)
}

// quoted lists the first headers for an error.
func quoted(headers []string) string {
	const limit = 12
	list := make([]string, 0, limit)
	for _, header := range headers[:min(len(headers), limit)] {
		list = append(list, strconv.Quote(value.Truncate(header, 40)))
	}
	text := strings.Join(list, ", ")
	if len(headers) > limit {
		text += fmt.Sprintf(" and %d more", len(headers)-limit)
	}
	return text
}

// remarkError is the warning about a cell with an error value.
const remarkError = "an error value of a spreadsheet program; left unknown"

// isSpreadsheetError reports whether a cell is an error value of a spreadsheet program. It leaves out #N/A, which says
// that a value is unknown.
func isSpreadsheetError(cell string) bool {
	if len(cell) < 4 || cell[0] != '#' {
		return false
	}
	switch cell {
	case "#DIV/0!", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!", "#SPILL!", "#CALC!", "#FIELD!", "#BLOCKED!",
		"#CONNECT!", "#BUSY!", "#UNKNOWN!", "#GETTING_DATA", "#ERROR!":
		return true
	}
	return false
}
