package spelling

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"
	"strings"
)

// maxWord is the length in bytes of the longest word of a Dictionary: the edits are counted in the bits of one number.
const maxWord = 64

// Dictionary finds the words that a misspelt one may have been meant as, among some hundred thousand in less than a
// millisecond. It compares bytes: fold case and separators before. It is safe for concurrent use.
type Dictionary struct {
	text    string
	entries []entry // by length
}

// entry is one word in the text.
type entry struct {
	letters uint64 // the set of its characters
	start   uint32
	size    uint32
	number  uint32
}

// NewDictionary is a Dictionary of words, which are numbered in their order. Those that are empty or longer than 64 bytes
// are never found.
func NewDictionary(words iter.Seq[string]) *Dictionary {
	d := &Dictionary{}
	var text strings.Builder
	number := uint32(0)
	for word := range words {
		if word != "" && len(word) <= maxWord {
			d.entries = append(d.entries, entry{letterSet(word), uint32(text.Len()), uint32(len(word)), number})
			text.WriteString(word)
		}
		number++
	}
	d.text = text.String()
	slices.SortStableFunc(d.entries, func(a, b entry) int { return cmp.Compare(a.size, b.size) })
	return d
}

// Limit is the number of edits that a word of so many bytes may be away from what it was meant as: a third of them, and
// never more than three.
func Limit(size int) int { return min(size/3, 3) }

// Near walks over the words that are at most limit edits away from word (a byte inserted, deleted, replaced, or two
// neighbours swapped; the optimal string alignment of Damerau 1964), and those that go on behind it, which count as limit + 1
// edits: their numbers, and the edits. A word of more than 64 bytes has none.
func (d *Dictionary) Near(word string, limit int) iter.Seq2[int, int] {
	return func(yield func(number, edits int) bool) {
		if word == "" || len(word) > maxWord {
			return
		}
		p, letters := newPattern(word), letterSet(word)
		for _, e := range d.entriesFrom(len(word) - limit) {
			edits := limit + 1
			// An edit adds at most one character to one of the two sets and takes at most one from it.
			if int(e.size) <= len(word)+limit && bits.OnesCount64(letters^e.letters) <= 2*limit {
				edits = p.edits(d.word(e), limit)
			}
			if edits > limit && (letters&^e.letters != 0 || !strings.HasPrefix(d.word(e), word)) {
				continue
			}
			if !yield(int(e.number), edits) {
				return
			}
		}
	}
}

func (d *Dictionary) word(e entry) string { return d.text[e.start : e.start+e.size] }

// entriesFrom is the words of at least so many bytes.
func (d *Dictionary) entriesFrom(size int) []entry {
	i, _ := slices.BinarySearchFunc(d.entries, size, func(e entry, size int) int { return cmp.Compare(int(e.size), size) })
	return d.entries[i:]
}

// letterSet is the set of a word's characters: letters and digits have a bit each, everything else shares 28.
func letterSet(word string) (set uint64) {
	for i := range len(word) {
		switch c := word[i]; {
		case 'a' <= c && c <= 'z':
			set |= 1 << (c - 'a')
		case '0' <= c && c <= '9':
			set |= 1 << (26 + c - '0')
		default:
			set |= 1 << (36 + c%28)
		}
	}
	return set
}

// pattern is a word, by the places where each byte is.
type pattern struct {
	at   [256]uint64
	size int
}

func newPattern(word string) *pattern {
	p := &pattern{size: len(word)}
	for i := range len(word) {
		p.at[word[i]] |= 1 << i
	}
	return p
}

// edits is the number of edits between the pattern and a word, or limit + 1 where it is more than limit. A column of the
// table of distances is in the bits of two numbers: where they rise by one, and where they fall (Hyyrö 2003, A bit-vector
// algorithm for computing Levenshtein and Damerau edit distances).
func (p *pattern) edits(word string, limit int) int {
	rise, fall := ^uint64(0), uint64(0)
	var diagonal, before uint64
	last := uint64(1) << (p.size - 1)
	edits := p.size
	for i := range len(word) {
		at := p.at[word[i]]
		swapped := ((^diagonal & at) << 1) & before
		diagonal = (((at & rise) + rise) ^ rise) | at | fall | swapped
		up, down := fall|^(diagonal|rise), diagonal&rise
		switch {
		case up&last != 0:
			edits++
		case down&last != 0:
			edits--
		}
		if edits-(len(word)-1-i) > limit { // every byte that is left takes away one at most
			return limit + 1
		}
		up, down = up<<1|1, down<<1
		rise, fall = down|^(diagonal|up), up&diagonal
		before = at
	}
	return min(edits, limit+1)
}
