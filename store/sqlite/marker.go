package sqlite

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// The marker is a file beside the database. It records that the database was created, so that a lost database is not
// silently replaced with an empty one: it gets its text after the first migration, before which the database's file may
// be empty. Every open database holds a shared lock on it, so that Restore can tell whether
// a program is using the database. The database file itself can't be locked this way: closing it would release
// SQLite's own locks.
const (
	markerSuffix = ".created"
	markerText   = "This file records that the database beside it was created. If that database is missing, the server\n" +
		"refuses to start. Programs that use the database lock this file.\n"
)

var (
	// ErrMissing means that there is no database file, or an empty one, although there was a database.
	ErrMissing = errors.New("the database file is missing or empty, but there was one")
	// ErrInUse means that another program uses the database.
	ErrInUse = errors.New("another program is using the database")
)

// filesOf returns the names of a database's files: the database itself, then those that SQLite keeps beside it while it
// is in use. In this order they are set aside, so that a database never loses its write-ahead log.
func filesOf(path string) []string { return []string{path, path + "-wal", path + "-shm"} }

// everUsed reports whether there is a sign that there was a database at path.
func everUsed(path string) (bool, error) {
	return exists(append(filesOf(path)[1:], path+markerSuffix)...)
}

// claim creates the database file and its marker, if this is the first use of the path. It returns a shared lock on the
// marker, which the caller must release. It returns ErrMissing if the database file was lost, and ErrInUse if it is
// being restored.
func claim(path string) (*flock.Flock, error) {
	used, err := everUsed(path)
	if err != nil {
		return nil, err
	}

	if !used {
		// The database first: another program that finds the marker expects the database.
		if err := create(path); err != nil {
			return nil, err
		}
	}

	lock, err := lockMarker(path+markerSuffix, (*flock.Flock).TryRLock)
	if err != nil {
		return nil, err
	}

	gone, err := lost(path) // only now, because another program may have been restoring the database until now
	if err == nil && gone {
		err = ErrMissing
	}

	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}

	return lock, nil
}

// lockMarker creates the marker if necessary, and locks it with one of flock's methods.
func lockMarker(marker string, try func(*flock.Flock) (bool, error)) (*flock.Flock, error) {
	lock := flock.New(marker, flock.SetPermissions(0o600))
	locked, err := try(lock)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", marker, err), lock.Close())
	}
	if !locked {
		return nil, errors.Join(ErrInUse, lock.Close())
	}
	return lock, nil
}

// mark writes the marker's text. On a full disk, the server should start without it.
func mark(path string) {
	marker := path + markerSuffix
	if info, err := os.Stat(marker); err == nil && info.Size() == 0 {
		_ = os.WriteFile(marker, []byte(markerText), 0o600)
	}
}

// lost reports whether a database that was used has no file, or an empty one. A program that creates the database now,
// or was killed while it did so, has left an empty file without the marker's text.
func lost(path string) (bool, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil || info.Size() > 0 {
		return false, err
	}
	marker, err := os.Stat(path + markerSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && marker.Size() > 0, err
}

// exists reports whether one of the files exists.
func exists(paths ...string) (bool, error) {
	for _, path := range paths {
		_, err := os.Lstat(path)
		if err == nil {
			return true, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
	}
	return false, nil
}

// Forget lets Open create a new database at a path whose database is missing or empty. It keeps the files that are left
// of the lost database under other names; see Restore. It returns fs.ErrExist if there is a database.
func Forget(path string, now time.Time) (err error) {
	if gone, err := lost(path); err != nil || !gone {
		return cmp.Or(err, fmt.Errorf("database %s: %w", path, fs.ErrExist))
	}
	if _, err := os.Stat(filepath.Dir(path)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	lock, err := lockMarker(path+markerSuffix, (*flock.Flock).TryLock)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if err := move(path, replacedName(path, now)); err != nil {
		return err
	}
	return os.Remove(path + markerSuffix)
}

// replacedName returns the name under which a database is kept that is replaced at a time.
func replacedName(path string, now time.Time) string {
	return path + ".replaced-" + now.UTC().Format("20060102t150405z")
}

// move renames the files of a database that exist. It overwrites no file, and undoes what it has done if it fails.
func move(from, to string) error {
	if found, err := exists(filesOf(to)...); err != nil || found {
		return cmp.Or(err, fmt.Errorf("%s: %w", to, fs.ErrExist))
	}
	for i, name := range filesOf(from) {
		if err := os.Rename(name, filesOf(to)[i]); err != nil && !errors.Is(err, fs.ErrNotExist) {
			for j := range i {
				if undoErr := os.Rename(filesOf(to)[j], filesOf(from)[j]); !errors.Is(undoErr, fs.ErrNotExist) {
					err = errors.Join(err, undoErr)
				}
			}
			return err
		}
	}
	return nil
}
