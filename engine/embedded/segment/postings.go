package segment

import (
	"fmt"
	"math"
	"slices"

	"github.com/freelancer-matching/service/engine/embedded/bitmap"
	"github.com/freelancer-matching/service/engine/embedded/sectionfile"
)

// BlockSize is the number of documents in a block, whose numbers fit into two bytes.
const BlockSize = 1 << 16

// A tile is tileSize adjacent documents of a block, whose numbers differ only in the low byte. Searches skip tiles that
// can't contain a hit.
const (
	TileSize      = 1 << 8
	TilesPerBlock = BlockSize / TileSize
)

// Postings lists the documents of one block by key, the number of a term, a skill or a family. The documents of keys[i]
// are docs[starts[i]:starts[i+1]], ascending. Each has a code: the impact of a term, the evidence of a skill, or
// Sibling for a family.
//
// A list of more than shortList documents also has a directory of the tiles in which it has documents, so that a search
// finds the highest code in each tile without reading the list, as in block-max indexes (Ding and Suel, SIGIR 2011).
type Postings struct {
	keys   []uint32 // ascending
	starts []uint32 // has one more element than keys
	docs   []uint16
	codes  []uint8

	// The directory of keys[i] consists of the elements from tileStarts[i] to tileStarts[i+1] of the other slices. All
	// are empty until direct is called.
	tileStarts []uint32
	tiles      []uint8  // ascending
	highest    []uint8  // the highest code in the tile
	froms      []uint16 // the place in the list of the tile's first document
}

// ShortList is the length up to which lists have no directory.
const ShortList = 64

// A List holds the documents of one key in one block.
type List struct {
	Docs  []uint16
	Codes []uint8

	Tiles, Highest []uint8 // the directory; empty for a short list
	froms          []uint16
}

// Place returns the place of a key among the keys, or absent.
func (p *Postings) Place(key uint32) uint32 {
	if i, ok := slices.BinarySearch(p.keys, key); ok {
		return uint32(i)
	}
	return Absent
}

// Absent is the place of a key that has no documents.
const Absent = math.MaxUint32

// At returns the documents of the key at a place, which are none if the place is absent.
func (p *Postings) At(place uint32) List {
	if place == Absent {
		return List{}
	}
	start := p.starts[place]
	end := p.starts[place+1]
	l := List{Docs: p.docs[start:end], Codes: p.codes[start:end]}
	if len(l.Docs) > ShortList && len(p.tileStarts) > 0 {
		start = p.tileStarts[place]
		end = p.tileStarts[place+1]
		l.Tiles = p.tiles[start:end]
		l.Highest = p.highest[start:end]
		l.froms = p.froms[start:end]
	}
	return l
}

// Find returns the documents of a key, which may be none.
func (p *Postings) Find(key uint32) List { return p.At(p.Place(key)) }

// Directory appends each tile with documents of the list, and their highest codes.
func (l *List) Directory(tiles, highest []uint8) ([]uint8, []uint8) {
	from := len(tiles)
	for i, doc := range l.Docs {
		if tile := uint8(doc / TileSize); len(tiles) == from || tiles[len(tiles)-1] != tile {
			tiles = append(tiles, tile)
			highest = append(highest, l.Codes[i])
		} else if code := l.Codes[i]; code > highest[len(highest)-1] {
			highest[len(highest)-1] = code
		}
	}
	return tiles, highest
}

// InTile returns the part of the list that is in a tile, without a directory.
func (l *List) InTile(tile int) List {
	if len(l.Tiles) > 0 {
		i, ok := slices.BinarySearch(l.Tiles, uint8(tile))
		if !ok {
			return List{}
		}

		from := int(l.froms[i])
		to := len(l.Docs)
		if i+1 < len(l.froms) {
			to = int(l.froms[i+1])
		}

		return List{Docs: l.Docs[from:to], Codes: l.Codes[from:to]}
	}

	// A short list has no directory: it takes two cache lines, and is searched from its start.
	from, to := 0, 0
	for from < len(l.Docs) && int(l.Docs[from])/TileSize < tile {
		from++
	}

	for to = from; to < len(l.Docs) && int(l.Docs[to])/TileSize == tile; to++ {
	}
	return List{Docs: l.Docs[from:to], Codes: l.Codes[from:to]}
}

