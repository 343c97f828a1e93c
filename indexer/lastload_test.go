package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"freelancer-matching/internal/lastload"
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
		want.Version, want.Started, want.Finished, want.Index = got.Version, got.Started, got.Finished, got.Index
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
