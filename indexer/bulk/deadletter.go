package bulk

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// DeadLetter is one fault of a rejected row, or a document that the engine refused, as a line of the dead-letter file
// (NDJSON). Of a row, file and line are known; of a document, the id.
type DeadLetter struct {
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`   // where the fault is, 1-based
	Column string `json:"column,omitempty"` // as the file names it; "" for a fault of the whole row
	ID     string `json:"id,omitempty"`     // of the freelancer
	Value  string `json:"value,omitempty"`  // up to 200 characters of it
	Reason string `json:"reason"`
}

// deadLetters writes the dead-letter file. The file is made with the first fault, so that a load without faults leaves
// none. It may hold personal data, and is readable by its owner only. It is safe for concurrent use: engines refuse
// documents while rows are read.
type deadLetters struct {
	path string // "": nothing is written

	mu   sync.Mutex // guards what follows
	err  error      // the first failure
	file *os.File
	buf  *bufio.Writer
	enc  *json.Encoder
}

// write adds a letter. A failure is told by close too.
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
		d.err = fmt.Errorf("dead letters: %w", d.err)
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

// close completes the file and tells its path, "" where there was nothing to write.
func (d *deadLetters) close() (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.file == nil {
		return "", d.err
	}
	if err := errors.Join(d.buf.Flush(), d.file.Close()); err != nil && d.err == nil {
		d.err = fmt.Errorf("dead letters: %w", err)
	}
	return d.path, d.err
}
