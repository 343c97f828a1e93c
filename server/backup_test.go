package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestBackup(t *testing.T) {
	x := newTerminal(t)
	into := filepath.Join(t.TempDir(), "copy.db")
	if _, stderr, code := x.run(t, backup, into); code != 1 {
		t.Errorf("of no database: code %d, %s", code, stderr)
	}
	if _, err := os.Stat(x.data); !os.IsNotExist(err) {
		t.Errorf("the data folder was made: %v", err)
	}
	x.ok(t, keys, "create", "-plan", "freelancer", "-name", "Trial")
	wantWords(t, x.ok(t, backup, into), into)
	restored := newTerminal(t)
	if err := os.Mkdir(restored.data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(into, filepath.Join(restored.data, "matching.db")); err != nil {
		t.Fatal(err)
	}
	wantWords(t, restored.ok(t, keys, "list"), "Trial")
	_, stderr, code := x.run(t, backup, "-database-url", "postgres://db/matching", into)
	if code != 1 {
		t.Errorf("of PostgreSQL: code %d", code)
	}
	wantWords(t, stderr, "pg_dump")
}
