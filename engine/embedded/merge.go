package embedded

import (
	"math"

	"freelancer-matching/engine"
)

// A merger builds one segment from the live documents of adjacent parts, in order, block by block. Words that no live
// document uses are gone from the result.
//
// Impacts are converted to frequencies and back if the mean length has changed. Frequencies up to six are recovered
// exactly; the scores of others may change by about one code; see frequency.
type merger struct {
	x         *segment // the result, without blocks
	parts     []*part
	to        [][]uint32        // by part: the new number of each document, or gone
	words     [][kinds][]uint32 // by part: the new number of each word plus one, or 0 if none is known yet
	rotations []*rotation
	entries   [kinds]entries
	tick      func() // called after every few milliseconds of work
}

const gone = math.MaxUint32

// recoded holds new impacts by old impact, or 0 where it isn't known yet.
type recoded [codes + 1]uint8

// newMerger starts to merge parts: the result has everything but classes and blocks. mean is the length for impacts.
func (s *shared) newMerger(parts []*part, mean float64, tick func()) *merger {
	m := &merger{
		x: &segment{bm25: parts[0].bm25, meanLength: mean}, parts: parts, rotations: s.rotations, tick: tick,
		to: make([][]uint32, len(parts)), words: make([][kinds][]uint32, len(parts)),
	}
	x := m.x
	for i, p := range parts {
		m.to[i] = make([]uint32, len(p.lengths))
		for k := range kinds {
			m.words[i][k] = make([]uint32, p.names[k].len())
		}
		for doc := range uint32(len(p.lengths)) {
			if !p.current(doc) {
				m.to[i][doc] = gone
				continue
			}
			number := uint32(len(x.lengths))
			m.to[i][doc] = number
			x.ids.add(string(p.id(doc)))
			x.docOf, x.idOf = append(x.docOf, number), append(x.idOf, number)
			x.lengths = append(x.lengths, p.lengths[doc])
			x.signals.add(p.signals.at(int(doc)))
			x.from = append(x.from, p.from[doc])
			x.records.add(p.records.at(doc))
			if number%4096 == 0 {
				tick()
			}
		}
	}
	return m
}

// merge returns one segment with the live documents of parts, which has the classes of the segment like.
func (s *shared) merge(parts []*part, mean float64, like *segment) *segment {
	m := s.newMerger(parts, mean, func() {})
	m.x.classifyLike(like)
	m.x.blocks = make([]block, blocksFor(len(m.x.lengths)))
	for i := range m.x.blocks {
		m.x.blocks[i] = m.block(i)
	}
	m.x.summarize()
	return m.x
}

// block returns block number i of the result.
func (m *merger) block(i int) block {
	merged := block{vectors: newVectors(m.rotations)}
	for number, p := range m.parts {
		for j := range p.blocks {
			to := m.to[number][j*blockSize:][:p.blockSize(j)]
			if from, until := span(to); from == gone || int(from) >= (i+1)*blockSize || int(until) < i*blockSize {
				continue
			}
			m.addPostings(number, j, i)
			m.addVectors(merged.vectors, &p.blocks[j], to, i)
		}
	}
	for k := range kinds {
		merged.postings[k] = m.entries[k].postings(m.x.names[k].len())
		merged.postings[k].direct()
		m.entries[k].reset()
		m.tick()
	}
	return merged
}

// span returns the first and the last new number in to, or gone if there are none.
func span(to []uint32) (first, last uint32) {
	first, last = gone, gone
	for _, number := range to {
		if number != gone {
			first = number
			break
		}
	}
	for i := len(to) - 1; i >= 0; i-- {
		if to[i] != gone {
			last = to[i]
			break
		}
	}
	return first, last
}

// addPostings adds those postings of block j of a part whose documents are in block i of the result.
func (m *merger) addPostings(number, j, i int) {
	p, first := m.parts[number], uint32(i*blockSize)
	to := m.to[number][j*blockSize:]
	for k := range kinds {
		from, e, worked := &p.blocks[j].postings[k], &m.entries[k], 0
		recode := func(_ uint16, code uint8) uint8 { return code }
		if k == ofTerms && p.meanLength != m.x.meanLength {
			recode = m.recode(p, j)
		}
		for at, key := range from.keys {
			start, end := from.starts[at], from.starts[at+1]
			word, known := uint32(0), false
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
		text, names := string(m.parts[number].names[k].at(key)), &m.x.names[k]
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
			before, after := p.norm(number, p.meanLength), p.norm(number, m.x.meanLength)
			t[code] = impact(uint8(frequency(code, before)), after)
		}
		return t[code]
	}
}

// addVectors adds the vectors of a block whose documents are in block i of the result.
func (m *merger) addVectors(merged []vectors, b *block, to []uint32, i int) {
	for space := range merged {
		for doc, number := range to {
			if number-uint32(i*blockSize) < blockSize {
				merged[space].addFrom(&b.vectors[space], doc)
			}
			if doc%4096 == 0 {
				m.tick()
			}
		}
	}
}
