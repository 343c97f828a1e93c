package embedded

import (
	"fmt"
	"math"
	"sync"

	"freelancer-matching/internal/matching"
)

// classes groups documents with similar signals, so that a query computes Fit and Quality once per class instead of
// once per document. A large index has a few thousand classes and never more than 65,536.
type classes struct {
	of    []uint16 // the class of each document
	means *means
}

// means holds the mean of each class. The segments of an index that were not read from a file share the ones of its
// base and add the classes that the base doesn't have, with the signals of their first document. A query thus computes
// the scores of most classes once for all segments.
type means struct {
	key func(matching.Signals) (classKey, matching.Signals)

	mu      sync.Mutex // guards the fields below
	of      signals    // by class; rows are only ever appended
	numbers map[classKey]uint16
}

// class returns the class of a document with the given signals, adding it if necessary.
func (m *means) class(s matching.Signals) uint16 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.numbers == nil {
		m.numbers = make(map[classKey]uint16, len(m.of.rate))
		for i := range m.of.rate {
			key, _ := m.key(m.of.at(i))
			m.numbers[key] = uint16(i)
		}
	}
	key, mean := m.key(s)
	number, ok := m.numbers[key]
	if !ok {
		number = uint16(len(m.of.rate))
		m.numbers[key] = number
		m.of.add(mean)
	}
	return number
}

// signals returns the mean of each class.
func (m *means) signals() signals {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.of
}

// A classKey identifies a class by the bands of its signals.
type classKey [3]int16

// unknownBand is the band of an unknown value.
const unknownBand = -1

// fitKey returns a document's class by rate, experience and availability, and those signals. The upper end of a rate
// band is 10% above its lower end; all rates below 1, and all from 1,000, share a band.
func fitKey(s matching.Signals) (classKey, matching.Signals) {
	key := classKey{unknownBand, unknownBand, unknownBand}
	if s.HourlyRate.Known {
		key[0] = geometricBand(min(s.HourlyRate.Value, 1000), 1.1)
	}
	if s.Experience.Known {
		key[1] = experienceBand(s.Experience.Value)
	}
	if s.Availability.Known {
		key[2] = 0
		if s.Availability.Value {
			key[2] = 1
		}
	}
	return key, matching.Signals{HourlyRate: s.HourlyRate, Experience: s.Experience, Availability: s.Availability}
}

// qualityKey returns a document's class by rating, in steps of .05, and total sales, in bands whose upper end is 25%
// above the lower end, and those signals.
func qualityKey(s matching.Signals) (classKey, matching.Signals) {
	key := classKey{unknownBand, unknownBand, 0}
	if s.Rating.Known {
		key[0] = int16(math.Round(min(max(s.Rating.Value, 0), 5) * 20))
	}
	if s.TotalSales.Known {
		key[1] = geometricBand(float64(s.TotalSales.Value), 1.25)
	}
	return key, matching.Signals{Rating: s.Rating, TotalSales: s.TotalSales}
}

// geometricBand returns 0 for values below 1, and a number that grows by one whenever the value grows by ratio.
func geometricBand(value, ratio float64) int16 {
	if !(value >= 1) {
		return 0
	}
	return 1 + int16(math.Log(value)/math.Log(ratio))
}

// experienceBand returns whole years up to 15, where a single year matters, and coarser bands above.
func experienceBand(years float64) int16 {
	switch {
	case years < 16:
		return int16(max(years, 0))
	case years < 20:
		return 16
	case years < 30:
		return 17
	default:
		return 18
	}
}

// classify assigns a class to every live document, and class 0 to the others.
func classify(s *signals, live func(doc int) bool, key func(matching.Signals) (classKey, matching.Signals)) classes {
	type sum struct {
		known                                    matching.Signals // the same signals are known of all members
		members, experience, rating, rate, sales float64
	}
	var sums []sum
	numbers := map[classKey]uint16{}
	c := classes{of: make([]uint16, len(s.rate)), means: &means{key: key}}
	for doc := range c.of {
		if !live(doc) {
			continue
		}
		k, signals := key(s.at(doc))
		number, ok := numbers[k]
		if !ok {
			number = uint16(len(sums))
			numbers[k] = number
			sums = append(sums, sum{known: signals})
		}
		c.of[doc] = number
		total := &sums[number]
		total.members++
		total.experience += signals.Experience.Or(0)
		total.rating += signals.Rating.Or(0)
		total.rate += signals.HourlyRate.Or(0)
		total.sales += float64(signals.TotalSales.Or(0))
	}
	for _, total := range sums {
		mean := total.known
		mean.Experience.Value = total.experience / total.members
		mean.Rating.Value = total.rating / total.members
		mean.HourlyRate.Value = total.rate / total.members
		mean.TotalSales.Value = int(math.Round(total.sales / total.members))
		c.means.of.add(mean)
	}
	return c
}

// scores returns the score of every class and the highest one. A nil function scores 0.
func (m *means) scores(score func(matching.Signals) float64) (of []float32, highest float32) {
	means := m.signals()
	of = make([]float32, max(1, len(means.rate)))
	if score == nil {
		return of, 0
	}
	for i := range means.rate {
		of[i] = float32(score(means.at(i)))
		if i == 0 || of[i] > highest {
			highest = of[i]
		}
	}
	return of, highest
}

// transfer writes or reads the classes. key is the one that the documents were classified by.
func (c *classes) transfer(
	f *sections, name string, key func(matching.Signals) (classKey, matching.Signals),
) {
	if c.means == nil {
		c.means = &means{key: key}
	}
	section(f, name+" classes", &c.of)
	c.means.of.transfer(f, name+" means")
}

// checkShape returns an error unless there is a class for each of the documents and the classes are complete.
func (c *classes) checkShape(name string, documents int) error {
	if len(c.of) != documents {
		return fmt.Errorf("%s classes: %d documents, want %d", name, len(c.of), documents)
	}
	return c.means.of.check(name+" means", len(c.means.of.rate))
}

// checkContent returns an error unless each class exists.
func (c *classes) checkContent(name string) error {
	number := max(1, len(c.means.of.rate)) // replaced documents have class 0 even if there are no classes
	for _, class := range c.of {
		if int(class) >= number {
			return fmt.Errorf("%s classes: class %d of %d", name, class, number)
		}
	}
	return nil
}
