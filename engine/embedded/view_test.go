package embedded

import (
	"bytes"
	"context"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/datadir"
	"github.com/freelancer-matching/service/engine/embedded/search"
	"github.com/freelancer-matching/service/engine/embedded/sectionfile"
	"github.com/freelancer-matching/service/engine/embedded/segment"
	"github.com/freelancer-matching/service/engine/embedded/view"
	"github.com/freelancer-matching/service/engine/enginetest"
	"github.com/freelancer-matching/service/mappings"
)

// A living index changes as an engine changes it, but without a log: records go to a file of their own.
type living struct {
	t       testing.TB
	oracle  *enginetest.Oracle
	view    *view.View
	records *os.File
	offset  uint64
	bases   int

	orderedFrom int
}

func bm25(t testing.TB) mappings.BM25 {
	t.Helper()
	mapping, err := mappings.Load(mappings.Freelancers)
	if err != nil {
		t.Fatal(err)
	}
	return mapping.BM25
}

// newLiving returns an index built from random documents, which is ordered by topic if it has at least orderedFrom.
func newLiving(t *testing.T, seed uint64, documents, orderedFrom int) *living {
	t.Helper()
	l := &living{t: t, oracle: enginetest.NewOracle(bm25(t), seed, max(60, documents)), orderedFrom: orderedFrom}
	for range documents {
		l.oracle.Put(l.oracle.Document())
	}
	dir := t.TempDir()
	l.view = l.fresh(t, dir)
	l.view.Shared.Inline = 60 // so that there are larger jobs
	l.view.Shared.OrderedFrom = orderedFrom
	l.view.Shared.HelpersFrom = 0
	var err error
	if l.records, err = os.Create(filepath.Join(dir, "changes")); err != nil {
		t.Fatal(err)
	}
	return l
}

// fresh returns a newly built index of the oracle's documents.
func (l *living) fresh(t *testing.T, dir string) *view.View {
	t.Helper()
	e := open(t, dir)
	mapping, err := mappings.Load(mappings.Freelancers)
	if err != nil {
		t.Fatal(err)
	}

	if err := e.Create(t.Context(), engine.Spec{Name: "index", Mapping: mapping, Vectors: l.oracle.Spaces()}); err != nil {
		t.Fatal(err)
	}
	filling, err := e.Bulk(t.Context(), "index", nil)
	if err != nil {
		t.Fatal(err)
	}

	filling.(*bulk).index.OrderedFrom = l.orderedFrom
	for _, d := range l.oracle.Documents {
		if err := filling.Add(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}

	if _, err := filling.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	s, err := e.load(t.Context(), "index")
	if err != nil {
		t.Fatal(err)
	}

	return s.view.Load()
}

// write stores the record of a document and returns the write that puts it.
func (l *living) write(d *engine.Document) view.Write {
	l.t.Helper()
	record, err := segment.EncodeRecord(&d.Freelancer)
	if err != nil {
		l.t.Fatal(err)
	}
	if _, err := l.records.Write(record); err != nil {
		l.t.Fatal(err)
	}
	w := view.Write{ID: d.Freelancer.ID, Document: d, Record: segment.Location{
		File: l.records, Offset: l.offset, Length: uint32(len(record)), Sum: crc32.Checksum(record, sectionfile.Castagnoli),
	}}
	l.offset += uint64(len(record))
	return w
}

// batch returns n random writes and tells the oracle.
func (l *living) batch(n int) []view.Write {
	var batch []view.Write
	for range n {
		if l.oracle.Rand.IntN(4) == 0 {
			id := l.oracle.ID()
			l.oracle.Delete(id)
			batch = append(batch, view.Write{ID: id})
			continue
		}
		d := l.oracle.Document()
		l.oracle.Put(d)
		batch = append(batch, l.write(d))
	}
	return batch
}

// done returns a view after all jobs that are due.
func done(v *view.View) *view.View {
	for j := v.Due(false); j != nil; j = v.Due(false) {
		j.Run()
		v = j.Finish(v)
	}
	return v
}

// check compares the view, after all jobs that are due, with the oracle.
func (l *living) check(t *testing.T, queries int) {
	t.Helper()
	v := done(l.view)
	o := enginetest.Options{TextError: 1.51 / segment.Codes}
	l.oracle.Check(t, o, search.Snapshot{View: v}, queries)
	if n := v.Info().Documents; n != len(l.oracle.Documents) {
		t.Fatalf("info: %d documents, want %d", n, len(l.oracle.Documents))
	}
	i := 0
	for f, err := range v.Scan(t.Context()) {
		if err != nil || i >= len(l.oracle.Documents) || f.ID != l.oracle.Documents[i].Freelancer.ID {
			t.Fatalf("scan: freelancer %d is %s, %v", i, f.ID, err)
		}
		i++
	}
	if i != len(l.oracle.Documents) {
		t.Fatalf("scan: %d freelancers, want %d", i, len(l.oracle.Documents))
	}
}

// rebuild writes a new base from an earlier view, reads it, and makes the changes since then. It returns the files.
func (l *living) rebuild(t *testing.T, from *view.View, since [][]view.Write) (files [][]byte) {
	t.Helper()
	l.bases++
	dir := t.TempDir()
	index := filepath.Join(dir, datadir.IndexFile)
	records := filepath.Join(dir, datadir.RecordsFile)
	w, err := from.WriteBase(t.Context(), index, records,
		func(context.Context, time.Duration) error { return nil }, func(step func() error) error { return step() })
	if err != nil {
		t.Fatal(err)
	}

	for _, path := range []string{index, records} {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, content)
	}

	want := segment.Written{
		Documents: from.Totals.Documents, Index: int64(len(files[0])), Records: int64(len(files[1])),
	}
	for record := range bytes.Lines(files[1]) {
		want.RecordsSum.Add(crc32.Checksum(record, sectionfile.Castagnoli))
	}

	if diff := cmp.Diff(&want, w, cmp.AllowUnexported(segment.Written{})); diff != "" {
		t.Fatalf("written (-want +got):\n%s", diff)
	}
	stored, err := sectionfile.Open(index, sectionfile.MappedFrom)
	if err != nil {
		t.Fatal(err)
	}

	base, err := segment.DecodeFile(stored, from.Meta.Vectors, w.Documents)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(records)
	if err != nil {
		t.Fatal(err)
	}

	base.SetRecords(file)
	inline := l.view.Shared.Inline
	ordered := l.view.Shared.OrderedFrom
	l.view = view.NewView(from.Meta, base)
	l.view.Shared.Inline = inline
	l.view.Shared.OrderedFrom = ordered
	l.view.Shared.HelpersFrom = 0
	for _, batch := range since {
		l.view = l.view.Apply(batch)
	}

	return files
}

