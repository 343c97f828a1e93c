package main

import (
	"os"
	"path/filepath"
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
	if err := os.Mkdir(restored.config.Data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file, filepath.Join(restored.config.Data, "matching.db")); err != nil {
		t.Fatal(err)
	}
	wantWords(t, restored.ok(t, "keys", "list"), "Trial")
	_, stderr, code := x.run(t, "backup", "-database-url", "postgres://db/matching", file)
	if code != 1 {
		t.Errorf("with PostgreSQL: exit code %d, want 1", code)
	}
	wantWords(t, stderr, "pg_dump")
}
