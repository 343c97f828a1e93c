package workbook

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

const (
	tempPrefix = "indexer-workbook-"
	// staleAfter is how old a folder is that a killed process has left behind. Files have names for seconds only.
	staleAfter = time.Hour
)

// tempFolder is a folder for the parts of a workbook that the library unpacks to disk. They are personal data, so hide
// removes their names: the system then frees them when the process ends, even if it is killed.
type tempFolder struct {
	path string
	open []*os.File // files without names, which the links in the folder lead to
}

// newTempFolder creates a folder, and removes those that killed processes have left behind.
func newTempFolder(now time.Time) (*tempFolder, error) {
	stale, err := filepath.Glob(filepath.Join(os.TempDir(), tempPrefix+"*"))
	if err != nil {
		return nil, err
	}
	for _, path := range stale {
		info, err := os.Lstat(path)
		isFolder := err == nil && info.IsDir()
		if isFolder && now.Sub(info.ModTime()) > staleAfter {
			_ = os.RemoveAll(path) // another user's folder stays
		}
	}
	path, err := os.MkdirTemp("", tempPrefix)
	return &tempFolder{path: path}, err
}

// hide removes the names of the files in the folder and returns how many it removed. Links take their place, because
// the library opens some files again.
func (t *tempFolder) hide() (n int, err error) {
	entries, err := os.ReadDir(t.path)
	if err != nil {
		return 0, err
	}

	for _, entry := range entries {
		if entry.Type()&fs.ModeSymlink != 0 {
			continue
		}
		path := filepath.Join(t.path, entry.Name())
		file, err := os.Open(path)
		if err != nil {
			return n, err
		}

		// The open file keeps the content without a name, so nothing is left of it even if the process is killed.
		t.open = append(t.open, file)
		if err := replaceByLink(path, file); err != nil {
			return n, err
		}
		n++
	}

	return n, nil
}

// close removes the folder and frees the files.
func (t *tempFolder) close() error {
	var errs []error
	for _, file := range t.open {
		errs = append(errs, file.Close())
	}
	return errors.Join(append(errs, os.RemoveAll(t.path))...)
}
