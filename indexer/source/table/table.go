// Package table has what the readers of all formats share: records, the beginning of a table, its header and the
// limits.
package table

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/indexer/rows"
	"github.com/freelancer-matching/service/internal/value"
)

// Record is one row in any format, before its cells are parsed. The cells are valid until the next record.
type Record struct {
	Line     int
	Position int // of the row in its file, from 1; 0 to count
	Cells    []string
	Skip     string // why the row is not about anybody
	Fault    string // why the row has no cells
	Value    string // the part of the file that has the fault
	Warnings []rows.Fault
}

// Reader reads a file row by row, up to io.EOF.
type Reader interface {
	Next() (Record, error)
}

// Table is the beginning of a file in any format.
type Table struct {
	Headers []string
	Sample  []Record
}

// SampleRows is the number of rows in a sample.
const SampleRows = 200

// The limits of rows.
const (
	MaxCell    = 1 << 20 // bytes
	MaxRow     = 4 << 20 // bytes
	MaxColumns = 500
	MaxValue   = 200 // characters of the value in a fault
)

// IsBlank reports whether every cell is empty or white space.
func IsBlank(cells []string) bool {
	for _, cell := range cells {
		if strings.TrimSpace(cell) != "" {
			return false
		}
	}
	return true
}

// CellAt returns a cell, or "" beyond the end of a short row.
func CellAt(cells []string, column int) string {
	if column >= len(cells) {
		return ""
	}
	return cells[column]
}

// TooManyColumns returns the error for a table of n columns, which are more than MaxColumns.
func TooManyColumns(n int) error {
	return fmt.Errorf("%d columns, more than the limit of %d; check that this is a table of freelancers and that the "+
		"delimiter is right", n, MaxColumns)
}

// Quoted lists the first headers for an error.
func Quoted(headers []string) string {
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

// RemarkError is the warning about a cell with an error value.
const RemarkError = "an error value of a spreadsheet program; left unknown"

// IsSpreadsheetError reports whether a cell is an error value of a spreadsheet program. It leaves out #N/A, which says
// that a value is unknown.
func IsSpreadsheetError(cell string) bool {
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
