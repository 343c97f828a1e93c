package sqlite

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"github.com/freelancer-matching/service/store/storetest"
)

// The databases of earlier releases open and contain what those releases wrote.
func TestBackcompat(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "backcompat", "*", "sqlite", "matching.db"))
	if err != nil || len(files) == 0 {
		t.Fatalf("databases %v, %v; want at least one", files, err)
	}

	for _, file := range files {
		folder := filepath.Dir(file)
		t.Run(filepath.Base(filepath.Dir(folder)), func(t *testing.T) {
			database, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}

			path := filepath.Join(t.TempDir(), "matching.db")
			if err := os.WriteFile(path, database, 0o600); err != nil {
				t.Fatal(err)
			}

			insertDamaged(t, path)
			before, err := Check(t.Context(), path)
			if err != nil || before.Version == 0 || len(before.Problems) > 0 {
				t.Errorf("Check before the migration = %+v, %v", before, err)
			}

			storetest.Backcompat(t, openFile(t, path), filepath.Join(folder, "contents.json"))
			after, err := Check(t.Context(), path)
			if err != nil || after.Version != after.Latest || len(after.Problems) > 0 {
				t.Errorf("Check after the migration = %+v, %v", after, err)
			}
		})
	}
}

// insertDamaged adds sessions that a migration can't read.
func insertDamaged(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	_, err = db.ExecContext(t.Context(), `
		INSERT INTO interviews (id, account, version, open, expires, data) VALUES
			('damaged1', 'acc', 1, 1, 9000000000000000, CAST('{"Begun":' AS BLOB)), ('damaged2', 'acc', 1, 1, 0, X'FF7B'),
			('damaged3', 'acc', 1, 1, 0, CAST('{"Begun":7,"Subject":[]}' AS BLOB))`)
	if err != nil {
		t.Fatal(err)
	}
}
