package bulk_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"freelancer-matching/engine"
	"freelancer-matching/indexer/bulk"
	"freelancer-matching/indexer/source"
	"freelancer-matching/internal/matching"
)

func TestUpsert(t *testing.T) {
	for way, b := range ways(t) {
		t.Run(way, func(t *testing.T) {
			first := b.load(t, input("a", rows("1 Ada go", "2 Bob c", "3 Cyd r")...))
			files := []bulk.Input{input("b", rows("2 Bob d", "5 Eve s")...), input("c", append(rows("2 Bob e", "4 Dan x"), bad(9, "r"))...)}
			b.options.MaxFailures = limit(t, "1")
			report := b.upsert(t, files...)
			b.has(t, "1 Ada go", "3 Cyd r", "5 Eve s", "2 Bob d,e", "4 Dan x")
			got := []int{report.Rows, report.Freelancers, report.Merged, report.Rejected, report.Kept, report.Replaced}
			if want := []int{5, 3, 1, 1, 2, 1}; !slices.Equal(got, want) || report.Base != first.Index {
				t.Errorf("counts %v of a change of %q, want %v", got, report.Base, want)
			}
			if !exists(report.DeadLetters) {
				t.Error("no dead letters")
			}
			if way == "in place" {
				if !report.InPlace || report.Reason != "" || report.Index != first.Index || report.Previous != "" || report.Indexed != 3 {
					t.Errorf("report %+v", report)
				}
				if want := b.options.DeadLetters(first.Index + ".20260102t030405z"); report.DeadLetters != want {
					t.Errorf("dead letters are in %s, want %s", report.DeadLetters, want)
				}
				return
			}
			if report.InPlace || report.Reason != "the engine's indexes do not change" || report.Previous != first.Index || report.Indexed != 5 {
				t.Errorf("report %+v", report)
			}
			if _, err := b.PointAlias(t.Context(), alias, report.Previous); err != nil {
				t.Fatal(err)
			}
			b.has(t, "1 Ada go", "2 Bob c", "3 Cyd r") // as before
		})
	}
}

// TestUpsert_MakesANewIndexWhereItMust is why an engine that could change the index in place makes a new one.
func TestUpsert_MakesANewIndexWhereItMust(t *testing.T) {
	small := matching.VectorSpace{Model: "small", Dimensions: 2}
	for _, test := range []struct {
		name    string
		change  func(b *bench)
		refused bool // -in-place=false
		want    string
	}{
		{"nothing but the file is new", func(*bench) {}, false, ""},
		{"as asked", func(*bench) {}, true, "this was asked for"},
		{"mapping", func(b *bench) { b.options.Mapping.Name = "freelancers.v2" }, false, "the mapping is another since: freelancers.v2, no longer freelancers.v1"},
		{"taxonomy", func(b *bench) { b.options.Taxonomy = "t2" }, false, "the taxonomy is another since: t2, no longer t1"},
		{"vectors", func(b *bench) { b.loader.Preparer = spacedPreparer{small} }, false, "the vectors are others since: of small (2 dimensions), no longer of no model"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBenchOn(t, newMemory())
			first := b.load(t, input("a", rows("1 Ada go", "2 Bob c")...))
			test.change(b)
			b.options.Source = "xlsx"
			report, err := b.loader.Upsert(t.Context(), []bulk.Input{input("b", rows("1 Ada sql")...)}, !test.refused, b.options)
			if err != nil {
				t.Fatal(err)
			}
			if report.Reason != test.want || report.InPlace != (test.want == "") || (report.Index == first.Index) != report.InPlace {
				t.Errorf("in place %v, reason %q, want %q", report.InPlace, report.Reason, test.want)
			}
			b.has(t, "2 Bob c", "1 Ada sql")
			infos, err := b.Indexes(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got := infos[len(infos)-1].Source; !report.InPlace && got != "mixed" {
				t.Errorf("source %q of an index of a CSV and an XLSX file, want mixed", got)
			}
		})
	}
}

// spacedPreparer makes documents with an empty vector of each space.
type spacedPreparer []matching.VectorSpace

func (p spacedPreparer) Spaces() []matching.VectorSpace { return p }

