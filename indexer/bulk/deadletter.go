package bulk

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/freelancer-matching/service/indexer/rows"
)

// DeadLetter is one line of the dead-letter file, which is NDJSON: a rejected row, with its file and line, or a
// document that the engine refused, with its ID. indexer load -retry reads the records of rows.
type DeadLetter struct {
	File     string      `json:"file,omitempty"`
	Line     int         `json:"line,omitempty"`     // 1-based
	Position int         `json:"position,omitempty"` // of the row in its file, from 1, which -id row uses
	ID       string      `json:"id,omitempty"`       // of the freelancer, if it is known
	Faults   []DeadFault `json:"faults"`
	Record   rows.Record `json:"record,omitempty"` // the raw cells; absent if the row can't be split into cells
}

// DeadFault is one reason why a row was rejected.
type DeadFault struct {
	Column string `json:"column,omitempty"` // header of the column; empty if the fault concerns the whole row
	Value  string `json:"value,omitempty"`  // the cell, cut to 200 characters
	Reason string `json:"reason"`
}

// deadLetters writes the dead-letter file, which it creates for the first dead letter. Only the file's owner can read
// it, because it may hold personal data. It is safe for concurrent use: engines refuse documents while rows are read.
type deadLetters struct {
	path string // empty to write nothing

	mu   sync.Mutex // guards the fields below
	err  error      // the first failure
	file *os.File
	buf  *bufio.Writer
	enc  *json.Encoder
}

// write appends a dead letter. After a failure, write and close both keep returning the first error.
func (d *deadLetters) write(letter DeadLetter) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.path == "" || d.err != nil {
		return d.err
	}
	if d.file == nil {
		d.err = d.create()
	}
	if d.err == nil {
		d.err = d.enc.Encode(letter)
	}
	if d.err != nil {
		d.err = fmt.Errorf("write dead letters: %w", d.err)
	}
	return d.err
}

func (d *deadLetters) create() error {
	if err := os.MkdirAll(filepath.Dir(d.path), 0o750); err != nil {
		return err
	}
	file, err := os.OpenFile(d.path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	d.file, d.buf = file, bufio.NewWriter(file)
	d.enc = json.NewEncoder(d.buf)
	d.enc.SetEscapeHTML(false)
	return nil
}

// close finishes the file and returns its path, or "" if nothing was written.
func (d *deadLetters) close() (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.file == nil {
		return "", d.err
	}
	if err := errors.Join(d.buf.Flush(), d.file.Close()); err != nil && d.err == nil {
		d.err = fmt.Errorf("write dead letters: %w", err)
	}
	return d.path, d.err
}
