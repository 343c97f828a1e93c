package view

import (
	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/segment"
)

// A Write puts or deletes one document.
type Write struct {
	ID       string
	Document *engine.Document // nil deletes the document; otherwise valid for the index, see CheckVectors
	Record   segment.Location // of the document
}

// Apply returns a view in which the documents were put and deleted, in order. The caller serializes calls of apply,
// and finish on one index, does the job that due(false) returns in the background, and sets Updated and
// Bytes of the info.
func (v *View) Apply(batch []Write) *View {
	changed := &View{Meta: v.Meta, Totals: v.Totals, Shared: v.Shared}
	last := lastWrites(batch)
	var puts []segment.Addition
	gone := make([][]uint32, len(v.Parts))
	for i, w := range batch {
		// Only the last change of each document counts.
		if last != nil && last[w.ID] != i {
			continue
		}

		if number, doc := v.locate(w.ID); number >= 0 {
			gone[number] = append(gone[number], doc)
			changed.Totals.Add(v.Parts[number].Segment, doc, -1)
		}

		if w.Document != nil {
			puts = append(puts, segment.Addition{Document: w.Document, Record: w.Record})
			changed.Totals.AddDocument(w.Document)
		}
	}

	// The base stays even if all of its documents are gone, because the files belong to it.
	for i, p := range v.Parts {
		if p = p.Without(gone[i]); p.Alive > 0 || i == 0 {
			changed.Parts = append(changed.Parts, p)
		}
	}

	if len(puts) > 0 {
		base := v.Parts[0].Segment
		x := segment.Build(v.Shared.Rotations, puts, base.BM25, changed.Totals.MeanLength(), base)
		changed.Parts = append(changed.Parts, segment.NewPart(x))
	}

	return changed.maintain()
}

// lastWrites returns the number of the last write to each id, or nil for a single write.
func lastWrites(batch []Write) map[string]int {
	if len(batch) == 1 {
		return nil
	}
	last := make(map[string]int, len(batch))
	for i, w := range batch {
		last[w.ID] = i
	}
	return last
}
