package embedded

import (
	"freelancer-matching/engine"
)

// A write puts or deletes one document.
type write struct {
	id       string
	document *engine.Document // nil deletes the document; otherwise valid for the index, see CheckVectors
	record   location         // of the document
}

// apply returns a view in which the documents were put and deleted, in order. The caller serializes calls of apply,
// and finish on one index, does the job that due(false) returns in the background, and sets Updated and
// Bytes of the info.
func (v *view) apply(batch []write) *view {
	changed := &view{meta: v.meta, totals: v.totals, shared: v.shared}
	last := lastWrites(batch)
	var puts []addition
	gone := make([][]uint32, len(v.parts))
	for i, w := range batch {
		if last != nil && last[w.id] != i {
			continue
		}

		if number, doc := v.locate(w.id); number >= 0 {
			gone[number] = append(gone[number], doc)
			changed.totals.add(v.parts[number].segment, doc, -1)
		}

		if w.document != nil {
			puts = append(puts, addition{document: w.document, record: w.record})
			changed.totals.addDocument(w.document)
		}
	}

	for i, p := range v.parts {
		if p = p.without(gone[i]); p.alive > 0 || i == 0 {
			changed.parts = append(changed.parts, p)
		}
	}

	if len(puts) > 0 {
		base := v.parts[0].segment
		x := build(v.shared.rotations, puts, base.bm25, changed.totals.meanLength(), base)
		changed.parts = append(changed.parts, newPart(x))
	}

	return changed.maintain()
}

// lastWrites returns the number of the last write to each id, or nil for a single write.
func lastWrites(batch []write) map[string]int {
	if len(batch) == 1 {
		return nil
	}
	last := make(map[string]int, len(batch))
	for i, w := range batch {
		last[w.id] = i
	}
	return last
}
