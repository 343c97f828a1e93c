package spelling

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"
	"strings"
)

// maxWord is the length limit of words in a Dictionary, in bytes: edits are counted in the bits of one integer.
const maxWord = 64

// Dictionary finds similar words among hundreds of thousands in less than a millisecond. It compares bytes, so fold
// case and separators first. It is safe for concurrent use.
type Dictionary struct {
	text    string
	entries []entry  // sorted by length
	order   []uint32 // indices of entries, sorted by word
}

// entry locates one word in the text.
type entry struct {
	letters letters
	start   uint32
	size    uint32
	number  uint32
}

// NewDictionary returns a Dictionary of words, which are numbered in their order. Empty words and words longer than 64
// bytes are never found.
func NewDictionary(words iter.Seq[string]) *Dictionary {
	d := &Dictionary{}
	var text strings.Builder
	number := uint32(0)
	for word := range words {
		if word != "" && len(word) <= maxWord {
			d.entries = append(d.entries, entry{lettersOf(word), uint32(text.Len()), uint32(len(word)), number})
			text.WriteString(word)
		}
		number++
	}

	d.text = text.String()

	// Entries of nearly equal length lie together, and only these can be near a word. A second order is by the text
	// itself.
	slices.SortStableFunc(d.entries, func(a, b entry) int { return cmp.Compare(a.size, b.size) })
	d.order = make([]uint32, len(d.entries))
	for i := range d.order {
		d.order[i] = uint32(i)
	}

	slices.SortFunc(d.order, func(a, b uint32) int {
		return strings.Compare(d.word(&d.entries[a]), d.word(&d.entries[b]))
	})

	return d
}

// Limit returns the number of edits allowed for a word of a length in bytes: a third of it, and at most three.
func Limit(size int) int { return min(size/3, 3) }

// Near yields the numbers and edit distances of words at most limit edits away from word (a byte inserted, deleted or
// replaced, or two adjacent ones swapped; optimal string alignment, Damerau 1964). It also yields words that start with
// word, with limit + 1 edits. A word of more than 64 bytes has no similar words.
func (d *Dictionary) Near(word string, limit int) iter.Seq2[int, int] {
	return func(yield func(number, edits int) bool) {
		if word == "" || len(word) > maxWord {
			return
		}

		p := newPattern(word)
		letters := lettersOf(word)
		for i := d.longer(len(word) - limit); i < len(d.entries) && int(d.entries[i].size) <= len(word)+limit; i++ {
			e := &d.entries[i]
			if letters.without(&e.letters) > limit || e.letters.without(&letters) > limit {
				continue
			}
			if edits := p.edits(d.word(e), limit); edits <= limit && !yield(int(e.number), edits) {
				return
			}
		}

		// Shorter words that start with word were found above.
		first, _ := slices.BinarySearchFunc(d.order, word, func(i uint32, word string) int {
			return strings.Compare(d.word(&d.entries[i]), word)
		})
		for _, i := range d.order[first:] {
			e := &d.entries[i]
			if !strings.HasPrefix(d.word(e), word) {
				return
			}
			if int(e.size) > len(word)+limit && !yield(int(e.number), limit+1) {
				return
			}
		}
	}
}

func (d *Dictionary) word(e *entry) string { return d.text[e.start : e.start+e.size] }

// longer returns the index of the first word with at least n bytes.
func (d *Dictionary) longer(size int) int {
	i, _ := slices.BinarySearchFunc(d.entries, size, func(e entry, size int) int { return cmp.Compare(int(e.size), size) })
	return i
}

// letters holds the set of characters in a word, and the set of those that occur more than once.
type letters struct{ once, twice uint64 }

func lettersOf(word string) (l letters) {
	for i := range len(word) {
		bit := letter(word[i])
		l.twice |= l.once & bit
		l.once |= bit
	}
	return l
}

// letter returns the bit of a character: letters and digits have one each, all others share 28.
func letter(c byte) uint64 {
	switch {
	case 'a' <= c && c <= 'z':
		return 1 << (c - 'a')
	case '0' <= c && c <= '9':
		return 1 << (26 + c - '0')
	default:
		return 1 << (36 + c%28)
	}
}

// without returns a lower bound of the number of characters in l that other lacks. An edit adds or removes at most one,
// so words with a larger bound need no comparison.
func (l *letters) without(other *letters) int {
	return bits.OnesCount64(l.once&^other.once) + bits.OnesCount64(l.twice&^other.twice)
}

// pattern is a word as the set of positions of each byte.
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

// edits returns the number of edits between the pattern and a word, or limit + 1 if it exceeds limit.
//
// The distance table has a row for each byte of the pattern and a column for each byte of the word. Neighbors in it
// differ by at most one, so two integers hold a column: the bits of the rows where it rises by one, and where it falls.
// A sum of integers carries a match down all rows at once (Hyyrö 2003, A bit-vector algorithm for computing Levenshtein
// and Damerau edit distances).
func (p *pattern) edits(word string, limit int) int {
	// Before the first byte of the word, row n has n edits, so all rows rise.
	rise := ^uint64(0)
	fall := uint64(0)
	edits := p.size
	last := uint64(1) << (p.size - 1) // the row of the whole pattern

	var diagonal uint64 // rows that equal their upper left neighbor
	var before uint64   // rows of the previous byte of the word
	for i := range len(word) {
		at := p.at[word[i]]
		swapped := ((^diagonal & at) << 1) & before
		diagonal = (((at & rise) + rise) ^ rise) | at | fall | swapped

		// From the previous column to this one, these rows rise and fall.
		up := fall | ^(diagonal | rise)
		down := diagonal & rise
		switch {
		case up&last != 0:
			edits++
		case down&last != 0:
			edits--
		}

		if edits-(len(word)-1-i) > limit { // each remaining byte removes at most one
			return limit + 1
		}

		// The row above the first one rises with every byte.
		up = up<<1 | 1
		down <<= 1
		rise = down | ^(diagonal | up)
		fall = up & diagonal
		before = at
	}

	return min(edits, limit+1)
}