// Union returns the documents of two lists of one block, each with the higher of its codes. Unless one is empty, the
// result has memory of its own.
func Union(a, b List) List {
	if len(a.Docs) == 0 {
		return b
	}
	if len(b.Docs) == 0 {
		return a
	}

	size := len(a.Docs) + len(b.Docs)
	merged := List{Docs: make([]uint16, 0, size), Codes: make([]uint8, 0, size)}
	for i, j := 0, 0; i < len(a.Docs) || j < len(b.Docs); {
		inA := j == len(b.Docs) || i < len(a.Docs) && a.Docs[i] <= b.Docs[j]
		inB := i == len(a.Docs) || j < len(b.Docs) && b.Docs[j] <= a.Docs[i]
		var doc uint16
		var code uint8
		if inA {
			doc, code = a.Docs[i], a.Codes[i]
			i++
		}
		if inB {
			doc, code = b.Docs[j], max(code, b.Codes[j])
			j++
		}
		merged.Docs = append(merged.Docs, doc)
		merged.Codes = append(merged.Codes, code)
	}

	if len(merged.Docs) > ShortList {
		merged.Tiles, merged.Highest = merged.Directory(nil, nil)
		merged.froms = merged.tileBeginnings(nil, merged.Tiles)
	}
	return merged
}

// tileBeginnings appends the places of the first document of each tile of a directory.
func (l *List) tileBeginnings(froms []uint16, tiles []uint8) []uint16 {
	place := 0
	for _, tile := range tiles {
		for int(l.Docs[place])/TileSize < int(tile) {
			place++
		}
		froms = append(froms, uint16(place))
	}
	return froms
}

// direct builds the directories.
func (p *Postings) direct() {
	p.tileStarts = make([]uint32, 1, len(p.keys)+1)
	p.tiles, p.highest, p.froms = p.tiles[:0], p.highest[:0], p.froms[:0]
	for i := range p.keys {
		l := List{Docs: p.docs[p.starts[i]:p.starts[i+1]], Codes: p.codes[p.starts[i]:p.starts[i+1]]}
		if len(l.Docs) > ShortList {
			from := len(p.tiles)
			tiles, highest := l.Directory(p.tiles, p.highest)
			p.froms = l.tileBeginnings(p.froms, tiles[from:])
			p.tiles = tiles
			p.highest = highest
		}

		p.tileStarts = append(p.tileStarts, uint32(len(p.tiles)))
	}
}

// Code returns the code of a document, or 0 if it is not in the list. The binary search has no data-dependent branch:
// the processor could not predict it, and without it several searches can run in parallel.
func (l List) Code(doc uint16) uint8 {
	base := 0
	n := len(l.Docs)
	for n > 1 {
		half := n / 2
		before := (int(l.Docs[base+half]) - int(doc) - 1) >> 63 // all ones when docs[base+half] <= doc
		base += half & before
		n -= half
	}
	if n == 1 && l.Docs[base] == doc {
		return l.Codes[base]
	}
	return 0
}

// rewrite replaces every code with the result of code, and removes the documents for which that is 0.
func (p *Postings) rewrite(code func(doc uint16, code uint8) uint8) {
	kept := uint32(0)
	keys := 0
	for i, key := range p.keys {
		start := kept
		for j := p.starts[i]; j < p.starts[i+1]; j++ {
			if c := code(p.docs[j], p.codes[j]); c != 0 {
				p.docs[kept] = p.docs[j]
				p.codes[kept] = c
				kept++
			}
		}

		// A key that has lost all its documents goes as well.
		if kept > start {
			p.keys[keys] = key
			p.starts[keys] = start
			keys++
		}
	}

	p.starts[keys] = kept
	p.keys, p.starts = p.keys[:keys], p.starts[:keys+1]
	p.docs, p.codes = p.docs[:kept], p.codes[:kept]
}

