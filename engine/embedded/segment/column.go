package segment

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/freelancer-matching/service/engine/embedded/bitmap"
	"github.com/freelancer-matching/service/engine/embedded/signals"
	"github.com/freelancer-matching/service/internal/matching"
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
func (x *Segment) value(c column, doc int) float64 {
	switch c {
	case ofExperience:
		return x.Signals.Experience[doc]
	case ofRating:
		return x.Signals.Rating[doc]
	case ofRate:
		return x.Signals.Rate[doc]
	default:
		if day := x.Schedules.From[doc]; day != signals.UnknownDay {
			return float64(day)
		}
		return math.NaN()
	}
}

// valuesOf returns a function that returns the number of a document, or NaN if it is unknown.
func (x *Segment) valuesOf(c column) func(doc int) float64 {
	return func(doc int) float64 { return x.value(c, doc) }
}

// BuildColumns builds the columns, and pauses after each.
func (x *Segment) BuildColumns(ctx context.Context, pause func(context.Context, time.Duration) error) error {
	if len(x.Lengths) < minSliced {
		return nil
	}
	for c := range columns {
		start := time.Now()
		x.columns[c].Build(len(x.Lengths), x.valuesOf(c))
		if err := pause(ctx, time.Since(start)); err != nil {
			return err
		}
	}
	return nil
}

// minSliced is the number of documents from which slices are faster than comparing every number.
const minSliced = 1 << 12

// within adds the documents whose number in a column is at most limit to m, or those whose number is at least limit.
func (x *Segment) within(c column, limit float64, atLeast bool, m bitmap.Set) {
	value := x.valuesOf(c)
	isNaN := limit != limit
	if len(x.Lengths) < minSliced || isNaN {
		for doc := range x.Lengths {
			v := value(doc)
			meets := v <= limit
			if atLeast {
				meets = v >= limit
			}
			if meets {
				m.Add(doc)
			}
		}
		return
	}

	// Documents in the ranges below that of the limit have lower numbers. In its own range, the numbers must be compared.
	slices := &x.columns[c]
	slices.Build(len(x.Lengths), value)
	limitRange := slices.RangeOf(limit)
	isSingle := slices.Single(limitRange) // the limit is its only number

	if !atLeast {
		if isSingle {
			slices.Find(limitRange+1, limitRange+1, nil, m)
		} else {
			slices.Find(limitRange, limitRange, func(doc int) bool { return value(doc) <= limit }, m)
		}
		return
	}

	// At least the limit: all documents that have a number, without those whose number is less.
	less := make(bitmap.Set, len(m))
	if isSingle {
		slices.Find(limitRange, limitRange, nil, less)
	} else {
		slices.Find(limitRange, limitRange, func(doc int) bool { return value(doc) < limit }, less)
	}
	slices.Find(bitmap.NoRange, bitmap.NoRange, nil, m)
	m.AndNot(less)
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
	sliced map[rateShape]*bitmap.SlicedColumn
}

// maxShapes limits the shapes of a segment. There is one for each profile.
const maxShapes = 8

// of returns the slices for a shape, which may have to be built.
func (r *shapedRates) of(shape rateShape) *bitmap.SlicedColumn {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.sliced[shape]
	if s == nil {
		if r.sliced == nil || len(r.sliced) == maxShapes {
			r.sliced = map[rateShape]*bitmap.SlicedColumn{}
		}
		s = new(bitmap.SlicedColumn)
		r.sliced[shape] = s
	}
	return s
}

// withinRise adds the documents whose rate is within a limit that depends on experience.
func (x *Segment) withinRise(l *matching.RateLimit, m bitmap.Set) {
	pass := func(doc int) bool { return x.Signals.Rate[doc] <= l.Max(signals.Known(x.Signals.Experience[doc])) }
	shape := rateShape{float32(l.Unknown / l.Expert), float32(l.Beginner / l.Expert), l.ExpertYears}
	usual := l.Expert > 0 && shape.unknown > 0 && shape.beginner > 0
	if len(x.Lengths) < minSliced || !usual {
		for doc := range x.Lengths {
			if pass(doc) {
				m.Add(doc)
			}
		}
		return
	}

	// Divided by the shape, rates have one order for all briefs. Only those near the limit are compared exactly.
	value := func(doc int) float64 { return x.Signals.Rate[doc] / shape.at(x.Signals.Experience[doc]) }
	s := x.rates.of(shape)
	s.Build(len(x.Lengths), value)
	s.Find(s.RangeOf(l.Expert*(1-shapeSlack)), s.RangeOf(l.Expert*(1+shapeSlack)), pass, m)
}
