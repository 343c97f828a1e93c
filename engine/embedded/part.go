package embedded

import (
	"slices"

	"freelancer-matching/engine/embedded/bitmap"
)

// A part is a segment in a view.
type part struct {
	*segment
	dead  tombstones // including the holes
	alive int        // number of live documents
	// counts holds the number of documents with each word, without those in settled, which is an earlier dead.
	counts  *counts
	settled tombstones
	pending int // number of documents in dead but not in settled
}

// newPart returns a part of which all documents of the segment are live, but for its holes.
func newPart(x *segment) *part {
	return &part{segment: x, dead: x.holes, alive: x.totals.documents, counts: &x.counts, settled: x.holes}
}

// current reports whether a document is live.
func (p *part) current(doc uint32) bool { return !p.dead.has(doc) }

// without returns the part with tombstones for live documents.
func (p *part) without(docs []uint32) *part {
	if len(docs) == 0 {
		return p
	}
	changed := *p
	changed.dead = p.dead.with(p.segment, docs)
	changed.alive -= len(docs)
	changed.pending += len(docs)
	return &changed
}

// settle returns the counts without the documents in dead.
func (p *part) settle() *counts {
	settled := new(counts)
	for k := range kinds {
		settled[k] = slices.Clone(p.counts[k])
	}
	var docs []uint32
	for i := range p.blocks {
		if docs = p.dead.sinceIn(i, p.settled, docs[:0]); len(docs) == 0 {
			continue
		}
		marked := make(bitmap.Set, bitmap.Words(p.blockSize(i)))
		for _, doc := range docs {
			marked.Add(int(doc % blockSize))
		}
		for k := range kinds {
			p.blocks[i].postings[k].subtract(settled[k], docs, marked)
		}
	}
	return settled
}
