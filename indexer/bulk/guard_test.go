package bulk_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/source"
	"github.com/freelancer-matching/service/internal/matching"
)

// people returns rows of n freelancers with a value in every guarded field, numbered from first. change may be nil.
func people(first, n int, change func(i int, f *matching.Freelancer)) []source.Row {
	list := make([]source.Row, n)
	for i := range list {
		f := matching.Freelancer{
			ID: fmt.Sprint("p", first+i), Name: fmt.Sprint("Person ", first+i), JobTitle: "Developer", Skills: []string{"go"},
			Description: "writes programs", Signals: matching.Signals{HourlyRate: matching.Some(40.)},
		}
		if change != nil {
			change(i, &f)
		}
		list[i] = source.Row{Freelancer: f, Line: i + 2}
	}
	return list
}

// without returns a change that removes the rate and the description of the first n freelancers.
func without(n int) func(int, *matching.Freelancer) {
	return func(i int, f *matching.Freelancer) {
		if i < n {
			f.HourlyRate = matching.Optional[float64]{}
			f.Description = ""
		}
	}
}

// guarded returns harnesses that compare with the live index, which has 10 freelancers.
func guarded(t *testing.T) map[string]*harness {
	t.Helper()
	all := bothWays(t)
	for _, b := range all {
		b.options.AllowShrink = false
		b.load(t, input("live", people(0, 10, nil)...))
	}
	return all
}

// unchanged checks that the live index still has 10 freelancers and is the only one.
func (b *harness) unchanged(t *testing.T, err error) {
	t.Helper()
	var shrink *bulk.ShrinkError
	if !errors.As(err, &shrink) {
		t.Fatalf("error %v, want a ShrinkError", err)
	}
	if got := len(b.freelancers(t)); got != 10 || len(b.indexNames(t)) != 1 {
		t.Errorf("%d freelancers are live, in indexes %v; want the 10 of the only index", got, b.indexNames(t))
	}
}

func TestGuard_Load(t *testing.T) {
	tests := []struct {
		name string
		rows []source.Row
		want []string // in the error; none if the load succeeds
	}{
		{"fewer freelancers", people(0, 6, nil), []string{"6 freelancers instead of 10"}},
		{"30 percent fewer", people(0, 7, nil), nil},
		{"more freelancers", people(0, 30, nil), nil},
		{
			"rates and descriptions missing", people(0, 10, without(4)),
			[]string{"hourly_rate known for 60% of the freelancers instead of 100%", "description known for 60%"},
		},
		{"30 percent of rates missing", people(0, 10, without(3)), nil},
		{"a smaller share of more freelancers", people(0, 20, without(10)), []string{"hourly_rate known for 50%"}},
		{
			"no titles and skills",
			people(0, 10, func(_ int, f *matching.Freelancer) { f.JobTitle, f.Skills = "", nil }),
			[]string{"job_title known for 0%", "skills known for 0%"},
		},
		{
			"names, ratings and links don't count",
			people(0, 10, func(_ int, f *matching.Freelancer) { f.Name = "" }), nil,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for name, b := range guarded(t) {
				report, err := b.loader.Load(t.Context(), []bulk.Input{input("new", test.rows...)}, b.options)
				if report.Before == nil || report.Before.Freelancers != 10 || report.Before.Coverage["skills"] != 10 {
					t.Errorf("%s: figures before the load: %+v", name, report.Before)
				}

				if len(test.want) == 0 {
					if err != nil {
						t.Errorf("%s: %v", name, err)
					}
					continue
				}

				b.unchanged(t, err)
				for _, text := range test.want {
					if !strings.Contains(err.Error(), text) {
						t.Errorf("%s: error %q, want %q in it", name, err, text)
					}
				}

				b.options.AllowShrink = true
				if _, err := b.loader.Load(t.Context(), []bulk.Input{input("new", test.rows...)}, b.options); err != nil {
					t.Errorf("%s: with AllowShrink: %v", name, err)
				}
			}
		})
	}
}

func TestGuard_Upsert(t *testing.T) {
	for name, b := range guarded(t) {
		t.Run(name, func(t *testing.T) {
			_, err := b.loader.Upsert(t.Context(), []bulk.Input{input("new", people(0, 4, without(4))...)}, b.options)
			b.unchanged(t, err)
			if want := "hourly_rate known for 60% of the freelancers instead of 100%"; !strings.Contains(err.Error(), want) {
				t.Errorf("error %q, want %q", err, want)
			}
			report, err := b.loader.Upsert(t.Context(), []bulk.Input{input("new", people(8, 4, without(3))...)}, b.options)
			if err != nil || report.Coverage["hourly_rate"] != 9 || report.Coverage["skills"] != 12 {
				t.Errorf("coverage %v, %v; want 9 rates and 12 lists of skills", report.Coverage, err)
			}
		})
	}
}

