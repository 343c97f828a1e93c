package embedded

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"freelancer-matching/engine"
	"freelancer-matching/engine/embedded/sectionfile"
	"freelancer-matching/engine/embedded/vector"
	"freelancer-matching/internal/matching"
)

// A view is an index at one moment: its base, the documents put since as small segments, and tombstones for documents
// that were replaced or deleted. It never changes; every change results in another view that shares most of its memory.
//
// A document is live in at most one part. Parts and the documents in them are in the order in which documents were put
// last, which is the order that a fresh build would have.
type view struct {
	meta   engine.Info // but for DamagedRecords
	parts  []*part     // the base first; never empty
	totals totals
	shared *shared
}

// shared is what all views of one index have in common.
type shared struct {
	rotations []*vector.Rotation // of the vector spaces
	scratch   sync.Pool          // memory of searches
	inline    int                // inlineDocuments, unless a test has changed it

	orderedFrom int // orderedFrom, unless a test has changed it
	// outdated means that another process has erased a document that a view still has.
	outdated atomic.Bool
}

// newView returns a view of a base.
func newView(info engine.Info, base *segment) *view {
	v := &view{
		meta: info, parts: []*part{newPart(base)}, totals: base.totals,
		shared: &shared{rotations: vector.NewRotations(info.Vectors), inline: inlineDocuments, orderedFrom: orderedFrom},
	}
	return v
}

// Info implements engine.Snapshot.
func (v *view) Info() engine.Info {
	info := v.meta
	info.Documents = v.totals.documents
	for _, p := range v.parts {
		for _, doc := range p.damagedDocuments() {
			if p.current(doc) {
				info.DamagedRecords++
			}
		}
	}
	return info
}

// count returns the number of documents with a word. It may include a few documents that are gone; see settle.
func (v *view) count(k kind, word string) int {
	total := 0
	for _, p := range v.parts {
		if number, ok := p.names[k].find(word); ok {
			total += int(p.counts[k][number])
		}
	}
	return total
}

// Statistics implements engine.Snapshot.
func (v *view) Statistics(_ context.Context, skills []string) (_ engine.Statistics, err error) {
	defer v.guard(&err)()
	s := engine.Statistics{
		Documents: v.totals.documents, RateQuartile: v.totals.rates.UpperQuartile(), SkillCount: map[string]int{},
	}
	if v.totals.rated > 0 {
		s.MeanRating = matching.Some(v.totals.ratings / float64(v.totals.rated))
	}
	for _, skill := range skills {
		s.SkillCount[skill] = v.count(ofSkills, skill)
	}
	return s, nil
}

// find returns the live document with an id. Most documents are in the base, which comes first.
func (v *view) find(id string) (p *part, doc uint32, ok bool) {
	i, doc := v.locate(id)
	if i < 0 {
		return nil, 0, false
	}
	return v.parts[i], doc, true
}

// locate returns the number of the part that has the live document with an id, and the document, or -1.
func (v *view) locate(id string) (number int, doc uint32) {
	for i, p := range v.parts {
		if number, ok := p.ids.find(id); ok && p.current(p.docOf[number]) {
			return i, p.docOf[number]
		}
	}
	return -1, 0
}

// Fetch implements engine.Snapshot. It reads from disk.
func (v *view) Fetch(ctx context.Context, ids []string) (_ []matching.Freelancer, err error) {
	defer v.guard(&err)()
	freelancers := make([]matching.Freelancer, len(ids))
	var broken *engine.DamagedError
	for i, id := range ids {
		p, doc, ok := v.find(id)
		if !ok {
			return nil, fmt.Errorf("index %q: freelancer %q: %w", v.meta.Name, id, engine.ErrNotFound)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}

		err := v.record(p, doc, &freelancers[i])
		one, isRecord := errors.AsType[*engine.DamagedError](err)
		switch {
		case isRecord && broken == nil:
			broken = one
		case isRecord:
			broken.IDs = append(broken.IDs, id)
		case err != nil:
			return nil, fmt.Errorf("index %q: freelancer %q: %w", v.meta.Name, id, err)
		}
	}

	if broken != nil {
		return freelancers, broken
	}

	return freelancers, nil
}

