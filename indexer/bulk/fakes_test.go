package bulk_test

import (
	"context"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"freelancer-matching/engine"
	"freelancer-matching/engine/embedded"
	"freelancer-matching/engine/enginetest"
	"freelancer-matching/indexer/bulk"
	"freelancer-matching/indexer/source"
	"freelancer-matching/internal/matching"
	"freelancer-matching/mappings"
)

const alias = "freelancers"

// fakeFile yields prepared rows, then err where there is one.
type fakeFile struct {
	rows []source.Row
	err  error
	each func(row int) // called before each row
}

func (f *fakeFile) Rows() iter.Seq2[source.Row, error] {
	return func(yield func(source.Row, error) bool) {
		for i, row := range f.rows {
			if f.each != nil {
				f.each(i)
			}
			if !yield(clone(row), nil) {
				return
			}
		}
		if f.err != nil {
			yield(source.Row{}, f.err)
		}
	}
}

func (f *fakeFile) Size() int64   { return int64(len(f.rows)) }
func (f *fakeFile) Offset() int64 { return 0 }
func (f *fakeFile) Close() error  { return nil }

// clone keeps the rows of a fake apart from what a load does to them.
func clone(row source.Row) source.Row {
	row.Freelancer.Skills = slices.Clone(row.Freelancer.Skills)
	return row
}

func input(name string, rows ...source.Row) bulk.Input {
	return bulk.Input{Name: name, Open: func() (bulk.File, error) { return &fakeFile{rows: rows}, nil }}
}

// row is the usable row "id name skill,skill".
func row(line int, text string) source.Row {
	words := strings.Fields(text)
	f := matching.Freelancer{ID: words[0]}
	if len(words) > 1 && words[1] != "-" {
		f.Name = words[1]
	}
	if len(words) > 2 {
		f.Skills = strings.Split(words[2], ",")
	}
	return source.Row{Freelancer: f, Line: line}
}

// rows are usable rows on the lines from 2.
func rows(texts ...string) []source.Row {
	list := make([]source.Row, len(texts))
	for i, text := range texts {
		list[i] = row(i+2, text)
	}
	return list
}

func bad(line int, reason string) source.Row {
	return source.Row{Line: line, Faults: []source.Fault{{Line: line, Column: "c", Value: "v", Reason: reason}}}
}

// wordPreparer makes documents without any taxonomy.
type wordPreparer struct{}

func (wordPreparer) Spaces() []matching.VectorSpace { return nil }

func (wordPreparer) Prepare(_ context.Context, freelancers []matching.Freelancer) ([]*engine.Document, error) {
	documents := make([]*engine.Document, len(freelancers))
	for i, f := range freelancers {
		documents[i] = &engine.Document{Freelancer: f, Terms: strings.Fields(f.Description)}
		for _, s := range f.Skills {
			documents[i].Skills = append(documents[i].Skills, engine.Skill{ID: s, Evidence: matching.Listed})
		}
	}
	return documents, nil
}

// bench is a loader on an engine of its own, at a time that stands still.
type bench struct {
	enginetest.Engine
	loader  bulk.Loader
	options bulk.Options
	folder  string // of the dead letters
}

// newBench is a bench on the embedded engine, whose indexes do not change.
func newBench(t *testing.T) *bench {
	t.Helper()
	e, err := embedded.Open(t.TempDir(), embedded.Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return newBenchOn(t, e)
}

// newBenchOn is a bench on an engine.
func newBenchOn(t *testing.T, e enginetest.Engine) *bench {
	t.Helper()
	mapping, err := mappings.Load(mappings.Freelancers)
	if err != nil {
		t.Fatal(err)
	}
	now := func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	b := &bench{
		Engine: e, folder: filepath.Join(t.TempDir(), "letters"),
		loader: bulk.Loader{Indexer: e, Preparer: wordPreparer{}, Log: slog.New(slog.DiscardHandler), Now: now},
	}
	b.options = bulk.Options{
		Owner: "a test", Alias: alias, Mapping: mapping, Source: "csv", Currency: "USD", Taxonomy: "t1",
		MaxFailures: bulk.DefaultLimit(), Progress: func(bulk.Progress) {},
		DeadLetters: func(index string) string { return filepath.Join(b.folder, index+".ndjson") },
	}
	return b
}

func (b *bench) load(t *testing.T, inputs ...bulk.Input) *bulk.Report {
	t.Helper()
	report, err := b.loader.Load(t.Context(), inputs, b.options)
	if err != nil {
		t.Fatalf("load: %v", err)
	}
	return report
}

// freelancers is everyone in the index that the alias points to.
func (b *bench) freelancers(t *testing.T) []matching.Freelancer {
	t.Helper()
	index, _, err := b.Alias(t.Context(), alias)
	if err != nil {
		t.Fatal(err)
	}
	var all []matching.Freelancer
	for f, err := range b.Scan(t.Context(), index) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	return all
}

// names is the names of all indexes, finished or not.
func (b *bench) names(t *testing.T) []string {
	t.Helper()
	infos, err := b.Indexes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, len(infos))
	for i, info := range infos {
		names[i] = info.Name
	}
	return names
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// failing is an engine with one broken part.
type failing struct {
	engine.Indexer
	add, end, point, scan error
	refuse                int  // documents that the engine says it refused
	short                 bool // a scan ends after one freelancer, as if that were all
}

func (f *failing) Bulk(ctx context.Context, index string, refused engine.RejectFunc) (engine.Bulk, error) {
	b, err := f.Indexer.Bulk(ctx, index, refused)
	return &failingBulk{b, f}, err
}

func (f *failing) Scan(ctx context.Context, index string) iter.Seq2[matching.Freelancer, error] {
	if f.scan == nil && !f.short {
		return f.Indexer.Scan(ctx, index)
	}
	return func(yield func(matching.Freelancer, error) bool) {
		for person := range f.Indexer.Scan(ctx, index) {
			_ = yield(person, nil) && !f.short && yield(matching.Freelancer{}, f.scan)
			return
		}
	}
}

func (f *failing) PointAlias(ctx context.Context, alias, index string) (string, error) {
	if f.point != nil {
		return "", f.point
	}
	return f.Indexer.PointAlias(ctx, alias, index)
}

type failingBulk struct {
	engine.Bulk
	of *failing
}

func (b *failingBulk) Add(ctx context.Context, d *engine.Document) error {
	if b.of.add != nil {
		return b.of.add
	}
	if strings.HasPrefix(d.Freelancer.Name, "refused") {
		return nil
	}
	return b.Bulk.Add(ctx, d)
}

func (b *failingBulk) Close(ctx context.Context) (engine.BulkResult, error) {
	if b.of.end != nil {
		return engine.BulkResult{}, b.of.end
	}
	r, err := b.Bulk.Close(ctx)
	r.Failed += b.of.refuse
	return r, err
}
