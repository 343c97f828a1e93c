package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/store"
	"github.com/freelancer-matching/service/store/fault"
)

// Restore replaces the database at path with a copy of a backup, after it has checked the copy. It keeps the replaced
// database, with the files that SQLite keeps beside it, and returns its new name, or "" if there was none. It does not
// migrate the schema; Open does. Restore returns ErrInUse while a program uses the database. If it fails, it has
// changed nothing.
func Restore(ctx context.Context, backup, path string, now time.Time) (replaced string, err error) {
	marked, err := exists(path + markerSuffix)
	if err != nil {
		return "", err
	}

	lock, err := lockMarker(path+markerSuffix, (*flock.Flock).TryLock)
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil && !marked { // the marker would make Open look for a database that never existed
			err = errors.Join(err, os.Remove(path+markerSuffix))
		}
		err = errors.Join(err, lock.Close())
	}()

	folder, err := os.MkdirTemp(filepath.Dir(path), "restore-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()

	fresh := filepath.Join(folder, filepath.Base(path))
	if err := copyChecked(ctx, backup, fresh); err != nil {
		return "", fmt.Errorf("the backup %s cannot be restored: %w", backup, err)
	}

	found, err := exists(path)
	if err != nil {
		return "", err
	}

	aside := replacedName(path, now)
	if err := move(path, aside); err != nil {
		return "", fmt.Errorf("keep the replaced database: %w", err)
	}
	if err := os.Rename(fresh, path); err != nil {
		return "", errors.Join(err, move(aside, path))
	}

	if found {
		replaced = aside
	}

	return replaced, syncFolder(filepath.Dir(path))
}

// copyChecked copies a backup, with its write-ahead log if there is one, and checks the copy. The copy has no log.
func copyChecked(ctx context.Context, backup, into string) (err error) {
	if err := copyFile(backup, into); err != nil {
		return err
	}
	if err := copyFile(backup+"-wal", into+"-wal"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}

	report, err := Check(ctx, into) // closing its connection moves the log into the database
	if e, ok := errors.AsType[*matching.Error](err); ok && e.Code == matching.CodeDatabaseCorrupt {
		return fmt.Errorf("it is damaged: %w", e.Cause) // not the service's database, about which e.Message speaks
	}
	if err != nil {
		return err
	}
	if len(report.Problems) > 0 {
		return fmt.Errorf("it is damaged: %s", report.Problems[0])
	}

	if report.Version > report.Latest {
		return fmt.Errorf("it has schema version %d, but this program supports versions up to %d; use a newer release",
			report.Version, report.Latest)
	}
	if left, err := exists(into + "-wal"); err != nil || left {
		return errors.Join(err, errors.New("its write-ahead log cannot be read"))
	}

	return syncFile(into)
}

// copyFile copies a file into a new one that only its owner can read.
func copyFile(from, to string) (err error) {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	if info, err := source.Stat(); err != nil || !info.Mode().IsRegular() {
		return errors.Join(err, fmt.Errorf("%s is not a regular file", from))
	}
	target, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Close())
}

func syncFile(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// syncFolder makes renamed files in a folder survive a power failure.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// maxProblems is how many problems of each kind Check reports.
const maxProblems = 10

// Check reads a whole database file and reports what is wrong with it. It does not migrate the schema. A server may use
// the database meanwhile. An error means that the file cannot be read as a database of this service; ErrMissing means
// that there was a database, and fs.ErrNotExist that there was none.
func Check(ctx context.Context, path string) (report store.Report, err error) {
	gone, err := lost(path)
	if err != nil {
		return store.Report{}, err
	}

	if gone {
		if used, err := everUsed(path); used || err != nil {
			return store.Report{}, errors.Join(ErrMissing, err)
		}
		return store.Report{}, fmt.Errorf("database %s: %w", path, fs.ErrNotExist)
	}

	pool, err := connect(path, 1)
	if err != nil {
		return store.Report{}, err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()

	problems, err := findProblems(ctx, pool)
	if err != nil {
		return store.Report{}, fault.Mark(err)
	}
	if report, err = store.Inspect(ctx, pool, migrations); err != nil {
		return store.Report{}, err
	}

	report.Problems = problems
	err = pool.QueryRowContext(ctx, "SELECT 'SQLite ' || sqlite_version()").Scan(&report.Product)
	return report, err
}

// findProblems returns descriptions of damage.
func findProblems(ctx context.Context, pool *sql.DB) (problems []string, err error) {
	for _, query := range []string{
		fmt.Sprintf("PRAGMA integrity_check(%d)", maxProblems), // its result is ok, or a problem in each row
		fmt.Sprintf(`SELECT 'a row of ' || "table" || ' refers to a missing row of ' || parent
			FROM pragma_foreign_key_check LIMIT %d`, maxProblems),
	} {
		rows, err := pool.QueryContext(ctx, query)
		if err != nil {
			return nil, err
		}

		for rows.Next() {
			var problem string
			if err := rows.Scan(&problem); err != nil {
				return nil, errors.Join(err, rows.Close())
			}

			if problem != "ok" {
				problems = append(problems, strings.ReplaceAll(problem, "\n", " "))
			}
		}

		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return nil, err
		}
	}

	return problems, nil
}