// record reads the record of a live document. If it is not the record that was stored, record leaves f empty and
// returns an *engine.DamagedError.
func (v *view) record(p *part, doc uint32, f *matching.Freelancer) error {
	err := p.readRecord(doc, f)
	if err == nil {
		return nil
	}

	*f = matching.Freelancer{}
	if errors.Is(err, errErased) {
		v.shared.outdated.Store(true)
		return err
	}
	return &engine.DamagedError{Index: v.meta.Name, IDs: []string{string(p.id(doc))}, Err: err}
}

// scan yields the freelancers in order, as engine.Indexer.Scan does.
func (v *view) scan(ctx context.Context) iter.Seq2[matching.Freelancer, error] {
	return func(yield func(matching.Freelancer, error) bool) {
		if err := v.eachRecord(ctx, yield); err != nil {
			yield(matching.Freelancer{}, fmt.Errorf("scan index %q: %w", v.meta.Name, err))
		}
	}
}

// eachRecord calls yield with each freelancer, or an *engine.DamagedError, until yield returns false. It returns an
// error if it can't continue.
func (v *view) eachRecord(ctx context.Context, yield func(matching.Freelancer, error) bool) error {
	for _, p := range v.parts {
		var docs []uint32
		if err := v.guarded(func() error { docs = p.arrived(); return nil }); err != nil {
			return err
		}

		for _, doc := range docs {
			if !p.current(doc) {
				continue
			}
			var f matching.Freelancer
			err := v.guarded(func() error { return v.record(p, doc, &f) })

			if final := errors.Join(ctx.Err(), v.stored().Damage()); final != nil {
				return final
			}
			if errors.Is(err, errErased) {
				continue // deleted since the scan began
			}
			if !yield(f, err) {
				return nil
			}
		}
	}

	return nil
}

// stored returns the index file that the base is part of, or nil.
func (v *view) stored() *sectionfile.File { return v.parts[0].stored }

// guard does what sectionfile.File.Guard does. Every goroutine that uses v needs it.
func (v *view) guard(err *error) (end func()) { return v.stored().Guard(err) }

// guarded calls a function that uses v, under guard.
func (v *view) guarded(do func() error) (err error) {
	defer v.guard(&err)()
	return do()
}

// verify verifies the checksums of the base, see sectionfile.File.Verify.
func (v *view) verify(ctx context.Context, pause func(context.Context, time.Duration) error) error {
	return v.stored().Verify(ctx, pause)
}

// checkAll verifies the checksums of the base, and checks what checksums don't detect.
func (v *view) checkAll(ctx context.Context) (err error) {
	if err := v.verify(ctx, nil); err != nil || v.stored() == nil || !v.stored().IsMapped() {
		return err
	}
	defer v.guard(&err)()
	if err := v.parts[0].checkContent(); err != nil {
		return v.stored().Fail(err)
	}
	return nil
}

// close closes the files, for a view that nobody else refers to.
func (v *view) close() {
	if f := v.stored(); f != nil {
		_ = f.CloseFile() // it was only read
	}
	for _, p := range v.parts {
		for _, file := range p.records.files {
			file.Close()
		}
	}
}

// writeBase writes the live documents as the files of a new base, see baseWriter.
func (v *view) writeBase(
	ctx context.Context, indexPath, recordsPath string, pause func(context.Context, time.Duration) error,
	exclusive func(step func() error) error,
) (*written, error) {
	w := &baseWriter{
		parts:     v.parts,
		rotations: v.shared.rotations,
		mean:      v.totals.meanLength(),
		topics:    topicsOf(v.parts, v.shared.rotations, v.totals.documents, v.shared.orderedFrom),
		pause:     pause,
		exclusive: exclusive,
	}
	return w.write(ctx, indexPath, recordsPath)
}
