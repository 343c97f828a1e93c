// Package view has an index at one moment: its base, what was put since, and tombstones.
package view

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/sectionfile"
	"github.com/freelancer-matching/service/engine/embedded/segment"
	"github.com/freelancer-matching/service/engine/embedded/vector"
	"github.com/freelancer-matching/service/internal/matching"
)

// A View is an index at one moment: its base, the documents put since as small segments, and tombstones for documents
// that were replaced or deleted. It never changes; every change results in another view that shares most of its memory.
//
// A document is live in at most one part. Parts and the documents in them are in the order in which documents were put
// last, which is the order that a fresh build would have.
type View struct {
	Meta   engine.Info     // but for DamagedRecords
	Parts  []*segment.Part // the base first; never empty
	Totals segment.Totals
	Shared *shared
}

// shared is what all views of one index have in common.
type shared struct {
	Rotations   []*vector.Rotation // of the vector spaces
	Scratch     sync.Pool          // memory of searches
	Inline      int                // inlineDocuments, unless a test has changed it
	OrderedFrom int                // orderedFrom, unless a test has changed it

	Searching   searching // the goroutines that search a view
	HelpersFrom int       // helpersFrom, unless a test has changed it

	// outdated means that another process has erased a document that a view still has.
	Outdated atomic.Bool
}

// helpersFrom is the number of documents from which a search has helpers on other processors. With less to do, waking
// them takes a third of the processor time of a search, and it ends hardly earlier.
const helpersFrom = 1 << 18

// A searching counts goroutines.
type searching struct{ n atomic.Int32 }

// Enter counts a goroutine, and returns the function that ends that.
func (s *searching) Enter() (leave func()) {
	s.n.Add(1)
	return s.leave
}

// TryEnter does what Enter does, unless there are as many goroutines as processors.
func (s *searching) TryEnter() (leave func(), entered bool) {
	if s.n.Add(1) <= int32(runtime.GOMAXPROCS(0)) {
		return s.leave, true
	}
	s.leave()
	return nil, false
}

func (s *searching) leave() { s.n.Add(-1) }

// NewView returns a view of a base.
func NewView(info engine.Info, base *segment.Segment) *View {
	v := &View{
		Meta: info, Parts: []*segment.Part{segment.NewPart(base)}, Totals: base.Totals,
		Shared: &shared{
			Rotations:   vector.NewRotations(info.Vectors),
			Inline:      inlineDocuments,
			OrderedFrom: segment.OrderedFrom,
			HelpersFrom: helpersFrom,
		},
	}
	return v
}

// Info implements engine.Snapshot.
func (v *View) Info() engine.Info {
	info := v.Meta
	info.Documents = v.Totals.Documents
	for _, p := range v.Parts {
		for _, doc := range p.DamagedDocuments() {
			if p.Current(doc) {
				info.DamagedRecords++
			}
		}
	}
	return info
}

// count returns the number of documents with a word. It may include a few documents that are gone; see Part.Settle.
func (v *View) count(k segment.Kind, word string) int {
	total := 0
	for _, p := range v.Parts {
		if number, ok := p.Names[k].Find(word); ok {
			total += int(p.Counts[k][number])
		}
	}
	return total
}

// Statistics implements engine.Snapshot.
func (v *View) Statistics(_ context.Context, skills []string) (_ engine.Statistics, err error) {
	defer v.Guard(&err)()
	s := engine.Statistics{
		Documents: v.Totals.Documents, RateMedian: v.Totals.Rates.Median(), SkillCount: map[string]int{},
	}
	if v.Totals.Rated > 0 {
		s.MeanRating = matching.Some(v.Totals.Ratings / float64(v.Totals.Rated))
	}
	for _, skill := range skills {
		s.SkillCount[skill] = v.count(segment.OfSkills, skill)
	}
	return s, nil
}

// Find returns the live document with an id. Most documents are in the base, which comes first.
func (v *View) Find(id string) (p *segment.Part, doc uint32, ok bool) {
	i, doc := v.locate(id)
	if i < 0 {
		return nil, 0, false
	}
	return v.Parts[i], doc, true
}

// locate returns the number of the part that has the live document with an id, and the document, or -1.
func (v *View) locate(id string) (number int, doc uint32) {
	for i, p := range v.Parts {
		if number, ok := p.IDs.Find(id); ok && p.Current(p.DocOf[number]) {
			return i, p.DocOf[number]
		}
	}
	return -1, 0
}

