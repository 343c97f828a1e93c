package signals

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/freelancer-matching/service/engine/embedded/sectionfile"
	"github.com/freelancer-matching/service/internal/matching"
)

// Classes groups documents with similar signals, so that a query computes an upper bound of Fit and Quality once per
// class instead of once per document. A large index has a few thousand classes and never more than 65,536.
type Classes struct {
	Of    []uint16 // the class of each document
	Table *ClassTable
}

// A ClassTable holds the key of each class. The segments of an index that were not read from a file share that of its
// base and add the classes that the base doesn't have.
type ClassTable struct {
	banding Banding

	mu      sync.Mutex           // guards the fields below
	keys    []classKey           // by class; only ever appended to
	corners [][]matching.Signals // by class; only those of the first classes are known
	numbers map[classKey]uint16
}

// A classKey identifies a class by the bands of its signals.
type classKey [3]int16

// unknownBand is the band of an unknown value.
const unknownBand = -1

// A Banding divides signals into bands.
type Banding struct {
	key func(matching.Signals) classKey
	// corners returns the combinations of the lowest and the highest values of a class. A function that is monotonic in
	// each signal is highest for one of them.
	corners func(classKey) []matching.Signals
	// extremes are the corners of all classes together.
	extremes []matching.Signals
	// lastOfSecond is the last band of the second signal.
	lastOfSecond int16
}

// The bands of fit. The upper end of a band of rates is 10% above its lower end; all rates below 1 share a band, and so
// do all from highestRate.
const (
	rateRatio   = 1.1
	highestRate = 1000
)

// Bands of availability.
const (
	notAvailable int16 = 0
	available    int16 = 1
)

// FitBanding classifies by rate, experience and availability. For example, an available freelancer with a rate of 50
// and 7.5 years of experience is in the class of the rates from 49.8 to 54.8 and of 7 to 8 years.
func FitBanding() Banding {
	return Banding{key: fitKey, corners: fitCorners, extremes: fitExtremes(), lastOfSecond: lastExperience}
}

// fitKey returns the bands of rate, experience and availability.
func fitKey(s matching.Signals) classKey {
	rate := int16(unknownBand)
	if s.HourlyRate.Known {
		rate = geometricBand(min(s.HourlyRate.Value, highestRate), rateRatio)
	}

	experience := int16(unknownBand)
	if s.Experience.Known {
		experience = experienceBand(s.Experience.Value)
	}

	availability := int16(unknownBand)
	if s.Availability.Known {
		availability = notAvailable
		if s.Availability.Value {
			availability = available
		}
	}

	return classKey{rate, experience, availability}
}

// lastRate returns the last band of rates.
func lastRate() int16 { return geometricBand(highestRate, rateRatio) }

// fitCorners returns the signals at the ends of all three bands of a class.
func fitCorners(key classKey) (corners []matching.Signals) {
	var availability matching.Optional[bool]
	if key[2] != unknownBand {
		availability = matching.Some(key[2] == available)
	}

	for _, rate := range geometricEnds(key[0], lastRate(), rateRatio) {
		for _, experience := range experienceEnds(key[1]) {
			corners = append(corners, matching.Signals{HourlyRate: rate, Experience: experience, Availability: availability})
		}
	}
	return corners
}

// fitExtremes returns the corners of the classes whose bands are unknown, the lowest or the highest. A function that is
// monotonic in each signal is highest for one of them.
func fitExtremes() (extremes []matching.Signals) {
	for _, availability := range []int16{unknownBand, notAvailable, available} {
		for _, rate := range []int16{unknownBand, 0, lastRate()} {
			for _, experience := range []int16{unknownBand, 0, lastExperience} {
				extremes = append(extremes, fitCorners(classKey{rate, experience, availability})...)
			}
		}
	}
	return extremes
}

// The bands of quality. Ratings have steps of .05; the upper end of a band of total sales is 25% above its lower end.
const (
	ratingSteps   = 20 // in 1
	highestRating = 5
	salesRatio    = 1.25
)

// QualityBanding classifies by rating and total sales. For example, a rating of 4.87 is in the band from 4.825 to
// 4.875.
func QualityBanding() Banding {
	return Banding{key: qualityKey, corners: qualityCorners, extremes: qualityExtremes(), lastOfSecond: lastSales()}
}