// The figures of a change that is refused are about those who would be live, and never above all of them.
func TestGuard_RefusedUpsert(t *testing.T) {
	for name, b := range guarded(t) {
		t.Run(name, func(t *testing.T) {
			changed := append(people(0, 1, without(0)), deletion("p5"), deletion("p6"), deletion("p7"), deletion("p8"))
			report, err := b.loader.Upsert(t.Context(), []bulk.Input{input("new", changed...)}, b.options)
			b.unchanged(t, err)
			for field, known := range report.Coverage {
				if live := report.LiveFreelancers(); known > live {
					t.Errorf("%s is known of %d freelancers of %d", field, known, live)
				}
			}
		})
	}
}

func TestGuard_Delete(t *testing.T) {
	for name, b := range guarded(t) {
		t.Run(name, func(t *testing.T) {
			_, err := b.loader.Delete(t.Context(), []string{"p0", "p1", "p2", "p3"}, b.options)
			b.unchanged(t, err)
			if want := "6 freelancers instead of 10"; !strings.Contains(err.Error(), want) {
				t.Errorf("error %q, want %q", err, want)
			}
			asked := 0
			b.options.Confirm = func(context.Context, *bulk.ShrinkError) (bool, error) { asked++; return true, nil }
			if _, err := b.loader.Delete(t.Context(), []string{"p0", "p1", "p2", "p3"}, b.options); err != nil || asked != 1 {
				t.Errorf("confirmed deletion: %v, asked %d times", err, asked)
			}
			b.options.Confirm = nil
			if _, err := b.loader.Delete(t.Context(), []string{"p4"}, b.options); err != nil {
				t.Errorf("delete one of six: %v", err)
			}
		})
	}
}

// The new index is complete when somebody is asked, so that a yes does not load the files again.
func TestGuard_Confirm(t *testing.T) {
	for name, b := range guarded(t) {
		t.Run(name, func(t *testing.T) {
			var complete []bool
			answer := func(yes bool, err error) func(context.Context, *bulk.ShrinkError) (bool, error) {
				return func(ctx context.Context, _ *bulk.ShrinkError) (bool, error) {
					infos, listErr := b.Indexes(ctx)
					if listErr != nil {
						t.Error(listErr)
					}
					complete = append(complete, infos[len(infos)-1].Pending)
					return yes, err
				}
			}

			few := []bulk.Input{input("new", people(0, 2, nil)...)}
			b.options.Confirm = answer(false, nil)
			_, err := b.loader.Load(t.Context(), few, b.options)
			b.unchanged(t, err)
			b.options.Confirm = answer(true, context.Canceled)
			_, err = b.loader.Load(t.Context(), few, b.options)
			b.unchanged(t, err)

			if !errors.Is(err, context.Canceled) {
				t.Errorf("error %v, want one that wraps context.Canceled", err)
			}
			b.options.Confirm = answer(true, nil)
			if _, err := b.loader.Load(t.Context(), few, b.options); err != nil || len(b.freelancers(t)) != 2 {
				t.Errorf("confirmed load: %v, %d freelancers", err, len(b.freelancers(t)))
			}

			if !slices.Equal(complete, []bool{true, true, true}) {
				t.Errorf("a complete index was pending at each question: %v", complete)
			}
		})
	}
}

// The coverage of an index without provenance is counted.
func TestGuard_WithoutProvenance(t *testing.T) {
	for name, b := range guarded(t) {
		t.Run(name, func(t *testing.T) {
			live := b.indexNames(t)[0]
			if err := b.SetProvenance(t.Context(), live, &engine.Provenance{}); err != nil {
				t.Fatal(err)
			}
			_, err := b.loader.Load(t.Context(), []bulk.Input{input("new", people(0, 10, without(9))...)}, b.options)
			b.unchanged(t, err)
			if want := "hourly_rate known for 10% of the freelancers instead of 100%"; !strings.Contains(err.Error(), want) {
				t.Errorf("error %q, want %q", err, want)
			}
		})
	}
}

// A rollback during a load or an upsert is not undone.
func TestChange_AliasMovedMeanwhile(t *testing.T) {
	for name, b := range guarded(t) {
		t.Run(name, func(t *testing.T) {
			first := b.indexNames(t)[0]
			second := b.load(t, input("second", people(0, 10, nil)...)).Index
			rollBack := func(int) {
				if _, err := b.PointAlias(t.Context(), alias, first); err != nil {
					t.Error(err)
				}
			}

			file := bulk.Input{Name: "new", Open: func() (bulk.File, error) {
				return &fakeFile{rows: people(0, 10, nil), beforeRow: rollBack}, nil
			}}
			for work, run := range map[string]func(context.Context, []bulk.Input, bulk.Options) (*bulk.Report, error){
				"load": b.loader.Load, "upsert": b.loader.Upsert,
			} {
				if _, err := b.PointAlias(t.Context(), alias, second); err != nil {
					t.Fatal(err)
				}
				_, err := run(t.Context(), []bulk.Input{file}, b.options)
				var moved *engine.MovedError
				if !errors.As(err, &moved) || moved.Actual != first || moved.Expected != second {
					t.Errorf("%s: error %v, want that the alias moved from %s to %s", work, err, second, first)
				}

				if now, _, err := b.Alias(t.Context(), alias); now != first || err != nil {
					t.Errorf("%s: the alias points to %s, %v; want %s", work, now, err, first)
				}
				b.wantIndexes(t, first, second)
			}
		})
	}
}

