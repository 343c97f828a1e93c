package segment

import (
	"github.com/freelancer-matching/service/engine/embedded/vector"
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
func (b *Block) scatter(to []uint32, blocks []*gathered, first int) {
	for k := range kinds {
		p := &b.Postings[k]
		for i, key := range p.keys {
			for n := p.starts[i]; n < p.starts[i+1]; n++ {
				number := to[p.docs[n]]
				if at := int(number/BlockSize) - first; at >= 0 && at < len(blocks) {
					blocks[at].entries[k].add(key, uint16(number%BlockSize), p.codes[n])
				}
			}
		}
	}

	for space := range b.Vectors {
		from := &b.Vectors[space]
		for doc := range from.Squares {
			if at := int(to[doc]/BlockSize) - first; at >= 0 && at < len(blocks) {
				blocks[at].vectors[space].Copy(int(to[doc]%BlockSize), from, doc)
			}
		}
	}
}

// finish returns the block, which has the given number of documents. Its keys are numbers of names. It calls tick after
// every few dozen milliseconds of work.
func (g *gathered) finish(names *[kinds]Names, documents int, tick func()) Block {
	finished := Block{Vectors: g.vectors}
	for k := range kinds {
		e := &g.entries[k]
		e.sortDocs(documents)
		tick()
		finished.Postings[k] = e.postings(names[k].len())
		tick()
		finished.Postings[k].direct()
		tick()
	}
	return finished
}
