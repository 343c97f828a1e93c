package bulk_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/source"
	"github.com/freelancer-matching/service/internal/matching"
)

func TestUpsert(t *testing.T) {
	for way, b := range bothWays(t) {
		t.Run(way, func(t *testing.T) {
			first := b.load(t, input("a", rows("1 Ada go", "2 Bob c", "3 Cyd r")...))
			b.options.MaxFailures = limit(t, "1")
			report := b.upsert(t, input("b", rows("2 Bob d", "5 Eve s")...),
				input("c", append(rows("2 Bob e", "4 Dan x"), badRow(9, "r"))...))
			b.wantFreelancers(t, "1 Ada go", "3 Cyd r", "5 Eve s", "2 Bob d,e", "4 Dan x")
			got := []int{report.Rows, report.Freelancers, report.Merged, report.Rejected, report.Kept, report.Replaced}
			if want := []int{5, 3, 1, 1, 2, 1}; !slices.Equal(got, want) || report.Base != first.Index {
				t.Errorf("counts %v of a change of %q, want %v", got, report.Base, want)
			}

			if !exists(report.DeadLetters) {
				t.Error("the rejected row left no dead letter")
			}

			if way == "in place" {
				if !report.InPlace || report.Reason != "" || report.Index != first.Index || report.Previous != "" ||
					report.Indexed != 3 {
					t.Errorf("report %+v", report)
				}

				if want := b.options.DeadLetters(first.Index + ".20260102t030405z"); report.DeadLetters != want {
					t.Errorf("dead letters are in %s, want %s", report.DeadLetters, want)
				}
				return
			}

			if report.InPlace || report.Reason != "a new index was requested" ||
				report.Previous != first.Index || report.Indexed != 5 {
				t.Errorf("report %+v", report)
			}

			if _, err := b.PointAlias(t.Context(), alias, report.Previous); err != nil {
				t.Fatal(err)
			}
			b.wantFreelancers(t, "1 Ada go", "2 Bob c", "3 Cyd r") // unchanged
		})
	}
}

// TestUpsert_BuildsNewIndexIfNeeded covers the reasons to build a new index with an engine that changes indexes in
// place.
func TestUpsert_BuildsNewIndexIfNeeded(t *testing.T) {
	small := matching.VectorSpace{Model: "small", Dimensions: 2}
	for _, test := range []struct {
		name     string
		change   func(b *harness)
		newIndex bool
		want     string
	}{
		{"nothing changed", func(*harness) {}, false, ""},
		{"requested", func(*harness) {}, true, "a new index was requested"},
		{
			"mapping", func(b *harness) { b.options.Mapping.Name = "freelancers.v2" }, false,
			"the mapping changed from freelancers.v1 to freelancers.v2",
		},
		{"taxonomy", func(b *harness) { b.options.Taxonomy = "t2" }, false, "the taxonomy changed from t1 to t2"},
		{
			"vectors", func(b *harness) { b.loader.Preparer = spacedPreparer{small} }, false,
			"the vectors changed from no model to small (2 dimensions)",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newHarness(t)
			first := b.load(t, input("a", rows("1 Ada go", "2 Bob c")...))
			test.change(b)
			b.options.Source = "xlsx"
			b.options.NewIndex = test.newIndex
			report, err := b.loader.Upsert(t.Context(), []bulk.Input{input("b", rows("1 Ada sql")...)}, b.options)
			if err != nil {
				t.Fatal(err)
			}

			inPlace := test.want == ""
			if report.Reason != test.want || report.InPlace != inPlace || (report.Index == first.Index) != inPlace {
				t.Errorf("in place %v, reason %q, want %q", report.InPlace, report.Reason, test.want)
			}
			b.wantFreelancers(t, "2 Bob c", "1 Ada sql")
			infos, err := b.Indexes(t.Context())
			if err != nil {
				t.Fatal(err)
			}

			if got := infos[len(infos)-1].Source; !report.InPlace && got != "mixed" {
				t.Errorf("source %q of an index from a CSV and an XLSX file, want mixed", got)
			}
		})
	}
}

// spacedPreparer prepares documents with an empty vector for each space.
type spacedPreparer []matching.VectorSpace

func (p spacedPreparer) Spaces() []matching.VectorSpace { return p }

func (p spacedPreparer) Prepare(ctx context.Context, freelancers []matching.Freelancer) ([]*engine.Document, error) {
	documents, err := wordPreparer{}.Prepare(ctx, freelancers)
	for _, d := range documents {
		d.Vectors = make([]matching.Vector, len(p))
	}
	return documents, err
}

// A slightly different measured floor does not require a new index.
func TestUpsert_ToleratesMeasuredFloors(t *testing.T) {
	b := newHarness(t)
	b.loader.Preparer = spacedPreparer{{Model: "small", Dimensions: 2, Floor: .300}}
	b.load(t, input("a", rows("1 Ada go")...))
	b.loader.Preparer = spacedPreparer{{Model: "small", Dimensions: 2, Floor: .301}}
	if report := b.upsert(t, input("b", rows("2 Bob c")...)); !report.InPlace {
		t.Errorf("new index, because %s", report.Reason)
	}
}

