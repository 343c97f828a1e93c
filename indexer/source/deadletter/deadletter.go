// Package deadletter reads files of dead letters, whose rows can be loaded again after somebody has corrected them.
package deadletter

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/indexer/rows"
	"github.com/freelancer-matching/service/indexer/source/input"
	"github.com/freelancer-matching/service/indexer/source/table"
)

// Letters are the dead letters in a dead-letter file about rows of one file with the same columns. Their rows can be
// read again after somebody has corrected the records.
type Letters struct {
	File    string // that the rows are from
	Columns []string
	Count   int
	From    input.Source
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
	maxLetter  = 8 * table.MaxRow // a row in JSON, with its faults
	maxLetters = 100              // different files and columns
)

// Format is the format of dead-letter files.
const Format = "dead letters"

// Read returns what is in a dead-letter file. It returns an error that names the line if one is not valid.
func Read(from input.Source) (groups []Letters, err error) {
	in, err := input.Open(from)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()

	r := &Reader{in: in.Reader}
	for {
		letter, err := r.read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", from.Name, err)
		}

		// One file may hold letters of several loads. Each list of columns needs a mapping of its own.
		columns, _ := table.SplitRecord(letter.Record)
		i := slices.IndexFunc(groups, func(g Letters) bool { return g.has(letter.File, columns) })
		if i < 0 {
			if i = len(groups); i == maxLetters {
				return nil, fmt.Errorf("%s: line %d: more than %d different files or lists of columns; split the file",
					from.Name, r.line, maxLetters)
			}
			groups = append(groups, Letters{File: letter.File, Columns: columns, From: from})
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

// Open opens the records of dead letters and reads a sample.
func Open(in *input.Stream, l *Letters) (r *Reader, t table.Table, err error) {
	r = &Reader{in: in.Reader, only: l}
	if len(l.Columns) == 0 {
		return r, t, nil
	}

	for _, name := range l.Columns {
		t.Headers = append(t.Headers, table.OriginalHeader(name, len(t.Headers)))
	}
	if t.Sample, err = l.readSample(); err != nil {
		return nil, t, err
	}
	return r, t, nil
}

// readSample reads the first records. It opens the file again, so that the stream of Open stays at its first letter.
func (l *Letters) readSample() (sample []table.Record, err error) {
	content, err := l.From.Open()
	if err != nil {
		return nil, err
	}
	defer content.Close()

	r := &Reader{in: bufio.NewReader(content), only: l}
	for len(sample) < table.SampleRows {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}

		sample = append(sample, rec)
	}

	return sample, nil
}

// A Reader reads the records of dead letters.
type Reader struct {
	in   *bufio.Reader
	only *Letters // nil for all
	line int
	long []byte
}

// Next implements table.Reader.
func (r *Reader) Next() (table.Record, error) {
	for {
		letter, err := r.read()
		if err != nil {
			return table.Record{}, err
		}
		columns, cells := table.SplitRecord(letter.Record)
		if !r.only.has(letter.File, columns) {
			continue
		}
		rec := table.Record{Line: letter.Line, Position: letter.Position, Cells: cells}
		if len(columns) == 0 {
			rec.Fault = letter.withoutRecord()
			rec.Value = letter.ID
		}
		return rec, nil
	}
}

// read returns the next letter.
func (r *Reader) read() (letter deadLetter, err error) {
	for {
		var line []byte
		line, r.long, err = input.ReadLine(r.in, r.long, maxLetter)
		if errors.Is(err, io.EOF) {
			return letter, err
		}

		r.line++
		if err != nil {
			return letter, fmt.Errorf("line %d: %w", r.line, err)
		}

		// Editors on Windows may have added a byte order mark, and corrections by hand leave empty lines.
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
