package embedded

import (
	"math"
	"slices"
	"sync"
)

// A column is a number that documents can be filtered by.
type column int

const (
	ofExperience column = iota
	ofRating
	ofRate
	ofDay
	columns
)

// value returns the number of a document, or NaN if it is unknown.
func (x *segment) value(c column, doc int) float64 {
	switch c {
	case ofExperience:
		return x.signals.experience[doc]
	case ofRating:
		return x.signals.rating[doc]
	case ofRate:
		return x.signals.rate[doc]
	default:
		if day := x.from[doc]; day != unknownDay {
			return float64(day)
		}
		return math.NaN()
	}
}

// A slicedColumn finds the documents whose numbers are within a limit without looking at each of them. The numbers are
// divided into up to 255 ranges, and each bit of the range of 64 documents is a word. Comparing the ranges of 64
// documents with a limit thus takes eight steps; only the numbers in the same range as the limit are compared one by
// one. It takes a byte per document.
type slicedColumn struct {
	once sync.Once
	// lows holds the lowest number of each range, ascending from negative infinity.
	lows  []float64
	words [][rangeBits]uint64 // by 64 documents; the highest bits first
}

const (
	rangeBits = 8
	noRange   = 1<<rangeBits - 1 // of documents without a number
	// slicedSample is the number of documents whose numbers decide on the ranges.
	slicedSample = 1 << 14
)

// sliced returns the slices of a column. The first call builds them, which takes some 60 ms for a million
// documents.
func (x *segment) sliced(c column) *slicedColumn {
	s := &x.columns[c]
	s.once.Do(func() {
		s.lows = x.ranges(c)
		s.words = make([][rangeBits]uint64, words(len(x.lengths)))
		for word := range s.words {
			for bit := range 64 {
				of := uint(noRange)
				if doc := 64*word + bit; doc < len(x.lengths) {
					if v := x.value(c, doc); v == v {
						of = s.rangeOf(v)
					}
				}
				for i := range rangeBits {
					s.words[word][i] |= uint64(of>>(rangeBits-1-i)&1) << bit
				}
			}
		}
	})
	return s
}

// ranges returns the lows for a column: those of ranges with about as many documents each. A number that is as frequent
// as a range has a range of its own.
func (x *segment) ranges(c column) []float64 {
	var sample []float64
	for doc := 0; doc < len(x.lengths); doc += 1 + len(x.lengths)/slicedSample {
		if v := x.value(c, doc); v == v {
			sample = append(sample, v)
		}
	}
	slices.Sort(sample)
	lows := []float64{math.Inf(-1)}
	const quantiles = (noRange - 1) / 2
	for i := range quantiles {
		if len(sample) == 0 {
			break
		}
		v := sample[i*len(sample)/quantiles]
		for _, low := range []float64{v, math.Nextafter(v, math.Inf(1))} {
			if low > lows[len(lows)-1] {
				lows = append(lows, low)
			}
		}
	}
	return lows
}

// rangeOf returns the range of a number.
func (s *slicedColumn) rangeOf(v float64) uint {
	low, n := 0, len(s.lows) // the range is at least low, and below low + n
	for n > 1 {
		half := n / 2
		if s.lows[low+half] <= v {
			low += half
		}
		n -= half
	}
	return uint(low)
}

// within adds the documents of x whose number is at most limit to m, or those whose number is at least limit.
func (x *segment) within(c column, limit float64, atLeast bool, m bitmap) {
	pass := func(v float64) bool { return v <= limit }
	if atLeast {
		pass = func(v float64) bool { return v >= limit }
	}
	if len(x.lengths) < minSliced || limit != limit {
		for doc := range x.lengths {
			if pass(x.value(c, doc)) {
				m.set(doc)
			}
		}
		return
	}
	s := x.sliced(c)
	same := s.rangeOf(limit)
	single := int(same)+1 < len(s.lows) && s.lows[same+1] == math.Nextafter(s.lows[same], math.Inf(1))
	for word := range s.words {
		below, equal, known := uint64(0), uint64(math.MaxUint64), uint64(0)
		for i, slice := range s.words[word] {
			known |= ^slice
			if same>>(rangeBits-1-i)&1 == 1 {
				below |= equal &^ slice
				equal &= slice
			} else {
				equal &^= slice
			}
		}
		found := below
		if atLeast {
			found = known &^ (below | equal)
		}
		if single {
			found |= equal
			equal = 0
		}
		m[word] |= found
		for doc := 64 * word; equal != 0; doc, equal = doc+1, equal>>1 {
			if equal&1 == 1 && pass(x.value(c, doc)) {
				m.set(doc)
			}
		}
	}
}

// minSliced is the number of documents from which slices are faster than comparing every number.
const minSliced = 1 << 12
