package source

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// csvReader reads CSV after RFC 4180, and beyond it what files have: any delimiter, stray quotes inside of cells,
// spaces behind a closing quote, mixed line ends. It is not encoding/csv because that takes a quote that never closes
// for the end of the file when stray quotes are allowed, and holds a cell of any size.
type csvReader struct {
	in    *bufio.Reader
	delim byte
	text  *charset
	line  int    // the last one that was read
	long  []byte // room for a line that does not fit into the buffer of in
	row   []byte // the cells of the row, one after another
	ends  []int  // where each cell ends in row
	cells []string
}

// next implements recordReader.
func (r *csvReader) next() (record, error) {
	for {
		begin := r.line + 1
		line, err := r.readLine()
		if err != nil {
			return record{}, err
		}
		if len(line) == 0 {
			continue
		}
		r.row, r.ends = r.row[:0], r.ends[:0]
		if err := r.split(line); err != nil {
			return record{}, err
		}
		r.decode()
		return record{line: begin, cells: r.cells}, nil
	}
}

func (r *csvReader) readLine() (line []byte, err error) {
	line, r.long, err = readLine(r.in, r.long, maxRow)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("line %d: %w", r.line+1, err)
	}
	if err == nil {
		r.line++
	}
	return line, err
}

// split cuts a row into cells. It begins in line and reads on where a quoted cell does.
func (r *csvReader) split(line []byte) (err error) {
	for {
		start := len(r.row)
		var isLast bool
		if len(line) > 0 && line[0] == '"' {
			if line, isLast, err = r.quoted(line[1:]); err != nil {
				return err
			}
		} else {
			end := bytes.IndexByte(line, r.delim)
			if isLast = end < 0; isLast {
				end = len(line)
			}
			r.row = append(r.row, line[:end]...)
			if !isLast {
				line = line[end+1:]
			}
		}
		if len(r.row)-start > maxCell {
			return fmt.Errorf("line %d: a cell of more than 1 MiB", r.line)
		}
		if len(r.row) > maxRow {
			return fmt.Errorf("line %d: %w", r.line, errLongRow)
		}
		r.ends = append(r.ends, len(r.row))
		if isLast {
			return nil
		}
	}
}

// quoted reads a cell from behind its opening quote, and returns the line behind its delimiter. A quote closes the
// cell only before a delimiter or the end of a line; others are part of it.
func (r *csvReader) quoted(line []byte) (rest []byte, isLast bool, err error) {
	opened, start := r.line, len(r.row)
	for {
		quote := bytes.IndexByte(line, '"')
		if quote < 0 {
			r.row = append(append(r.row, line...), '\n')
			if len(r.row)-start > maxCell {
				return nil, false, fmt.Errorf("line %d: a cell of more than 1 MiB: the quote that opens it may never close", opened)
			}
			line, err = r.readLine()
			if errors.Is(err, io.EOF) {
				return nil, false, unclosedError{opened}
			}
			if err != nil {
				return nil, false, err
			}
			continue
		}
		r.row = append(r.row, line[:quote]...)
		line = line[quote+1:]
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
		r.row = append(r.row, '"')
	}
}

// decode turns the row into text.
func (r *csvReader) decode() {
	r.cells = r.cells[:0]
	row := r.text.text(r.row)
	isSame := len(row) == len(r.row) // otherwise the text is longer or shorter than its bytes
	start := 0
	for _, end := range r.ends {
		if isSame {
			r.cells = append(r.cells, row[start:end])
		} else {
			r.cells = append(r.cells, r.text.text(r.row[start:end]))
		}
		start = end
	}
}

// unclosedError is a quote without an end.
type unclosedError struct{ line int }

// Error implements error.
func (e unclosedError) Error() string {
	return fmt.Sprintf("line %d: the quote that opens here never closes", e.line)
}
