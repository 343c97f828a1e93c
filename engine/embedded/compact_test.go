package embedded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/changelog"
	"github.com/freelancer-matching/service/engine/embedded/datadir"
	"github.com/freelancer-matching/service/engine/embedded/embeddedtest"
)

// contents returns the names of the documents 0 to n-1 of the index "index" by number, as an engine that starts now
// reads them. It compares what the different ways of reading say.
func contents(t testing.TB, dir string, n int) map[int]string {
	t.Helper()
	e := rarely(t, dir)
	s, err := e.OpenIndex(t.Context(), "index")
	if err != nil {
		t.Fatal(err)
	}

	names := map[int]string{}
	scanned := map[string]string{}

	for i := range n {
		found, err := s.Fetch(t.Context(), []string{embeddedtest.Document(i).Freelancer.ID})
		if err == nil {
			names[i] = found[0].Name
		} else if !errors.Is(err, engine.ErrNotFound) {
			t.Fatal(err)
		}
	}

	for f, err := range e.Scan(t.Context(), "index") {
		if err != nil {
			t.Fatal(err)
		}
		scanned[f.ID] = f.Name
	}

	infos, err := e.Indexes(t.Context())
	if err != nil || infos[0].Fault != "" {
		t.Fatalf("indexes: %+v, %v", infos, err)
	}
	count, err := s.Count(t.Context(), engine.Filters{})
	if err != nil {
		t.Fatal(err)
	}

	if len(scanned) != len(names) || infos[0].Documents != len(names) || s.Info().Documents != len(names) ||
		count != len(names) {
		t.Errorf("%d documents, but %d scanned, %d and %d by Info, %d counted",
			len(names), len(scanned), infos[0].Documents, s.Info().Documents, count)
	}

	for i, name := range names {
		if scanned[embeddedtest.Document(i).Freelancer.ID] != name {
			t.Errorf("document %d: fetched %q, scanned %q", i, name, scanned[embeddedtest.Document(i).Freelancer.ID])
		}
	}

	return names
}

// changing returns an index of 5 documents with some changes, the engine that has made them, and what it contains.
func changing(t testing.TB) (e *Engine, dir string, want map[int]string) {
	t.Helper()
	dir = t.TempDir()
	e = rarely(t, dir)
	fill(t, e, "index", 5)
	if _, err := e.PointAlias(t.Context(), "all", "index"); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Open(t.Context(), "all"); err != nil {
		t.Fatal(err)
	}
	change(t, e, put(1, "one"), put(7, "seven"), remove(2), put(8, "eight"), put(1, "uno"), remove(8))
	return e, dir, map[int]string{0: "", 1: "uno", 3: "", 4: "", 7: "seven"}
}

func files(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, "index"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		if datadir.Generated.MatchString(entry.Name()) {
			names = append(names, entry.Name())
		}
	}
	return names
}

// maintain follows the changes of other processes and does the work in the background that the index needs.
func maintain(t testing.TB, e *Engine) {
	t.Helper()
	w := e.watched["all"]
	e.follow(t.Context(), w)
	for work := e.maintenanceOf(t.Context(), w); work != nil; work = e.maintenanceOf(t.Context(), w) {
		work()
	}
	if !w.nextMaintenance.IsZero() {
		t.Fatal("work in the background has failed")
	}
}

