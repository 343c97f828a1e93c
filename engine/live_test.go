package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
)

// A failing Searcher never opens an index.
type failing struct{ err error }

func (f failing) Open(context.Context, string) (engine.Snapshot, error) { return nil, f.err }

// Damage has codes of its own, because retrying doesn't help. The cause, for the log, says which command does.
func TestReadLive_Damage(t *testing.T) {
	checksum := errors.New("checksum mismatch")
	for name, test := range map[string]struct {
		err    error
		code   matching.Code
		remedy string
	}{
		"alias": {
			&engine.AliasError{Alias: "a", Reason: "it is empty"},
			matching.CodeIndexUnreadable, "indexer rollback",
		},
		"index":          {fmt.Errorf("x: %w", engine.ErrDamaged), matching.CodeIndexUnreadable, "indexer reindex -from"},
		"earlier format": {&engine.FormatError{Index: "x", Has: 1, Want: 2}, matching.CodeIndexUnreadable, "reindex -from x"},
		"later format":   {&engine.FormatError{Index: "x", Has: 3, Want: 2}, matching.CodeIndexUnreadable, "later version"},
		"record": {
			&engine.DamagedError{Index: "x", IDs: []string{"f1"}, Err: checksum},
			matching.CodeRecordDamaged, "indexer load -upsert",
		},
		"network": {errors.New("connection refused"), matching.CodeEngineUnavailable, ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := engine.ReadLive(t.Context(), failing{test.err}, "a", func(engine.Snapshot) error { return nil })
			e, ok := errors.AsType[*matching.Error](err)
			if !ok || e.Code != test.code {
				t.Fatalf("%v, want the code %s", err, test.code)
			}

			if !errors.Is(e.Cause, test.err) || !strings.Contains(e.Cause.Error(), test.remedy) {
				t.Errorf("cause %v, want %v with the remedy %q", e.Cause, test.err, test.remedy)
			}

			if damaged := test.remedy != ""; damaged == strings.Contains(e.Message, "in a moment") {
				t.Errorf("message %q", e.Message)
			}
		})
	}
}
