package bulk_test

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded"
	"github.com/freelancer-matching/service/engine/enginetest"
	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/source"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/mappings"
)

const alias = "freelancers"

// fakeFile yields the given rows, then err if it is set.
type fakeFile struct {
	rows      []source.Row
	err       error
	beforeRow func(row int)
}

func (f *fakeFile) Rows(ctx context.Context) iter.Seq2[source.Row, error] {
	return func(yield func(source.Row, error) bool) {
		for i, row := range f.rows {
			if f.beforeRow != nil {
				f.beforeRow(i)
			}
			if !yield(clone(row), ctx.Err()) || ctx.Err() != nil {
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

// clone copies a row, because a load may change its skills.
func clone(row source.Row) source.Row {
	row.Freelancer.Skills = slices.Clone(row.Freelancer.Skills)
	return row
}

func input(name string, rows ...source.Row) bulk.Input {
	return bulk.Input{Name: name, Open: func() (bulk.File, error) { return &fakeFile{rows: rows}, nil }}
}

// row returns the usable row "id name skill,skill"; "-" stands for no name.
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

// rows returns usable rows, on line 2 and following.
func rows(texts ...string) []source.Row {
	list := make([]source.Row, len(texts))
	for i, text := range texts {
		list[i] = row(i+2, text)
	}
	return list
}

func badRow(line int, reason string) source.Row {
	return source.Row{Line: line, Faults: []source.Fault{{Line: line, Column: "c", Value: "v", Reason: reason}}}
}

// wordPreparer prepares documents without a taxonomy.
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

// harness is a loader with its own engine and a clock that stands still.
type harness struct {
	enginetest.Engine
	loader  bulk.Loader
	options bulk.Options
	folder  string // for dead letters
}

// newHarness returns a harness with the embedded engine.
func newHarness(t *testing.T) *harness {
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
	return newHarnessOn(t, e)
}

func newHarnessOn(t *testing.T, e enginetest.Engine) *harness {
	t.Helper()
	mapping, err := mappings.Load(mappings.Freelancers)
	if err != nil {
		t.Fatal(err)
	}
	now := func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	b := &harness{
		Engine: e, folder: filepath.Join(t.TempDir(), "letters"),
		loader: bulk.Loader{Indexer: e, Preparer: wordPreparer{}, Log: slog.New(slog.DiscardHandler), Now: now},
	}
	b.options = bulk.Options{
		Owner: "a test", Alias: alias, Mapping: mapping, Source: "csv", Currency: "USD", Taxonomy: "t1",
		MaxFailures: bulk.DefaultLimit(), Progress: func(bulk.Progress) {},
		AllowShrink: true, // indexes of a few people lose a third of them at once; guard_test.go tests the guard
		DeadLetters: func(index string) string { return filepath.Join(b.folder, index+".ndjson") },
	}
	return b
}

// everywhere returns the options for deleting from all indexes.
func (b *harness) everywhere() bulk.Options {
	o := b.options
	o.Everywhere = true
	return o
}

func (b *harness) load(t *testing.T, inputs ...bulk.Input) *bulk.Report {
	t.Helper()
	report, err := b.loader.Load(t.Context(), inputs, b.options)
	if err != nil {
		t.Fatalf("load: %v", err)
	}
	return report
}

// freelancers returns everyone in the live index.
func (b *harness) freelancers(t *testing.T) []matching.Freelancer {
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

// indexNames returns the names of all indexes, finished or not, the oldest first.
func (b *harness) indexNames(t *testing.T) []string {
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

func (b *harness) wantIndexes(t *testing.T, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, b.indexNames(t), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("indexes (-want +got):\n%s", diff)
	}
}

// wantError checks that an error is of type E and contains a text.
func wantError[E error](t *testing.T, err error, text string) {
	t.Helper()
	if _, ok := errors.AsType[E](err); !ok || !strings.Contains(err.Error(), text) {
		t.Errorf("error %v, want a %T with %q", err, *new(E), text)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// failing is an engine that fails in one operation.
type failing struct {
	engine.Indexer
	addErr, closeErr, aliasErr, scanErr error
	refused                             int  // documents that the engine claims to have refused
	shortScan                           bool // a scan ends after one freelancer, without an error
}

func (f *failing) Bulk(ctx context.Context, index string, refused engine.RejectFunc) (engine.Bulk, error) {
	b, err := f.Indexer.Bulk(ctx, index, refused)
	return &failingBulk{b, f}, err
}

func (f *failing) Scan(ctx context.Context, index string) iter.Seq2[matching.Freelancer, error] {
	if f.scanErr == nil && !f.shortScan {
		return f.Indexer.Scan(ctx, index)
	}
	return func(yield func(matching.Freelancer, error) bool) {
		for person := range f.Indexer.Scan(ctx, index) {
			_ = yield(person, nil) && !f.shortScan && yield(matching.Freelancer{}, f.scanErr)
			return
		}
	}
}

func (f *failing) SwapAlias(ctx context.Context, alias, from, index string) (string, error) {
	if f.aliasErr != nil {
		return "", f.aliasErr
	}
	return f.Indexer.SwapAlias(ctx, alias, from, index)
}

type failingBulk struct {
	engine.Bulk
	engine *failing
}

func (b *failingBulk) Add(ctx context.Context, d *engine.Document) error {
	if b.engine.addErr != nil {
		return b.engine.addErr
	}
	if strings.HasPrefix(d.Freelancer.Name, "refused") {
		return nil
	}
	return b.Bulk.Add(ctx, d)
}

func (b *failingBulk) Close(ctx context.Context) (engine.BulkResult, error) {
	if b.engine.closeErr != nil {
		return engine.BulkResult{}, b.engine.closeErr
	}
	r, err := b.Bulk.Close(ctx)
	r.Failed += b.engine.refused
	return r, err
}
