package embedded

import "slices"

// blockSize is the number of documents in a block, whose numbers fit into two bytes.
const blockSize = 1 << 16

// postings lists the documents of one block by key, the number of a term, a skill or a family. The documents of keys[i]
// are docs[starts[i]:starts[i+1]], ascending. Each has a code: the impact of a term, the evidence of a skill, or
// Sibling for a family.
type postings struct {
	keys   []uint32 // ascending
	starts []uint32 // has one more element than keys
	docs   []uint16
	codes  []uint8
}

// A list holds the documents of one key in one block.
type list struct {
	docs  []uint16
	codes []uint8
}

// find returns the documents of a key, which may be none.
func (p *postings) find(key uint32) list {
	i, ok := slices.BinarySearch(p.keys, key)
	if !ok {
		return list{}
	}
	start, end := p.starts[i], p.starts[i+1]
	return list{p.docs[start:end], p.codes[start:end]}
}

// code returns the code of a document, or 0 if it is not in the list. The binary search has no data-dependent branch:
// the processor could not predict it, and without it several searches can run in parallel.
func (l list) code(doc uint16) uint8 {
	base, n := 0, len(l.docs)
	for n > 1 {
		half := n / 2
		before := (int(l.docs[base+half]) - int(doc) - 1) >> 63 // all ones when docs[base+half] <= doc
		base += half & before
		n -= half
	}
	if n == 1 && l.docs[base] == doc {
		return l.codes[base]
	}
	return 0
}

// rewrite replaces every code with the result of code, and removes the documents for which that is 0.
func (p *postings) rewrite(code func(doc uint16, code uint8) uint8) {
	kept, keys := uint32(0), 0
	for i, key := range p.keys {
		start := kept
		for j := p.starts[i]; j < p.starts[i+1]; j++ {
			if c := code(p.docs[j], p.codes[j]); c != 0 {
				p.docs[kept], p.codes[kept] = p.docs[j], c
				kept++
			}
		}
		if kept > start {
			p.keys[keys], p.starts[keys] = key, start
			keys++
		}
	}
	p.starts[keys] = kept
	p.keys, p.starts = p.keys[:keys], p.starts[:keys+1]
	p.docs, p.codes = p.docs[:kept], p.codes[:kept]
}

// count adds the number of documents of each key to total.
func (p *postings) count(total []uint32) {
	for i, key := range p.keys {
		total[key] += p.starts[i+1] - p.starts[i]
	}
}

// entries holds the postings of one block before sorting: document by document, with keys in any order.
type entries struct {
	keys  []uint32
	docs  []uint16
	codes []uint8
}

func (e *entries) add(key uint32, doc uint16, code uint8) {
	e.keys = append(e.keys, key)
	e.docs = append(e.docs, doc)
	e.codes = append(e.codes, code)
}

func (e *entries) reset() {
	e.keys, e.docs, e.codes = e.keys[:0], e.docs[:0], e.codes[:0]
}

// postings returns the entries sorted by key with a counting sort, which preserves the order of documents. Every key
// must be below keys.
func (e *entries) postings(keys int) postings {
	next := make([]uint32, keys)
	for _, key := range e.keys {
		next[key]++
	}
	p := postings{docs: make([]uint16, len(e.docs)), codes: make([]uint8, len(e.codes))}
	start := uint32(0)
	for key, count := range next {
		if count > 0 {
			p.keys = append(p.keys, uint32(key))
			p.starts = append(p.starts, start)
		}
		next[key] = start
		start += count
	}
	p.starts = append(p.starts, start)
	for i, key := range e.keys {
		at := next[key]
		next[key]++
		p.docs[at], p.codes[at] = e.docs[i], e.codes[i]
	}
	return p
}
