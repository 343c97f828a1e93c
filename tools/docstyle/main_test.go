package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// function returns a function with the given number of lines and, in its middle, an extra line.
func function(lines int, middle string) string {
	body := strings.Repeat("\tprintln()\n", (lines-3)/2)
	return "func f() {\n" + body + middle + "\n" + strings.Repeat("\tprintln()\n", lines-3-(lines-3)/2) + "}\n"
}

func TestRun_ReportsWhatReadersStumbleOver(t *testing.T) {
	tests := []struct {
		name   string
		code   string
		want   string // a part of the only line; "" if there is no fault
		faults int
	}{
		{"a doc comment that says what its function does", "// f returns 1.\nfunc f() int { return 1 }\n", "", 0},
		{"a doc comment that describes a thing", "// f is the answer.\nfunc f() int { return 1 }\n", "f is the answer.", 1},
		{"a function of 25 lines", function(25, "\tprintln()"), "", 0},
		{"a function of 26 lines without a blank one", function(26, "\tprintln()"), "26 lines without a blank one", 1},
		{"a function of 26 lines with two steps", function(26, ""), "", 0},
	}

	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "f.go"), []byte("package p\n\n"+tt.code), 0o600); err != nil {
				t.Fatal(err)
			}

			var out strings.Builder
			faults, err := run([]string{dir}, false, &out)
			if err != nil {
				t.Fatal(err)
			}

			if faults != tt.faults {
				t.Errorf("%d faults, want %d:\n%s", faults, tt.faults, &out)
			}
			if !strings.Contains(out.String(), tt.want) || tt.want == "" && out.Len() > 0 {
				t.Errorf("printed %q, want %q", out.String(), tt.want)
			}
		})
	}
}

func TestRun_CountsByPackage(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f.go"), []byte("package p\n\n"+function(120, "")), 0o600); err != nil {
		t.Fatal(err)
	}

	var out strings.Builder
	if faults, err := run([]string{dir}, true, &out); err != nil || faults > 0 {
		t.Errorf("%d faults, %v", faults, err)
	}

	const want = "0.8 blank lines and 0.0 comments in 100 of 120 lines (below the goal)"
	if !strings.Contains(out.String(), want) {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
}
