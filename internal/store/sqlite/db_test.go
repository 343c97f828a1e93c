package sqlite

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"freelancer-matching/internal/store/storetest"
	"freelancer-matching/server/apikey"
)

func open(t *testing.T, path string) *DB {
	t.Helper()
	db, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func TestKeys(t *testing.T) {
	storetest.Keys(t, func(t *testing.T) apikey.Store { return open(t, filepath.Join(t.TempDir(), "service.db")) })
}

// The driver passes over a pragma that it does not understand, so what counts is what the connections say.
func TestOpen_PragmasTakeEffect(t *testing.T) {
	path := filepath.Join(t.TempDir(), "with space, 100% and ?.db")
	db := open(t, path)
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the file has another name: %v", err)
	}
	want := map[string]string{"busy_timeout": "10000", "journal_mode": "wal", "synchronous": "1", "foreign_keys": "1"}
	for pragma, value := range want {
		for name, pool := range map[string]*sql.DB{"writer": db.writer, "readers": db.readers} {
			var got string
			if err := pool.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != value {
				t.Errorf("%s: %s is %q (%v), want %q", name, pragma, got, err, value)
			}
		}
	}
	if n := db.writer.Stats().MaxOpenConnections; n != 1 {
		t.Errorf("%d writing connections, want 1", n)
	}
}

func TestOpen_KeepsWhatIsThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "service.db")
	k := apikey.Key{ID: "key_1", Hash: apikey.HashOf("x"), Created: time.Unix(1, 0)}
	first := open(t, path)
	if err := first.InsertKey(t.Context(), k); err != nil {
		t.Fatal(err)
	}
	second := open(t, path) // while the first is still open, as another process would
	if _, err := second.KeyByHash(t.Context(), k.Hash); err != nil {
		t.Error(err)
	}
}

func TestOpen_ManyAtOnceMigrateOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "service.db")
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			db, err := Open(t.Context(), path)
			if err != nil {
				t.Error(err)
				return
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

func TestOpen_RefusesWhatItCannotRead(t *testing.T) {
	newer := filepath.Join(t.TempDir(), "newer.db")
	db := open(t, newer)
	if _, err := db.writer.ExecContext(t.Context(), "UPDATE schema_version SET version = 999"); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, path, want string }{
		{"a newer schema", newer, "schema version 999"},
		{"a folder that is not there", filepath.Join(t.TempDir(), "none", "x.db"), "open database"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Open(t.Context(), tt.path); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
}

// A migration that fails half-way leaves nothing behind.
func TestWrite_RollsBack(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "service.db"))
	err := write(t.Context(), db.writer, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(t.Context(), "CREATE TABLE half (x)"); err != nil {
			t.Fatal(err)
		}
		_, err := tx.ExecContext(t.Context(), "CREATE TABLE broken (")
		return err
	})
	if err == nil {
		t.Fatal("a broken script was accepted")
	}
	if _, err := db.writer.ExecContext(t.Context(), "SELECT * FROM half"); err == nil {
		t.Error("half of the script stayed")
	}
}

func TestPing(t *testing.T) {
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "service.db"))
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.Ping(t.Context()); err == nil {
		t.Error("a closed database answers")
	}
}
