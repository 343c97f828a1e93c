package lastload_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/freelancer-matching/service/internal/lastload"
)

func TestResult_WriteAndRead(t *testing.T) {
	data := t.TempDir()
	if _, err := lastload.Read(data); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v before the first load, want fs.ErrNotExist", err)
	}

	for _, want := range []lastload.Result{
		{Command: "load", Error: "too_many_rejected", Rejected: 7, Finished: time.Unix(1_900_000_000, 0).UTC()},
		{Command: "upsert", Index: "freelancers-v1-x", Rows: 9},
	} {
		if err := want.Write(data); err != nil {
			t.Fatal(err)
		}
		if got, err := lastload.Read(data); err != nil || got != want {
			t.Errorf("read %+v (%v), want %+v", got, err, want)
		}
	}

	if entries, err := os.ReadDir(data); err != nil || len(entries) != 1 {
		t.Errorf("files %v, %v; want one", entries, err)
	}

	if err := (lastload.Result{}).Write(filepath.Join(data, "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v for a missing folder, want fs.ErrNotExist", err)
	}

	if err := os.WriteFile(filepath.Join(data, lastload.FileName), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}

	if _, err := lastload.Read(data); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v for a damaged file", err)
	}
}
