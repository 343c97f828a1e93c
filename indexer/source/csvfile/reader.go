// Package csvfile reads CSV files of any dialect.
package csvfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/freelancer-matching/service/indexer/rows"
	"github.com/freelancer-matching/service/indexer/source/charset"
	"github.com/freelancer-matching/service/indexer/source/input"
	"github.com/freelancer-matching/service/indexer/source/table"
	"github.com/freelancer-matching/service/internal/dataset"
	"github.com/freelancer-matching/service/internal/value"
)

// Reader reads CSV according to RFC 4180, with what real files add: any delimiter, stray quotes inside cells, spaces
// after a closing quote, and mixed line ends. encoding/csv is not enough: with stray quotes allowed, it reads to the
// end of the file if a quote never closes, and it does not limit the size of a cell.
type Reader struct {
	in      *bufio.Reader
	delim   byte
	charset charset.Decoder
	line    int    // the last line read
	long    []byte // buffer for a line that is longer than the buffer of in
	row     []byte // the cells of the row, concatenated
	ends    []int  // the end of each cell in row
	cells   []string

	headers  []string     // for warnings; nil while the header is being read
	warnings []rows.Fault // about the last row
}

// Next implements table.Reader.
func (r *Reader) Next() (table.Record, error) {
	begin, err := r.nextRow()
	if err != nil {
		return table.Record{}, err
	}
	r.decode(begin)
	return table.Record{Line: begin, Cells: r.cells, Warnings: r.warnings}, nil
}

// nextRow reads the next row that is not empty, without decoding it, and returns its first line.
func (r *Reader) nextRow() (begin int, err error) {
	for {
		begin := r.line + 1
		line, err := r.readLine()
		if err != nil {
			return 0, err
		}
		if len(line) == 0 {
			continue
		}
		r.row, r.ends = r.row[:0], r.ends[:0]
		return begin, r.split(line)
	}
}

// Scan calls add with each cell of some columns, up to the end of the file or the first error, which Rows reports.
func (r *Reader) Scan(columns []int, add func(column int, cell []byte)) {
	for {
		if _, err := r.nextRow(); err != nil {
			return
		}
		for _, column := range columns {
			if column < len(r.ends) {
				start := 0
				if column > 0 {
					start = r.ends[column-1]
				}
				add(column, r.row[start:r.ends[column]])
			}
		}
	}
}

func (r *Reader) readLine() (line []byte, err error) {
	line, r.long, err = input.ReadLine(r.in, r.long, table.MaxRow)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("line %d: %w", r.line+1, err)
	}
	if err == nil {
		r.line++
	}
	return line, err
}

// split splits a row into cells. It reads further lines if a quoted cell spans several.
func (r *Reader) split(line []byte) (err error) {
	for {
		cellStart := len(r.row)
		isLast := false
		if quote := r.openingQuote(line); quote >= 0 {
			if line, isLast, err = r.quoted(line[quote+1:]); err != nil {
				return err
			}
		} else {
			line, isLast = r.plain(line)
		}

		if len(r.row)-cellStart > table.MaxCell {
			return fmt.Errorf("line %d: a cell is larger than 1 MiB", r.line)
		}
		if len(r.row) > table.MaxRow {
			return fmt.Errorf("line %d: %w", r.line, input.ErrLongRow)
		}

		r.ends = append(r.ends, len(r.row))
		if isLast {
			return nil
		}
	}
}

// plain reads a cell without quotes, and returns the line after its delimiter.
func (r *Reader) plain(line []byte) (rest []byte, isLast bool) {
	end := bytes.IndexByte(line, r.delim)
	if end < 0 {
		r.row = append(r.row, line...)
		return nil, true
	}
	r.row = append(r.row, line[:end]...)
	return line[end+1:], false
}

