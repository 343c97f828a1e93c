package compare_test

import (
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/indexer/compare"
	"github.com/freelancer-matching/service/internal/matching"
)

// set returns a set of freelancers. One without a name stands for a damaged record.
func set(freelancers ...matching.Freelancer) compare.Set {
	return func(yield func(matching.Freelancer, error) bool) {
		for _, f := range freelancers {
			var err error
			if f.Name == "" {
				f, err = matching.Freelancer{}, &engine.DamagedError{IDs: []string{f.ID}, Err: errors.New("checksum")}
			}
			if !yield(f, err) {
				return
			}
		}
	}
}

func TestSets(t *testing.T) {
	mira := matching.Freelancer{ID: "p1", Name: "Mira", Skills: []string{"Go"}}
	richer := mira
	richer.HourlyRate = matching.Some(40.)
	richer.Skills = []string{"Go", "SQL"}
	oren := matching.Freelancer{ID: "p2", Name: "Oren"}
	zero := oren
	zero.TotalSales = matching.Some(0) // a known zero differs from an unknown value
	ada := matching.Freelancer{ID: "p3", Name: "Ada"}
	eve := matching.Freelancer{ID: "p4", Name: "Eve"}
	damaged := matching.Freelancer{ID: "p3"}
	type change struct {
		ID     string
		Fields []string
	}

	tests := []struct {
		name          string
		before, after compare.Set
		want          compare.Difference
		changes       []change
	}{
		{"the same", set(mira, oren), set(oren, mira), compare.Difference{Before: 2, After: 2, Unchanged: 2}, nil},
		{"nobody", set(), set(), compare.Difference{}, nil},
		{
			"added and removed", set(mira, oren), set(ada, mira, eve),
			compare.Difference{Before: 2, After: 3, Unchanged: 1, Added: []string{"p3", "p4"}, Removed: []string{"p2"}},
			nil,
		},
		{
			"changed", set(mira, oren), set(richer, zero),
			compare.Difference{Before: 2, After: 2},
			[]change{{"p1", []string{"skills", "hourly_rate"}}, {"p2", []string{"total_sales"}}},
		},
		{
			"damaged before", set(mira, damaged), set(mira, ada),
			compare.Difference{Before: 1, After: 2, Unchanged: 1, Damaged: []string{"p3"}},
			nil,
		},
		{
			"damaged after", set(mira, ada), set(mira, damaged),
			compare.Difference{Before: 2, After: 1, Unchanged: 1, Damaged: []string{"p3"}},
			nil,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := compare.Sets(t.Context(), test.before, test.after)
			if err != nil {
				t.Fatal(err)
			}
			var changes []change
			for _, c := range got.Changed {
				changes = append(changes, change{c.ID, c.Fields()})
			}

			if diff := cmp.Diff(test.changes, changes); diff != "" {
				t.Errorf("changed (-want +got):\n%s", diff)
			}
			ignored := cmpopts.IgnoreFields(compare.Difference{}, "Changed", "ByField")
			if diff := cmp.Diff(&test.want, got, ignored, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}

	broken := errors.New("disk")
	_, err := compare.Sets(t.Context(), set(mira), func(yield func(matching.Freelancer, error) bool) {
		yield(matching.Freelancer{}, broken)
	})
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want the one of the set", err)
	}
}

// A million freelancers are compared in less memory than the text of their records takes.
func TestSets_Memory(t *testing.T) {
	const people = 200_000
	description := string(make([]byte, 2000))
	many := func(changed int) compare.Set {
		return func(yield func(matching.Freelancer, error) bool) {
			for i := range people {
				f := matching.Freelancer{ID: fmt.Sprintf("fl-%016d", i), Name: "Mira", Description: description + fmt.Sprint(i)}
				if i < changed {
					f.HourlyRate = matching.Some(40.)
				}

				if !yield(f, nil) {
					return
				}
			}
		}
	}

	var before, during runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	peak := uint64(0)
	n := 0
	watched := func(yield func(matching.Freelancer, error) bool) {
		for f, err := range many(10) {
			if n++; n%50_000 == 0 {
				runtime.GC()
				runtime.ReadMemStats(&during)
				peak = max(peak, during.HeapAlloc-min(before.HeapAlloc, during.HeapAlloc))
			}

			if !yield(f, err) {
				return
			}
		}
	}

	d, err := compare.Sets(t.Context(), many(0), watched)
	if err != nil || len(d.Changed) != 10 || d.Unchanged != people-10 {
		t.Fatalf("%+v, %v", d, err)
	}

	if perPerson := peak / people; perPerson > 200 {
		t.Errorf("%d bytes per freelancer, want at most 200", perPerson)
	}
}
