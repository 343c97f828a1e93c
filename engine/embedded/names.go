package embedded

import "hash/maphash"

// names is a set of distinct strings, numbered in the order they were added. However many there are, it consists of
// slices without pointers, which the garbage collector doesn't scan.
type names struct {
	text  []byte
	ends  []uint32 // the end of each name in text
	slots []slot   // open addressing with linear probing; a power of two, at most half full
	seed  maphash.Seed
}

// A slot holds the number of a name plus one, or 0 if it is free, and the upper half of the name's hash, which avoids
// most comparisons.
type slot struct {
	tag, next uint32
}

func (n *names) len() int { return len(n.ends) }

// at returns the name with the given number.
func (n *names) at(number uint32) []byte {
	start := uint32(0)
	if number > 0 {
		start = n.ends[number-1]
	}
	return n.text[start:n.ends[number]]
}

// find returns the number of a name and whether the set contains it.
func (n *names) find(name string) (number uint32, ok bool) {
	if len(n.slots) == 0 {
		return 0, false
	}
	s := n.probe(name, maphash.String(n.seed, name))
	return s.next - 1, s.next != 0
}

// add returns the number of a name, adding it if the set doesn't contain it.
func (n *names) add(name string) (number uint32, added bool) {
	if 2*(len(n.ends)+1) > len(n.slots) {
		n.index()
	}
	hash := maphash.String(n.seed, name)
	s := n.probe(name, hash)
	if s.next != 0 {
		return s.next - 1, false
	}
	n.text = append(n.text, name...)
	n.ends = append(n.ends, uint32(len(n.text)))
	*s = slot{tag: uint32(hash >> 32), next: uint32(len(n.ends))}
	return s.next - 1, true
}

// probe returns the slot of a name, or the free slot where it belongs.
func (n *names) probe(name string, hash uint64) *slot {
	mask, tag := uint64(len(n.slots)-1), uint32(hash>>32)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := &n.slots[i]
		if s.next == 0 || s.tag == tag && string(n.at(s.next-1)) == name {
			return s
		}
	}
}

// index builds the slots, with room for one more name. It is called when they run out, and after text and ends are read
// from a file: slots can't be stored, because every process has its own hash seed.
func (n *names) index() {
	slots := 16
	for slots < 2*(len(n.ends)+1) {
		slots *= 2
	}
	if n.slots == nil {
		n.seed = maphash.MakeSeed()
	}
	n.slots = make([]slot, slots)
	mask := uint64(slots - 1)
	for number := range n.ends {
		hash := maphash.Bytes(n.seed, n.at(uint32(number)))
		i := hash & mask
		for n.slots[i].next != 0 {
			i = (i + 1) & mask
		}
		n.slots[i] = slot{tag: uint32(hash >> 32), next: uint32(number + 1)}
	}
}
