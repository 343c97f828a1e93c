package segment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/bitmap"
	"github.com/freelancer-matching/service/engine/embedded/signals"
	"github.com/freelancer-matching/service/internal/matching"
)

// conditionSegment returns a segment with the given number of documents, some of whose numbers are frequent and some
// unknown.
func conditionSegment(rng *rand.Rand, documents int) *Segment {
	x := &Segment{Lengths: make([]uint32, documents)}
	for range documents {
		var s matching.Signals
		if rng.IntN(10) > 0 {
			s.HourlyRate = matching.Some(100 * rng.Float64())
		}

		if rng.IntN(10) > 0 {
			s.Experience = matching.Some(float64(rng.IntN(20)))
		}

		if rng.IntN(10) > 0 {
			s.Rating = matching.Some([]float64{5, 5, 4.9, 5 * rng.Float64()}[rng.IntN(4)])
		}

		if rng.IntN(3) > 0 {
			s.Availability = matching.Some(rng.IntN(2) > 0)
		}
		x.Signals.Add(s)
		day := matching.Optional[int]{}

		if rng.IntN(10) > 0 {
			day = matching.Some(rng.IntN(400) - 200)
		}
		x.Schedules.Add(matching.Schedule{From: day})
	}

	return x
}

// Columns that were built ahead aren't built by a filter, and a pause that fails ends the work.
func TestSegment_BuildColumns(t *testing.T) {
	x := conditionSegment(rand.New(rand.NewPCG(5, 6)), minSliced)
	canceled := errors.New("canceled")
	pauses := 0
	pause := func(context.Context, time.Duration) error {
		if pauses++; pauses == 2 {
			return canceled
		}
		return nil
	}
	if err := x.BuildColumns(t.Context(), pause); !errors.Is(err, canceled) || pauses != 2 {
		t.Errorf("error %v after %d pauses", err, pauses)
	}
	if err := x.BuildColumns(t.Context(), pause); err != nil {
		t.Fatal(err)
	}

	for of := range columns {
		x.columns[of].Build(len(x.Lengths), func(int) float64 {
			t.Fatalf("column %d was not built", of)
			return 0
		})
	}
}

// Slices find the same documents as comparing every number.
func TestSegment_Limits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, documents := range []int{minSliced, minSliced + 77} {
		x := conditionSegment(rng, documents)
		limits := []float64{math.Inf(-1), -1e300, -200, 0, 4.9, math.Nextafter(4.9, 0), 5, math.Nextafter(5, 6), 199, 1e300}
		for range 100 {
			limits = append(limits, 120*rng.Float64()-10, float64(rng.IntN(400)-200))
			doc := rng.IntN(documents)
			limits = append(limits, x.Signals.Rate[doc], x.Signals.Rating[doc], float64(x.Schedules.From[doc]))
		}

		for of := range columns {
			for _, limit := range limits {
				if limit != limit {
					continue
				}

				for _, kind := range []conditionKind{atMost, atLeast} {
					c := limitClause(kind, of, limit)
					got := x.evaluate(&c)
					for doc := range documents {
						v := x.value(of, doc)
						want := kind == atMost && v <= limit || kind == atLeast && v >= limit
						if got.Has(doc) != want {
							t.Fatalf("column %d, kind %d, limit %v, number %v: got %v", of, kind, limit, v, got.Has(doc))
						}
					}
				}
			}
		}
	}
}

// A limit that rises, or falls, with experience.
func TestSegment_RateLimit(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	x := conditionSegment(rng, minSliced+100)
	for i := range 100 {
		l := matching.RateLimit{
			Unknown: 120 * rng.Float64(), Beginner: 120 * rng.Float64(), Expert: 120 * rng.Float64(),
			ExpertYears: 1 + 15*rng.Float64(),
		}
		switch i % 4 {
		case 0: // the same shape with a limit that a document has
			doc := rng.IntN(len(x.Lengths))
			l = matching.RateLimit{Unknown: .7, Beginner: .5, Expert: 1, ExpertYears: 10}
			scale := x.Signals.Rate[doc] / l.Max(signals.Known(x.Signals.Experience[doc]))
			if scale == scale {
				l.Unknown, l.Beginner, l.Expert = l.Unknown*scale, l.Beginner*scale, l.Expert*scale
			}

		case 1:
			l.Beginner = 0
		}

		of := Clauses(&engine.Filters{RateLimit: matching.Some(l)})
		got := x.evaluate(&of[0])
		for doc := range x.Lengths {
			rate := x.Signals.Rate[doc]
			years := x.Signals.Experience[doc]
			if want := rate <= l.Max(signals.Known(years)); got.Has(doc) != want {
				t.Fatalf("%+v: rate %v, %v years: got %v, want %v", l, rate, years, got.Has(doc), want)
			}
		}
	}

	if n := len(x.rates.sliced); n > maxShapes {
		t.Errorf("%d shapes are kept, want at most %d", n, maxShapes)
	}
}