// After any sequence of changes, merges and new bases, a view returns what an index of the same documents returns.
func TestView_RandomChanges(t *testing.T) {
	sizes := []int{0, 40, 300}
	steps := 60

	if testing.Short() {
		sizes = []int{0, 40}
		steps = 15
	}

	for seed, documents := range sizes {
		l := newLiving(t, uint64(seed), documents, 30)
		var from *view.View // a new base is being written from it
		var since [][]view.Write
		jobs := []*view.Job{}
		merged := 0
		apply := func(n int) {
			batch := l.batch(n)
			l.view = l.view.Apply(batch)
			since = append(since, batch)
		}
		for range steps {
			switch l.oracle.Rand.IntN(10) {
			case 0:
				if from == nil {
					from = l.view
					since = nil
				} else {
					l.rebuild(t, from, since)
					from = nil
				}

			case 1:
				if j := l.view.Due(false); j != nil {
					jobs = append(jobs, j)
					j.Run()
				}

			case 2:
				for _, j := range jobs { // some have become impossible meanwhile
					l.view = j.Finish(l.view)
					merged++
				}
				jobs = nil

			case 3:
				apply(1 + l.oracle.Rand.IntN(100))
			default:
				for range l.oracle.Rand.IntN(12) {
					apply(1)
				}
			}

			l.check(t, 2)
		}

		t.Logf("%d documents in %d parts; %d bases, %d jobs", len(l.oracle.Documents), len(l.view.Parts), l.bases, merged)
	}
}

