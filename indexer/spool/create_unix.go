//go:build !windows

package spool

import (
	"errors"
	"os"
)

// create creates a file and removes its name while the file is empty. It doesn't use O_TMPFILE, which only Linux has,
// and not on all file systems; a kill between the two steps leaves no more than an empty file.
func create(folder string) (*os.File, error) {
	file, err := os.CreateTemp(folder, "indexer-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(file.Name()); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}
