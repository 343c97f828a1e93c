package embedded

// A gathered is a block under construction whose documents come from other blocks, in any order.
type gathered struct {
	entries [kinds]entries
	vectors []vectors
}

func newGathered(rotations []*rotation, documents int) *gathered {
	g := &gathered{vectors: newVectors(rotations)}
	for space, r := range rotations {
		v := &g.vectors[space]
		v.values, v.squares = make([]int8, documents*r.dimensions), make([]uint32, documents)
		for word := range v.high {
			v.high[word], v.low[word] = make([]uint64, documents), make([]uint64, documents)
		}
	}
	return g
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
		for doc := range from.squares {
			if at := int(to[doc]/blockSize) - first; at >= 0 && at < len(blocks) {
				blocks[at].vectors[space].set(int(to[doc]%blockSize), from, doc)
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

// sortDocs sorts the entries by document, with a counting sort. There is the given number of documents.
func (e *entries) sortDocs(documents int) {
	next := make([]uint32, documents+1)
	for _, doc := range e.docs {
		next[int(doc)+1]++
	}
	for doc := range documents {
		next[doc+1] += next[doc]
	}
	sorted := entries{
		keys: make([]uint32, len(e.keys)), docs: make([]uint16, len(e.docs)), codes: make([]uint8, len(e.codes)),
	}
	for i, doc := range e.docs {
		at := next[doc]
		next[doc]++
		sorted.keys[at] = e.keys[i]
		sorted.docs[at] = doc
		sorted.codes[at] = e.codes[i]
	}
	*e = sorted
}

// set copies the vector of a document of another block.
func (c *vectors) set(doc int, from *vectors, fromDoc int) {
	copy(c.at(doc), from.at(fromDoc))
	c.squares[doc] = from.squares[fromDoc]
	for word := range c.high {
		c.high[word][doc], c.low[word][doc] = from.high[word][fromDoc], from.low[word][fromDoc]
	}
}
