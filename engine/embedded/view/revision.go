package view

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/segment"
)

var _ engine.Revisions = (*View)(nil)

// Revisions implements engine.Revisions.
func (v *View) Revisions(ctx context.Context, ids []string) (_ []uint64, err error) {
	defer v.Guard(&err)()
	revisions := make([]uint64, len(ids))
	for i, id := range ids {
		if p, doc, ok := v.Find(id); ok {
			revisions[i] = revision(p, doc)
		}
	}
	return revisions, ctx.Err()
}

// EachRevision implements engine.Revisions.
func (v *View) EachRevision(ctx context.Context, visit func(id string, revision uint64)) (err error) {
	defer v.Guard(&err)()
	for _, p := range slices.Backward(v.Parts) {
		for _, doc := range slices.Backward(p.Arrived()) {
			if p.Current(doc) {
				visit(string(p.ID(doc)), revision(p, doc))
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// Records implements engine.Revisions. It reads from disk.
func (v *View) Records(ctx context.Context, ids []string) (_ []engine.Record, err error) {
	defer v.Guard(&err)()
	records := make([]engine.Record, len(ids))
	for i, id := range ids {
		p, doc, ok := v.Find(id)
		if !ok {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}

		err := v.record(p, doc, &records[i].Freelancer)
		_, isDamaged := errors.AsType[*engine.DamagedError](err)
		switch {
		case err == nil:
			records[i].Revision = revision(p, doc)
		case !isDamaged && !errors.Is(err, engine.ErrNotFound): // it may have been erased meanwhile
			return nil, fmt.Errorf("index %q: freelancer %q: %w", v.Meta.Name, id, err)
		}
	}
	return records, nil
}

// revision returns the checksum of a document's record, with another bit, so that it is above 0.
func revision(p *segment.Part, doc uint32) uint64 { return 1<<32 | uint64(p.Records.At(doc).Sum) }