func (p spacedPreparer) Prepare(ctx context.Context, freelancers []matching.Freelancer) ([]*engine.Document, error) {
	documents, err := wordPreparer{}.Prepare(ctx, freelancers)
	for _, d := range documents {
		d.Vectors = make([]matching.Vector, len(p))
	}
	return documents, err
}

// A measured floor that differs a little is no reason to make a new index, and keeps that of the index.
func TestUpsert_AllowsForMeasuredFloors(t *testing.T) {
	b := newBenchOn(t, newMemory())
	b.loader.Preparer = spacedPreparer{{Model: "small", Dimensions: 2, Floor: .300}}
	b.load(t, input("a", rows("1 Ada go")...))
	b.loader.Preparer = spacedPreparer{{Model: "small", Dimensions: 2, Floor: .301}}
	if report := b.upsert(t, input("b", rows("2 Bob c")...)); !report.InPlace {
		t.Errorf("made anew, because %s", report.Reason)
	}
}

func TestUpsert_WhereNothingIsLiveLoads(t *testing.T) {
	for way, b := range ways(t) {
		t.Run(way, func(t *testing.T) {
			report := b.upsert(t, input("a", rows("1 Ada go", "1 Ada sql")...))
			b.has(t, "1 Ada go,sql")
			if report.Reason != "nothing was live yet" || report.Base != "" || report.InPlace {
				t.Errorf("report %+v", report)
			}
		})
	}
}

// TestUpsert_ChangesNothing is what goes wrong before anything is changed, in either way.
func TestUpsert_ChangesNothing(t *testing.T) {
	is := func(as any) func(error) bool { return func(err error) bool { return errors.As(err, as) } }
	for _, test := range []struct {
		name   string
		change func(b *bench)
		rows   []source.Row
		want   func(error) bool
	}{
		{"another currency", func(b *bench) { b.options.Currency = "EUR" }, rows("1 Ada sql"), is(new(*bulk.CurrencyError))},
		{"too many rejected rows", func(*bench) {}, append(rows("1 Ada sql", "4 Dan x"), bad(4, "r")), is(new(*bulk.LimitError))},
		{"no usable row", func(b *bench) { b.options.MaxFailures = bulk.DefaultLimit() }, nil, func(err error) bool { return errors.Is(err, bulk.ErrNothing) }},
	} {
		for way, b := range ways(t) {
			t.Run(test.name+", "+way, func(t *testing.T) {
				before := b.load(t, input("a", rows("1 Ada go", "2 Bob c")...))
				test.change(b)
				_, err := b.loader.Upsert(t.Context(), []bulk.Input{input("b", test.rows...)}, true, b.options)
				if !test.want(err) || is(new(*bulk.PartialError))(err) {
					t.Errorf("error %v", err)
				}
				b.untouched(t, before)
				b.has(t, "1 Ada go", "2 Bob c")
			})
		}
	}
}

// Settings without the model that an index was loaded with do not take its vectors away by a mere change of some records.
func TestChange_KeepsVectors(t *testing.T) {
	b := newBench(t)
	b.loader.Preparer = spacedPreparer{{Model: "built-in", Dimensions: 2}, {Model: "server's", Dimensions: 2}}
	before := b.load(t, input("a", rows("1 Ada go", "2 Bob c")...))
	b.loader.Preparer = spacedPreparer{{Model: "built-in", Dimensions: 2}}
	_, err := b.loader.Upsert(t.Context(), []bulk.Input{input("b", rows("3 Cyd r")...)}, true, b.options)
	_, err2 := b.loader.Delete(t.Context(), []string{"1"}, false, b.options)
	for _, err := range []error{err, err2} {
		if _, ok := errors.AsType[*bulk.VectorsError](err); !ok || !strings.Contains(err.Error(), "server's (2 dimensions)") {
			t.Errorf("error %v, want a VectorsError", err)
		}
	}
	b.untouched(t, before)
	report, err := b.loader.Reindex(t.Context(), "", b.options)
	if err != nil || report.Reason != "the vectors are others since: of built-in (2 dimensions), no longer of built-in (2 dimensions) and server's (2 dimensions)" {
		t.Errorf("reindex, which is how to give them up: %q, %v", report.Reason, err)
	}
}

