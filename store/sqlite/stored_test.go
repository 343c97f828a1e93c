package sqlite

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/store/storetest"
)

var update = flag.Bool("update", false, "rewrite docs/operations/stored-data.md")

// A new column must be listed with what it has, how long that is kept, and who sees it.
func TestStoredData(t *testing.T) {
	path := filepath.Join(t.TempDir(), "service.db")
	openFile(t, path)
	storetest.StoredData(t, connectRaw(t, path), `
		SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c
		WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`)
}

// docs/operations/stored-data.md is generated; -update rewrites it.
func TestStoredData_Page(t *testing.T) {
	name := filepath.Join("..", "..", "docs", "operations", "stored-data.md")
	page := storetest.StoredDataPage(t)
	if *update {
		if err := os.WriteFile(name, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(page, string(got)); diff != "" {
		t.Errorf("run make golden (-generated +committed):\n%s", diff)
	}
}
