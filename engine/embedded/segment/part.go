package segment

import (
	"slices"

	"github.com/freelancer-matching/service/engine/embedded/bitmap"
)

// A Part is a segment in a view.
type Part struct {
	*Segment
	Dead  Tombstones // including the holes
	Alive int        // number of live documents
	// counts holds the number of documents with each word, without those in settled, which is an earlier dead.
	Counts  *Counts
	Settled Tombstones
	Pending int // number of documents in dead but not in settled
}

// NewPart returns a part of which all documents of the segment are live, but for its holes.
func NewPart(x *Segment) *Part {
	return &Part{Segment: x, Dead: x.holes, Alive: x.Totals.Documents, Counts: &x.counts, Settled: x.holes}
}

// Current reports whether a document is live.
func (p *Part) Current(doc uint32) bool { return !p.Dead.has(doc) }

// Without returns the part with tombstones for live documents.
func (p *Part) Without(docs []uint32) *Part {
	if len(docs) == 0 {
		return p
	}
	changed := *p
	changed.Dead = p.Dead.with(p.Segment, docs)
	changed.Alive -= len(docs)
	changed.Pending += len(docs)
	return &changed
}

// Settle returns the counts without the documents in dead.
func (p *Part) Settle() *Counts {
	settled := new(Counts)
	for k := range kinds {
		settled[k] = slices.Clone(p.Counts[k])
	}
	var docs []uint32
	for i := range p.Blocks {
		if docs = p.Dead.sinceIn(i, p.Settled, docs[:0]); len(docs) == 0 {
			continue
		}
		marked := make(bitmap.Set, bitmap.Words(p.BlockSize(i)))
		for _, doc := range docs {
			marked.Add(int(doc % BlockSize))
		}
		for k := range kinds {
			p.Blocks[i].Postings[k].subtract(settled[k], docs, marked)
		}
	}
	return settled
}