// qualityKey returns the bands of rating and total sales. There is no third signal.
func qualityKey(s matching.Signals) classKey {
	rating := int16(unknownBand)
	if s.Rating.Known {
		rating = int16(math.Round(min(max(s.Rating.Value, 0), highestRating) * ratingSteps))
	}

	sales := int16(unknownBand)
	if s.TotalSales.Known {
		sales = geometricBand(float64(s.TotalSales.Value), salesRatio)
	}

	return classKey{rating, sales, 0}
}

// lastSales returns the last band of total sales.
func lastSales() int16 { return geometricBand(math.MaxInt64, salesRatio) }

// qualityCorners returns the signals at the ends of both bands of a class.
func qualityCorners(key classKey) (corners []matching.Signals) {
	for _, rating := range ratingEnds(key[0]) {
		for _, sales := range geometricEnds(key[1], lastSales(), salesRatio) {
			s := matching.Signals{Rating: rating}
			if sales.Known {
				s.TotalSales = matching.Some(int(min(sales.Value, math.MaxInt32)))
			}
			corners = append(corners, s)
		}
	}
	return corners
}

// ratingEnds returns the ends of a band of ratings. A rating is rounded to its band, so a band reaches half a step to
// both sides.
func ratingEnds(band int16) []matching.Optional[float64] {
	if band == unknownBand {
		return []matching.Optional[float64]{{}}
	}
	low := max(0, float64(band)-.5) / ratingSteps
	high := min(highestRating*ratingSteps, float64(band)+.5) / ratingSteps
	return []matching.Optional[float64]{matching.Some(low), matching.Some(high)}
}

// qualityExtremes returns the corners of the classes whose bands are unknown, the lowest or the highest, for the same
// reason as fitExtremes.
func qualityExtremes() (extremes []matching.Signals) {
	for _, rating := range []int16{unknownBand, 0, highestRating * ratingSteps} {
		for _, sales := range []int16{unknownBand, 0, lastSales()} {
			extremes = append(extremes, qualityCorners(classKey{rating, sales, 0})...)
		}
	}
	return extremes
}

// geometricBand returns 0 for values below 1, and a number that grows by one whenever the value grows by ratio.
func geometricBand(value, ratio float64) int16 {
	if !(value >= 1) {
		return 0
	}
	return 1 + int16(math.Log(value)/math.Log(ratio))
}

// geometricEnds returns the ends of a geometric band, a little apart from it because of rounding. The last band has no
// upper end.
func geometricEnds(band, last int16, ratio float64) []matching.Optional[float64] {
	const apart = 1e-9
	switch band {
	case unknownBand:
		return []matching.Optional[float64]{{}}
	case 0:
		return []matching.Optional[float64]{matching.Some(0.), matching.Some(1.)}
	}
	low := math.Pow(ratio, float64(band-1)) * (1 - apart)
	high := low * ratio * (1 + 2*apart)
	if band >= last {
		high = math.MaxFloat32
	}
	return []matching.Optional[float64]{matching.Some(low), matching.Some(high)}
}

// experienceBands are the first years of the bands of experience: single years up to 15, where each matters, and
// coarser bands above.
var experienceBands = [...]float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 20, 30, math.MaxInt32}

const lastExperience = int16(len(experienceBands) - 2)

// experienceBand returns the band of years of experience.
func experienceBand(years float64) int16 {
	band := int16(0)
	for band < lastExperience && years >= experienceBands[band+1] {
		band++
	}
	return band
}

// experienceEnds returns the ends of a band of experience.
func experienceEnds(band int16) []matching.Optional[float64] {
	if band == unknownBand {
		return []matching.Optional[float64]{{}}
	}
	return []matching.Optional[float64]{matching.Some(experienceBands[band]), matching.Some(experienceBands[band+1])}
}

// Classify assigns a class to every document.
func Classify(s *Columns, b Banding) Classes {
	c := Classes{Of: make([]uint16, len(s.Rate)), Table: &ClassTable{banding: b, numbers: map[classKey]uint16{}}}
	for doc := range c.Of {
		c.Of[doc] = c.Table.Class(s.At(doc))
	}
	return c
}

