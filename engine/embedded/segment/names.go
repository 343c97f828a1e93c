package segment

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"slices"
	"sort"

	"github.com/freelancer-matching/service/engine/embedded/sectionfile"
)

// Names is a set of distinct strings, numbered in the order they were added. However many there are, it consists of
// slices without pointers, which the garbage collector doesn't scan.
//
// A set that is being built finds names in a hash table, whose hashes differ between processes. A stored set finds them
// by binary search in hashes, which takes half the memory of a hash table, and is as fast if somebody has chosen names
// with equal hashes.
type Names struct {
	text []byte
	ends []uint32 // the end of each name in text

	slots []slot // open addressing with linear probing; a power of two, at most 3/4 full
	seed  maphash.Seed

	hashes []uint32 // nameHash of each name, ascending; only of a stored set
	order  []uint32 // the numbers of the names, by hash and then by text; only of a stored set
}

// A slot holds the number of a name plus one, or 0 if it is free, and the upper half of the name's hash, which avoids
// most comparisons.
type slot struct {
	tag, next uint32
}

func (n *Names) len() int { return len(n.ends) }

// At returns the name with the given number.
func (n *Names) At(number uint32) []byte {
	start := uint32(0)
	if number > 0 {
		start = n.ends[number-1]
	}
	return n.text[start:n.ends[number]]
}

// Find returns the number of a name and whether the set contains it.
func (n *Names) Find(name string) (number uint32, ok bool) {
	if len(n.slots) == 0 {
		return n.search(name)
	}
	s := n.probe(name, maphash.String(n.seed, name))
	return s.next - 1, s.next != 0
}

// add returns the number of a name, adding it if the set doesn't contain it.
func (n *Names) add(name string) (number uint32, added bool) {
	if 4*(len(n.ends)+1) > 3*len(n.slots) {
		n.index()
	}
	hash := maphash.String(n.seed, name)
	s := n.probe(name, hash)
	if s.next != 0 {
		return s.next - 1, false
	}
	n.append([]byte(name))
	*s = slot{tag: uint32(hash >> 32), next: uint32(len(n.ends))}
	return s.next - 1, true
}

// append adds a name that the set doesn't contain, without making it possible to find any of the names.
func (n *Names) append(name []byte) {
	n.text = append(n.text, name...)
	n.ends = append(n.ends, uint32(len(n.text)))
}

// probe returns the slot of a name, or the free slot where it belongs.
func (n *Names) probe(name string, hash uint64) *slot {
	mask := uint64(len(n.slots) - 1)
	tag := uint32(hash >> 32)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := &n.slots[i]
		if s.next == 0 || s.tag == tag && string(n.At(s.next-1)) == name {
			return s
		}
	}
}

// index builds the slots, with room for one more name. It is called when they run out.
func (n *Names) index() {
	slots := 16
	for 3*slots < 4*(len(n.ends)+1) {
		slots *= 2
	}
	if n.slots == nil {
		n.seed = maphash.MakeSeed()
	}
	n.slots = make([]slot, slots)
	mask := uint64(slots - 1)
	for number := range n.ends {
		hash := maphash.Bytes(n.seed, n.At(uint32(number)))
		i := hash & mask
		for n.slots[i].next != 0 {
			i = (i + 1) & mask
		}
		n.slots[i] = slot{tag: uint32(hash >> 32), next: uint32(number + 1)}
	}
}

// search does what find does for a stored set.
func (n *Names) search(name string) (number uint32, ok bool) {
	hash := nameHash(name)
	at := sort.Search(len(n.hashes), func(i int) bool {
		return n.hashes[i] > hash || n.hashes[i] == hash && string(n.At(n.order[i])) >= name
	})
	if at == len(n.hashes) || n.hashes[at] != hash || string(n.At(n.order[at])) != name {
		return 0, false
	}
	return n.order[at], true
}

// sort returns the hashes and the order of the names.
func (n *Names) sort() (hashes, order []uint32) {
	sorted := make([]uint64, n.len()) // hash and number
	for number := range sorted {
		sorted[number] = uint64(nameHash(n.At(uint32(number))))<<32 | uint64(number)
	}

	slices.Sort(sorted)
	hashes = make([]uint32, n.len())
	order = make([]uint32, n.len())
	for i, entry := range sorted {
		hashes[i], order[i] = uint32(entry>>32), uint32(entry)
	}

	// search expects names with equal hashes in the order of their text.
	byText := func(a, b uint32) int { return bytes.Compare(n.At(a), n.At(b)) }
	for from := 0; from < len(hashes); {
		to := from + 1
		for to < len(hashes) && hashes[to] == hashes[from] {
			to++
		}

		if to-from > 1 {
			slices.SortFunc(order[from:to], byText)
		}
		from = to
	}

	return hashes, order
}

// nameHash returns the FNV-1a hash of a name. It is stored: a change requires a new sectionfile.FormatVersion.
func nameHash[T string | []byte](name T) uint32 {
	hash := uint32(2166136261)
	for i := range len(name) {
		hash = (hash ^ uint32(name[i])) * 16777619
	}
	return hash
}

// transfer writes or reads a set. indexed says whether names can be found in the stored set.
func (n *Names) transfer(s *sectionfile.Sections, name string, indexed bool) {
	sectionfile.Transfer(s, name+" text", &n.text)
	sectionfile.Transfer(s, name+" ends", &n.ends)
	hashes := n.hashes
	order := n.order
	if s.Writing() && indexed {
		hashes, order = n.sort()
	}
	sectionfile.Transfer(s, name+" hashes", &hashes)
	sectionfile.Transfer(s, name+" order", &order)
	if !s.Writing() {
		n.hashes = hashes
		n.order = order
	}
}

// checkShape returns an error unless there are postings for each key. indexed says whether names can be found.
func (n *Names) checkShape(name string, indexed bool) error {
	want := 0
	if indexed {
		want = n.len()
	}
	if len(n.hashes) != want || len(n.order) != want {
		return fmt.Errorf("%s: %d hashes and %d numbers of %d names", name, len(n.hashes), len(n.order), n.len())
	}
	return nil
}

func (n *Names) checkContent(name string) error {
	end := uint32(0)
	for _, next := range n.ends {
		if next < end {
			return fmt.Errorf("%s: a name ends before its start", name)
		}
		end = next
	}

	if int(end) != len(n.text) {
		return fmt.Errorf("%s: the names end at byte %d of %d", name, end, len(n.text))
	}

	for i, number := range n.order {
		if int(number) >= n.len() || nameHash(n.At(number)) != n.hashes[i] {
			return fmt.Errorf("%s: name %d has another hash", name, number)
		}
	}

	if !slices.IsSorted(n.hashes) {
		return fmt.Errorf("%s: hashes are not in order", name)
	}

	return nil
}