// openingQuote returns the position of the quote that opens a cell at the start of the line, or -1. A quote after
// spaces opens one only if another quote ends a cell in the same line.
func (r *Reader) openingQuote(line []byte) int {
	if len(line) == 0 || line[0] != '"' && line[0] != ' ' {
		return -1
	}
	spaces := len(line) - len(bytes.TrimLeft(line, " "))
	switch {
	case spaces == len(line) || line[spaces] != '"':
		return -1
	case spaces == 0:
		return 0
	}

	for rest := line[spaces+1:]; ; {
		end := bytes.IndexByte(rest, '"')
		if end < 0 {
			return -1
		}
		rest = rest[end+1:]
		if after := bytes.TrimLeft(rest, " "); len(after) == 0 || after[0] == r.delim {
			return spaces
		}
	}
}

// quoted reads a cell after its opening quote, and returns the line after its delimiter. A quote closes the cell only
// if a delimiter or the end of a line follows; other quotes are part of the cell.
func (r *Reader) quoted(line []byte) (rest []byte, isLast bool, err error) {
	openLine := r.line
	start := len(r.row)

	for {
		quote := bytes.IndexByte(line, '"')
		if quote < 0 {
			r.row = append(append(r.row, line...), '\n')

			// Without this limit, a missing quote would read the rest of the file into one cell.
			if len(r.row)-start > table.MaxCell {
				return nil, false, fmt.Errorf("line %d: a quoted cell is larger than 1 MiB; the closing quote may be missing",
					openLine)
			}

			line, err = r.readLine()
			if errors.Is(err, io.EOF) {
				return nil, false, unclosedError{openLine}
			}
			if err != nil {
				return nil, false, err
			}

			continue
		}

		r.row = append(r.row, line[:quote]...)
		line = line[quote+1:]

		// Two quotes within a quoted cell are one quote of its text.
		if len(line) > 0 && line[0] == '"' {
			r.row = append(r.row, '"')
			line = line[1:]
			continue
		}

		switch after := bytes.TrimLeft(line, " "); {
		case len(after) == 0:
			return nil, true, nil
		case after[0] == r.delim:
			return after[1:], false, nil
		}

		if n := len(r.row); n > start && r.row[n-1] == '\\' { // escaped as in MySQL
			r.row = r.row[:n-1]
		}
		r.row = append(r.row, '"')
	}
}

// decode decodes the cells of the row, which begins at a line, and removes apostrophes that were put before formulas.
func (r *Reader) decode(line int) {
	r.cells = r.cells[:0]
	r.warnings = nil
	if !r.charset.IsClean(r.row) {
		r.decodeCells(line)
		return
	}

	// The cells share one string, so a row takes one allocation.
	row := string(r.row)
	start := 0
	for _, end := range r.ends {
		cell := dataset.UnescapeFormula(row[start:end])
		if table.IsSpreadsheetError(cell) {
			r.warn(line, len(r.cells), cell, table.RemarkError)
			cell = ""
		}
		r.cells = append(r.cells, cell)
		start = end
	}
}

// decodeCells decodes the cells one by one.
func (r *Reader) decodeCells(line int) {
	start := 0
	for i, end := range r.ends {
		text, remark := r.charset.Decode(r.row[start:end])
		cell := dataset.UnescapeFormula(string(text))
		if remark != "" {
			r.warn(line, i, cell, remark)
		}
		r.cells = append(r.cells, cell)
		start = end
	}
}

// warn adds a warning about a cell of the row.
func (r *Reader) warn(line, column int, cell, reason string) {
	warning := rows.Fault{Line: line, Value: value.Truncate(cell, table.MaxValue), Reason: reason}
	if column < len(r.headers) {
		warning.Column = r.headers[column]
	}
	r.warnings = append(r.warnings, warning)
}

// unclosedError reports a quote that never closes.
type unclosedError struct{ line int }

// Error implements error.
func (e unclosedError) Error() string {
	return fmt.Sprintf("line %d: the closing quote is missing", e.line)
}
