package segment

import (
	"math"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/signals"
	"github.com/freelancer-matching/service/engine/embedded/vector"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/mappings"
)

// A builder collects documents for a segment. It keeps one block of postings and vectors; a caller who uses it takes
// the finished blocks.
type builder struct {
	x         *Segment // under construction, without blocks
	rotations []*vector.Rotation

	// The current block, with term frequencies instead of impacts.
	entries [kinds]entries
	vectors []vector.Column
	// The current document.
	frequency []uint8  // by term; all 0 between documents
	present   []uint32 // terms with a frequency
}

// newBuilder returns a builder without documents.
func newBuilder(rotations []*vector.Rotation) *builder {
	return &builder{x: new(Segment), rotations: rotations, vectors: vector.NewColumns(rotations)}
}

// add adds a document whose record is at l. It replaces an earlier one with the same id.
func (b *builder) add(d *engine.Document, l Location) {
	x, doc := b.x, uint32(len(b.x.Lengths))
	x.Records.add(l)
	id, added := x.IDs.add(d.Freelancer.ID)
	if added {
		x.DocOf = append(x.DocOf, doc)
	} else {
		// The earlier document keeps its number, but without an ID, it is not live any more.
		x.idOf[x.DocOf[id]] = noID
		x.DocOf[id] = doc
	}
	x.idOf = append(x.idOf, id)
	x.Signals.Add(d.Freelancer.Signals)
	x.Schedules.Add(d.Schedule)
	x.Lengths = append(x.Lengths, uint32(len(d.Terms)))
	b.addPostings(d, uint16(doc%BlockSize))
	for space, v := range d.Vectors {
		b.vectors[space].Add(v, b.rotations[space])
	}
}

func (b *builder) addPostings(d *engine.Document, doc uint16) {
	for _, text := range d.Terms {
		term, added := b.x.Names[OfTerms].add(text)
		if added {
			b.frequency = append(b.frequency, 0)
		}

		switch b.frequency[term] {
		case 0:
			b.present = append(b.present, term)
			b.frequency[term] = 1
		case math.MaxUint8: // further occurrences would not change the score
		default:
			b.frequency[term]++
		}
	}

	for _, term := range b.present {
		b.entries[OfTerms].add(term, doc, b.frequency[term])
		b.frequency[term] = 0
	}

	b.present = b.present[:0]
	for _, s := range d.Skills {
		skill, _ := b.x.Names[OfSkills].add(s.ID)
		b.entries[OfSkills].add(skill, doc, uint8(s.Evidence))
	}

	for _, f := range d.Families {
		family, _ := b.x.Names[OfFamilies].add(f)
		b.entries[OfFamilies].add(family, doc, uint8(matching.Sibling))
	}

	for _, l := range d.Labels {
		label, _ := b.x.Names[ofLabels].add(l)
		b.entries[ofLabels].add(label, doc, 1)
	}

	b.addWords(OfUnknownSkills, doc, d.UnknownSkills)
	b.addWords(OfJobTitles, doc, d.JobTitles)
}

// full reports whether the current block is full.
func (b *builder) full() bool { return len(b.x.Lengths)%BlockSize == 0 && len(b.x.Lengths) > 0 }

// block returns the current block, which shares its vectors with the builder.
func (b *builder) block() Block {
	finished := Block{Vectors: b.vectors}
	for k := range kinds {
		finished.Postings[k] = b.entries[k].postings(b.x.Names[k].len())
		b.entries[k].reset()
	}
	return finished
}

// release frees the memory that only further documents would need.
func (b *builder) release() {
	b.entries = [kinds]entries{}
	b.vectors = nil
	b.frequency = nil
	b.present = nil
	b.x.IDs.slots = nil
}

// classifyFit assigns the classes of fit to the documents.
func (x *Segment) classifyFit() { x.Fit = signals.Classify(&x.Signals, signals.FitBanding()) }

// classifyQuality assigns the classes of quality to the documents.
func (x *Segment) classifyQuality() {
	x.Quality = signals.Classify(&x.Signals, signals.QualityBanding())
}

// classifyLike assigns the classes of another segment to the documents.
func (x *Segment) classifyLike(like *Segment) {
	x.Fit = signals.Classes{Of: make([]uint16, len(x.Lengths)), Table: like.Fit.Table}
	x.Quality = signals.Classes{Of: make([]uint16, len(x.Lengths)), Table: like.Quality.Table}
	for doc := range x.Lengths {
		signals := x.Signals.At(doc)
		x.Fit.Of[doc], x.Quality.Of[doc] = x.Fit.Table.Class(signals), x.Quality.Table.Class(signals)
	}
}

// norms returns the norm of every document.
func (x *Segment) norms() []float32 {
	norms := make([]float32, len(x.Lengths))
	for doc := range norms {
		norms[doc] = float32(x.Norm(doc, x.MeanLength))
	}
	return norms
}

// finishBlock replaces the frequencies of a block with impacts and removes documents that were replaced. The block's
// first document is number first.
func (x *Segment) finishBlock(b *Block, first int, norms []float32) {
	b.Postings[OfTerms].rewrite(func(doc uint16, frequency uint8) uint8 {
		if !x.live(first + int(doc)) {
			return 0
		}
		return impact(frequency, float64(norms[first+int(doc)]))
	})

	// The other kinds have codes that are final, so only replaced documents are removed.
	for k := OfTerms + 1; k < kinds; k++ {
		b.Postings[k].rewrite(func(doc uint16, code uint8) uint8 {
			if !x.live(first + int(doc)) {
				return 0
			}
			return code
		})
	}

	for k := range kinds {
		b.Postings[k].direct()
	}

	for space := range b.Vectors {
		c := &b.Vectors[space]
		for doc := range c.Squares {
			if !x.live(first + doc) {
				c.Clear(doc)
			}
		}
	}
}

// maxTallied limits the distinct words of one kind that are counted while an index is built. Words that first occur
// after that many others are rare.
const maxTallied = 1 << 18

// addWords adds words of a document to the postings of a kind.
func (b *builder) addWords(k Kind, doc uint16, used []string) {
	n := &b.x.Names[k]
	for _, word := range used {
		number, known := n.Find(word)
		switch {
		case known:
		case n.len() == maxTallied:
			continue
		default:
			number, _ = n.add(word)
		}
		b.entries[k].add(number, doc, 1)
	}
}

// An Addition is a document for a segment, and where its record is.
type Addition struct {
	Document *engine.Document
	Record   Location
}

// Build returns a segment of documents, in order. mean is the length for their impacts.
func Build(
	rotations []*vector.Rotation, documents []Addition, bm25 mappings.BM25, mean float64, like *Segment,
) *Segment {
	b := newBuilder(rotations)
	for i := range documents {
		b.add(documents[i].Document, documents[i].Record)
		if b.full() || i == len(documents)-1 {
			b.x.Blocks = append(b.x.Blocks, b.block())
			b.vectors = vector.NewColumns(rotations)
		}
	}

	x := b.x
	x.BM25 = bm25
	x.MeanLength = mean
	x.classifyLike(like)

	// Impacts need the lengths of all documents, so blocks are finished last.
	norms := x.norms()
	for i := range x.Blocks {
		x.finishBlock(&x.Blocks[i], i*BlockSize, norms)
	}

	x.summarize()
	return x
}
