package embedded

import (
	"math"

	"freelancer-matching/engine"
	"freelancer-matching/engine/embedded/vector"
	"freelancer-matching/internal/matching"
	"freelancer-matching/mappings"
)

// A builder collects documents for a segment. It keeps one block of postings and vectors; a caller who uses it takes
// the finished blocks.
type builder struct {
	x         *segment // under construction, without blocks
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
	return &builder{x: new(segment), rotations: rotations, vectors: vector.NewColumns(rotations)}
}

// add adds a document whose record is at l. It replaces an earlier one with the same id.
func (b *builder) add(d *engine.Document, l location) {
	x, doc := b.x, uint32(len(b.x.lengths))
	x.records.add(l)
	id, added := x.ids.add(d.Freelancer.ID)
	if added {
		x.docOf = append(x.docOf, doc)
	} else {
		x.idOf[x.docOf[id]] = noID
		x.docOf[id] = doc
	}
	x.idOf = append(x.idOf, id)
	x.signals.add(d.Freelancer.Signals)
	x.from = append(x.from, dayOf(d.AvailableFrom))
	x.lengths = append(x.lengths, uint32(len(d.Terms)))
	b.addPostings(d, uint16(doc%blockSize))
	for space, v := range d.Vectors {
		b.vectors[space].Add(v, b.rotations[space])
	}
}

func (b *builder) addPostings(d *engine.Document, doc uint16) {
	for _, text := range d.Terms {
		term, added := b.x.names[ofTerms].add(text)
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
		b.entries[ofTerms].add(term, doc, b.frequency[term])
		b.frequency[term] = 0
	}

	b.present = b.present[:0]
	for _, s := range d.Skills {
		skill, _ := b.x.names[ofSkills].add(s.ID)
		b.entries[ofSkills].add(skill, doc, uint8(s.Evidence))
	}

	for _, f := range d.Families {
		family, _ := b.x.names[ofFamilies].add(f)
		b.entries[ofFamilies].add(family, doc, uint8(matching.Sibling))
	}

	for _, l := range d.Labels {
		label, _ := b.x.names[ofLabels].add(l)
		b.entries[ofLabels].add(label, doc, 1)
	}

	b.addWords(ofUnknownSkills, doc, d.UnknownSkills)
	b.addWords(ofJobTitles, doc, d.JobTitles)
}

// full reports whether the current block is full.
func (b *builder) full() bool { return len(b.x.lengths)%blockSize == 0 && len(b.x.lengths) > 0 }

// block returns the current block, which shares its vectors with the builder.
func (b *builder) block() block {
	finished := block{vectors: b.vectors}
	for k := range kinds {
		finished.postings[k] = b.entries[k].postings(b.x.names[k].len())
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
	b.x.ids.slots = nil
}

// classifyFit assigns the classes of fit to the documents.
func (x *segment) classifyFit() { x.fit = classify(&x.signals, fitBanding()) }

// classifyQuality assigns the classes of quality to the documents.
func (x *segment) classifyQuality() { x.quality = classify(&x.signals, qualityBanding()) }

// classifyLike assigns the classes of another segment to the documents.
func (x *segment) classifyLike(like *segment) {
	x.fit = classes{of: make([]uint16, len(x.lengths)), table: like.fit.table}
	x.quality = classes{of: make([]uint16, len(x.lengths)), table: like.quality.table}
	for doc := range x.lengths {
		signals := x.signals.at(doc)
		x.fit.of[doc], x.quality.of[doc] = x.fit.table.class(signals), x.quality.table.class(signals)
	}
}

// norms returns the norm of every document.
func (x *segment) norms() []float32 {
	norms := make([]float32, len(x.lengths))
	for doc := range norms {
		norms[doc] = float32(x.norm(doc, x.meanLength))
	}
	return norms
}

// finishBlock replaces the frequencies of a block with impacts and removes documents that were replaced. The block's
// first document is number first.
func (x *segment) finishBlock(b *block, first int, norms []float32) {
	b.postings[ofTerms].rewrite(func(doc uint16, frequency uint8) uint8 {
		if !x.live(first + int(doc)) {
			return 0
		}
		return impact(frequency, float64(norms[first+int(doc)]))
	})

	for k := ofTerms + 1; k < kinds; k++ {
		b.postings[k].rewrite(func(doc uint16, code uint8) uint8 {
			if !x.live(first + int(doc)) {
				return 0
			}
			return code
		})
	}

	for k := range kinds {
		b.postings[k].direct()
	}

	for space := range b.vectors {
		c := &b.vectors[space]
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
func (b *builder) addWords(k kind, doc uint16, used []string) {
	n := &b.x.names[k]
	for _, word := range used {
		number, known := n.find(word)
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

// An addition is a document for a segment, and where its record is.
type addition struct {
	document *engine.Document
	record   location
}

// build returns a segment of documents, in order. mean is the length for their impacts.
func build(
	rotations []*vector.Rotation, documents []addition, bm25 mappings.BM25, mean float64, like *segment,
) *segment {
	b := newBuilder(rotations)
	for i := range documents {
		b.add(documents[i].document, documents[i].record)
		if b.full() || i == len(documents)-1 {
			b.x.blocks = append(b.x.blocks, b.block())
			b.vectors = vector.NewColumns(rotations)
		}
	}
	x := b.x
	x.bm25 = bm25
	x.meanLength = mean
	x.classifyLike(like)
	norms := x.norms()
	for i := range x.blocks {
		x.finishBlock(&x.blocks[i], i*blockSize, norms)
	}
	x.summarize()
	return x
}
