package bulk_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"freelancer-matching/engine"
	"freelancer-matching/indexer/bulk"
)

func TestDelete(t *testing.T) {
	for engine, b := range bothEngines(t) {
		t.Run(engine, func(t *testing.T) {
			first := b.load(t, input("a", rows("1 Ada go", "2 Bob c", "3 Cyd r")...))
			second := b.load(t, input("a", rows("1 Ada go", "2 Bob c", "3 Cyd r", "4 Dan x")...))
			report, err := b.loader.Delete(t.Context(), []string{"9", "3", "1", "8"}, b.options)
			if err != nil {
				t.Fatal(err)
			}
			b.wantFreelancers(t, "2 Bob c", "4 Dan x")
			unknown := []string{"9", "8"}
			if report.Deleted != 2 || report.Kept != 2 || !slices.Equal(report.Unknown, unknown) || report.Base != second.Index {
				t.Errorf("report %+v", report)
			}
			want := []string{first.Index, second.Index}
			if engine == "new index" {
				want = append(want, report.Index)
			}
			b.wantIndexes(t, want...)
			if report.Previous != want[len(want)-2] {
				t.Errorf("previous index %s", report.Previous)
			}

			_, err = b.loader.Delete(t.Context(), []string{"3", "8"}, b.options)
			wantError[*bulk.UnknownError](t, err, "no freelancer has any of these 2 IDs: 3, 8")
			b.wantIndexes(t, want...)

			// Earlier indexes still have 3; 2 and 4 are the last freelancers in the live index.
			report, err = b.loader.Delete(t.Context(), []string{"3", "2", "4"}, b.everywhere())
			if err != nil {
				t.Fatal(err)
			}
			b.wantFreelancers(t)
			if report.Deleted != 3 || report.Kept != 0 || len(report.Unknown) != 0 {
				t.Errorf("report %+v", report)
			}
			for _, index := range b.indexNames(t) {
				for f, err := range b.Scan(t.Context(), index) {
					if err != nil || f.ID == "2" || f.ID == "3" || f.ID == "4" {
						t.Errorf("index %s still has %s (%v)", index, f.ID, err)
					}
				}
			}
			if engine == "in place" {
				return
			}
			b.wantIndexes(t, report.Index)
			if !slices.Equal(report.Dropped, want) || report.Previous != "" {
				t.Errorf("dropped %v, previous %q", report.Dropped, report.Previous)
			}
		})
	}
}

// A freelancer that only earlier indexes have is deleted there; the live index stays as it is.
func TestDelete_EverywhereExceptLiveIndex(t *testing.T) {
	for engine, b := range bothEngines(t) {
		t.Run(engine, func(t *testing.T) {
			first := b.load(t, input("a", rows("1 Ada go", "2 Bob c")...))
			live := b.load(t, input("a", rows("2 Bob c")...))
			report, err := b.loader.Delete(t.Context(), []string{"1"}, b.everywhere())
			if err != nil || report.Index != live.Index || report.Deleted != 1 || report.Kept != 1 {
				t.Errorf("report %+v, error %v", report, err)
			}
			b.wantFreelancers(t, "2 Bob c")
			if engine == "in place" {
				b.wantIndexes(t, first.Index, live.Index)
			} else {
				b.wantIndexes(t, live.Index)
			}
		})
	}
}

// undroppable is an engine that fails to drop indexes.
type undroppable struct{ engine.Indexer }

func (undroppable) Drop(context.Context, string) error { return errors.New("the disk is read-only") }

func TestDelete_EverywhereIncomplete(t *testing.T) {
	b := newHarness(t)
	b.load(t, input("a", rows("1 Ada go", "2 Bob c")...))
	b.loader.Indexer = undroppable{b.Engine}
	_, err := b.loader.Delete(t.Context(), []string{"1"}, b.everywhere())
	wantError[*bulk.PartialError](t, err, "drop the earlier indexes: the disk is read-only\nThe change is incomplete.")
	b.wantFreelancers(t, "2 Bob c")
	b.loader.Indexer = b.Engine
	report, err := b.loader.Delete(t.Context(), []string{"1"}, b.everywhere())
	if err != nil || report.Deleted != 1 {
		t.Errorf("second attempt: %+v, %v", report, err)
	}
	b.wantIndexes(t, report.Index)
}
