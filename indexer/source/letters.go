package source

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"freelancer-matching/indexer/rows"
)

// Letters are the dead letters in a dead-letter file about rows of one file with the same columns. Their rows can be
// read again after somebody has corrected the records.
type Letters struct {
	File    string // that the rows are from
	Columns []string
	Count   int
	from    Input
}

// deadLetter is what is read of a line of a dead-letter file. Earlier versions wrote one line for each fault.
type deadLetter struct {
	File     string      `json:"file"`
	Line     int         `json:"line"`
	Position int         `json:"position"`
	ID       string      `json:"id"`
	Reason   string      `json:"reason"`
	Record   rows.Record `json:"record"`
	Faults   []struct {
		Reason string `json:"reason"`
	} `json:"faults"`
}

// The limits of dead-letter files.
const (
	maxLetter  = 8 * maxRow // a row in JSON, with its faults
	maxLetters = 100        // different files and columns
)

// formatLetters is the format of dead-letter files.
const formatLetters = "dead letters"

// ReadLetters returns what is in a dead-letter file. It returns an error that names the line if one is not valid.
func ReadLetters(from Input) (groups []Letters, err error) {
	in, err := openInput(from)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.close()) }()

	r := &letterReader{in: in.Reader}
	for {
		letter, err := r.read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", from.Name, err)
		}

		columns, _ := splitRecord(letter.Record)
		i := slices.IndexFunc(groups, func(g Letters) bool { return g.has(letter.File, columns) })
		if i < 0 {
			if i = len(groups); i == maxLetters {
				return nil, fmt.Errorf("%s: line %d: more than %d different files or lists of columns; split the file",
					from.Name, r.line, maxLetters)
			}
			groups = append(groups, Letters{File: letter.File, Columns: columns, from: from})
		}

		groups[i].Count++
	}

	if len(groups) == 0 {
		return nil, fmt.Errorf("%s has no dead letters", from.Name)
	}

	return groups, nil
}

func (l *Letters) has(file string, columns []string) bool {
	return l.File == file && slices.Equal(l.Columns, columns)
}

// openLetters opens the records of dead letters and reads a sample.
func openLetters(in *input, l *Letters) (r *letterReader, t table, err error) {
	r = &letterReader{in: in.Reader, only: l}
	if len(l.Columns) == 0 {
		return r, t, nil
	}

	for _, name := range l.Columns {
		t.headers = append(t.headers, originalHeader(name, len(t.headers)))
	}
	content, err := l.from.Open()
	if err != nil {
		return nil, t, err
	}
	defer content.Close()

	sample := &letterReader{in: bufio.NewReader(content), only: l}
	for len(t.sample) < sampleRows {
		rec, err := sample.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, t, err
		}

		t.sample = append(t.sample, rec)
	}

	return r, t, nil
}

// A letterReader reads the records of dead letters.
type letterReader struct {
	in   *bufio.Reader
	only *Letters // nil for all
	line int
	long []byte
}

// next implements recordReader.
func (r *letterReader) next() (record, error) {
	for {
		letter, err := r.read()
		if err != nil {
			return record{}, err
		}
		columns, cells := splitRecord(letter.Record)
		if !r.only.has(letter.File, columns) {
			continue
		}
		rec := record{line: letter.Line, position: letter.Position, cells: cells}
		if len(columns) == 0 {
			rec.fault = letter.withoutRecord()
			rec.value = letter.ID
		}
		return rec, nil
	}
}

// read returns the next letter.
func (r *letterReader) read() (letter deadLetter, err error) {
	for {
		var line []byte
		line, r.long, err = readLine(r.in, r.long, maxLetter)
		if errors.Is(err, io.EOF) {
			return letter, err
		}

		r.line++
		if err != nil {
			return letter, fmt.Errorf("line %d: %w", r.line, err)
		}
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff")))
		if len(line) == 0 {
			continue
		}
		if err := json.Unmarshal(line, &letter); err != nil {
			return letter, fmt.Errorf("line %d is not a valid dead letter: %w", r.line, err)
		}

		return letter, nil
	}
}

// withoutRecord returns why a letter without a record can't be loaded again.
func (l *deadLetter) withoutRecord() string {
	reasons := []string{l.Reason}
	for _, f := range l.Faults {
		reasons = append(reasons, f.Reason)
	}
	return "the dead letter has no record to load; correct the original instead: " +
		strings.TrimPrefix(strings.Join(reasons, "; "), "; ")
}