func TestRetention(t *testing.T) {
	for name, b := range bothWays(t) {
		t.Run(name, func(t *testing.T) {
			var all []string
			load := func() *bulk.Report {
				report := b.load(t, input("a", people(0, 3, nil)...))
				all = append(all, report.Index)
				return report
			}
			for range 4 {
				load()
			}

			b.wantIndexes(t, all...)
			if _, err := b.PointAlias(t.Context(), alias, all[0]); err != nil { // the previous one is all[3]
				t.Fatal(err)
			}
			b.options.KeepIndexes = 3
			report := load()
			b.wantIndexes(t, all[0], all[3], all[4]) // all[0] is the previous one now

			if len(report.Removed) != 2 || report.Removed[0] != (bulk.Removed{
				Index: all[1], Freelancers: 3, Bytes: report.Removed[0].Bytes,
			}) {
				t.Errorf("removed %+v", report.Removed)
			}

			b.options.KeepIndexes = 1 // the live and the previous one stay all the same
			load()
			b.wantIndexes(t, all[4], all[5])

			if distinct := slices.Compact(slices.Sorted(slices.Values(all))); len(distinct) != 6 {
				t.Errorf("a name was used twice: %v", all)
			}
		})
	}
}

func TestProvenance(t *testing.T) {
	for name, b := range bothWays(t) {
		t.Run(name, func(t *testing.T) {
			b.options.Run = engine.Run{
				Command: "load", Version: "v1", User: "mira@host", Options: map[string]string{"map": "a=b"}, Mapping: "m",
			}
			b.options.MaxFailures = limit(t, "5")
			rows := append(people(0, 10, without(2)), badRow(99, "bad"))
			rows = append(rows, rows[0])
			b.load(t, input("people.csv", rows...))
			now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
			first := engine.Run{
				Command: "load", Version: "v1", User: "mira@host", Started: now, Finished: now,
				Options: map[string]string{"map": "a=b"}, Mapping: "m",
				Files: []engine.SourceFile{{Name: "people.csv", Bytes: 12, Rows: 12}},
				Rows:  12, Duplicates: 1, Rejected: 1, Added: 10,
			}

			want := &engine.Provenance{Run: first, Freelancers: 10, Coverage: map[string]int{
				"name": 10, "job_title": 10, "skills": 10, "hourly_rate": 8, "description": 8, "experience": 0, "rating": 0,
				"profile_url": 0, "availability": 0, "total_sales": 0,
			}}
			if diff := cmp.Diff(want, b.provenance(t)); diff != "" {
				t.Errorf("after load (-want +got):\n%s", diff)
			}

			b.options.Run = engine.Run{Command: "upsert"}
			b.upsert(t, input("more.csv", people(9, 3, nil)...))
			b.options.Run = engine.Run{Command: "delete"}
			if _, err := b.loader.Delete(t.Context(), []string{"p2", "p3"}, b.options); err != nil {
				t.Fatal(err)
			}

			got := b.provenance(t)
			if diff := cmp.Diff(first, got.Run); diff != "" {
				t.Errorf("the first run after changes (-want +got):\n%s", diff)
			}

			changes := []engine.Run{
				{
					Command: "upsert", Started: now, Finished: now, Rows: 3, Added: 2, Replaced: 1,
					Files: []engine.SourceFile{{Name: "more.csv", Bytes: 3, Rows: 3}},
				},
				{Command: "delete", Started: now, Finished: now, Deleted: 2},
			}
			if diff := cmp.Diff(changes, got.Changes); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}

			if got.Freelancers != 10 || got.Coverage["skills"] != 10 {
				t.Errorf("%d freelancers, coverage %v; want 10 with skills", got.Freelancers, got.Coverage)
			}
		})
	}
}

// provenance returns the provenance of the live index.
func (b *harness) provenance(t *testing.T) *engine.Provenance {
	t.Helper()
	live, _, err := b.Alias(t.Context(), alias)
	if err != nil {
		t.Fatal(err)
	}
	infos, err := b.Indexes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range infos {
		if info.Name == live {
			return info.Provenance
		}
	}
	return nil
}
