package embedded

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/datadir"
	"github.com/freelancer-matching/service/engine/embedded/embeddedtest"
)

// rarely returns an engine that notices changes of other processes only when a test makes it follow them.
func rarely(t testing.TB, dir string) *Engine {
	t.Helper()
	e, err := Open(dir, Options{Log: slog.New(slog.DiscardHandler), Poll: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// change makes changes to the index of the alias "all" that must succeed.
func change(t testing.TB, e *Engine, changes ...engine.Change) []engine.Outcome {
	t.Helper()
	outcomes, err := e.Apply(t.Context(), "all", changes)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range outcomes {
		if o.Err != nil {
			t.Fatalf("change %d: %v", i, o.Err)
		}
	}
	return outcomes
}

// put returns a change that stores document i with a name.
func put(i int, name string) engine.Change {
	d := embeddedtest.Document(i)
	d.Freelancer.Name = name
	return engine.Change{ID: d.Freelancer.ID, Document: d}
}

func remove(i int) engine.Change { return engine.Change{ID: embeddedtest.Document(i).Freelancer.ID} }

// name returns the name of document i in the index of the alias "all", or an error.
func name(t testing.TB, e *Engine, i int) (string, error) {
	t.Helper()
	s, err := e.Open(t.Context(), "all")
	if err != nil {
		t.Fatal(err)
	}
	found, err := s.Fetch(t.Context(), []string{embeddedtest.Document(i).Freelancer.ID})
	if err != nil {
		return "", err
	}
	return found[0].Name, nil
}

// A change goes to the index that another process has just made live, and is visible at once where it was made.
func TestApply_AliasMovedMeanwhile(t *testing.T) {
	dir := t.TempDir()
	other := rarely(t, dir)
	e := rarely(t, dir)

	for _, index := range []string{"old", "new"} {
		fill(t, other, index, 3)
	}

	if _, err := other.PointAlias(t.Context(), "all", "old"); err != nil {
		t.Fatal(err)
	}

	if _, err := e.Open(t.Context(), "all"); err != nil {
		t.Fatal(err)
	}
	change(t, e, put(1, "in the old index"))

	if _, err := other.PointAlias(t.Context(), "all", "new"); err != nil {
		t.Fatal(err)
	}
	change(t, e, put(2, "in the new index"))

	for i, want := range []string{"", "", "in the new index"} {
		if got, err := name(t, e, i); got != want || err != nil {
			t.Errorf("document %d: %q, %v; want %q", i, got, err, want)
		}
	}
}

// Wherever the last write to the log was interrupted, an index opens without it, and changes go on.
func TestApply_TornWrite(t *testing.T) {
	e, dir, want := changing(t)
	path := filepath.Join(dir, "index", "changes-0.log")
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}

	change(t, e, put(3, "three"), put(4, "four"))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	step := 1
	if testing.Short() {
		step = 13
	}

	for size := int(before.Size()); size < len(whole); size += step {
		if err := os.WriteFile(path, whole[:size], 0o600); err != nil {
			t.Fatal(err)
		}

		if got := contents(t, dir, 10); !maps.Equal(got, want) {
			t.Fatalf("cut at byte %d: documents %v, want %v", size, got, want)
		}
		started := rarely(t, dir)
		if _, err := started.Open(t.Context(), "all"); err != nil {
			t.Fatal(err)
		}

		change(t, started, put(5, "five"))
		after := maps.Clone(want)
		after[5] = "five"
		if got := contents(t, dir, 10); !maps.Equal(got, after) {
			t.Fatalf("cut at byte %d: documents %v after another change, want %v", size, got, after)
		}
	}
}

// A log that is damaged before its last change makes the index unusable. Reading the records alone still finds the
// changes that can be read, and says what can't.
func TestApply_DamagedLog(t *testing.T) {
	e, dir, _ := changing(t)
	change(t, e, put(9, "nine"))
	change(t, e, put(0, "zero"))
	path := filepath.Join(dir, "index", "changes-0.log")
	intact, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	for _, test := range []struct {
		name   string
		damage func([]byte) []byte
		want   string // IDs and names, and "damaged" for each gap
	}{
		{"a record", func(b []byte) []byte {
			b[bytes.Index(b, []byte("nine"))] ^= 1
			return b
		}, "id-0=zero id-1=uno id-3= id-4= id-7=seven damaged"},
		{"missing", nil, "id-0= id-1= id-3= id-4= damaged"},
		{"empty", func([]byte) []byte { return nil }, "id-0= id-1= id-3= id-4= damaged"},
		{
			"another file", func([]byte) []byte { return []byte(strings.Repeat("another file\n", 10)) },
			"id-0= id-1= id-3= id-4= damaged",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.damage == nil {
				err = os.Remove(path)
			} else {
				err = os.WriteFile(path, test.damage(bytes.Clone(intact)), 0o600)
			}

			if err != nil {
				t.Fatal(err)
			}
			started := rarely(t, dir)
			_, openErr := started.Open(t.Context(), "all")
			_, indexErr := started.OpenIndex(t.Context(), "index")
			_, applyErr := started.Apply(t.Context(), "all", []engine.Change{put(1, "one")})
			_, trackErr := started.Track(t.Context(), "index")
			for what, err := range map[string]error{
				"open": openErr, "open index": indexErr, "apply": applyErr, "track": trackErr,
				"compact": started.Compact(t.Context(), "index"), "verify": engine.Verify(t.Context(), started, "index"),
			} {
				if !errors.Is(err, engine.ErrDamaged) || engine.Remedy(err) == "" ||
					!strings.Contains(err.Error(), "changes-0.log") {
					t.Errorf("%s: %v, want damage of changes-0.log", what, err)
				}
			}

			var scanned []string
			for f, err := range started.Scan(t.Context(), "index") {
				if _, ok := errors.AsType[*engine.DamagedError](err); ok {
					scanned = append(scanned, "damaged")
				} else if err == nil {
					scanned = append(scanned, f.ID+"="+f.Name)
				}
			}

			slices.Sort(scanned)
			if got := strings.Join(append(scanned[1:], scanned[0]), " "); got != test.want {
				t.Errorf("scanned %q, want %q", got, test.want)
			}
		})
	}
}

// A flipped bit in the last change isn't an interrupted write. The index stays in service without the change, says so,
// and isn't changed until an operator has built another one: the next change would remove the damaged one for good.
func TestApply_DamagedEnd(t *testing.T) {
	e, dir, _ := changing(t)
	change(t, e, put(9, "nine"))
	path := filepath.Join(dir, "index", "changes-0.log")
	intact, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rarely(t, dir).OpenIndex(t.Context(), "index"); err != nil {
		t.Fatalf("without damage: %v", err)
	}

	damaged := bytes.Clone(intact)
	damaged[bytes.LastIndex(damaged, []byte("nine"))] ^= 1
	if err := os.WriteFile(path, damaged, 0o600); err != nil {
		t.Fatal(err)
	}

	var logged bytes.Buffer
	started := rarely(t, dir)
	started.log = slog.New(slog.NewTextHandler(&logged, nil))
	if got, err := name(t, started, 7); got != "seven" || err != nil {
		t.Errorf("an earlier change: %q, %v", got, err)
	}
	if got, err := name(t, started, 9); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("the damaged change: %q, %v", got, err)
	}
	if !strings.Contains(logged.String(), "level=ERROR") {
		t.Errorf("logged %q, want an error", &logged)
	}

	_, applyErr := started.Apply(t.Context(), "all", []engine.Change{put(1, "one")})
	_, indexErr := started.OpenIndex(t.Context(), "index")
	for what, err := range map[string]error{
		"open index": indexErr, "check": started.CheckAlias(t.Context(), "all"), "apply": applyErr,
		"compact": started.Compact(t.Context(), "index"), "verify": engine.Verify(t.Context(), started, "index"),
	} {
		if !errors.Is(err, engine.ErrDamaged) || engine.Remedy(err) == "" ||
			!strings.Contains(err.Error(), "changes-0.log") {
			t.Errorf("%s: %v, want damage of changes-0.log", what, err)
		}
	}

	// A reindex reads all other records, and learns that one is missing.
	var scanned []string
	for f, err := range started.Scan(t.Context(), "index") {
		if _, ok := errors.AsType[*engine.DamagedError](err); ok {
			f.ID = "damaged"
		} else if err != nil {
			t.Fatal(err)
		}
		scanned = append(scanned, f.ID)
	}
	slices.Sort(scanned)
	if got := strings.Join(scanned, " "); got != "damaged id-0 id-1 id-3 id-4 id-7" {
		t.Errorf("scanned %s", got)
	}

	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, damaged) {
		t.Errorf("the damaged log was changed (%v)", err)
	}
}

