package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBackup(t *testing.T) {
	x := newTerminal(t)
	file := filepath.Join(t.TempDir(), "copy.db")
	if _, stderr, code := x.run(t, "backup", file); code != 1 {
		t.Errorf("without a database: exit code %d, want 1: %s", code, stderr)
	}

	if _, err := os.Stat(x.config.Data); !os.IsNotExist(err) {
		t.Errorf("the failed backup created the data folder: %v", err)
	}
	x.ok(t, "keys", "create", "-plan", "freelancer", "-name", "Trial")
	wantWords(t, x.ok(t, "backup", file), file)
	restored := newTerminal(t)
	wantWords(t, restored.ok(t, "restore", file), "Restored "+file)
	wantWords(t, restored.ok(t, "keys", "list"), "Trial")
	wantWords(t, x.ok(t, "restore", file), "The replaced database is now "+x.config.Data)
	_, stderr, code := x.run(t, "backup", "-database-url", "postgres://db/matching", file)
	if code != 1 {
		t.Errorf("with PostgreSQL: exit code %d, want 1", code)
	}

	wantWords(t, stderr, "pg_dump")
	_, stderr, code = x.run(t, "restore", "-database-url", "postgres://db/matching", file)
	if code != 1 {
		t.Errorf("with PostgreSQL: exit code %d, want 1", code)
	}

	wantWords(t, stderr, "pg_restore")
}

// No command creates a new database in place of a lost one, and the message names the ways out.
func TestMissingDatabase(t *testing.T) {
	x := newTerminal(t)
	x.ok(t, "keys", "create", "-plan", "freelancer", "-name", "Trial")
	if err := os.Remove(filepath.Join(x.config.Data, "matching.db")); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"-addr", "127.0.0.1:0"}, {"keys", "list"}, {"accounts", "list"}} {
		_, stderr, code := x.run(t, append(args, "-data", x.config.Data)...)
		if code != 1 {
			t.Errorf("%q: exit code %d, want 1", args, code)
		}
		wantWords(t, stderr, "matching.db is missing", "server restore FILE -data "+x.config.Data,
			"server -new-database -data "+x.config.Data)
	}
}

// A fault of the database is reported with its cause first, and with the file.
func TestDamagedDatabase(t *testing.T) {
	x := newTerminal(t)
	if err := os.MkdirAll(x.config.Data, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(x.config.Data, "matching.db")
	if err := os.WriteFile(file, bytes.Repeat([]byte("text\n"), 2000), 0o600); err != nil {
		t.Fatal(err)
	}
	_, stderr, code := x.run(t, "keys", "list")
	if code != 1 || !strings.HasPrefix(stderr, "server keys: The service's database is damaged.") {
		t.Errorf("exit code %d, want 1 with the damage first:\n%s", code, stderr)
	}
	wantWords(t, stderr, file, "not a database")
	_, stderr, code = x.run(t, "-addr", "127.0.0.1:0", "-new-database")
	if code != 1 {
		t.Errorf("-new-database with a database: exit code %d, want 1", code)
	}
	wantWords(t, stderr, file+" exists")
}