func TestCompact(t *testing.T) {
	e, dir, want := changing(t)
	other := rarely(t, dir)
	before, err := other.Open(t.Context(), "all")
	if err != nil {
		t.Fatal(err)
	}

	updated := before.Info().Updated
	for generation := range 3 {
		if err := e.Compact(t.Context(), "index"); err != nil {
			t.Fatal(err)
		}
		suffix := fmt.Sprint("-", generation+1)
		wantFiles := []string{"changes" + suffix + ".log", "index" + suffix + ".bin", "records" + suffix + ".ndjson"}
		if got := files(t, dir); !slices.Equal(got, wantFiles) {
			t.Errorf("files %q, want %q", got, wantFiles)
		}

		if got := contents(t, dir, 10); !maps.Equal(got, want) {
			t.Errorf("documents %v, want %v", got, want)
		}

		if got, err := e.Open(t.Context(), "all"); err != nil || !got.Info().Updated.Equal(updated) {
			t.Errorf("updated at %v, %v; want %v", got.Info().Updated, err, updated)
		}

		// Changes go on, and other processes see them before and after they have loaded the new base.
		for i, reader := range []*Engine{e, other} {
			change(t, e, put(5+i, suffix), put(0, suffix))
			want[5+i] = suffix
			want[0] = suffix
			w := reader.watched["all"]
			reader.follow(t.Context(), w)
			check := func() {
				t.Helper()
				for n, wantName := range want {
					if got, err := name(t, reader, n); err != nil || got != wantName {
						t.Errorf("document %d: %q, %v; want %q", n, got, err, wantName)
					}
				}
			}

			check()
			maintain(t, reader)
			check()
		}

		updated = e.watched["all"].current.Load().view.Load().Meta.Updated
	}

	if n := other.watched["all"].current.Load().d.Generation; n != 3 {
		t.Errorf("the other process has generation %d, want 3", n)
	}

	if _, err := before.Fetch(t.Context(), []string{"id-3"}); err != nil {
		t.Errorf("fetch from a snapshot opened before: %v", err)
	}

	if err := e.Compact(t.Context(), "unknown"); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("compact an unknown index: %v", err)
	}
}

// Wherever a merge is interrupted, and whatever is changed meanwhile, no change is lost and the next merge succeeds.
func TestCompact_Crash(t *testing.T) {
	crash := errors.New("crash")
	for _, step := range []string{"written", "opened", "carried", "activated"} {
		t.Run(step, func(t *testing.T) {
			e, dir, want := changing(t)
			s := e.watched["all"].current.Load()
			c := &compaction{e: e, name: "index", dir: filepath.Join(dir, "index"), share: 1}
			c.crash = func(at string) error {
				if at == "written" || at == "opened" { // after that, c has the lock of changes
					change(t, e, put(0, at), remove(3), put(9, at), remove(1), put(1, at))
					want[0] = at
					want[9] = at
					want[1] = at
					delete(want, 3)
				}

				if at == step {
					return crash
				}
				return nil
			}
			if err := c.run(t.Context(), s); (err != nil) != (step != "activated") {
				t.Fatal(err)
			}

			if got := contents(t, dir, 10); !maps.Equal(got, want) {
				t.Errorf("after the crash: documents %v, want %v", got, want)
			}
			started := rarely(t, dir)
			if _, err := started.Open(t.Context(), "all"); err != nil {
				t.Fatal(err)
			}

			change(t, started, put(6, "six"))
			want[6] = "six"
			maintain(t, started)

			if got := files(t, dir); len(got) != 3 {
				t.Errorf("files %q, want three", got)
			}

			for _, e := range []*Engine{started, e} {
				if err := e.Compact(t.Context(), "index"); err != nil {
					t.Fatal(err)
				}
				if got := contents(t, dir, 10); !maps.Equal(got, want) {
					t.Errorf("after a merge: documents %v, want %v", got, want)
				}
			}
		})
	}
}

