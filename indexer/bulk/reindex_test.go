package bulk_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/source"
	"github.com/freelancer-matching/service/internal/matching"
)

func TestReindex(t *testing.T) {
	for way, b := range bothWays(t) {
		t.Run(way, func(t *testing.T) {
			var list []source.Row
			for i := range 300 {
				list = append(list, row(i, fmt.Sprintf("%d n%d go", 300-i, i)))
			}
			b.options.Currency = "EUR"
			first := b.load(t, input("a", list...))
			want := texts(b.freelancers(t))
			var progress []bulk.Progress
			b.options.Taxonomy = "t2"
			b.options.Currency = ""
			b.options.Source = ""
			b.options.Progress = func(p bulk.Progress) { progress = append(progress, p) }
			report, err := b.loader.Reindex(t.Context(), "", b.options)
			if err != nil {
				t.Fatal(err)
			}

			b.wantFreelancers(t, want...)
			if report.Base != first.Index || report.Previous != first.Index || report.Indexed != 300 || report.Kept != 300 ||
				report.Rows != 0 || report.Reason != "the taxonomy changed from t1 to t2" {
				t.Errorf("report %+v", report)
			}

			infos, err := b.Indexes(t.Context())
			if err != nil {
				t.Fatal(err)
			}

			if got := infos[1]; got.Source != "csv" || got.Currency != "EUR" || got.Taxonomy != "t2" {
				t.Errorf("info of the new index: %+v", got)
			}

			wantProgress := []bulk.Progress{
				{Stage: bulk.Copying, Rows: 256, Total: 300}, {Stage: bulk.Copying, Rows: 300, Total: 300}, {Stage: bulk.Finishing},
			}
			if diff := cmp.Diff(wantProgress, progress); diff != "" {
				t.Errorf("progress (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReindex_From(t *testing.T) {
	b := newHarness(t)
	if _, err := b.loader.Reindex(t.Context(), "", b.options); !errors.Is(err, bulk.ErrNothingLive) {
		t.Errorf("no live index: error %v", err)
	}
	first := b.load(t, input("a", rows("1 Ada go")...))
	second := b.load(t, input("b", rows("2 Bob c")...))
	report, err := b.loader.Reindex(t.Context(), first.Index, b.options)
	if err != nil || report.Base != first.Index || report.Previous != second.Index || report.Reason != "" {
		t.Errorf("report %+v, error %v", report, err)
	}
	b.wantFreelancers(t, "1 Ada go")
	if _, err := b.loader.Reindex(t.Context(), "freelancers-none", b.options); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("unknown index: error %v", err)
	}
}

// nanPreparer makes the engine refuse one freelancer, as an engine with stricter rules might.
type nanPreparer struct {
	wordPreparer
	id string
}

func (p nanPreparer) Prepare(ctx context.Context, freelancers []matching.Freelancer) ([]*engine.Document, error) {
	documents, err := p.wordPreparer.Prepare(ctx, freelancers)
	for _, d := range documents {
		if d.Freelancer.ID == p.id {
			d.Freelancer.HourlyRate = matching.Some(math.NaN())
		}
	}
	return documents, err
}

func TestReindex_LosesNobody(t *testing.T) {
	b := newHarness(t)
	before := b.load(t, input("a", rows("1 Ada go", "2 Bob c")...))
	b.loader.Preparer = nanPreparer{id: "2"}
	b.options.MaxFailures = limit(t, "100%")
	report, err := b.loader.Reindex(t.Context(), "", b.options)
	want := fmt.Sprintf("the engine refused 1 freelancer of index %q, who would be lost: 2", before.Index)
	wantError[*bulk.LostError](t, err, want)
	wantLetter(t, report, "2")
	b.wantUnchanged(t, before)
}
