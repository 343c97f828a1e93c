package segment

import (
	"slices"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/vector"
	"github.com/freelancer-matching/service/internal/matching"
)

// A merger builds one segment from the live documents of adjacent parts, block by block. Words that no live document
// uses are gone from the result.
//
// Impacts are converted to frequencies and back if the mean length has changed. Frequencies up to six are recovered
// exactly; the scores of others may change by about one code; see frequency.
type merger struct {
	x         *Segment // the result, without blocks
	parts     []*Part
	arrived   []uint32          // the new numbers of the documents in the order in which they were added
	to        [][]uint32        // by part: the new number of each document, or gone
	words     [][kinds][]uint32 // by part: the new number of each word plus one, or 0 if none is known yet
	rotations []*vector.Rotation
	tick      func() // called after every few milliseconds of work
}

// recoded holds new impacts by old impact, or 0 where it isn't known yet.
type recoded [Codes + 1]uint8

// newMerger starts to merge parts: the result has everything but classes and blocks. mean is the length for impacts. If
// tree is not nil, documents are ordered by its topics.
func newMerger(rotations []*vector.Rotation, parts []*Part, mean float64, tree *vector.TopicTree, tick func()) *merger {
	m := &merger{
		x: &Segment{BM25: parts[0].BM25, MeanLength: mean, TopicTree: tree}, parts: parts, rotations: rotations, tick: tick,
		to: make([][]uint32, len(parts)), words: make([][kinds][]uint32, len(parts)),
	}

	x := m.x
	x.grow(parts)
	for i, p := range parts {
		m.to[i] = slices.Repeat([]uint32{gone}, len(p.Lengths))
		for k := range kinds {
			m.words[i][k] = make([]uint32, p.Names[k].len())
		}

		// Files are numbered in the order of the parts, by which arrived sorts.
		x.Records.addFiles(p.Records.Files)

		for _, doc := range p.Arrived() {
			if !p.Current(doc) {
				continue
			}

			number := uint32(len(x.Lengths))
			m.to[i][doc] = number
			x.IDs.append(p.ID(doc)) // no two current documents have the same
			x.DocOf, x.idOf = append(x.DocOf, number), append(x.idOf, number)
			x.Lengths = append(x.Lengths, p.Lengths[doc])
			x.Signals.Add(p.Signals.At(int(doc)))
			x.Schedules.Add(p.Schedules.At(int(doc)))
			x.Records.add(p.Records.At(doc))

			if tree != nil {
				x.TopicOf = append(x.TopicOf, p.topic(tree, doc))
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
	topicOf := m.x.TopicOf
	if m.x.TopicTree == nil {
		topicOf = make([]uint16, len(m.x.Lengths)) // a single topic
	}
	all := func(int) bool { return true }
	m.arrived, _ = byTopic(topicOf, all)
	if m.x.TopicTree == nil {
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

// Merge returns one segment with the live documents of parts, which has the classes and topics of the segment like.
func Merge(rotations []*vector.Rotation, parts []*Part, mean float64, like *Segment) *Segment {
	m := newMerger(rotations, parts, mean, like.TopicTree, func() {})
	m.x.classifyLike(like)
	m.x.Blocks = make([]Block, blocksFor(len(m.x.Lengths)))
	for i := range m.x.Blocks {
		m.x.Blocks[i] = m.block(i)
	}
	m.x.summarize()
	m.x.IDs.index()
	return m.x
}

// grow makes room for the documents of parts, because growing step by step copies columns and takes twice the memory.
func (x *Segment) grow(parts []*Part) {
	documents, text := 0, 0
	for _, p := range parts {
		documents += len(p.Lengths)
		text += len(p.IDs.text)
	}
	x.IDs.text, x.IDs.ends = slices.Grow(x.IDs.text, text), slices.Grow(x.IDs.ends, documents)
	x.DocOf, x.idOf = slices.Grow(x.DocOf, documents), slices.Grow(x.idOf, documents)
	x.Lengths = slices.Grow(x.Lengths, documents)
	x.Signals.Grow(documents)
	x.Schedules.Grow(documents)
	x.Records.grow(documents)
}

// block returns block number i of the result.
func (m *merger) block(i int) Block {
	merged := newGathered(m.rotations, m.x.BlockSize(i))
	for number, p := range m.parts {
		for j := range p.Blocks {
			to := m.to[number][j*BlockSize:][:p.BlockSize(j)]
			if !anyIn(to, i) {
				continue
			}
			m.addPostings(merged, number, j, i)
			m.addVectors(merged.vectors, &p.Blocks[j], to, i)
		}
	}
	return merged.finish(&m.x.Names, m.x.BlockSize(i), m.tick)
}

// anyIn reports whether any of the new numbers is in block i.
func anyIn(to []uint32, i int) bool {
	return slices.ContainsFunc(to, func(number uint32) bool { return number-uint32(i*BlockSize) < BlockSize })
}

// addPostings adds the postings of a block of a part, for those of its documents that are in block toBlock of the
// result.
func (m *merger) addPostings(merged *gathered, partNumber, fromBlock, toBlock int) {
	part := m.parts[partNumber]
	newNumbers := m.to[partNumber][fromBlock*BlockSize:]
	first := uint32(toBlock * BlockSize)

	for k := range kinds {
		from := &part.Blocks[fromBlock].Postings[k]
		to := &merged.entries[k]

		// The codes of terms are impacts, which depend on the mean length of all documents.
		recode := func(_ uint16, code uint8) uint8 { return code }
		if k == OfTerms && part.MeanLength != m.x.MeanLength {
			recode = m.recode(part, fromBlock)
		}

		sinceTick := 0
		for at, key := range from.keys {
			start := from.starts[at]
			end := from.starts[at+1]
			word := uint32(0)
			known := false

			for n := start; n < end; n++ {
				// A number below first wraps around, so this covers documents in earlier blocks, in later ones, and gone.
				doc := newNumbers[from.docs[n]] - first
				if doc >= BlockSize {
					continue
				}

				// A word gets a number at its first live document, so that nothing is left of words that only others had.
				if !known {
					if word, known = m.word(partNumber, k, key); !known {
						break // too many words are counted already
					}
				}

				to.add(word, uint16(doc), recode(from.docs[n], from.codes[n]))
			}

			sinceTick += int(end - start)
			if sinceTick > postingsPerTick {
				sinceTick = 0
				m.tick()
			}
		}
	}
}

// postingsPerTick is the number of postings between two calls of tick, which may pause the merge.
const postingsPerTick = 1 << 17

// word returns the new number of a word of a part. known is false for words beyond maxTallied.
func (m *merger) word(number int, k Kind, key uint32) (word uint32, known bool) {
	next := &m.words[number][k][key]
	if *next == 0 {
		text := string(m.parts[number].Names[k].At(key))
		names := &m.x.Names[k]
		word, known := names.Find(text)
		if !known {
			if k.tallied() && names.len() == maxTallied {
				return 0, false
			}
			word, _ = names.add(text)
		}
		*next = word + 1
	}
	return *next - 1, true
}

// recode returns a function that returns the impact, for the new mean length, of an impact in block j of a part.
func (m *merger) recode(p *Part, j int) func(doc uint16, code uint8) uint8 {
	lengths := p.Lengths[j*BlockSize:]
	known := map[uint32]*recoded{} // by rounded length
	tables := make([]*recoded, p.BlockSize(j))

	return func(doc uint16, code uint8) uint8 {
		// Documents of the same rounded length share a table, because their norms are equal.
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
			number := j*BlockSize + int(doc)
			before := p.Norm(number, p.MeanLength)
			after := p.Norm(number, m.x.MeanLength)
			t[code] = impact(uint8(Frequency(code, before)), after)
		}

		return t[code]
	}
}

// addVectors adds the vectors of a block whose documents are in block i of the result.
func (m *merger) addVectors(merged []vector.Column, b *Block, to []uint32, i int) {
	for space := range merged {
		for doc, number := range to {
			if number-uint32(i*BlockSize) < BlockSize {
				merged[space].Copy(int(number%BlockSize), &b.Vectors[space], doc)
			}
			if doc%4096 == 0 {
				m.tick()
			}
		}
	}
}

// TopicsOf returns the tree that a new base of parts is ordered by: that of the old one, or a new one if the index has
// at least orderedFrom documents by now. It is nil if documents stay in the order in which they were added.
func TopicsOf(parts []*Part, rotations []*vector.Rotation, documents, orderedFrom int) *vector.TopicTree {
	base := parts[0]
	space := vector.TopicSpace(rotations)
	if base.TopicTree != nil || space < 0 || documents < orderedFrom {
		return base.TopicTree
	}

	var sample []matching.Vector

	// Sampling at even distances covers all parts, old and new.
	every := max(1, documents/vector.TopicSample)
	for _, p := range parts {
		for doc := 0; doc < len(p.Lengths); doc += every {
			of := &p.Blocks[doc/BlockSize].Vectors[space]
			if at := doc % BlockSize; p.Current(uint32(doc)) && of.Squares[at] > 0 {
				sample = append(sample, of.At(at))
			}
		}
	}

	if len(sample) == 0 {
		return nil
	}

	return vector.NewTopicTree(space, sample)
}
