// Package idtable numbers the IDs of a load in little memory.
package idtable

import "hash/maphash"

// A Table numbers IDs in the order in which they are added. It takes 11 to 17 bytes per ID besides the ID itself, where
// a map of strings takes about 60. It holds at most 2³² IDs; a file with as many rows fails for other reasons.
type Table struct {
	seed  maphash.Seed
	slots []uint32 // the number of an ID plus one, or 0; their number is a power of two
	tags  []uint8  // a byte of the hash of each slot's ID, so that few IDs are compared
	pages []page
	n     uint32
}

// A page holds the texts of pageSize IDs, one after the other. Pages don't move when others are added.
type page struct {
	text []byte
	ends []uint32
}

const pageSize = 1 << 12

// New returns an empty table.
func New() Table { return Table{seed: maphash.MakeSeed()} }

// Len returns the number of IDs.
func (t *Table) Len() uint32 { return t.n }

// At returns the ID with a number. It is valid as long as the table.
func (t *Table) At(number uint32) []byte {
	page := &t.pages[number/pageSize]
	i := number % pageSize
	start := uint32(0)
	if i > 0 {
		start = page.ends[i-1]
	}
	return page.text[start:page.ends[i]]
}

// Find returns the number of an ID, and whether the table has it.
func (t *Table) Find(id string) (number uint32, ok bool) {
	if t.n == 0 {
		return 0, false
	}
	slot, ok := t.probe(id, maphash.String(t.seed, id))
	return t.slots[slot] - 1, ok
}

// Add adds an ID that the table doesn't have.
func (t *Table) Add(id string) {
	if limit := len(t.slots) / 5 * 4; int(t.n) >= limit {
		t.grow()
	}
	hash := maphash.String(t.seed, id)
	slot, _ := t.probe(id, hash)
	if t.n%pageSize == 0 {
		t.pages = append(t.pages, page{})
	}
	page := &t.pages[len(t.pages)-1]
	page.text = append(page.text, id...)
	page.ends = append(page.ends, uint32(len(page.text)))
	t.n++
	t.slots[slot], t.tags[slot] = t.n, tag(hash)
}

// tag returns the byte of a hash that is stored. The place of an ID depends on other bits.
func tag(hash uint64) uint8 { return uint8(hash >> 56) }

// probe returns the slot of an ID and true, or the free slot where it belongs.
func (t *Table) probe(id string, hash uint64) (slot uint64, ok bool) {
	mask := uint64(len(t.slots) - 1)
	for slot = hash & mask; t.slots[slot] != 0; slot = (slot + 1) & mask {
		if t.tags[slot] == tag(hash) && string(t.At(t.slots[slot]-1)) == id {
			return slot, true
		}
	}
	return slot, false
}

// grow doubles the number of slots.
func (t *Table) grow() {
	size := max(64, 2*len(t.slots))
	t.slots, t.tags = make([]uint32, size), make([]uint8, size)
	mask := uint64(size - 1)
	for number := range t.n {
		hash := maphash.Bytes(t.seed, t.At(number))
		slot := hash & mask
		for t.slots[slot] != 0 {
			slot = (slot + 1) & mask
		}
		t.slots[slot], t.tags[slot] = number+1, tag(hash)
	}
}