// Concurrent changes are made together, and one that isn't waited for any more doesn't hold up others.
func TestApply_Concurrent(t *testing.T) {
	e, _, _ := changing(t)
	unlock, err := e.root.LockChanges(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	group.Go(func() {
		_, err := e.Apply(ctx, "all", []engine.Change{put(0, "given up")})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("apply that is canceled while it waits: %v", err)
		}
	})

	for e.working("all") == 0 {
		runtime.Gosched()
	}
	cancel()
	group.Wait()

	for i := range 20 {
		group.Go(func() { change(t, e, put(i, "made")) })
	}

	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	group.Wait()

	for i := range 20 {
		if got, err := name(t, e, i); got != "made" || err != nil {
			t.Errorf("document %d: %q, %v", i, got, err)
		}
	}
}

// working returns the number of goroutines that make changes of an alias.
func (e *Engine) working(alias string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	q := e.queues[alias]
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.running && len(q.waiting) == 0 {
		return 1
	}
	return 0
}

// A put that changes nothing writes nothing.
func TestApply_Unchanged(t *testing.T) {
	e, dir, _ := changing(t)
	path := filepath.Join(dir, "index", "changes-0.log")
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	change(t, e, put(1, "uno"), put(3, ""), remove(2), remove(99))
	if after, err := os.Stat(path); err != nil || after.Size() != before.Size() {
		t.Errorf("%d bytes, %v; want %d", after.Size(), err, before.Size())
	}
}