// Class returns the class of a document with the given signals, adding it if necessary.
func (t *ClassTable) Class(s matching.Signals) uint16 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.numbers == nil {
		t.numbers = make(map[classKey]uint16, len(t.keys))
		for i, key := range t.keys {
			t.numbers[key] = uint16(i)
		}
	}
	key := t.banding.key(s)
	number, ok := t.numbers[key]
	if !ok {
		number = uint16(len(t.keys))
		t.numbers[key] = number
		t.keys = append(t.keys, key)
	}
	return number
}

// known returns the key of each class.
func (t *ClassTable) known() []classKey {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.keys
}

// knownCorners returns the corners of each class. They are remembered, because every search needs them.
func (t *ClassTable) knownCorners() [][]matching.Signals {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, key := range t.keys[len(t.corners):] {
		t.corners = append(t.corners, t.banding.corners(key))
	}
	return t.corners
}

// ClassBounds holds upper bounds of a function of signals. A query computes only those of the classes that it meets.
// Several goroutines may ask for them.
type ClassBounds struct {
	function func(matching.Signals) float64 // nil means 0
	corners  [][]matching.Signals           // by class
	of       []atomic.Uint32                // by class: the bits of its bound, or 0, which no bound has, if it isn't known
	Highest  float32                        // of all classes
}

// Bounds returns the upper bounds of a function that is monotonic in each signal.
func (t *ClassTable) Bounds(function func(matching.Signals) float64) *ClassBounds {
	b := &ClassBounds{function: function}
	if function == nil {
		return b
	}
	b.corners = t.knownCorners()
	b.of = make([]atomic.Uint32, len(b.corners))
	b.Highest = upper(function, t.banding.extremes)
	return b
}

// At returns the upper bound of a class.
func (b *ClassBounds) At(class uint16) float32 {
	if b.function == nil {
		return 0
	}
	bits := b.of[class].Load()
	if bits == 0 {
		bits = math.Float32bits(upper(b.function, b.corners[class]))
		b.of[class].Store(bits)
	}
	return math.Float32frombits(bits)
}

// upper returns the highest value of a function at the given points, rounded up.
func upper(function func(matching.Signals) float64, at []matching.Signals) float32 {
	highest := math.Inf(-1)
	for _, s := range at {
		highest = max(highest, function(s))
	}
	return math.Nextafter32(float32(highest), float32(math.Inf(1)))
}

// Transfer writes the classes, or reads them if there is no table yet.
func (c *Classes) Transfer(f *sectionfile.Sections, name string, b Banding) {
	var flat []int32
	if c.Table != nil {
		for _, key := range c.Table.known() {
			flat = append(flat, int32(key[0]), int32(key[1]), int32(key[2]))
		}
	}
	sectionfile.Transfer(f, name+" classes", &c.Of)
	sectionfile.Transfer(f, name+" keys", &flat)
	if c.Table != nil {
		return
	}
	c.Table = &ClassTable{banding: b}
	for ; len(flat) >= len(classKey{}); flat = flat[len(classKey{}):] {
		c.Table.keys = append(c.Table.keys, classKey{int16(flat[0]), int16(flat[1]), int16(flat[2])})
	}
}

// CheckShape returns an error unless there is a class for each of the documents, and each class can exist.
func (c *Classes) CheckShape(name string, documents int) error {
	if len(c.Of) != documents {
		return fmt.Errorf("%s classes: %d documents, want %d", name, len(c.Of), documents)
	}
	for _, key := range c.Table.keys {
		if slices.Min(key[:]) < unknownBand || key[1] > c.Table.banding.lastOfSecond {
			return fmt.Errorf("%s classes: class %v does not exist", name, key)
		}
	}
	return nil
}

// CheckContent returns an error unless the class of each document exists.
func (c *Classes) CheckContent(name string) error {
	for _, class := range c.Of {
		if int(class) >= len(c.Table.keys) {
			return fmt.Errorf("%s classes: class %d of %d", name, class, len(c.Table.keys))
		}
	}
	return nil
}
