package encoding

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/match/encoding/vectorfile"
)

// Files beside the one of a fileStore.
const (
	// pendingName is the file of a load that is encoding. An interrupted load leaves it to the next one.
	pendingName = "pending.bin"
	// stagedSuffix follows the name of an index whose profiles a load has encoded, until the index is live and the vectors
	// have been moved.
	stagedSuffix = ".staged.bin"
)

// Stage implements Stager.
func (s *fileStore) Stage(live string) (Store, error) {
	paths, err := s.stagedPaths()
	if err != nil {
		return nil, err
	}

	// What an earlier load has staged in vain is a beginning. A server may not have read the file of the live index yet.
	pending := s.beside(pendingName)
	hasPending := slices.Contains(paths, pending)
	for _, path := range paths {
		if path == pending || path == s.beside(live+stagedSuffix) {
			continue
		}
		if hasPending {
			err = os.Remove(path)
		} else {
			err = os.Rename(path, pending)
		}
		if err != nil {
			return nil, fmt.Errorf("use the vectors of an earlier load: %w", err)
		}
		hasPending = true
	}

	return &fileStore{vectorfile.New(pending, s.space), pending, s.space}, nil
}

// Publish implements Stager.
func (s *fileStore) Publish(index string) error {
	if err := os.Rename(s.beside(pendingName), s.beside(index+stagedSuffix)); err != nil {
		return fmt.Errorf("keep the vectors of the new index: %w", err)
	}
	return nil
}

// Adopt implements Stager.
func (s *fileStore) Adopt(index string) error { return s.file.Adopt(s.beside(index + stagedSuffix)) }

// eraseStaged erases the vectors of freelancers in the files of loads.
func (s *fileStore) eraseStaged(ids []string) error {
	// A load may rename its file in the meantime, so the folder is read until no other name appears.
	seen := map[string]bool{}
	for {
		paths, err := s.stagedPaths()
		if err != nil {
			return err
		}
		paths = slices.DeleteFunc(paths, func(path string) bool { return seen[path] })
		if len(paths) == 0 {
			return nil
		}
		for _, path := range paths {
			seen[path] = true
			if err := vectorfile.Erase(path, ids); err != nil {
				return err
			}
		}
	}
}

// stagedPaths returns the files of loads.
func (s *fileStore) stagedPaths() (paths []string, err error) {
	entries, err := os.ReadDir(filepath.Dir(s.path))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list the vectors: %w", err)
	}
	for _, entry := range entries {
		if name := entry.Name(); name == pendingName || strings.HasSuffix(name, stagedSuffix) {
			paths = append(paths, s.beside(name))
		}
	}
	return paths, nil
}

// beside returns the path of another file in the folder of the store.
func (s *fileStore) beside(name string) string { return filepath.Join(filepath.Dir(s.path), name) }
