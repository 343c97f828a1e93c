package signals

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
)

// The members of a class are similar enough to share one score.
// No function that is monotonic in each signal exceeds its bound for the document's class, and the bound is close.
func TestClasses(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	var s Columns
	for range 1_000 {
		var of matching.Signals
		if rng.IntN(10) > 0 {
			of.HourlyRate = matching.Some(math.Round(5 * math.Exp(3*rng.Float64())))
		}
		if rng.IntN(10) > 0 {
			of.Rating = matching.Some(math.Round(10*(5-2*rng.Float64()*rng.Float64())) / 10)
			of.TotalSales = matching.Some(int(math.Exp(6 * rng.Float64())))
		}
		if rng.IntN(10) > 0 {
			of.Availability = matching.Some(rng.IntN(4) > 0)
		}
		of.Experience = matching.Some(float64(rng.IntN(21)))
		s.Add(of)
	}

	for _, extreme := range []matching.Signals{
		{HourlyRate: matching.Some(1e9), Experience: matching.Some(200.), Availability: matching.Some(true)},
		{HourlyRate: matching.Some(0.), Rating: matching.Some(5.), TotalSales: matching.Some(math.MaxInt32)},
		{Rating: matching.Some(0.), TotalSales: matching.Some(0)},
	} {
		s.Add(extreme)
	}

	fit := func(s matching.Signals) float64 {
		fit := .04
		if s.HourlyRate.Known {
			fit = .085 * min(1, 6000/(120*s.HourlyRate.Value))
		}
		if s.Availability.Or(true) {
			fit += .057
		}
		return fit + .028*min(1, s.Experience.Or(3)/3)
	}
	quality := func(s matching.Signals) float64 {
		n := float64(s.TotalSales.Or(0))
		return .056 * (n*s.Rating.Or(4.6) + 10*4.6) / (n + 10) / 5
	}
	falling := func(s matching.Signals) float64 {
		return -s.HourlyRate.Or(50) - 10*s.Experience.Or(3) + 7*(2.5-s.Rating.Or(2))*float64(s.TotalSales.Or(1))
	}
	for _, c := range []struct {
		name     string
		Banding  Banding
		function func(matching.Signals) float64
		near     float64 // highest acceptable difference, except at the ends of the range
	}{
		{"fit", FitBanding(), fit, .02},
		{"quality", QualityBanding(), quality, .02},
		{"falling fit", FitBanding(), falling, math.Inf(1)},
		{"falling quality", QualityBanding(), falling, math.Inf(1)},
	} {
		classes := Classify(&s, c.Banding)
		bounds := classes.Table.Bounds(c.function)
		for doc := range classes.Of {
			of := s.At(doc)
			if strings.HasSuffix(c.name, "fit") {
				of.Rating = matching.Optional[float64]{}
				of.TotalSales = matching.Optional[int]{}
			} else {
				of = matching.Signals{Rating: of.Rating, TotalSales: of.TotalSales}
			}

			value := c.function(of)
			bound := float64(bounds.At(classes.Of[doc]))
			if value > bound || bound > float64(bounds.Highest) || doc < 1_000 && bound-value > c.near {
				t.Errorf("%s of %+v is %v, the bound %v, that of all classes %v", c.name, of, value, bound, bounds.Highest)
			}
		}
	}
}

func TestClasses_CheckShape(t *testing.T) {
	var s Columns
	s.Add(matching.Signals{Rating: matching.Some(4.)})
	c := Classify(&s, QualityBanding())
	if err := c.CheckShape("quality", 1); err != nil {
		t.Fatal(err)
	}

	if c.CheckShape("quality", 2) == nil {
		t.Error("a document without a class: no error")
	}
	c.Table.keys[0][1] = 9999
	if c.CheckShape("quality", 1) == nil {
		t.Error("a class that can't exist: no error")
	}
}
