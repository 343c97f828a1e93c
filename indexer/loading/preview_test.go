package loading_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded"
	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/bulk/coverage"
	"github.com/freelancer-matching/service/indexer/compare"
	"github.com/freelancer-matching/service/indexer/loading"
	"github.com/freelancer-matching/service/indexer/source"
	"github.com/freelancer-matching/service/indexer/source/input"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/mappings"
	"github.com/freelancer-matching/service/match"
)

// wordPreparer prepares documents without a taxonomy.
type wordPreparer struct{}

func (wordPreparer) Spaces() []matching.VectorSpace { return nil }

func (wordPreparer) Prepare(_ context.Context, freelancers []matching.Freelancer) ([]*engine.Document, error) {
	documents := make([]*engine.Document, len(freelancers))
	for i, f := range freelancers {
		documents[i] = &engine.Document{Freelancer: f, Terms: strings.Fields(f.JobTitle)}
	}
	return documents, nil
}

// A rig is a loader on an empty engine. Each load is a second later, so that the indexes have different names.
type rig struct {
	engine  *embedded.Engine
	loader  bulk.Loader
	options bulk.Options
	now     time.Time
}

func newRig(t *testing.T) *rig {
	t.Helper()
	e, err := embedded.Open(t.TempDir(), embedded.Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	mapping, err := mappings.Load(mappings.Freelancers)
	if err != nil {
		t.Fatal(err)
	}
	limit, err := bulk.ParseLimit("100%")
	if err != nil {
		t.Fatal(err)
	}

	r := &rig{engine: e, now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	r.loader = bulk.Loader{
		Indexer: e, Preparer: wordPreparer{}, Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { r.now = r.now.Add(time.Second); return r.now },
	}
	r.options = bulk.Options{
		Owner: "a test", Alias: match.Alias, Mapping: mapping, Source: "csv", Currency: "USD", Taxonomy: "t1",
		MaxFailures: limit, NewIndex: true, AllowShrink: true, DeadLetters: func(string) string { return "" },
		Progress: func(bulk.Progress) {}, Run: engine.Run{Command: "load", Version: "test", User: "a test"},
	}
	return r
}

// open returns the text of a CSV file as the input of a load.
func open(t *testing.T, text string) []bulk.Input {
	t.Helper()
	var in loading.Inputs
	from := input.FromReaderAt("people.csv", strings.NewReader(text), int64(len(text)))
	if err := in.Add(from, source.Options{Currency: "USD"}, false, loading.Version{}); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return in.Files
}

func (r *rig) live(t *testing.T) *engine.Info {
	t.Helper()
	live, err := loading.Live(t.Context(), r.engine)
	if err != nil {
		t.Fatal(err)
	}
	return live
}

// drawFile returns a CSV file about some of twelve people. Rows may repeat a person, delete one, or be rejected.
func drawFile(random *rand.Rand) string {
	lines := []string{"id,name,job_title,skills,hourly_rate,deleted", "p0,Ann Example,Baker,Bread,50,"}
	for range random.IntN(14) {
		id := random.IntN(12)
		rate := []string{"", "40", "cheap"}[random.IntN(3)]
		deleted := []string{"", "", "", "true"}[random.IntN(4)]
		title := []string{"Baker", "Pilot", ""}[random.IntN(3)]
		lines = append(lines, fmt.Sprintf("p%d,Person %c,%s,%s,%s,%s", id, 'A'+id, title,
			[]string{"", "Bread", "Ships; Maps"}[random.IntN(3)], rate, deleted))
	}
	return strings.Join(lines, "\n") + "\n"
}

// A preview says exactly what the load then does, whatever the files and the live index have.
func TestLook_SaysWhatTheLoadDoes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, mode := range []loading.Mode{loading.Replace, loading.Upsert} {
		for round := range 12 {
			text := drawFile(random)
			t.Run(fmt.Sprint(mode, round), func(t *testing.T) {
				r := newRig(t)
				if round > 0 { // before the first load, no index is live
					if _, err := loading.Replace.Run(t.Context(), &r.loader, open(t, drawFile(random)), r.options); err != nil {
						t.Fatal(err)
					}
				}
				wantPreview(t, r, mode, text)
			})
		}
	}
}

// wantPreview looks at a file, loads it, and compares the preview with the difference between the indexes.
func wantPreview(t *testing.T, r *rig, mode loading.Mode, text string) {
	t.Helper()
	before := r.live(t)
	p, err := mode.Look(t.Context(), r.engine, before, open(t, text), r.options)
	if err != nil {
		t.Fatal(err)
	}

	report, err := mode.Run(t.Context(), &r.loader, open(t, text), r.options)
	if err != nil {
		t.Fatal(err)
	}
	var old compare.Set = func(func(matching.Freelancer, error) bool) {}
	if before != nil {
		old = r.engine.Scan(t.Context(), before.Name)
	}

	d, err := compare.Sets(t.Context(), old, r.engine.Scan(t.Context(), report.Index))
	if err != nil {
		t.Fatal(err)
	}
	var changed []string
	for _, c := range d.Changed {
		changed = append(changed, c.ID)
	}

	var after coverage.Counts
	for f, err := range r.engine.Scan(t.Context(), report.Index) {
		if err != nil {
			t.Fatal(err)
		}
		after.Add(coverage.Known(&f))
	}

	want := map[string]any{
		"new": sorted(d.Added), "changed": sorted(changed), "gone": sorted(d.Removed),
		"stay": d.Unchanged, "freelancers": after.Freelancers, "known": after.ByField(),
	}
	got := map[string]any{
		"new": sorted(p.New), "changed": sorted(p.Changed), "gone": sorted(p.Gone),
		"stay": p.Unchanged + p.Kept, "freelancers": p.After.Freelancers, "known": p.After.Coverage,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the preview differs from the load (-load +preview):\n%s\n%s", diff, text)
	}
}

func sorted(ids []string) string { return strings.Join(slices.Sorted(slices.Values(ids)), " ") }

// A preview names the figures for which the guard of a load asks, and changes nothing.
func TestLook_NamesFalls(t *testing.T) {
	r := newRig(t)
	var lines []string
	for i := range 10 {
		lines = append(lines, fmt.Sprintf("p%d,Person %c,Baker,Bread,50", i, 'A'+i))
	}
	head := "id,name,job_title,skills,hourly_rate\n"
	_, err := loading.Replace.Run(t.Context(), &r.loader, open(t, head+strings.Join(lines, "\n")), r.options)
	if err != nil {
		t.Fatal(err)
	}

	live := r.live(t)
	p, err := loading.Replace.Look(t.Context(), r.engine, live, open(t, head+strings.Join(lines[:5], "\n")), r.options)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Falls) != 1 || p.Falls[0].String() != "5 freelancers instead of 10" || len(p.Gone) != 5 {
		t.Errorf("falls %v, gone %q", p.Falls, p.Gone)
	}
	if now := r.live(t); now.Name != live.Name || now.Documents != 10 {
		t.Errorf("the live index is %s with %d freelancers after a preview", now.Name, now.Documents)
	}
}

