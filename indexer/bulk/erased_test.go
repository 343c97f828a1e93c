package bulk_test

import (
	"context"
	"errors"
	"testing"

	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/internal/matching"
)

// erasing returns options with which the freelancers with these IDs are left out.
func (b *harness) erasing(ids ...string) bulk.Options {
	o := b.options
	o.Erased = func(context.Context) (func(*matching.Freelancer) bool, error) {
		return func(f *matching.Freelancer) bool {
			for _, id := range ids {
				if f.ID == id {
					return true
				}
			}
			return false
		}, nil
	}
	return o
}

// A file from before the erasure, or an index from a backup, must not bring a person back.
func TestErased_AreLeftOut(t *testing.T) {
	for way, b := range bothWays(t) {
		t.Run(way, func(t *testing.T) {
			b.options.MaxFailures = limit(t, "0")
			faulty := row(9, "1 Ada")
			faulty.Faults = badRow(9, "r").Faults
			files := input("a", append(rows("1 Ada go", "2 Bob c", "1 Ada r", "3 Cyd r"), faulty)...)
			report, err := b.loader.Load(t.Context(), []bulk.Input{files}, b.erasing("1"))
			if err != nil {
				t.Fatal(err)
			}

			b.wantFreelancers(t, "2 Bob c", "3 Cyd r")
			if report.Rows != 5 || report.Freelancers != 2 || report.Erased != 3 || report.DeadLetters != "" {
				t.Errorf("load: report %+v", report)
			}
			more := input("a", rows("1 Ada go", "4 Dan x")...)
			report, err = b.loader.Upsert(t.Context(), []bulk.Input{more}, b.erasing("1"))
			if err != nil || report.Erased != 1 || report.Replaced != 0 {
				t.Errorf("upsert: report %+v (%v)", report, err)
			}

			b.wantFreelancers(t, "2 Bob c", "3 Cyd r", "4 Dan x")
			report, err = b.loader.Reindex(t.Context(), "", b.erasing("3", "2"))
			if err != nil || report.Erased != 2 || report.Kept != 1 {
				t.Errorf("reindex: report %+v (%v)", report, err)
			}

			b.wantFreelancers(t, "4 Dan x")
		})
	}
}

func TestErased_UnreadableList(t *testing.T) {
	b := newHarness(t)
	o := b.options
	want := errors.New("the list is damaged")
	o.Erased = func(context.Context) (func(*matching.Freelancer) bool, error) { return nil, want }
	_, err := b.loader.Load(context.Background(), []bulk.Input{input("a", rows("1 Ada go")...)}, o)
	if !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
	b.wantIndexes(t)
}

// Earlier indexes without the person stay, so a rollback to them is possible.
func TestDelete_EverywhereKeepsOtherIndexes(t *testing.T) {
	b := newHarness(t)
	clean := b.load(t, input("a", rows("2 Bob c")...))
	dirty := b.load(t, input("a", rows("1 Ada go", "2 Bob c")...))
	live := b.load(t, input("a", rows("2 Bob c", "3 Cyd r")...))
	report, err := b.loader.Delete(t.Context(), []string{"1"}, b.everywhere())
	if err != nil || len(report.Dropped) != 0 || report.Index != live.Index {
		t.Errorf("report %+v (%v)", report, err)
	}
	b.wantIndexes(t, clean.Index, dirty.Index, live.Index)
}
