package lastload_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/lastload"
)

func begun() time.Time { return time.Date(2030, 5, 19, 8, 0, 0, 0, time.UTC) }

// entry returns a load that began after the given number of hours.
func entry(hour int) lastload.Entry {
	started := begun().Add(time.Duration(hour) * time.Hour)
	return lastload.Entry{
		Result: lastload.Result{
			Command: "load", Started: started, Finished: started.Add(time.Second), Rows: hour, Rejected: 1, Warnings: 2,
		},
		User:       "ops@example",
		Files:      []lastload.File{{Name: "people.csv", Format: "csv", Bytes: 120, Rows: hour}},
		Currency:   "USD",
		Rejections: []lastload.Reason{{Text: "no name", Count: 1, Places: []lastload.Place{{File: "people.csv", Line: 5}}}},
		Warnings:   []lastload.Reason{{Column: "rate", Text: "not a number", Count: 2}},
	}
}

func TestHistory_KeepsTheLastLoads(t *testing.T) {
	data := t.TempDir()
	if h, err := lastload.ReadHistory(data); err != nil || len(h.Entries) != 0 {
		t.Errorf("%d entries (%v) before the first load", len(h.Entries), err)
	}

	for hour := range lastload.MaxEntries + 3 {
		if err := entry(hour).Add(data); err != nil {
			t.Fatal(err)
		}
	}

	h, err := lastload.ReadHistory(data)
	if err != nil || len(h.Entries) != lastload.MaxEntries || len(h.Unreadable) != 0 {
		t.Fatalf("%d entries, unreadable %q (%v)", len(h.Entries), h.Unreadable, err)
	}

	for i, got := range h.Entries {
		want := entry(lastload.MaxEntries + 2 - i)
		if want.ID = got.ID; got.ID == "" {
			t.Error("an entry has no ID")
		}

		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("entry %d (-want +got):\n%s", i, diff)
		}
	}

	files, err := os.ReadDir(filepath.Join(data, lastload.HistoryFolder))
	if err != nil || len(files) != lastload.MaxEntries {
		t.Errorf("%d files, %v", len(files), err)
	}

	for _, file := range files {
		if info, err := file.Info(); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: %v, %v; want a file that only its owner may read", file.Name(), info.Mode(), err)
		}
	}

	missing := filepath.Join(data, "missing")
	if err := entry(1).Add(missing); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v for a missing folder, want fs.ErrNotExist", err)
	}
}

func TestHistory_NamesDamagedEntries(t *testing.T) {
	data := t.TempDir()
	if err := entry(1).Add(data); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(data, lastload.HistoryFolder)
	for name, content := range map[string]string{
		"20290101t000000z.json": `{"result":`,
		"20290102t000000z.json": `{}`,
		"20290103t000000z.json": `{"result":{"started":"2029-01-03T00:00:00Z","finished":"2029-01-03T00:00:01Z","rows":-1}}`,
		"20290104t000000z.json": `{"result":{"started":"2029-01-05T00:00:00Z","finished":"2029-01-04T00:00:00Z"}}`,
		".load-1":               `{`,
		"notes.txt":             `not an entry`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	if err := os.Mkdir(filepath.Join(dir, "20290105t000000z.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	h, err := lastload.ReadHistory(data)
	if err != nil || len(h.Entries) != 1 {
		t.Errorf("%d entries, %v; want one", len(h.Entries), err)
	}

	want := []string{
		"20290105t000000z.json", "20290104t000000z.json", "20290103t000000z.json", "20290102t000000z.json",
		"20290101t000000z.json",
	}
	if diff := cmp.Diff(want, h.Unreadable); diff != "" {
		t.Errorf("unreadable (-want +got):\n%s", diff)
	}

	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}

	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}

	if _, err := lastload.ReadHistory(data); err == nil {
		t.Error("no error for a file in place of the folder")
	}
}

func TestHistory_RemovesAbandonedFiles(t *testing.T) {
	data := t.TempDir()
	dir := filepath.Join(data, lastload.HistoryFolder)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}

	for name, age := range map[string]time.Duration{".load-old": 2 * time.Hour, ".load-new": time.Minute} {
		path := filepath.Join(dir, name)
		at := begun().Add(-age)
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, at, at)); err != nil {
			t.Fatal(err)
		}
	}

	if err := entry(0).Add(data); err != nil {
		t.Fatal(err)
	}

	if left, err := filepath.Glob(filepath.Join(dir, ".load-*")); err != nil || len(left) != 1 ||
		filepath.Base(left[0]) != ".load-new" {
		t.Errorf("temporary files %q, %v", left, err)
	}
}

// A hostile file with any number of columns makes no large entry.
func TestHistory_LimitsAnEntry(t *testing.T) {
	data := t.TempDir()
	e := entry(1)
	long := strings.Repeat("é", 5000)
	for i := range 1000 {
		e.Warnings = append(e.Warnings, lastload.Reason{
			Column: fmt.Sprint(i, long), Text: long, Count: 1, Places: []lastload.Place{{File: long, Line: 1}},
		})
		e.Files = append(e.Files, lastload.File{Name: fmt.Sprint(i, long)})
	}

	before := len(e.Warnings)
	if err := e.Add(data); err != nil {
		t.Fatal(err)
	}
	h, err := lastload.ReadHistory(data)
	if err != nil || len(h.Entries) != 1 {
		t.Fatalf("%d entries, unreadable %q, %v", len(h.Entries), h.Unreadable, err)
	}

	got := h.Entries[0]
	if got.Omitted+len(got.Warnings) != before || len(got.Warnings) > 50 {
		t.Errorf("%d warnings and %d omitted, want %d together", len(got.Warnings), got.Omitted, before)
	}

	if last := got.Files[len(got.Files)-1].Name; len(got.Files) != 100 || last != "… and 902 more" {
		t.Errorf("%d files, the last is %q", len(got.Files), last)
	}

	if e.Warnings[1].Text != long || len(e.Files) != 1001 {
		t.Error("Add changed its receiver")
	}
}

func TestResult_Outcome(t *testing.T) {
	for code, want := range map[string]lastload.Outcome{
		"":                  lastload.Loaded,
		"interrupted":       lastload.Canceled,
		"too_many_rejected": lastload.Refused,
		"would_shrink":      lastload.Refused,
		"no_usable_rows":    lastload.Refused,
		"damaged":           lastload.Failed,
		"failed":            lastload.Failed,
	} {
		if got := (&lastload.Result{Error: code}).Outcome(); got != want {
			t.Errorf("the outcome of %q is %q, want %q", code, got, want)
		}
	}
}
