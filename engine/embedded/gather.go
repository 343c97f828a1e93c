package embedded

import (
	"freelancer-matching/engine/embedded/vector"
)

// A gathered is a block under construction whose documents come from other blocks, in any order.
type gathered struct {
	entries [kinds]entries
	vectors []vector.Column
}

func newGathered(rotations []*vector.Rotation, documents int) *gathered {
	return &gathered{vectors: vector.NewSizedColumns(rotations, documents)}
}

// scatter adds the documents of a block to those blocks, of which the first has a given number, where to says that they
// belong.
func (b *block) scatter(to []uint32, blocks []*gathered, first int) {
	for k := range kinds {
		p := &b.postings[k]
		for i, key := range p.keys {
			for n := p.starts[i]; n < p.starts[i+1]; n++ {
				number := to[p.docs[n]]
				if at := int(number/blockSize) - first; at >= 0 && at < len(blocks) {
					blocks[at].entries[k].add(key, uint16(number%blockSize), p.codes[n])
				}
			}
		}
	}

	for space := range b.vectors {
		from := &b.vectors[space]
		for doc := range from.Squares {
			if at := int(to[doc]/blockSize) - first; at >= 0 && at < len(blocks) {
				blocks[at].vectors[space].Copy(int(to[doc]%blockSize), from, doc)
			}
		}
	}
}

// finish returns the block, which has the given number of documents. Its keys are numbers of names. It calls tick after
// every few dozen milliseconds of work.
func (g *gathered) finish(names *[kinds]names, documents int, tick func()) block {
	finished := block{vectors: g.vectors}
	for k := range kinds {
		e := &g.entries[k]
		e.sortDocs(documents)
		tick()
		finished.postings[k] = e.postings(names[k].len())
		tick()
		finished.postings[k].direct()
		tick()
	}
	return finished
}
