package bulk

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"freelancer-matching/indexer/source"
)

// DeadLetter is one fault of a rejected row, as a line of the dead-letter file (NDJSON).
type DeadLetter struct {
	File   string `json:"file"`
	Line   int    `json:"line"`             // where the fault is, 1-based
	Column string `json:"column,omitempty"` // as the file names it; "" for a fault of the whole row
	Value  string `json:"value,omitempty"`  // up to 200 characters of it
	Reason string `json:"reason"`
}

// deadLetters writes the dead-letter file. The file is made with the first fault, so that a load without faults leaves
// none. It may hold personal data, and is readable by its owner only.
type deadLetters struct {
	path string // "": nothing is written
	file *os.File
	buf  *bufio.Writer
	enc  *json.Encoder
}

func (d *deadLetters) write(input string, f source.Fault) error {
	if d.path == "" {
		return nil
	}
	if d.file == nil {
		if err := d.create(); err != nil {
			return fmt.Errorf("dead letters: %w", err)
		}
	}
	letter := DeadLetter{File: input, Line: f.Line, Column: f.Column, Value: f.Value, Reason: f.Reason}
	if err := d.enc.Encode(letter); err != nil {
		return fmt.Errorf("dead letters: %w", err)
	}
	return nil
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

// close completes the file and tells its path, "" where there was nothing to write.
func (d *deadLetters) close() (string, error) {
	if d.file == nil {
		return "", nil
	}
	if err := errors.Join(d.buf.Flush(), d.file.Close()); err != nil {
		return d.path, fmt.Errorf("dead letters: %w", err)
	}
	return d.path, nil
}
