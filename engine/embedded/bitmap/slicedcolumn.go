package bitmap

import (
	"math"
	"math/bits"
	"slices"
	"sync"
)

// A SlicedColumn finds the documents whose numbers are within a limit without looking at each of them. The numbers are
// divided into up to 255 ranges, and each bit of the range of 64 documents is a word. Comparing the ranges of 64
// documents with a limit thus takes eight steps; only the numbers in the same range as the limit are compared one by
// one. It takes a byte per document.
type SlicedColumn struct {
	once sync.Once
	// lows holds the lowest number of each range, ascending from negative infinity.
	lows  []float64
	words [][rangeBits]uint64 // by 64 documents; the highest bits first
}

const (
	rangeBits = 8
	// NoRange is the range of documents without a number.
	NoRange = 1<<rangeBits - 1
	// slicedSample is the number of documents whose numbers decide on the ranges.
	slicedSample = 1 << 14
)

// Build builds the slices of the numbers of n documents, NaN if unknown, unless they exist. That takes some 60 ms for a
// million documents.
func (s *SlicedColumn) Build(n int, value func(doc int) float64) {
	s.once.Do(func() {
		s.lows = ranges(n, value)
		s.words = make([][rangeBits]uint64, Words(n))
		for word := range s.words {
			for bit := range 64 {
				of := uint(NoRange)
				if doc := 64*word + bit; doc < n {
					if v := value(doc); v == v {
						of = s.RangeOf(v)
					}
				}
				for i := range rangeBits {
					s.words[word][i] |= uint64(of>>(rangeBits-1-i)&1) << bit
				}
			}
		}
	})
}

// ranges returns the lows for numbers: those of ranges with about as many documents each. A number that is as frequent
// as a range has a range of its own.
func ranges(n int, value func(doc int) float64) []float64 {
	var sample []float64
	for doc := 0; doc < n; doc += 1 + n/slicedSample {
		if v := value(doc); v == v {
			sample = append(sample, v)
		}
	}

	slices.Sort(sample)
	lows := []float64{math.Inf(-1)}
	const quantiles = (NoRange - 1) / 2
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

// RangeOf returns the range of a number.
func (s *SlicedColumn) RangeOf(v float64) uint {
	// the range is at least low, and below low + n
	low := 0
	n := len(s.lows)
	for n > 1 {
		half := n / 2
		if s.lows[low+half] <= v {
			low += half
		}
		n -= half
	}
	return uint(low)
}

// compare returns those of 64 documents that are below a range, and those in it.
func compare(slices *[rangeBits]uint64, with uint) (below, equal uint64) {
	equal = math.MaxUint64
	for i, slice := range slices {
		if with>>(rangeBits-1-i)&1 == 1 {
			below |= equal &^ slice
			equal &= slice
		} else {
			equal &^= slice
		}
	}
	return below, equal
}

// Find adds to m the documents below the range low, and those in the ranges from low to high for which pass returns
// true, or none of these if pass is nil.
func (s *SlicedColumn) Find(low, high uint, pass func(doc int) bool, m Set) {
	for word := range s.words {
		below, undecided := compare(&s.words[word], low)
		m[word] |= below
		if pass == nil {
			continue
		}
		if high > low {
			upper, equal := compare(&s.words[word], high)
			undecided = (upper | equal) &^ below
		}
		for ; undecided != 0; undecided &= undecided - 1 {
			if doc := 64*word + bits.TrailingZeros64(undecided); pass(doc) {
				m.Add(doc)
			}
		}
	}
}

// Single reports whether a range has only one number.
func (s *SlicedColumn) Single(r uint) bool {
	return int(r)+1 < len(s.lows) && s.lows[r+1] == math.Nextafter(s.lows[r], math.Inf(1))
}