func TestUpsert_LoadsIfNoIndexIsLive(t *testing.T) {
	for way, b := range bothWays(t) {
		t.Run(way, func(t *testing.T) {
			report := b.upsert(t, input("a", rows("1 Ada go", "1 Ada sql")...))
			b.wantFreelancers(t, "1 Ada go,sql")
			if report.Reason != "no index was live" || report.Base != "" || report.InPlace {
				t.Errorf("report %+v", report)
			}
		})
	}
}

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func TestUpsert_EarlyFailureChangesNothing(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(b *harness)
		rows   []source.Row
		is     func(error) bool
	}{
		{"another currency", func(b *harness) { b.options.Currency = "EUR" }, rows("1 Ada sql"), isA[*bulk.CurrencyError]},
		{
			"too many rejected rows", func(*harness) {},
			append(rows("1 Ada sql", "4 Dan x"), badRow(4, "r")), isA[*bulk.LimitError],
		},
		{"no usable row", func(*harness) {}, nil, func(err error) bool { return errors.Is(err, bulk.ErrNothing) }},
	} {
		for way, b := range bothWays(t) {
			t.Run(test.name+", "+way, func(t *testing.T) {
				before := b.load(t, input("a", rows("1 Ada go", "2 Bob c")...))
				test.change(b)
				_, err := b.loader.Upsert(t.Context(), []bulk.Input{input("b", test.rows...)}, b.options)
				if !test.is(err) || isA[*bulk.PartialError](err) {
					t.Errorf("error %v", err)
				}

				b.wantUnchanged(t, before)
				b.wantFreelancers(t, "1 Ada go", "2 Bob c")
			})
		}
	}
}

// A change of some records does not drop the vectors of a model that is no longer configured; reindex does.
func TestChange_KeepsVectors(t *testing.T) {
	b := newHarness(t)
	b.loader.Preparer = spacedPreparer{{Model: "built-in", Dimensions: 2}, {Model: "server's", Dimensions: 2}}
	before := b.load(t, input("a", rows("1 Ada go", "2 Bob c")...))
	b.loader.Preparer = spacedPreparer{{Model: "built-in", Dimensions: 2}}
	_, err := b.loader.Upsert(t.Context(), []bulk.Input{input("b", rows("3 Cyd r")...)}, b.options)
	wantError[*bulk.VectorsError](t, err, "server's (2 dimensions)")
	b.wantUnchanged(t, before)
	report, err := b.loader.Reindex(t.Context(), "", b.options)
	const reason = "the vectors changed from built-in (2 dimensions) and server's (2 dimensions) to built-in"
	if err != nil || !strings.HasPrefix(report.Reason, reason) {
		t.Errorf("reindex: reason %q, error %v", report.Reason, err)
	}
}

// refusedRow returns a row that every engine refuses, because its rate is not a number.
func refusedRow(text string) source.Row {
	r := row(1, text)
	r.Freelancer.HourlyRate = matching.Some(math.NaN())
	return r
}

func TestUpsert_RefusedByTheEngine(t *testing.T) {
	for way, b := range bothWays(t) {
		t.Run(way+", new freelancer", func(t *testing.T) {
			b.load(t, input("a", rows("1 Ada go", "2 Bob c")...))
			b.options.MaxFailures = limit(t, "1")
			report := b.upsert(t, input("b", row(2, "1 Ada sql"), refusedRow("3 Cyd r")))
			b.wantFreelancers(t, "2 Bob c", "1 Ada sql")

			if report.Refused != 1 || report.Kept != 1 || report.Replaced != 1 {
				t.Errorf("report %+v", report)
			}
			wantLetter(t, report, "3")
		})

		t.Run(way+", limit exceeded", func(t *testing.T) {
			b.options.MaxFailures = limit(t, "0")
			in := input("b", row(2, "1 Ada java"), refusedRow("3 Cyd r"))
			_, err := b.loader.Upsert(t.Context(), []bulk.Input{in}, b.options)
			if !isA[*bulk.LimitError](err) {
				t.Errorf("error %v", err)
			}

			// In place, the limit is checked after the documents were added, so the others stay.
			if isA[*bulk.PartialError](err) != (way == "in place") {
				t.Errorf("error %v", err)
			}
			b.wantFreelancers(t, "2 Bob c", map[string]string{"in place": "1 Ada java", "new index": "1 Ada sql"}[way])
		})

		t.Run(way+", known freelancer", func(t *testing.T) {
			b.options.MaxFailures = limit(t, "1")
			before := texts(b.freelancers(t))
			in := input("b", row(2, "4 Dan x"), refusedRow("2 Bob r"))
			report, err := b.loader.Upsert(t.Context(), []bulk.Input{in}, b.options)
			wantLetter(t, report, "2")

			if way == "in place" { // Bob keeps his old record
				if err != nil || report.Replaced != 0 || report.Kept != 2 || report.Refused != 1 {
					t.Errorf("report %+v, error %v", report, err)
				}
				b.wantFreelancers(t, append(before, "4 Dan x")...)
				return
			}

			if lost, ok := errors.AsType[*bulk.LostError](err); !ok || !slices.Equal(lost.IDs, []string{"2"}) {
				t.Errorf("error %v, want a LostError for 2", err)
			}
			b.wantFreelancers(t, before...)
		})
	}
}