// refusable is a row that no engine takes: its rate is no number.
func refusable(text string) source.Row {
	r := row(1, text)
	r.Freelancer.HourlyRate = matching.Some(math.NaN())
	return r
}

func TestUpsert_RefusedByTheEngine(t *testing.T) {
	for way, b := range ways(t) {
		t.Run(way+", new ones", func(t *testing.T) {
			b.load(t, input("a", rows("1 Ada go", "2 Bob c")...))
			b.options.MaxFailures = limit(t, "1")
			report := b.upsert(t, input("b", row(2, "1 Ada sql"), refusable("3 Cyd r")))
			b.has(t, "2 Bob c", "1 Ada sql")
			if report.Refused != 1 || report.Kept != 1 || report.Replaced != 1 {
				t.Errorf("report %+v", report)
			}
			wantLetter(t, report, "3")
		})
		t.Run(way+", more than the limit", func(t *testing.T) {
			b.options.MaxFailures = limit(t, "0")
			_, err := b.loader.Upsert(t.Context(), []bulk.Input{input("b", row(2, "1 Ada java"), refusable("3 Cyd r"))}, true, b.options)
			if _, ok := errors.AsType[*bulk.LimitError](err); !ok {
				t.Errorf("error %v", err)
			}
			// In place, only the engine itself can tell: what it took stays, and the message says so.
			if _, partial := errors.AsType[*bulk.PartialError](err); partial != (way == "in place") {
				t.Errorf("error %v", err)
			}
			b.has(t, "2 Bob c", map[string]string{"in place": "1 Ada java", "anew": "1 Ada sql"}[way])
		})
		t.Run(way+", known ones", func(t *testing.T) {
			b.options.MaxFailures = limit(t, "1")
			before := texts(b.freelancers(t))
			report, err := b.loader.Upsert(t.Context(), []bulk.Input{input("b", row(2, "4 Dan x"), refusable("2 Bob r"))}, true, b.options)
			wantLetter(t, report, "2")
			if way == "in place" { // Bob keeps the record of before
				if err != nil || report.Replaced != 0 || report.Kept != 2 || report.Refused != 1 {
					t.Errorf("report %+v, error %v", report, err)
				}
				b.has(t, append(before, "4 Dan x")...)
				return
			}
			if lost, ok := errors.AsType[*bulk.LostError](err); !ok || !slices.Equal(lost.IDs, []string{"2"}) {
				t.Errorf("error %v, want that 2 would be lost", err)
			}
			b.has(t, before...)
		})
	}
}

// wantLetter wants one dead letter, with the id of a freelancer whom the engine refused and its reason.
func wantLetter(t *testing.T, report *bulk.Report, id string) {
	t.Helper()
	data, err := os.ReadFile(report.DeadLetters)
	if err != nil {
		t.Fatal(err)
	}
	var got bulk.DeadLetter
	if err := json.Unmarshal(data, &got); err != nil || bytes.Contains(data, []byte("file")) || bytes.Contains(data, []byte("line")) {
		t.Errorf("dead letters %s, %v", data, err)
	}
	if got.ID != id || !strings.Contains(got.Reason, "NaN") {
		t.Errorf("dead letter %+v, want one of %s with the engine's reason", got, id)
	}
	if counts := report.Refusals.Counts(); len(counts) != 1 || counts[0].Examples[0].Value != id {
		t.Errorf("refusals %+v", counts)
	}
}

// A file that lacks somebody at the second reading is not loaded in part, as if it were all.
func TestUpsert_FilesThatChange(t *testing.T) {
	for way, b := range ways(t) {
		t.Run(way, func(t *testing.T) {
			b.load(t, input("a", rows("1 Ada go")...))
			readings := 0
			shrinking := bulk.Input{Name: "b", Open: func() (bulk.File, error) {
				readings++
				return &fakeFile{rows: rows("2 Bob c", "3 Cyd r")[:3-readings]}, nil
			}}
			_, err := b.loader.Upsert(t.Context(), []bulk.Input{shrinking}, true, b.options)
			if err == nil || !strings.Contains(err.Error(), "the files changed while they were read") {
				t.Errorf("error %v", err)
			}
		})
	}
}