// A new base returns exactly what an index built from the same documents returns, and contains nothing of others.
func TestWriteBase_FreshBuild(t *testing.T) {
	l := newLiving(t, 7, 200, segment.OrderedFrom)
	secret := l.oracle.Document()
	secret.Freelancer.Name = "Secret Name"
	secret.Freelancer.ID = "secret-id"
	secret.Terms = append(secret.Terms, "secretterm")
	secret.JobTitles = []string{"Secret Title"}
	secret.UnknownSkills = []string{"Secret Skill"}
	l.view = l.view.Apply(append(l.batch(100), l.write(secret)))
	for range 50 {
		l.view = l.view.Apply(l.batch(1))
	}

	l.view = l.view.Apply([]view.Write{{ID: "secret-id"}})
	for _, content := range l.rebuild(t, l.view, nil) {
		if at := bytes.Index(bytes.ToLower(content), []byte("secret")); at >= 0 {
			t.Errorf("a new base contains %q", content[at:at+12])
		}
	}

	if len(l.view.Parts) != 1 {
		t.Fatalf("%d parts after a new base, want 1", len(l.view.Parts))
	}
	l.check(t, 10)
	fresh := l.fresh(t, t.TempDir())
	if diff := cmp.Diff(fresh.Totals, l.view.Totals, cmp.AllowUnexported(segment.Totals{})); diff != "" {
		t.Errorf("totals (-fresh +merged):\n%s", diff)
	}

	skills := []string{"skill-0", "skill-1", "skill-2"}
	ask := func(v *view.View) (results []any) {
		add := func(result any, err error) {
			if err != nil {
				t.Fatal(err)
			}
			results = append(results, result)
		}

		add(v.Statistics(t.Context(), skills))
		add(search.Snapshot{View: v}.Vocabulary(t.Context()))
		w := enginetest.NewOracle(bm25(t), 9, 200)
		for range 20 {
			add(search.Snapshot{View: v}.Search(t.Context(), w.Query()))
		}

		return results
	}
	if diff := cmp.Diff(ask(fresh), ask(l.view)); diff != "" {
		t.Errorf("results (-fresh +merged):\n%s", diff)
	}
}

// Searches, changes and jobs run at the same time, and a view never changes.
func TestView_Concurrent(t *testing.T) {
	l := newLiving(t, 8, 150, segment.OrderedFrom)
	l.view.Shared.Inline = 20
	first := l.view
	q := l.oracle.Query()
	want, err := search.Snapshot{View: first}.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}

	var current atomic.Pointer[view.View]
	current.Store(first)
	var changing sync.Mutex // as an engine has one
	done := make(chan struct{})
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}

				v := current.Load()
				page, err := search.Snapshot{View: v}.Search(t.Context(), q)
				if err != nil {
					t.Error(err)
					return
				}

				for _, hit := range page.Hits {
					if _, err := v.Fetch(t.Context(), []string{hit.ID}); err != nil {
						t.Errorf("a hit can't be fetched: %v", err)
					}
				}
			}
		})
	}

	jobs := make(chan *view.Job)
	group.Go(func() {
		for j := range jobs {
			j.Run()
			changing.Lock()
			current.Store(j.Finish(current.Load()))
			changing.Unlock()
		}
	})

	for range 200 {
		batch := l.batch(1 + l.oracle.Rand.IntN(3))
		changing.Lock()
		current.Store(current.Load().Apply(batch))
		changing.Unlock()

		if j := current.Load().Due(false); j != nil {
			select {
			case jobs <- j:
			default: // the last one is still running
			}
		}
	}

	close(done)
	close(jobs)
	group.Wait()

	if got, err := (search.Snapshot{View: first}).Search(t.Context(), q); err != nil || !cmp.Equal(want, got) {
		t.Errorf("an earlier view changed: %v, %s", err, cmp.Diff(want, got))
	}
	l.view = current.Load()
	l.check(t, 5)
}

// However many changes there are, a view has few parts, and each document takes part in few merges.
func TestApply_Parts(t *testing.T) {
	l := newLiving(t, 9, 0, segment.OrderedFrom)
	for n := range 600 {
		d := l.oracle.Document()
		d.Freelancer.ID = fmt.Sprint(n)
		l.view = l.view.Apply([]view.Write{l.write(d)})
		l.view = done(l.view)
		if parts := len(l.view.Parts); parts > 5*4 {
			t.Fatalf("%d parts after %d changes", parts, n+1)
		}
	}
}

// viewOf returns the view behind a snapshot.
func viewOf(s engine.Snapshot) *view.View { return s.(search.Snapshot).View }
