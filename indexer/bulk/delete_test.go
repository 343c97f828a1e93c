package bulk_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/engine"
	"freelancer-matching/indexer/bulk"
)

func TestDelete(t *testing.T) {
	for way, b := range ways(t) {
		t.Run(way, func(t *testing.T) {
			first := b.load(t, input("a", rows("1 Ada go", "2 Bob c", "3 Cyd r")...))
			second := b.load(t, input("a", rows("1 Ada go", "2 Bob c", "3 Cyd r", "4 Dan x")...))
			report, err := b.loader.Delete(t.Context(), []string{"9", "3", "1", "8"}, false, b.options)
			if err != nil {
				t.Fatal(err)
			}
			b.has(t, "2 Bob c", "4 Dan x")
			if report.Deleted != 2 || report.Kept != 2 || !slices.Equal(report.Unknown, []string{"9", "8"}) || report.Base != second.Index {
				t.Errorf("report %+v", report)
			}
			want := []string{first.Index, second.Index}
			if way == "anew" {
				want = append(want, report.Index)
			}
			if diff := cmp.Diff(want, b.names(t)); diff != "" || report.Previous != want[len(want)-2] {
				t.Errorf("previous %s, indexes (-want +got):\n%s", report.Previous, diff)
			}

			_, err = b.loader.Delete(t.Context(), []string{"3", "8"}, false, b.options)
			if unknown, ok := errors.AsType[*bulk.UnknownError](err); !ok || len(unknown.IDs) != 2 {
				t.Errorf("nobody has any of them: error %v", err)
			}
			if diff := cmp.Diff(want, b.names(t)); diff != "" {
				t.Errorf("indexes (-want +got):\n%s", diff)
			}

			// The first and the previous index still have 3, and the last one of the live index goes too.
			report, err = b.loader.Delete(t.Context(), []string{"3", "2", "4"}, true, b.options)
			if err != nil {
				t.Fatal(err)
			}
			b.has(t)
			if report.Deleted != 3 || report.Kept != 0 || len(report.Unknown) != 0 {
				t.Errorf("report %+v", report)
			}
			for _, index := range b.names(t) {
				for f, err := range b.Scan(t.Context(), index) {
					if err != nil || f.ID == "2" || f.ID == "3" || f.ID == "4" {
						t.Errorf("index %s still has %s (%v)", index, f.ID, err)
					}
				}
			}
			if got := b.names(t); way == "anew" && (!slices.Equal(got, []string{report.Index}) || !slices.Equal(report.Dropped, want) || report.Previous != "") {
				t.Errorf("indexes %v, dropped %v, previous %q", got, report.Dropped, report.Previous)
			}
		})
	}
}

// Whom only earlier indexes have is deleted there, and the live index stays as it is.
func TestDelete_EverywhereButInTheLiveIndex(t *testing.T) {
	for way, b := range ways(t) {
		t.Run(way, func(t *testing.T) {
			first := b.load(t, input("a", rows("1 Ada go", "2 Bob c")...))
			live := b.load(t, input("a", rows("2 Bob c")...))
			report, err := b.loader.Delete(t.Context(), []string{"1"}, true, b.options)
			if err != nil || report.Index != live.Index || report.Deleted != 1 || report.Kept != 1 {
				t.Errorf("report %+v, error %v", report, err)
			}
			b.has(t, "2 Bob c")
			if want := map[string][]string{"in place": {first.Index, live.Index}, "anew": {live.Index}}[way]; !slices.Equal(b.names(t), want) {
				t.Errorf("indexes %v, want %v", b.names(t), want)
			}
		})
	}
}

// undroppable is an engine that cannot remove indexes.
type undroppable struct{ engine.Indexer }

func (undroppable) Drop(context.Context, string) error { return errors.New("the disk is read-only") }

func TestDelete_EverywhereHalfWay(t *testing.T) {
	b := newBench(t)
	b.load(t, input("a", rows("1 Ada go", "2 Bob c")...))
	b.loader.Indexer = undroppable{b.Engine}
	_, err := b.loader.Delete(t.Context(), []string{"1"}, true, b.options)
	if _, ok := errors.AsType[*bulk.PartialError](err); !ok || !strings.Contains(err.Error(), "remove the indexes before: the disk is read-only\nChanges made so far stay") {
		t.Errorf("error %v", err)
	}
	b.has(t, "2 Bob c")
	b.loader.Indexer = b.Engine
	if report, err := b.loader.Delete(t.Context(), []string{"1"}, true, b.options); err != nil || len(b.names(t)) != 1 || report.Deleted != 1 {
		t.Errorf("again: %+v, %v, indexes %v", report, err, b.names(t))
	}
}
