package embedding

// A pieceTable finds the longest piece that a text starts with. Most candidates are no pieces, which a bit set that
// fits into the processor's cache shows without looking at the table.
type pieceTable struct {
	texts   []string
	numbers []int32  // by text
	slots   []int32  // index into texts plus one, by hash; 0 if free; a power of two, at most half full
	hashes  []uint64 // bit set of the hashes of all texts, modulo its size
	longest int
}

const (
	hashSeed  uint64 = 14695981039346656037 // FNV-1a
	hashPrime uint64 = 1099511628211
)

func newPieceTable(count int) *pieceTable {
	size := 64
	for size < 2*count {
		size *= 2
	}
	return &pieceTable{slots: make([]int32, size), hashes: make([]uint64, 8*size/64)}
}

// bit returns the position of a hash in the bit set.
func (t *pieceTable) bit(hash uint64) (word, bit uint64) {
	at := (hash ^ hash>>32) & uint64(64*len(t.hashes)-1)
	return at / 64, at % 64
}

// find returns the index into texts of a text with the given hash, or -1.
func (t *pieceTable) find(text string, hash uint64) int32 {
	if word, bit := t.bit(hash); t.hashes[word]>>bit&1 == 0 {
		return -1
	}
	slot, _ := t.probe(text, hash)
	return t.slots[slot] - 1
}

// probe returns the slot of a text, or the free one where it belongs.
func (t *pieceTable) probe(text string, hash uint64) (slot uint64, found bool) {
	mask := uint64(len(t.slots) - 1)
	for slot = (hash ^ hash>>29) & mask; t.slots[slot] != 0; slot = (slot + 1) & mask {
		if t.texts[t.slots[slot]-1] == text {
			return slot, true
		}
	}
	return slot, false
}

// add adds a piece with its number, and reports whether it is new. There must be room for it.
func (t *pieceTable) add(text string, number int32) (isNew bool) {
	hash := hashSeed
	for i := range len(text) {
		hash = (hash ^ uint64(text[i])) * hashPrime
	}
	slot, found := t.probe(text, hash)
	if found {
		return false
	}
	t.texts, t.numbers = append(t.texts, text), append(t.numbers, number)
	t.slots[slot] = int32(len(t.texts))
	word, bit := t.bit(hash)
	t.hashes[word] |= 1 << bit
	t.longest = max(t.longest, len(text))
	return true
}

// prefix returns the number and the length of the longest piece that a text of up to maxWordBytes starts with. The
// length is 0 if no piece matches.
func (t *pieceTable) prefix(text string) (number int32, length int) {
	var hashes [maxWordBytes + 1]uint64
	length = min(len(text), t.longest)
	hash := hashSeed
	for i := range length {
		hash = (hash ^ uint64(text[i])) * hashPrime
		hashes[i+1] = hash
	}
	for ; length > 0; length-- {
		if i := t.find(text[:length], hashes[length]); i >= 0 {
			return t.numbers[i], length
		}
	}
	return 0, 0
}
