package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/lastload"
)

// Every load leaves its result in the data folder, and nothing else does.
func TestLoad_RecordsItsResult(t *testing.T) {
	s := newSession(t)
	csv := s.file("people.csv", peopleCSV)
	missing := filepath.Join(s.files, "missing.csv")
	s.run("", "load", missing)

	if _, err := os.Stat(s.data); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a failed load created the data folder: %v", err)
	}

	steps := []struct {
		args []string
		want lastload.Result
	}{
		{[]string{"load", csv, "-max-failures", "1"}, lastload.Result{
			Command: "load", Rows: 4, Freelancers: 2, Merged: 1, Rejected: 1, Warnings: 1,
		}},
		{[]string{"load", csv, "-max-failures", "0"}, lastload.Result{
			Command: "load", Error: "too_many_rejected", Rows: 4, Freelancers: 2, Merged: 1, Rejected: 1, Warnings: 1,
		}},
		{[]string{"load", "-upsert", csv, "-max-failures", "1"}, lastload.Result{
			Command: "upsert", Rows: 4, Freelancers: 2, Merged: 1, Rejected: 1, Warnings: 1,
		}},
		{[]string{"load", missing}, lastload.Result{Command: "load", Error: "failed"}},
	}
	for _, step := range steps {
		s.run("", step.args...)
		got, err := lastload.Read(s.data)
		if err != nil {
			t.Fatal(err)
		}

		if got.Version == "" || got.Started.IsZero() || got.Finished.Before(got.Started) {
			t.Errorf("indexer %v: recorded %+v", step.args, got)
		}

		if (got.Index == "") != (got.Error != "") {
			t.Errorf("indexer %v: the index is %q after the error %q", step.args, got.Index, got.Error)
		}
		want := step.want
		want.Version = got.Version
		want.Started = got.Started
		want.Finished = got.Finished
		want.Index = got.Index
		if got != want {
			t.Errorf("indexer %v: recorded %+v, want %+v", step.args, got, want)
		}

		for _, args := range [][]string{{"load"}, {"load", csv, "-dry-run"}, {"validate", csv}, {"reindex"}, {"rollback"}} {
			s.run("", args...)
			if after, err := lastload.Read(s.data); err != nil || after != got {
				t.Errorf("indexer %v changed the recorded result to %+v (%v)", args, after, err)
			}
		}
	}
}

// Every load adds an entry to the history in the data folder, with lines and without values or paths.
func TestLoad_AddsToTheHistory(t *testing.T) {
	s := newSession(t)
	csv := s.file("people.csv", peopleCSV)
	s.run("", "load", csv, "-max-failures", "1")
	s.run("", "load", csv, "-max-failures", "0")
	s.run("", "load", "-patch", csv, "-max-failures", "100%")
	s.run("", "load", filepath.Join(s.files, "missing.csv"))
	s.run("", "load", csv, "-dry-run")
	s.run("", "validate", csv)
	h, err := lastload.ReadHistory(s.data)
	if err != nil || len(h.Entries) != 4 || len(h.Unreadable) != 0 {
		t.Fatalf("history %+v, %v; want four entries", h, err)
	}

	failed := h.Entries[0]
	patched := h.Entries[1]
	refused := h.Entries[2]
	first := h.Entries[3]

	if failed.Result.Outcome() != lastload.Failed || len(failed.Files) != 1 || failed.Files[0].Name != "missing.csv" {
		t.Errorf("the load of a missing file was recorded as %+v", failed)
	}

	if patched.Result.Command != "patch" || refused.Result.Outcome() != lastload.Refused || refused.Live != 0 {
		t.Errorf("recorded %+v after %+v", patched, refused)
	}

	if first.Live != 2 || first.Currency != "USD" || first.Taxonomy == "" || first.Mapping == "" || first.User == "" {
		t.Errorf("recorded %+v", first)
	}
	wantFiles := []lastload.File{{Name: "people.csv", Format: "csv", Bytes: int64(len(peopleCSV)), Rows: 4}}
	if diff := cmp.Diff(wantFiles, first.Files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}

	for _, e := range []lastload.Entry{first, refused} {
		if len(e.Rejections) == 0 || len(e.Warnings) == 0 ||
			!cmp.Equal(e.Rejections[0].Places, []lastload.Place{{File: "people.csv", Line: 5}}) {
			t.Errorf("rejections %+v, warnings %+v", e.Rejections, e.Warnings)
		}
	}
}