// Fetch implements engine.Snapshot. It reads from disk.
func (v *View) Fetch(ctx context.Context, ids []string) (_ []matching.Freelancer, err error) {
	defer v.Guard(&err)()
	freelancers := make([]matching.Freelancer, len(ids))
	var broken *engine.DamagedError
	for i, id := range ids {
		p, doc, ok := v.Find(id)
		if !ok {
			return nil, fmt.Errorf("index %q: freelancer %q: %w", v.Meta.Name, id, engine.ErrNotFound)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}

		err := v.record(p, doc, &freelancers[i])

		// Damaged records are reported together, with the freelancers that could be read.
		one, isRecord := errors.AsType[*engine.DamagedError](err)
		switch {
		case isRecord && broken == nil:
			broken = one
		case isRecord:
			broken.IDs = append(broken.IDs, id)
		case err != nil:
			return nil, fmt.Errorf("index %q: freelancer %q: %w", v.Meta.Name, id, err)
		}
	}

	if broken != nil {
		return freelancers, broken
	}

	return freelancers, nil
}

// record reads the record of a live document. If it is not the record that was stored, record leaves f empty and
// returns an *engine.DamagedError.
func (v *View) record(p *segment.Part, doc uint32, f *matching.Freelancer) error {
	err := p.ReadRecord(doc, f)
	if err == nil {
		return nil
	}

	*f = matching.Freelancer{}
	if errors.Is(err, segment.ErrErased) {
		v.Shared.Outdated.Store(true)
		return err
	}
	return &engine.DamagedError{Index: v.Meta.Name, IDs: []string{string(p.ID(doc))}, Err: err}
}

// Scan yields the freelancers in order, as engine.Indexer.Scan does.
func (v *View) Scan(ctx context.Context) iter.Seq2[matching.Freelancer, error] {
	return func(yield func(matching.Freelancer, error) bool) {
		if err := v.eachRecord(ctx, yield); err != nil {
			yield(matching.Freelancer{}, fmt.Errorf("scan index %q: %w", v.Meta.Name, err))
		}
	}
}

// eachRecord calls yield with each freelancer, or an *engine.DamagedError, until yield returns false. It returns an
// error if it can't continue.
func (v *View) eachRecord(ctx context.Context, yield func(matching.Freelancer, error) bool) error {
	for _, p := range v.Parts {
		var docs []uint32
		if err := v.guarded(func() error { docs = p.Arrived(); return nil }); err != nil {
			return err
		}

		for _, doc := range docs {
			if !p.Current(doc) {
				continue
			}
			var f matching.Freelancer
			err := v.guarded(func() error { return v.record(p, doc, &f) })

			if final := errors.Join(ctx.Err(), v.Stored().Damage()); final != nil {
				return final
			}
			if errors.Is(err, segment.ErrErased) {
				continue // deleted since the scan began
			}
			if !yield(f, err) {
				return nil
			}
		}
	}

	return nil
}

// Stored returns the index file that the base is part of, or nil.
func (v *View) Stored() *sectionfile.File { return v.Parts[0].Stored }

// Guard does what sectionfile.File.Guard does. Every goroutine that uses v needs it.
func (v *View) Guard(err *error) (end func()) { return v.Stored().Guard(err) }

// guarded calls a function that uses v, under guard.
func (v *View) guarded(do func() error) (err error) {
	defer v.Guard(&err)()
	return do()
}

// Verify verifies the checksums of the base, see sectionfile.File.Verify.
func (v *View) Verify(ctx context.Context, pause func(context.Context, time.Duration) error) error {
	return v.Stored().Verify(ctx, pause)
}

// BuildColumns builds the columns of the base that filters by numbers use, which would otherwise be built by the first
// filter. It pauses between them.
func (v *View) BuildColumns(ctx context.Context, pause func(context.Context, time.Duration) error) (err error) {
	defer v.Guard(&err)()
	return v.Parts[0].BuildColumns(ctx, pause)
}

// CheckAll verifies the checksums of the base, and checks what checksums don't detect.
func (v *View) CheckAll(ctx context.Context) (err error) {
	if err := v.Verify(ctx, nil); err != nil {
		return err
	}
	if v.Stored() == nil || !v.Stored().IsMapped() {
		return nil // its content was checked when it was read
	}
	defer v.Guard(&err)()
	if err := v.Parts[0].CheckContent(); err != nil {
		return v.Stored().Fail(err)
	}
	return nil
}

// Close closes the files, for a view that nobody else refers to.
func (v *View) Close() {
	if f := v.Stored(); f != nil {
		_ = f.CloseFile() // it was only read
	}
	for _, p := range v.Parts {
		for _, file := range p.Records.Files {
			file.Close()
		}
	}
}

// WriteBase writes the live documents as the files of a new base, see baseWriter.
func (v *View) WriteBase(
	ctx context.Context, indexPath, recordsPath string, pause func(context.Context, time.Duration) error,
	exclusive func(step func() error) error,
) (*segment.Written, error) {
	w := &segment.BaseWriter{
		Parts:     v.Parts,
		Rotations: v.Shared.Rotations,
		Mean:      v.Totals.MeanLength(),
		Topics:    segment.TopicsOf(v.Parts, v.Shared.Rotations, v.Totals.Documents, v.Shared.OrderedFrom),
		Pause:     pause,
		Exclusive: exclusive,
	}
	return w.Write(ctx, indexPath, recordsPath)
}