// While a tracker observes the index, a merge waits, and the tracker misses nothing.
func TestCompact_Tracked(t *testing.T) {
	e, dir, want := changing(t)
	tracker, err := e.Track(t.Context(), "index")
	if err != nil {
		t.Fatal(err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	c := &compaction{e: e, name: "index", dir: filepath.Join(dir, "index"), share: 1}
	c.waiting = func() {
		change(t, e, put(6, "six"))
		cancel()
	}
	if err := c.run(ctx, e.watched["all"].current.Load()); !errors.Is(err, context.Canceled) {
		t.Fatalf("a merge during the observation: %v", err)
	}

	var ids []string
	for changed, err := range tracker.Changed(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, changed.ID)
	}

	if !slices.Equal(ids, []string{"id-6"}) {
		t.Errorf("changed %q, want id-6", ids)
	}

	if err := tracker.Close(); err != nil {
		t.Fatal(err)
	}

	if err := e.Compact(t.Context(), "index"); err != nil {
		t.Fatal(err)
	}
	want[6] = "six"
	if got := contents(t, dir, 10); !maps.Equal(got, want) {
		t.Errorf("documents %v, want %v", got, want)
	}
}

// After a deletion, no file has the record of the freelancer or of one of their earlier versions, also while a merge
// copies records, and after a merge nothing is left of them.
func TestErase(t *testing.T) {
	dir := t.TempDir()
	e := rarely(t, dir)
	bulk := begin(t, e, "index")
	secret := func(id string) *engine.Document {
		d := embeddedtest.Document(0)
		d.Freelancer.ID = id
		d.Freelancer.Name = "Secret Name"
		d.Freelancer.Description = "secret text \"quoted\" \n of " + id
		d.Terms = append(d.Terms, "secretterm")
		d.JobTitles = []string{"Secret Title"}
		return d
	}
	for _, d := range []*engine.Document{
		embeddedtest.Document(0), secret(`id-<"1">`), embeddedtest.Document(1), secret("twice"), secret("twice"),
		embeddedtest.Document(2),
	} {
		if err := bulk.Add(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}

	if _, err := bulk.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	if _, err := e.PointAlias(t.Context(), "all", "index"); err != nil {
		t.Fatal(err)
	}
	old, err := e.Open(t.Context(), "all")
	if err != nil {
		t.Fatal(err)
	}

	find := func(what string) (in []string) {
		for _, name := range files(t, dir) {
			content, err := os.ReadFile(filepath.Join(dir, "index", name))
			if err != nil {
				t.Fatal(err)
			}

			if bytes.Contains(bytes.ToLower(content), []byte(what)) {
				in = append(in, name)
			}
		}

		return in
	}

	for _, id := range []string{"changed", "changed"} {
		change(t, e, engine.Change{ID: id, Document: secret(id)})
		d := secret(id)
		d.Freelancer.Name = "Another Secret Name"
		change(t, e, engine.Change{ID: id, Document: d})
	}

	started := rarely(t, dir) // knows the earlier changes from the log only
	if _, err := started.Open(t.Context(), "all"); err != nil {
		t.Fatal(err)
	}
	change(t, started, engine.Change{ID: "twice"}, engine.Change{ID: "changed"})
	c := &compaction{e: e, name: "index", dir: filepath.Join(dir, "index"), share: 1}
	c.crash = func(step string) error {
		if step == "written" { // in the unfinished base, too
			change(t, e, engine.Change{ID: `id-<"1">`})
			if in := find("secret name"); in != nil {
				t.Errorf("found in %q after the deletion", in)
			}
		}

		return nil
	}

	e.follow(t.Context(), e.watched["all"])
	if in := find("secret name"); !slices.Equal(in, []string{"records.ndjson"}) {
		t.Errorf("found in %q before the deletion, want only the records", in)
	}

	if err := c.run(t.Context(), e.watched["all"].current.Load()); err != nil {
		t.Fatal(err)
	}

	if in := find("secret name"); in != nil {
		t.Errorf("found in %q after the merge", in)
	}
	_, err = old.Fetch(t.Context(), []string{"id-0", `id-<"1">`})
	if !errors.Is(err, engine.ErrNotFound) || errors.Is(err, engine.ErrDamaged) {
		t.Errorf("fetch from an earlier snapshot: %v, want not found", err)
	}

	if err := e.Compact(t.Context(), "index"); err != nil { // the first one had begun before the deletion
		t.Fatal(err)
	}

	for _, what := range []string{"secret", "changed", "twice", `id-<`} {
		if in := find(what); in != nil {
			t.Errorf("%q found in %q after another merge", what, in)
		}
	}

	if err := engine.Verify(t.Context(), e, "index"); err != nil {
		t.Error(err)
	}
}

// A deletion that was interrupted after it was acknowledged to nobody, but written, is finished by the next process.
func TestErase_Interrupted(t *testing.T) {
	e, dir, want := changing(t)
	s, err := e.newStore("index")
	if err != nil {
		t.Fatal(err)
	}

	unlock, err := e.lockStore(t.Context(), s, func() (bool, error) { return true, nil })
	if err != nil {
		t.Fatal(err)
	}
	// As store.append does, but without erasing.
	var batch changelog.Batch
	base, _ := s.base.Find("id-4")
	batch.Delete(time.Now(), "id-4", base)
	batch.Delete(time.Now(), "id-7", changelog.Span{})

	if _, _, err := s.log.Append(s.end, &batch); err != nil {
		t.Fatal(err)
	}
	s.close()

	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	delete(want, 4)
	delete(want, 7)
	started := rarely(t, dir)
	now := time.Now()
	started.now = func() time.Time { return now }
	if _, err := started.Open(t.Context(), "all"); err != nil {
		t.Fatal(err)
	}

	maintain(t, started)
	now = now.Add(2 * finishAfter)
	maintain(t, started)

	if got := contents(t, dir, 10); !maps.Equal(got, want) {
		t.Errorf("documents %v, want %v", got, want)
	}

	for _, name := range []string{"records.ndjson", "changes-0.log"} {
		content, err := os.ReadFile(filepath.Join(dir, "index", name))
		if err != nil {
			t.Fatal(err)
		}

		for _, what := range []string{"\"id-4\"", "seven"} {
			if bytes.Contains(content, []byte(what)) {
				t.Errorf("%s still has %s", name, what)
			}
		}
	}
}

// Work in the background starts when it is due.
func TestMaintain_Due(t *testing.T) {
	for _, test := range []struct {
		name    string
		changes []engine.Change
		later   time.Duration
		merges  bool
	}{
		{"a change", []engine.Change{put(1, "one")}, mergeAge - time.Second, false},
		{"an old change", []engine.Change{put(1, "one")}, mergeAge, true},
		{"a deletion", []engine.Change{remove(1)}, defaultEraseAfter - time.Second, false},
		{"an old deletion", []engine.Change{put(2, "two"), remove(1)}, defaultEraseAfter, true},
		{"some changes", changes(mergeMinimum), 0, false},
		{"many changes", changes(mergeMinimum + 1), 0, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			e := rarely(t, dir)
			fill(t, e, "index", 3)

			if _, err := e.PointAlias(t.Context(), "all", "index"); err != nil {
				t.Fatal(err)
			}

			if _, err := e.Open(t.Context(), "all"); err != nil {
				t.Fatal(err)
			}
			now := time.Now()
			e.now = func() time.Time { return now }
			change(t, e, test.changes...)
			maintain(t, e)
			now = now.Add(test.later)
			maintain(t, e)

			if merged := e.watched["all"].current.Load().d.Generation == 1; merged != test.merges {
				t.Errorf("merged: %v, want %v", merged, test.merges)
			}
			now = now.Add(24 * time.Hour)
			maintain(t, e)

			if generation := e.watched["all"].current.Load().d.Generation; generation != 1 {
				t.Errorf("a day later: generation %d, want 1", generation)
			}
		})
	}
}

// changes returns n changes of one document.
func changes(n int) (of []engine.Change) {
	for i := range n {
		of = append(of, put(1, fmt.Sprint(i)))
	}
	return of
}

// Only one process merges, and the others go on.
func TestMaintain_OneProcess(t *testing.T) {
	e, dir, _ := changing(t)
	lock := flock.New(filepath.Join(dir, "index", mergeLockFile))
	if ok, err := lock.TryLock(); !ok || err != nil {
		t.Fatal(err)
	}

	s := e.watched["all"].current.Load()
	if err := s.merge(t.Context(), 1); err != nil || len(files(t, dir)) != 3 {
		t.Errorf("merge while another process merges: %v, files %q", err, files(t, dir))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	if err := e.Compact(ctx, "index"); !errors.Is(err, context.Canceled) {
		t.Errorf("compact while another process merges: %v, want canceled", err)
	}

	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	// An index that is dropped meanwhile ends a merge.
	fill(t, e, "other", 1)
	c := &compaction{e: e, name: "index", dir: filepath.Join(dir, "index"), share: 1}
	c.crash = func(step string) error {
		if step != "opened" {
			return nil
		}

		if _, err := e.PointAlias(t.Context(), "all", "other"); err != nil {
			t.Error(err)
		}
		return e.Drop(t.Context(), "index")
	}
	if err := c.run(t.Context(), s); err == nil {
		t.Error("merge of a dropped index: no error")
	}

	if _, err := os.Stat(filepath.Join(dir, "index")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a dropped index: %v", err)
	}
}

// After any sequence of changes, merges, crashes and restarts in two processes, the index has what was acknowledged.
func TestChanges_Random(t *testing.T) {
	seeds, steps := 3, 80
	if testing.Short() {
		seeds, steps = 1, 40
	}

	for seed := range seeds {
		rng := rand.New(rand.NewPCG(uint64(seed), 3))
		_, dir, want := changing(t)
		engines := []*Engine{rarely(t, dir), rarely(t, dir)}
		for step := range steps {
			i := rng.IntN(2)
			e := engines[i]
			if _, err := e.Open(t.Context(), "all"); err != nil {
				t.Fatal(err)
			}

			switch rng.IntN(8) {
			case 0: // restart
				engines[i] = rarely(t, dir)
			case 1: // merge, or crash while merging
				c := &compaction{e: e, name: "index", dir: filepath.Join(dir, "index"), share: 1}
				e.follow(t.Context(), e.watched["all"])
				maintain(t, e)
				at := []string{"", "written", "opened", "carried", "activated"}[rng.IntN(5)]
				c.crash = func(step string) error {
					if step == "written" || step == "opened" {
						changeRandomly(t, rng, engines[rng.IntN(2)], want)
					}

					if step == at {
						return errors.New("crash")
					}
					return nil
				}
				if err := c.run(t.Context(), e.watched["all"].current.Load()); err != nil && at == "" {
					t.Fatal(err)
				}

			case 2:
				maintain(t, e)
			default:
				changeRandomly(t, rng, e, want)
			}

			if got := contents(t, dir, 12); !maps.Equal(got, want) {
				t.Fatalf("seed %d, step %d: (-want +got):\n%s", seed, step, cmp.Diff(want, got))
			}

			for _, e := range engines {
				if w := e.watched["all"]; w != nil {
					e.follow(t.Context(), w)
				}

				for i := range 12 {
					got, err := name(t, e, i)
					if wantName, ok := want[i]; ok != (err == nil) || got != wantName {
						t.Fatalf("seed %d, step %d: document %d is %q, %v; want %q, %v", seed, step, i, got, err, wantName, ok)
					}
				}
			}
		}
	}
}

// changeRandomly makes a few random changes, some on a condition, and records them in want.
func changeRandomly(t testing.TB, rng *rand.Rand, e *Engine, want map[int]string) {
	t.Helper()
	var batch []engine.Change
	for range 1 + rng.IntN(4) {
		i := rng.IntN(12)
		c := put(i, strings.Repeat("x", rng.IntN(3)))
		wantName, exists := want[i]

		if rng.IntN(3) == 0 {
			c = remove(i)
		}
		holds := true

		if exists && rng.IntN(2) == 0 {
			holds = rng.IntN(2) == 0
			version := "another"
			if holds {
				version = engine.Version(&put(i, wantName).Document.Freelancer)
			}
			c.If.Versions = []string{version}
		}

		batch = append(batch, c)
		switch {
		case !holds:
		case c.Document == nil:
			delete(want, i)
		default:
			want[i] = c.Document.Freelancer.Name
		}

		outcomes, err := e.Apply(t.Context(), "all", batch[len(batch)-1:])
		if err != nil || (outcomes[0].Err == nil) != holds || exists != (outcomes[0].Before != "" || outcomes[0].Err != nil) {
			t.Fatalf("apply: %+v, %v; want the condition to hold: %v", outcomes, err, holds)
		}
	}
}