// A damaged record can be replaced and deleted, and meets no version.
func TestApply_DamagedRecord(t *testing.T) {
	e, dir, want := changing(t)
	path := filepath.Join(dir, "index", datadir.RecordsFile)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	for _, i := range []int{3, 4} {
		content[bytes.Index(content, []byte(embeddedtest.Document(i).Freelancer.ID))+3] = '9'
	}

	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	conditional := put(3, "three")
	conditional.If.Versions = []string{engine.Version(&embeddedtest.Document(3).Freelancer)}
	outcomes, err := e.Apply(t.Context(), "all", []engine.Change{conditional})
	if err != nil || !errors.Is(outcomes[0].Err, engine.ErrConflict) {
		t.Errorf("%+v, %v; want a conflict", outcomes, err)
	}

	change(t, e, put(3, "three"), remove(4))
	want[3] = "three"
	delete(want, 4)

	if got := contents(t, dir, 10); !maps.Equal(got, want) {
		t.Errorf("documents %v, want %v", got, want)
	}
}

// When the search structures of an index that was changed are gone, Scan still reads everybody who was not deleted.
func TestScan_SalvageChanged(t *testing.T) {
	for _, compact := range []bool{false, true} {
		e, dir, want := changing(t)
		index := datadir.IndexFile

		if compact {
			if err := e.Compact(t.Context(), "index"); err != nil {
				t.Fatal(err)
			}
			index = "index-1.bin"
			change(t, e, remove(0), put(3, "three"), remove(7))
			delete(want, 0)
			delete(want, 7)
			want[3] = "three"
		}

		if err := os.Remove(filepath.Join(dir, "index", index)); err != nil {
			t.Fatal(err)
		}
		got := map[int]string{}
		for f, err := range rarely(t, dir).Scan(t.Context(), "index") {
			if err != nil {
				t.Fatal(err)
			}
			i, err := strconv.Atoi(strings.TrimPrefix(f.ID, "id-"))
			if err != nil {
				t.Fatal(err)
			}

			got[i] = f.Name
		}

		if !maps.Equal(got, want) {
			t.Errorf("scanned %v, want %v", got, want)
		}
	}
}
