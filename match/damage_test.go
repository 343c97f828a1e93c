package match_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match"
)

// damaged is an engine some of whose stored data is damaged.
type damaged struct {
	engine.Searcher
	records []string // ids of freelancers whose records can't be read
	hits    int      // documents that a search has to leave out
}

func (d *damaged) Open(ctx context.Context, alias string) (engine.Snapshot, error) {
	s, err := d.Searcher.Open(ctx, alias)
	return &damagedSnapshot{s, d}, err
}

type damagedSnapshot struct {
	engine.Snapshot
	of *damaged
}

func (s *damagedSnapshot) Search(ctx context.Context, q *engine.Query) (*engine.Page, error) {
	page, err := s.Snapshot.Search(ctx, q)
	if err == nil {
		page.Damaged = s.of.hits
	}
	return page, err
}

func (s *damagedSnapshot) Fetch(ctx context.Context, ids []string) ([]matching.Freelancer, error) {
	freelancers, err := s.Snapshot.Fetch(ctx, ids)
	broken := &engine.DamagedError{Index: "index", Err: errors.New("checksum mismatch")}
	for i, id := range ids {
		if slices.Contains(s.of.records, id) {
			freelancers[i] = matching.Freelancer{}
			broken.IDs = append(broken.IDs, id)
		}
	}
	if len(broken.IDs) > 0 {
		return freelancers, broken
	}
	return freelancers, err
}

// An answer leaves out freelancers with damaged records and says so. If nobody on the page is left, that is an error of
// its own.
func TestMatch_DamagedRecords(t *testing.T) {
	w := newWorld(t,
		matching.Freelancer{ID: "a", Skills: []string{"React"}},
		matching.Freelancer{ID: "b", Skills: []string{"React"}},
		matching.Freelancer{ID: "c", Skills: []string{"React"}},
	)
	for name, test := range map[string]struct {
		engine damaged
		want   []string
		reason string
		code   matching.Code
	}{
		"none":      {engine: damaged{}, want: []string{"a", "b", "c"}},
		"one":       {engine: damaged{records: []string{"b"}}, want: []string{"a", "c"}, reason: "1 freelancer was left"},
		"two":       {engine: damaged{records: []string{"b", "a"}}, want: []string{"c"}, reason: "2 freelancers were left"},
		"all":       {engine: damaged{records: []string{"a", "b", "c"}}, code: matching.CodeRecordDamaged},
		"in search": {engine: damaged{hits: 1}, want: []string{"a", "b", "c"}, reason: "1 freelancer was left"},
	} {
		t.Run(name, func(t *testing.T) {
			test.engine.Searcher = w.engine
			service := w.serviceOn(&test.engine, match.DefaultWindow)
			answer, err := service.Match(t.Context(), &matching.Brief{RequiredSkills: []string{"React"}, Limit: 10})
			if got := matching.CodeOf(err); got != test.code {
				t.Fatalf("%v, want the code %q", err, test.code)
			}

			if err != nil {
				return
			}

			var ids []string
			for _, m := range answer.Matches {
				ids = append(ids, m.Freelancer.ID)
			}

			if !slices.Equal(ids, test.want) {
				t.Errorf("matches %q, want %q", ids, test.want)
			}

			reason := ""
			for _, s := range answer.Skipped {
				if s.Feature == matching.SkippedRecords {
					reason = s.Reason
				}
			}

			if (reason == "") != (test.reason == "") || !strings.HasPrefix(reason, test.reason) {
				t.Errorf("reason %q, want %q", reason, test.reason)
			}
		})
	}
}