// A failed preview has the rows that were read, and which reason rejected them.
func TestLook_Failures(t *testing.T) {
	r := newRig(t)
	r.options.MaxFailures = bulk.DefaultLimit()
	text := "id,name,job_title,skills,hourly_rate\n" + strings.Repeat(",,,,12\n", 400)
	p, err := loading.Replace.Look(t.Context(), r.engine, nil, open(t, text), r.options)
	code := loading.FailureCode(err)
	if code != "too_many_rejected" || p.Report.Rejected == 0 || p.Report.Faults.Total() == 0 {
		t.Errorf("error %v (%s), %d rows rejected", err, code, p.Report.Rejected)
	}

	erased := errors.New("the list can't be read")
	r.options.Erased = func(context.Context) (func(*matching.Freelancer) bool, error) { return nil, erased }
	if _, err := loading.Replace.Look(t.Context(), r.engine, nil, open(t, text), r.options); !errors.Is(err, erased) {
		t.Errorf("error %v, want %v", err, erased)
	}
}

// Nobody who was erased is in a preview, as nobody is loaded.
func TestLook_LeavesOutErasedPeople(t *testing.T) {
	r := newRig(t)
	r.options.Erased = func(context.Context) (func(*matching.Freelancer) bool, error) {
		return func(f *matching.Freelancer) bool { return f.ID == "p1" }, nil
	}
	text := "id,name,job_title,skills,hourly_rate\np0,Ann Example,Baker,Bread,50\np1,Ben Example,Baker,Bread,50\n"
	p, err := loading.Replace.Look(t.Context(), r.engine, nil, open(t, text), r.options)
	if err != nil || sorted(p.New) != "p0" || p.Report.Erased != 1 {
		t.Errorf("new %q, %d erased, error %v", p.New, p.Report.Erased, err)
	}
}
