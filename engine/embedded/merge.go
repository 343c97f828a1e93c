package embedded

import (
	"slices"

	"freelancer-matching/engine"
	"freelancer-matching/engine/embedded/vector"
	"freelancer-matching/internal/matching"
)

// A merger builds one segment from the live documents of adjacent parts, block by block. Words that no live document
// uses are gone from the result.
//
// Impacts are converted to frequencies and back if the mean length has changed. Frequencies up to six are recovered
// exactly; the scores of others may change by about one code; see frequency.
type merger struct {
	x         *segment // the result, without blocks
	parts     []*part
	arrived   []uint32          // the new numbers of the documents in the order in which they were added
	to        [][]uint32        // by part: the new number of each document, or gone
	words     [][kinds][]uint32 // by part: the new number of each word plus one, or 0 if none is known yet
	rotations []*vector.Rotation
	tick      func() // called after every few milliseconds of work
}

// recoded holds new impacts by old impact, or 0 where it isn't known yet.
type recoded [codes + 1]uint8

// newMerger starts to merge parts: the result has everything but classes and blocks. mean is the length for impacts. If
// tree is not nil, documents are ordered by its topics.
func newMerger(rotations []*vector.Rotation, parts []*part, mean float64, tree *vector.TopicTree, tick func()) *merger {
	m := &merger{
		x: &segment{bm25: parts[0].bm25, meanLength: mean, topicTree: tree}, parts: parts, rotations: rotations, tick: tick,
		to: make([][]uint32, len(parts)), words: make([][kinds][]uint32, len(parts)),
	}

	x := m.x
	x.grow(parts)
	for i, p := range parts {
		m.to[i] = slices.Repeat([]uint32{gone}, len(p.lengths))
		for k := range kinds {
			m.words[i][k] = make([]uint32, p.names[k].len())
		}
		x.records.addFiles(p.records.files)

		for _, doc := range p.arrived() {
			if !p.current(doc) {
				continue
			}
			number := uint32(len(x.lengths))
			m.to[i][doc] = number
			x.ids.append(p.id(doc)) // no two current documents have the same
			x.docOf, x.idOf = append(x.docOf, number), append(x.idOf, number)
			x.lengths = append(x.lengths, p.lengths[doc])
			x.signals.add(p.signals.at(int(doc)))
			x.from = append(x.from, p.from[doc])
			x.records.add(p.records.at(doc))

			if tree != nil {
				x.topicOf = append(x.topicOf, p.topic(tree, doc))
			}

			if number%4096 == 0 {
				tick()
			}
		}
	}

	m.order()
	return m
}

// order numbers the documents by topic.
func (m *merger) order() {
	topicOf := m.x.topicOf
	if m.x.topicTree == nil {
		topicOf = make([]uint16, len(m.x.lengths)) // a single topic
	}
	all := func(int) bool { return true }
	m.arrived, _ = byTopic(topicOf, all)
	if m.x.topicTree == nil {
		return
	}
	m.x.arrange(m.arrived, len(m.arrived))
	for _, to := range m.to {
		for doc, number := range to {
			if number != gone {
				to[doc] = m.arrived[number]
			}
		}
	}
}

// merge returns one segment with the live documents of parts, which has the classes and topics of the segment like.
func merge(rotations []*vector.Rotation, parts []*part, mean float64, like *segment) *segment {
	m := newMerger(rotations, parts, mean, like.topicTree, func() {})
	m.x.classifyLike(like)
	m.x.blocks = make([]block, blocksFor(len(m.x.lengths)))
	for i := range m.x.blocks {
		m.x.blocks[i] = m.block(i)
	}
	m.x.summarize()
	m.x.ids.index()
	return m.x
}

// grow makes room for the documents of parts, because growing step by step copies columns and takes twice the memory.
func (x *segment) grow(parts []*part) {
	documents, text := 0, 0
	for _, p := range parts {
		documents = documents + len(p.lengths)
		text = text + len(p.ids.text)
	}
	x.ids.text, x.ids.ends = slices.Grow(x.ids.text, text), slices.Grow(x.ids.ends, documents)
	x.docOf, x.idOf = slices.Grow(x.docOf, documents), slices.Grow(x.idOf, documents)
	x.lengths, x.from = slices.Grow(x.lengths, documents), slices.Grow(x.from, documents)
	x.signals.grow(documents)
	x.records.grow(documents)
}