// count adds the number of documents of each key to total.
func (p *Postings) count(total []uint32) {
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
func (e *entries) postings(keys int) Postings {
	next := make([]uint32, keys)
	for _, key := range e.keys {
		next[key]++
	}

	p := Postings{docs: make([]uint16, len(e.docs)), codes: make([]uint8, len(e.codes))}
	start := uint32(0)
	for key, count := range next {
		if count > 0 {
			p.keys = append(p.keys, uint32(key))
			p.starts = append(p.starts, start)
		}
		// From here on, next has the place of each key's next entry instead of its count.
		next[key] = start
		start += count
	}

	p.starts = append(p.starts, start)
	for i, key := range e.keys {
		at := next[key]
		next[key]++
		p.docs[at] = e.docs[i]
		p.codes[at] = e.codes[i]
	}

	return p
}

// TilesFor returns the number of tiles that the given number of documents needs.
func TilesFor(documents int) int { return (documents + TileSize - 1) / TileSize }

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

// subtract subtracts documents, which are also marked, from the number of documents with each key. It looks documents
// up in long lists and goes through short ones.
func (p *Postings) subtract(counts []uint32, docs []uint32, marked bitmap.Set) {
	for i, key := range p.keys {
		start := p.starts[i]
		end := p.starts[i+1]
		l := List{Docs: p.docs[start:end], Codes: p.codes[start:end]}
		if len(l.Docs) > 16*len(docs) {
			for _, doc := range docs {
				if l.Code(uint16(doc%BlockSize)) != 0 {
					counts[key]--
				}
			}
			continue
		}
		for _, doc := range l.Docs {
			if marked.Has(int(doc)) {
				counts[key]--
			}
		}
	}
}

func (p *Postings) transfer(s *sectionfile.Sections, name string) {
	sectionfile.Transfer(s, name+" keys", &p.keys)
	sectionfile.Transfer(s, name+" starts", &p.starts)
	sectionfile.Transfer(s, name+" documents", &p.docs)
	sectionfile.Transfer(s, name+" codes", &p.codes)
	sectionfile.Transfer(s, name+" tile starts", &p.tileStarts)
	sectionfile.Transfer(s, name+" tiles", &p.tiles)
	sectionfile.Transfer(s, name+" highest codes", &p.highest)
	sectionfile.Transfer(s, name+" tile documents", &p.froms)
}

// checkShape returns an error unless the numbers of keys, starts, documents and codes agree.
func (p *Postings) checkShape(name string) error {
	if len(p.starts) != len(p.keys)+1 || len(p.codes) != len(p.docs) {
		return fmt.Errorf("%s: keys, starts, documents and codes contradict each other", name)
	}
	if len(p.tileStarts) != len(p.starts) || len(p.highest) != len(p.tiles) || len(p.froms) != len(p.tiles) {
		return fmt.Errorf("%s: the directories of tiles contradict each other", name)
	}
	return nil
}

// checkContent returns an error unless the keys are below keys, the documents below size, and the codes at most
// highest.
func (p *Postings) checkContent(name string, keys, size int, highest uint8) error {
	if p.starts[0] != 0 || !slices.IsSorted(p.starts) || int(p.starts[len(p.keys)]) != len(p.docs) {
		return fmt.Errorf("%s: keys, starts, documents and codes contradict each other", name)
	}

	n := len(p.keys)
	inOrder := n == 0 || slices.IsSorted(p.keys) && int(p.keys[n-1]) < keys
	if !inOrder {
		return fmt.Errorf("%s: keys are not in order, or not below %d", name, keys)
	}

	for _, doc := range p.docs {
		if int(doc) >= size {
			return fmt.Errorf("%s: document %d of %d", name, doc, size)
		}
	}

	for _, code := range p.codes {
		if code > highest {
			return fmt.Errorf("%s: code %d, want at most %d", name, code, highest)
		}
	}

	// The directories follow from the lists, so they are computed again and compared.
	want := Postings{keys: p.keys, starts: p.starts, docs: p.docs, codes: p.codes}
	want.direct()
	sameTiles := slices.Equal(p.tileStarts, want.tileStarts) && slices.Equal(p.tiles, want.tiles)
	sameSummaries := slices.Equal(p.highest, want.highest) && slices.Equal(p.froms, want.froms)
	if !sameTiles || !sameSummaries {
		return fmt.Errorf("%s: the directories of tiles don't belong to the lists", name)
	}

	return nil
}
