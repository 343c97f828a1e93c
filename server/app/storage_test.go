package app

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
)

// flakyStorage returns the next of its results for each probe.
type flakyStorage struct {
	probes  []error
	damaged error
}

func (f *flakyStorage) Probe(context.Context) error {
	err := f.probes[0]
	if len(f.probes) > 1 {
		f.probes = f.probes[1:]
	}
	return err
}

func (f *flakyStorage) FindDamage(context.Context) error { return f.damaged }

func TestWatchStorage_LogsBeginningAndEndOfAFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full := &matching.Error{Code: matching.CodeStorageFull, Message: "The disk is full."}
		readOnly := &matching.Error{Code: matching.CodeStorageReadOnly, Message: "The disk is read-only."}
		damage := &matching.Error{Code: matching.CodeDatabaseCorrupt, Message: "Damaged."}
		db := &flakyStorage{probes: []error{nil, full, full, full, readOnly, nil, nil}, damaged: damage}
		var log bytes.Buffer
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()

		watchStorage(ctx, db, slog.New(slog.NewTextHandler(&log, nil)))
		var got []string
		for line := range strings.Lines(log.String()) {
			_, line, _ = strings.Cut(line, "level=")
			got = append(got, strings.TrimSpace(line))
		}

		want := []string{
			`ERROR msg="database not free of damage" error="database_corrupt: Damaged."`,
			`ERROR msg="database cannot be written" error="storage_full: The disk is full."`,
			`ERROR msg="database cannot be written" error="storage_read_only: The disk is read-only."`,
			`WARN msg="database can be written again"`,
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("the log is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}
