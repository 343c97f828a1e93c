package sqlite

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/store"
)

// fill stores n interviews of 100 kB.
func fill(t *testing.T, db *store.DB, n int) (now time.Time) {
	t.Helper()
	now = time.Unix(1_000_000, 0).UTC()
	for i := range n {
		r := interview.Record{
			ID: fmt.Sprintf("%032x", i), Account: "acc_1", Version: 1, Expires: now.Add(time.Hour),
			Data: []byte(`"` + strings.Repeat("x", 100_000) + `"`),
		}
		if err := db.Interviews.Insert(t.Context(), r, interview.Limits{}, now, nil); err != nil {
			t.Fatal(err)
		}
	}
	return now
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func TestReleaseSpace_AfterADeletion(t *testing.T) {
	const interviews = 60 // two steps
	newFile := func(t *testing.T) string { return filepath.Join(t.TempDir(), "service.db") }
	for name, path := range map[string]string{
		"new database": newFile(t),
		"database of an earlier release": func() string {
			path := newFile(t)
			firstVersion(t, path)
			return path
		}(),
	} {
		t.Run(name, func(t *testing.T) {
			db := openFile(t, path)
			if err := db.ReleaseSpace(t.Context()); err != nil { // converts an old database
				t.Fatal(err)
			}

			now := fill(t, db, interviews)

			if err := db.ReleaseSpace(t.Context()); err != nil {
				t.Fatal(err)
			}

			if got, err := db.Interviews.Usage(t.Context(), "acc_1", now); err != nil || got.Sessions != interviews {
				t.Fatalf("%d interviews after releasing (%v), want %d", got.Sessions, err, interviews)
			}

			if err := db.Interviews.DeleteExpired(t.Context(), now.Add(time.Hour), now.Add(2*time.Hour)); err != nil {
				t.Fatal(err)
			}

			if err := db.ReleaseSpace(t.Context()); err != nil {
				t.Fatal(err)
			}

			if err := db.Close(); err != nil { // ends the write-ahead log
				t.Fatal(err)
			}

			if got := size(t, path); got > 1_000_000 {
				t.Errorf("the file has %d bytes after deleting %d interviews of 100 kB", got, interviews)
			}
		})
	}
}

// A reader, such as the check for damaged pages, delays the release, but must not prevent it.
func TestReleaseSpace_WaitsForReaders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "service.db")
	db := openFile(t, path)
	if err := db.ReleaseSpace(t.Context()); err != nil {
		t.Fatal(err)
	}

	now := fill(t, db, 60)
	if err := db.ReleaseSpace(t.Context()); err != nil { // the file has all rows, and the write-ahead log nothing else
		t.Fatal(err)
	}

	reader, err := connect(path, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()

	reading, err := reader.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer reading.Close()

	run := func(statement string) {
		t.Helper()
		if _, err := reading.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}

	run("BEGIN DEFERRED")
	run("SELECT count(*) FROM interviews")
	if err := db.Interviews.DeleteExpired(t.Context(), now.Add(time.Hour), now.Add(2*time.Hour)); err != nil {
		t.Fatal(err)
	}

	released := make(chan error)
	go func() { released <- db.ReleaseSpace(t.Context()) }()

	select {
	case err := <-released:
		t.Fatalf("released while a reader needs the pages: %v", err)
	case <-time.After(3 * logInterval): // enough for a release that doesn't wait; a slow machine misses at most a failure
	}

	run("COMMIT")
	if err := <-released; err != nil {
		t.Fatal(err)
	}

	if got := size(t, path); got > 1_000_000 {
		t.Errorf("the file has %d bytes after the reader has ended", got)
	}
}