// wantLetter checks that there is one dead letter, for a freelancer whom the engine refused.
func wantLetter(t *testing.T, report *bulk.Report, id string) {
	t.Helper()
	data, err := os.ReadFile(report.DeadLetters)
	if err != nil {
		t.Fatal(err)
	}
	var got bulk.DeadLetter
	decoder := json.NewDecoder(bytes.NewReader(data))
	if err := decoder.Decode(&got); err != nil || decoder.More() || got.File != "" || got.Line != 0 {
		t.Errorf("dead letters %s, %v", data, err)
	}
	if got.ID != id || len(got.Faults) != 1 || !strings.Contains(got.Faults[0].Reason, "NaN") {
		t.Errorf("dead letter %+v, want one for %s with the engine's reason", got, id)
	}
	if counts := report.Refusals.Counts(); len(counts) != 1 || counts[0].Examples[0].Value != id {
		t.Errorf("refusals %+v", counts)
	}
}

func TestUpsert_RejectsFilesThatChange(t *testing.T) {
	for way, b := range bothWays(t) {
		t.Run(way, func(t *testing.T) {
			b.load(t, input("a", rows("1 Ada go")...))
			pass := 0
			shrinking := bulk.Input{Name: "b", Open: func() (bulk.File, error) {
				pass++
				return &fakeFile{rows: rows("2 Bob c", "3 Cyd r")[:3-pass]}, nil
			}}
			_, err := b.loader.Upsert(t.Context(), []bulk.Input{shrinking}, b.options)
			if err == nil || !strings.Contains(err.Error(), "the files changed while they were being read") {
				t.Errorf("error %v", err)
			}
		})
	}
}

// With a Searcher, an upsert has the same result and the same report.
func TestUpsert_Searcher(t *testing.T) {
	change := func(withSearcher bool) (*bulk.Report, []matching.Freelancer, *engine.Provenance) {
		b := newHarness(t)
		b.load(t, input("a", rows("1 Ada go", "2 Bob c", "3 Cyd r", "6 Fay x")...))
		if withSearcher {
			b.options.Searcher = b
		}
		b.options.MaxFailures = limit(t, "1")
		many := make([]string, 0, 300)
		for i := range 300 {
			many = append(many, strconv.Itoa(100+i)+" Person"+strconv.Itoa(i)+" go")
		}

		b.upsert(t, input("b", rows(many...)...))
		changed := append(rows("2 Bob d", "5 Eve s"), badRow(9, "r"), deletion("3"), deletion("unknown"))
		report := b.upsert(t, input("c", changed...))
		all := b.freelancers(t)
		slices.SortFunc(all, func(a, b matching.Freelancer) int { return strings.Compare(a.ID, b.ID) })
		infos, err := b.Indexes(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		report.DeadLetters = ""
		return report, all, infos[0].Provenance
	}

	wantReport, want, wantProvenance := change(false)
	report, got, provenance := change(true)
	if diff := cmp.Diff(want, got); diff != "" || len(got) != 304 {
		t.Errorf("%d freelancers (-without a Searcher +with it):\n%s", len(got), diff)
	}
	if diff := cmp.Diff(wantProvenance, provenance); diff != "" {
		t.Errorf("provenance (-without a Searcher +with it):\n%s", diff)
	}
	counts := func(r *bulk.Report) []int {
		return []int{r.Rows, r.Freelancers, r.Rejected, r.Indexed, r.Replaced, r.Kept, r.Deletions, r.Deleted, r.Refused}
	}
	if !slices.Equal(counts(report), counts(wantReport)) || !report.InPlace || report.Deleted != 1 {
		t.Errorf("counts %v, want %v", counts(report), counts(wantReport))
	}
}

// A countingIndexer counts how often an index is opened.
type countingIndexer struct {
	engine.Indexer
	opened int
}

// OpenIndex implements engine.Indexer.
func (c *countingIndexer) OpenIndex(ctx context.Context, index string) (engine.Snapshot, error) {
	c.opened++
	return c.Indexer.OpenIndex(ctx, index)
}

// A change in place opens the index twice, because that takes longer than a small change: before it, and to check it.
func TestUpsert_OpensTwice(t *testing.T) {
	b := bothWays(t)["in place"]
	b.load(t, input("a", rows("1 Ada go", "2 Bob c")...))
	counting := &countingIndexer{Indexer: b.Engine}
	b.loader.Indexer = counting
	report := b.upsert(t, input("b", rows("2 Bob d", "3 Cyd r")...))
	b.wantFreelancers(t, "1 Ada go", "2 Bob d", "3 Cyd r")
	if counting.opened != 2 || report.Replaced != 1 || report.Kept != 1 {
		t.Errorf("opened %d times; %d replaced, %d kept", counting.opened, report.Replaced, report.Kept)
	}
}
