package state

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/indexer/query"
)

func open(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func entries(t *testing.T, v *view) (all []Entry) {
	t.Helper()
	for e, err := range v.Entries(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

// What was committed is there when the file is opened again; what was not is lost as a whole.
func TestStore_IsDurable(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	s := open(t, path)
	info := Info{
		Source: "query", Index: "i", Watermark: time.Unix(5, 0).UTC(), Position: 1 << 40, Totals: Totals{Rounds: 3},
	}
	err := s.Change(t.Context(), func(tx *Tx) error {
		return errors.Join(
			tx.Put(t.Context(), Entry{ID: "b", Digest: query.Digest{1}}, Entry{ID: "a", Absent: true}, Entry{ID: "é"}),
			tx.Await(t.Context(), Pending{ID: "b"}, Pending{ID: "x", IsForeign: true}), tx.SetInfo(t.Context(), &info))
	})
	if err != nil {
		t.Fatal(err)
	}

	failure := errors.New("failed")
	err = s.Change(t.Context(), func(tx *Tx) error { return errors.Join(tx.Clear(t.Context()), failure) })
	if !errors.Is(err, failure) {
		t.Errorf("error %v, want %v", err, failure)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	s = open(t, path)
	want := []Entry{{ID: "a", Absent: true}, {ID: "b", Digest: query.Digest{1}}, {ID: "é"}}
	if diff := cmp.Diff(want, entries(t, s.view)); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	pending, err := s.Pending(t.Context(), 10)
	if diff := cmp.Diff([]Pending{{ID: "b"}, {ID: "x", IsForeign: true}}, pending); diff != "" || err != nil {
		t.Errorf("pending, %v (-want +got):\n%s", err, diff)
	}
	if got, err := s.Info(t.Context()); err != nil || !cmp.Equal(got, info) {
		t.Errorf("info %+v, %v, want %+v", got, err, info)
	}
}

// Entries may be changed while they are read, and there may be more than fit a page.
func TestEntries_ManyPages(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), FileName))
	many := make([]Entry, 2*pageSize+1)
	for i := range many {
		many[i] = Entry{ID: string([]byte{byte(i >> 16), byte(i >> 8), byte(i)})}
	}
	read := 0
	err := s.Change(t.Context(), func(tx *Tx) error {
		if err := tx.Put(t.Context(), many...); err != nil {
			return err
		}
		for e, err := range tx.Entries(t.Context()) {
			if err != nil || e.ID != many[read].ID {
				t.Fatalf("entry %d: %q, %v, want %q", read, e.ID, err, many[read].ID)
			}
			read++
			if err := tx.Await(t.Context(), Pending{ID: e.ID}); err != nil {
				return err
			}
		}
		return nil
	})

	people, pending, countErr := s.Count(t.Context())
	if err != nil || countErr != nil || read != len(many) || people != read || pending != read {
		t.Errorf("read %d, counted %d and %d, %v, %v, want %d", read, people, pending, err, countErr, len(many))
	}
}

func TestStore_ChangesEntries(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), FileName))
	err := s.Change(t.Context(), func(tx *Tx) error {
		return errors.Join(
			tx.Put(t.Context(), Entry{ID: "a"}, Entry{ID: "b"}, Entry{ID: "c"}, Entry{ID: "a", Digest: query.Digest{9}}),
			tx.SetAbsent(t.Context(), []string{"b"}), tx.Remove(t.Context(), []string{"c", "unknown"}),
			tx.Await(t.Context(), Pending{ID: "a"}), tx.Settle(t.Context(), []string{"a", "b"}))
	})
	if err != nil {
		t.Fatal(err)
	}

	found, err := s.Find(t.Context(), []string{"a", "b", "c"})
	want := map[string]Entry{"a": {ID: "a", Digest: query.Digest{9}}, "b": {ID: "b", Absent: true}}
	if diff := cmp.Diff(want, found); diff != "" || err != nil {
		t.Errorf("found, %v (-want +got):\n%s", err, diff)
	}
	if people, pending, err := s.Count(t.Context()); err != nil || people != 2 || pending != 0 {
		t.Errorf("%d entries and %d pending, %v, want 2 and 0", people, pending, err)
	}
}

func TestOpen_InUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	first := open(t, path)
	if second, err := Open(t.Context(), path); !errors.Is(err, ErrInUse) {
		t.Errorf("%v, error %v, want %v", second, err, ErrInUse)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	open(t, path)
}

func TestChange_Canceled(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), FileName))
	ctx, cancel := context.WithCancel(t.Context())
	err := s.Change(ctx, func(tx *Tx) error {
		cancel()
		return tx.Put(ctx, Entry{ID: "a"})
	})
	if !errors.Is(err, context.Canceled) || len(entries(t, s.view)) > 0 {
		t.Errorf("error %v, entries %v, want none and %v", err, entries(t, s.view), context.Canceled)
	}
}