// A segment remembers the conditions that were used last, and no more than maxConditions.
func TestSegment_Remembers(t *testing.T) {
	x := conditionSegment(rand.New(rand.NewPCG(5, 6)), minRemembered)
	meeting := func(limit int) bitmap.Set {
		c := limitClause(atMost, ofRate, float64(limit))
		return x.Matching(&c)
	}

	first := meeting(0)
	for limit := range 3 * maxConditions {
		meeting(limit)
		if again := meeting(0); &again[0] != &first[0] {
			t.Fatalf("a condition that was just used was evaluated again after %d others", limit)
		}
	}

	if n := len(x.conditions.found); n != maxConditions {
		t.Errorf("%d conditions are remembered, want %d", n, maxConditions)
	}
	recent := 3*maxConditions - 1
	forgotten := maxConditions
	before := meeting(recent)
	if again := meeting(recent); &again[0] != &before[0] {
		t.Error("a recent condition was forgotten")
	}

	c := limitClause(atMost, ofRate, float64(forgotten))
	if x.conditions.get(c.condition) != nil {
		t.Error("an old condition was not forgotten")
	}
}

// Different sets of words never share a cached result, whatever bytes they have.
func TestClauses_Keys(t *testing.T) {
	seen := map[condition][]string{}
	for _, set := range [][]string{
		nil, {""}, {"", ""}, {"a", "b"}, {"ab"}, {"a\x00b"}, {"a\x01b"}, {"\x01a\x01b"}, {"b", "a"},
	} {
		c := wordsClause(hasLabel, set)
		if other, ok := seen[c.condition]; ok {
			t.Errorf("%q and %q have the same key", set, other)
		}
		seen[c.condition] = set
	}
}

// A large set of labels finds the same documents as its labels one by one, in segments with few and with many labels.
func TestSegment_LargeSets(t *testing.T) {
	for _, known := range []int{3, 100} {
		x := new(Segment)
		for i := range known {
			x.Names[ofLabels].add(fmt.Sprintf("zone:%d", 10*i))
		}
		var set []string
		for i := range 2 * manyWords {
			set = append(set, fmt.Sprintf("zone:%d", i))
		}

		c := wordsClause(hasLabel, set)
		var got []string
		for _, number := range x.wordNumbers(ofLabels, &c) {
			got = append(got, string(x.Names[ofLabels].At(number)))
		}

		slices.Sort(got)
		want := []string{"zone:0", "zone:10", "zone:20", "zone:30"}[:min(known, 4)]
		if !slices.Equal(got, want) {
			t.Errorf("%d labels: found %v, want %v", known, got, want)
		}
	}
}

func BenchmarkSegment_Ordered(b *testing.B) {
	rng := rand.New(rand.NewPCG(4, 5))
	x := conditionSegment(rng, 1_000_000)
	for number := range uint32(len(x.Lengths)) {
		x.IDs.append(fmt.Appendf(nil, "freelancer-%07d", number))
		x.DocOf = append(x.DocOf, number)
		x.idOf = append(x.idOf, number)
	}
	rng.Shuffle(len(x.DocOf), func(i, j int) { x.DocOf[i], x.DocOf[j] = x.DocOf[j], x.DocOf[i] })
	for b.Loop() {
		x.order = idOrder{}
		x.Ordered()
	}
}

func BenchmarkSegment_Slices(b *testing.B) {
	x := conditionSegment(rand.New(rand.NewPCG(4, 5)), 1_000_000)
	for b.Loop() {
		var s bitmap.SlicedColumn
		s.Build(len(x.Lengths), func(doc int) float64 { return x.value(ofRate, doc) })
	}
}
