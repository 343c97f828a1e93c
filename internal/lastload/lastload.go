// Package lastload records how the last loads ended. A failed load leaves no index that could describe it, so the
// indexer writes a small file to the data folder, which the server reads for its metrics, and a history, which the
// dashboard shows.
package lastload

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// FileName is the name of the file in the data folder.
const FileName = "last-load.json"

// maxBytes is more than the size of any valid file.
const maxBytes = 64 << 10

// A Result describes a load that has ended. It holds no data about people.
type Result struct {
	Command  string    `json:"command"` // load or upsert
	Version  string    `json:"version"` // of the program
	Started  time.Time `json:"started"`
	Finished time.Time `json:"finished"`
	// Error is the code of the failure, as in the documents of indexer -json; empty after a success.
	Error string `json:"error,omitempty"`
	Index string `json:"index,omitempty"` // the live index after a success

	Rows        int `json:"rows"` // read; after a failure, up to the point where the load ended
	Freelancers int `json:"freelancers"`
	Merged      int `json:"merged"` // rows
	Conflicts   int `json:"conflicts"`
	Rejected    int `json:"rejected"` // rows
	Refused     int `json:"refused"`  // freelancers, by the search engine
	Warnings    int `json:"warnings"`
}

// Write replaces the file in a data folder. It returns an error wrapping fs.ErrNotExist if the folder doesn't exist.
func (r Result) Write(data string) error {
	content, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(data, "."+FileName+"-*")
	if err != nil {
		return err
	}
	_, err = file.Write(append(content, '\n'))
	// A server of another user may read it. A file that a crash loses is one that the next load writes again.
	if err = errors.Join(err, file.Chmod(0o644), file.Close()); err == nil {
		err = os.Rename(file.Name(), filepath.Join(data, FileName))
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}

// Read returns the result in a data folder. It returns an error wrapping fs.ErrNotExist if no load has ended yet.
func Read(data string) (r Result, err error) {
	file, err := os.Open(filepath.Join(data, FileName))
	if err != nil {
		return r, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxBytes))
	if err == nil {
		err = json.Unmarshal(content, &r)
	}
	if err != nil {
		return Result{}, fmt.Errorf("%s: %w", file.Name(), err)
	}
	return r, nil
}
