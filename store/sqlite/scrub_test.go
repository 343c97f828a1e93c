package sqlite

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/freelancer-matching/service/interview"
)

// Neither the file nor the write-ahead log keeps a row that was deleted or replaced.
func TestScrub_LeavesNothingInTheFiles(t *testing.T) {
	folder := t.TempDir()
	server := openFile(t, filepath.Join(folder, "service.db"))
	command := openFile(t, filepath.Join(folder, "service.db"))
	contains := func(text string) (files []string) {
		paths, err := filepath.Glob(filepath.Join(folder, "*"))
		if err != nil {
			t.Fatal(err)
		}

		for _, path := range paths {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}

			if bytes.Contains(content, []byte(text)) {
				files = append(files, filepath.Base(path))
			}
		}

		return files
	}

	interviews := server.Interviews
	long := bytes.Repeat([]byte("flumwhistle "), 2000) // several overflow pages
	for i, data := range [][]byte{[]byte("zorblax"), long} {
		r := interview.Record{
			ID: string(rune('a' + i)), Account: "acc_1", Version: 1, Expires: time.Now().Add(time.Hour), Data: data,
		}
		if err := interviews.Insert(t.Context(), r, interview.Limits{}, time.Now(), nil); err != nil {
			t.Fatal(err)
		}
	}

	if len(contains("zorblax")) == 0 || len(contains("flumwhistle")) == 0 {
		t.Fatal("the texts are not stored as they are, so the test would prove nothing")
	}

	r, _, err := command.Interviews.Read(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}

	if err := command.Interviews.Redact(t.Context(), r, []byte("redacted")); err != nil {
		t.Fatal(err)
	}

	if err := command.Interviews.Delete(t.Context(), "acc_1", "b"); err != nil {
		t.Fatal(err)
	}

	if err := command.Scrub(t.Context()); err != nil {
		t.Fatal(err)
	}

	for _, text := range []string{"zorblax", "flumwhistle"} {
		if files := contains(text); files != nil {
			t.Errorf("%q is still in %v", text, files)
		}
	}

	if files := contains("redacted"); files == nil {
		t.Error("the changed row is missing")
	}
}
