package embedded

import (
	"math"
	"math/bits"
	"slices"
	"sync"

	"freelancer-matching/internal/matching"
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

// build builds the slices of the numbers of n documents, NaN if unknown, unless they exist. That takes some 60 ms for a
// million documents.
func (s *slicedColumn) build(n int, value func(doc int) float64) {
	s.once.Do(func() {
		s.lows = ranges(n, value)
		s.words = make([][rangeBits]uint64, words(n))
		for word := range s.words {
			for bit := range 64 {
				of := uint(noRange)
				if doc := 64*word + bit; doc < n {
					if v := value(doc); v == v {
						of = s.rangeOf(v)
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

// find adds to m the documents below the range low, and those in the ranges from low to high for which pass returns
// true, or none of these if pass is nil.
func (s *slicedColumn) find(low, high uint, pass func(doc int) bool, m bitmap) {
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
				m.set(doc)
			}
		}
	}
}

// single reports whether a range has only one number.
func (s *slicedColumn) single(r uint) bool {
	return int(r)+1 < len(s.lows) && s.lows[r+1] == math.Nextafter(s.lows[r], math.Inf(1))
}

// minSliced is the number of documents from which slices are faster than comparing every number.
const minSliced = 1 << 12

// within adds the documents whose number in a column is at most limit to m, or those whose number is at least limit.
func (x *segment) within(c column, limit float64, atLeast bool, m bitmap) {
	value := func(doc int) float64 { return x.value(c, doc) }
	if len(x.lengths) < minSliced || limit != limit {
		for doc := range x.lengths {
			if v := value(doc); atLeast && v >= limit || !atLeast && v <= limit {
				m.set(doc)
			}
		}
		return
	}

	s := &x.columns[c]
	s.build(len(x.lengths), value)
	low := s.rangeOf(limit)
	pass := func(doc int) bool { return value(doc) < limit || !atLeast && value(doc) == limit }

	if s.single(low) { // its only number is the limit
		pass = nil
		if !atLeast {
			low++
		}
	}

	if !atLeast {
		s.find(low, low, pass, m)
		return
	}

	s.find(noRange, noRange, nil, m) // all numbers, and then without those that are less
	less := make(bitmap, len(m))
	s.find(low, low, pass, less)
	m.andNot(less)
}

// A rateShape is a matching.RateLimit relative to the limit for experts. It depends on the profile only, whereas the
// limit is different for each brief. A document passes if its rate, divided by the shape at its experience, is at most
// the limit for experts.
type rateShape struct {
	unknown, beginner float32 // rounded, so that equal shapes are equal despite rounding errors
	years             float64
}

func (shape *rateShape) at(years float64) float64 {
	if years != years {
		return float64(shape.unknown)
	}
	beginner := float64(shape.beginner)
	return beginner + (1-beginner)*min(1, years/shape.years)
}

// shapeSlack is more than the error of a rounded shape.
const shapeSlack = 1e-6

// A shapedRates holds the slices of rates divided by shapes.
type shapedRates struct {
	mu     sync.Mutex
	sliced map[rateShape]*slicedColumn
}

// maxShapes limits the shapes of a segment. There is one for each profile.
const maxShapes = 8

// of returns the slices for a shape, which may have to be built.
func (r *shapedRates) of(shape rateShape) *slicedColumn {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.sliced[shape]
	if s == nil {
		if r.sliced == nil || len(r.sliced) == maxShapes {
			r.sliced = map[rateShape]*slicedColumn{}
		}
		s = new(slicedColumn)
		r.sliced[shape] = s
	}
	return s
}

// withinRise adds the documents whose rate is within a limit that depends on experience.
func (x *segment) withinRise(l *matching.RateLimit, m bitmap) {
	pass := func(doc int) bool { return x.signals.rate[doc] <= l.Max(known(x.signals.experience[doc])) }
	shape := rateShape{float32(l.Unknown / l.Expert), float32(l.Beginner / l.Expert), l.ExpertYears}
	usual := l.Expert > 0 && shape.unknown > 0 && shape.beginner > 0
	if len(x.lengths) < minSliced || !usual {
		for doc := range x.lengths {
			if pass(doc) {
				m.set(doc)
			}
		}
		return
	}
	value := func(doc int) float64 { return x.signals.rate[doc] / shape.at(x.signals.experience[doc]) }
	s := x.rates.of(shape)
	s.build(len(x.lengths), value)
	s.find(s.rangeOf(l.Expert*(1-shapeSlack)), s.rangeOf(l.Expert*(1+shapeSlack)), pass, m)
}
