package search

import (
	"context"
	"fmt"
	"slices"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/view"
	"github.com/freelancer-matching/service/internal/matching"
)

// supposed is a snapshot with one document whose record is in no file.
type supposed struct {
	Snapshot
	record *matching.Freelancer
}

var (
	_ engine.Supposer = Snapshot{}
	_ engine.Supposed = supposed{}
	_ engine.Ranker   = supposed{}
)

// Suppose implements engine.Supposer. Views never change, so the result shares most of its memory with v, and v's index
// goes on without it.
func (v Snapshot) Suppose(d *engine.Document) (_ engine.Supposed, err error) {
	defer v.Guard(&err)()
	if err := d.CheckVectors(v.Meta.Vectors); err != nil {
		return nil, fmt.Errorf("suppose a change of index %q: %w", v.Meta.Name, err)
	}
	changed := v.Apply([]view.Write{{ID: d.Freelancer.ID, Document: d}})
	return supposed{Snapshot{View: changed}, &d.Freelancer}, nil
}

// Record implements engine.Supposed.
func (s supposed) Record() *matching.Freelancer { return s.record }

// Fetch implements engine.Snapshot.
func (s supposed) Fetch(ctx context.Context, ids []string) ([]matching.Freelancer, error) {
	own := slices.Index(ids, s.record.ID)
	if own < 0 {
		return s.Snapshot.Fetch(ctx, ids)
	}

	fetched, err := s.Snapshot.Fetch(ctx, slices.Delete(slices.Clone(ids), own, own+1))
	if fetched == nil {
		return nil, err
	}
	return slices.Insert(fetched, own, *s.record), err
}
