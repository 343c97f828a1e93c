package cli

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCheck(t *testing.T) {
	x := newTerminal(t)
	stdout, stderr, code := x.run(t, "check")
	if code != 1 {
		t.Errorf("without a data folder: exit code %d, want 1: %s", code, stderr)
	}

	wantWords(t, stdout, "ERROR", "data folder", "next: ")
	x.ok(t, "keys", "create", "-plan", "freelancer", "-name", "Trial")
	stdout, stderr, code = x.run(t, "check")
	if code != 0 {
		t.Errorf("exit code %d: %s", code, stderr)
	}

	wantWords(t, stdout, "OK ", "database", "schema version", "WARNING", "no freelancers are loaded")
	if err := os.Truncate(filepath.Join(x.config.Data, "matching.db"), 50_000); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code = x.run(t, "check")
	if code != 1 {
		t.Errorf("with a truncated database: exit code %d, want 1", code)
	}

	wantWords(t, stdout, "ERROR", "server restore FILE")
	wantWords(t, stderr, "the check found errors")
}