// block returns block number i of the result.
func (m *merger) block(i int) block {
	merged := newGathered(m.rotations, m.x.blockSize(i))
	for number, p := range m.parts {
		for j := range p.blocks {
			to := m.to[number][j*blockSize:][:p.blockSize(j)]
			if !anyIn(to, i) {
				continue
			}
			m.addPostings(merged, number, j, i)
			m.addVectors(merged.vectors, &p.blocks[j], to, i)
		}
	}
	return merged.finish(&m.x.names, m.x.blockSize(i), m.tick)
}

// anyIn reports whether any of the new numbers is in block i.
func anyIn(to []uint32, i int) bool {
	return slices.ContainsFunc(to, func(number uint32) bool { return number-uint32(i*blockSize) < blockSize })
}

// addPostings adds those postings of block j of a part whose documents are in block i of the result.
func (m *merger) addPostings(merged *gathered, number, j, i int) {
	p := m.parts[number]
	first := uint32(i * blockSize)
	to := m.to[number][j*blockSize:]
	for k := range kinds {
		from := &p.blocks[j].postings[k]
		e := &merged.entries[k]
		worked := 0
		recode := func(_ uint16, code uint8) uint8 { return code }

		if k == ofTerms && p.meanLength != m.x.meanLength {
			recode = m.recode(p, j)
		}

		for at, key := range from.keys {
			start := from.starts[at]
			end := from.starts[at+1]
			word := uint32(0)
			known := false

			for n := start; n < end; n++ {
				doc := to[from.docs[n]] - first
				if doc >= blockSize { // gone or in another block
					continue
				}

				if !known {
					if word, known = m.word(number, k, key); !known {
						break
					}
				}

				e.add(word, uint16(doc), recode(from.docs[n], from.codes[n]))
			}

			if worked += int(end - start); worked > 1<<17 {
				worked = 0
				m.tick()
			}
		}
	}
}

// word returns the new number of a word of a part. known is false for words beyond maxTallied.
func (m *merger) word(number int, k kind, key uint32) (word uint32, known bool) {
	next := &m.words[number][k][key]
	if *next == 0 {
		text := string(m.parts[number].names[k].at(key))
		names := &m.x.names[k]
		word, known := names.find(text)
		if !known {
			if (k == ofUnknownSkills || k == ofJobTitles) && names.len() == maxTallied {
				return 0, false
			}
			word, _ = names.add(text)
		}
		*next = word + 1
	}
	return *next - 1, true
}

// recode returns a function that returns the impact, for the new mean length, of an impact in block j of a part.
func (m *merger) recode(p *part, j int) func(doc uint16, code uint8) uint8 {
	lengths := p.lengths[j*blockSize:]
	known := map[uint32]*recoded{} // by rounded length
	tables := make([]*recoded, p.blockSize(j))

	return func(doc uint16, code uint8) uint8 {
		t := tables[doc]
		if t == nil {
			length := uint32(engine.RoundLength(int(lengths[doc])))
			if t = known[length]; t == nil {
				t = new(recoded)
				known[length] = t
			}
			tables[doc] = t
		}

		if t[code] == 0 {
			number := j*blockSize + int(doc)
			before := p.norm(number, p.meanLength)
			after := p.norm(number, m.x.meanLength)
			t[code] = impact(uint8(frequency(code, before)), after)
		}

		return t[code]
	}
}

// addVectors adds the vectors of a block whose documents are in block i of the result.
func (m *merger) addVectors(merged []vector.Column, b *block, to []uint32, i int) {
	for space := range merged {
		for doc, number := range to {
			if number-uint32(i*blockSize) < blockSize {
				merged[space].Copy(int(number%blockSize), &b.vectors[space], doc)
			}
			if doc%4096 == 0 {
				m.tick()
			}
		}
	}
}

// topicsOf returns the tree that a new base of parts is ordered by: that of the old one, or a new one if the index has
// at least orderedFrom documents by now. It is nil if documents stay in the order in which they were added.
func topicsOf(parts []*part, rotations []*vector.Rotation, documents, orderedFrom int) *vector.TopicTree {
	base := parts[0]
	space := vector.TopicSpace(rotations)
	if base.topicTree != nil || space < 0 || documents < orderedFrom {
		return base.topicTree
	}

	var sample []matching.Vector
	every := max(1, documents/vector.TopicSample)
	for _, p := range parts {
		for doc := 0; doc < len(p.lengths); doc += every {
			of := &p.blocks[doc/blockSize].vectors[space]
			if at := doc % blockSize; p.current(uint32(doc)) && of.Squares[at] > 0 {
				sample = append(sample, of.At(at))
			}
		}
	}

	if len(sample) == 0 {
		return nil
	}

	return vector.NewTopicTree(space, sample)
}
