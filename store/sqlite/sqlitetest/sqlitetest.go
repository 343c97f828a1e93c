// Package sqlitetest provides empty SQLite databases for tests of other packages.
package sqlitetest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/freelancer-matching/service/store/sqlite"
)

// empty returns the file of a database with the current schema and no records. All migrations take longer than most
// tests that need a database.
var empty = sync.OnceValues(func() (file []byte, err error) {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()

	path := filepath.Join(folder, "empty.db")
	db, err := sqlite.Open(context.Background(), path)
	if err != nil {
		return nil, err
	}
	if err := db.Close(); err != nil {
		return nil, err
	}

	return os.ReadFile(path)
})

// NewFile returns the path of a new database for sqlite.Open, with the current schema and no records. Its folder is
// removed when the test ends.
func NewFile(t testing.TB) string {
	t.Helper()
	file, err := empty()
	if err != nil {
		t.Fatal(err)
	}

	path := filepath.Join(t.TempDir(), "service.db")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
