package bulk_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/indexer/bulk"
)

func TestDelete(t *testing.T) {
	b := newHarness(t)
	first := b.load(t, input("a", rows("1 Ada go", "2 Bob c", "3 Cyd r")...))
	second := b.load(t, input("a", rows("1 Ada go", "2 Bob c", "3 Cyd r", "4 Dan x")...))
	report, err := b.loader.Delete(t.Context(), []string{"9", "3", "1", "8"}, b.options)
	if err != nil {
		t.Fatal(err)
	}

	b.wantFreelancers(t, "2 Bob c", "4 Dan x")
	unknown := []string{"9", "8"}
	if report.Deleted != 2 || report.Kept != 2 || !slices.Equal(report.Unknown, unknown) ||
		report.Base != second.Index || report.Previous != first.Index {
		t.Errorf("report %+v", report)
	}

	_, err = b.loader.Delete(t.Context(), []string{"3", "8"}, b.options)
	wantError[*bulk.UnknownError](t, err, "no freelancer has any of these 2 IDs: 3, 8")

	// Earlier indexes still have 3; 2 and 4 are the last freelancers in the live index.
	report, err = b.loader.Delete(t.Context(), []string{"3", "2", "4"}, b.everywhere())
	if err != nil {
		t.Fatal(err)
	}

	b.wantFreelancers(t)
	if report.Deleted != 3 || report.Kept != 0 || len(report.Unknown) != 0 {
		t.Errorf("report %+v", report)
	}
	b.wantIndexes(t, first.Index, second.Index)

	for _, index := range b.indexNames(t) {
		for f, err := range b.Scan(t.Context(), index) {
			if err != nil || f.ID == "2" || f.ID == "3" || f.ID == "4" {
				t.Errorf("index %s still has %s (%v)", index, f.ID, err)
			}
		}
	}
}

// A freelancer that only earlier indexes have is deleted there; the live index stays as it is.
func TestDelete_EverywhereExceptLiveIndex(t *testing.T) {
	b := newHarness(t)
	first := b.load(t, input("a", rows("1 Ada go", "2 Bob c")...))
	live := b.load(t, input("a", rows("2 Bob c")...))
	report, err := b.loader.Delete(t.Context(), []string{"1"}, b.everywhere())
	if err != nil || report.Index != live.Index || report.Deleted != 1 || report.Kept != 1 {
		t.Errorf("report %+v, error %v", report, err)
	}
	b.wantFreelancers(t, "2 Bob c")
	b.wantIndexes(t, first.Index, live.Index)
}

// unreadable is an engine whose first index is damaged, and can't be dropped until isFixed.
type unreadable struct {
	engine.Indexer
	index   string
	isFixed bool
}

func (u *unreadable) OpenIndex(ctx context.Context, index string) (engine.Snapshot, error) {
	if index == u.index {
		return nil, engine.ErrDamaged
	}
	return u.Indexer.OpenIndex(ctx, index)
}

func (u *unreadable) Drop(ctx context.Context, index string) error {
	if !u.isFixed {
		return errors.New("the disk is read-only")
	}
	return u.Indexer.Drop(ctx, index)
}

// An earlier index that can't be read may have anyone, so it is dropped.
func TestDelete_EverywhereDropsUnreadableIndexes(t *testing.T) {
	b := newHarness(t)
	first := b.load(t, input("a", rows("1 Ada go", "2 Bob c")...))
	live := b.load(t, input("a", rows("1 Ada go", "2 Bob c", "3 Cyd r")...))
	broken := &unreadable{Indexer: b.Engine, index: first.Index}
	b.loader.Indexer = broken
	_, err := b.loader.Delete(t.Context(), []string{"1"}, b.everywhere())
	wantError[*bulk.PartialError](t, err, "drop the earlier indexes: the disk is read-only\nThe change is incomplete.")
	broken.isFixed = true
	report, err := b.loader.Delete(t.Context(), []string{"2"}, b.everywhere())
	if err != nil || report.Deleted != 1 || !slices.Equal(report.Dropped, []string{first.Index}) || report.Previous != "" {
		t.Errorf("second attempt: %+v, %v", report, err)
	}
	b.wantFreelancers(t, "3 Cyd r")
	b.wantIndexes(t, live.Index)
}
