// Package spool keeps data that can be read only once, such as standard input or a download, for as long as the process
// runs. The data is personal, so it is in a temporary file without a name: the system frees it when the process ends,
// even if the process is killed.
package spool

import (
	"fmt"
	"io"
	"os"

	"github.com/dustin/go-humanize"
)

// Spool is a temporary file without a name.
type Spool struct {
	file  *os.File
	size  int64
	limit int64
}

// New creates an empty spool in the folder for temporary files. It accepts up to limit bytes.
func New(limit int64) (*Spool, error) {
	file, err := create(os.TempDir())
	if err != nil {
		return nil, fmt.Errorf("create a temporary file: %w", err)
	}
	return &Spool{file: file, limit: limit}, nil
}

// LimitError reports that data exceeds the limit of a Spool.
type LimitError struct{ Limit int64 }

// Error implements error.
func (e *LimitError) Error() string {
	limit := humanize.IBytes(uint64(e.Limit))
	return fmt.Sprintf("the data exceeds the limit of %s; raise -max-download to load it", limit)
}

// Write appends to the spool. It returns a *LimitError if the spool would exceed its limit.
func (s *Spool) Write(p []byte) (int, error) {
	if int64(len(p)) > s.limit-s.size {
		return 0, &LimitError{s.limit}
	}
	n, err := s.file.Write(p)
	s.size += int64(n)
	return n, err
}

// Truncate removes everything written so far.
func (s *Spool) Truncate() error {
	s.size = 0
	if err := s.file.Truncate(0); err != nil {
		return err
	}
	_, err := s.file.Seek(0, io.SeekStart)
	return err
}

// ReadAt implements io.ReaderAt.
func (s *Spool) ReadAt(p []byte, offset int64) (int, error) { return s.file.ReadAt(p, offset) }

// Size returns the number of bytes written so far.
func (s *Spool) Size() int64 { return s.size }

// Close frees the data.
func (s *Spool) Close() error { return s.file.Close() }
