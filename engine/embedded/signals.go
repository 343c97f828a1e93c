package embedded

import (
	"fmt"
	"math"
	"slices"

	"freelancer-matching/engine/embedded/sectionfile"
	"freelancer-matching/internal/matching"
)

// signals holds the columns that documents are filtered and scored by, besides words and skills. An unknown value is
// NaN, unknownSales or availabilityUnknown.
type signals struct {
	experience   []float64 // years
	rating       []float64
	rate         []float64
	availability []uint8
	sales        []int64
}

const (
	unknownSales = math.MinInt64
	unknownDay   = math.MaxInt32
)

const (
	availabilityUnknown = iota
	notAvailable
	available
)

func (s *signals) add(of matching.Signals) {
	s.experience = append(s.experience, of.Experience.Or(math.NaN()))
	s.rating = append(s.rating, of.Rating.Or(math.NaN()))
	s.rate = append(s.rate, of.HourlyRate.Or(math.NaN()))
	availability := uint8(availabilityUnknown)
	if of.Availability.Known {
		availability = notAvailable
		if of.Availability.Value {
			availability = available
		}
	}
	s.availability = append(s.availability, availability)
	sales := int64(unknownSales)
	if of.TotalSales.Known {
		sales = int64(of.TotalSales.Value)
	}
	s.sales = append(s.sales, sales)
}

// at returns the signals of a document.
func (s *signals) at(i int) matching.Signals {
	of := matching.Signals{
		Experience: known(s.experience[i]),
		Rating:     known(s.rating[i]),
		HourlyRate: known(s.rate[i]),
	}
	if s.availability[i] != availabilityUnknown {
		of.Availability = matching.Some(s.availability[i] == available)
	}
	if s.sales[i] != unknownSales {
		of.TotalSales = matching.Some(int(s.sales[i]))
	}
	return of
}

// transfer writes or reads the columns.
func (s *signals) transfer(f *sectionfile.Sections, name string) {
	sectionfile.Transfer(f, name+" experience", &s.experience)
	sectionfile.Transfer(f, name+" rating", &s.rating)
	sectionfile.Transfer(f, name+" rate", &s.rate)
	sectionfile.Transfer(f, name+" availability", &s.availability)
	sectionfile.Transfer(f, name+" sales", &s.sales)
}

// check returns an error unless every column has want rows.
func (s *signals) check(name string, want int) error {
	for _, rows := range []int{len(s.experience), len(s.rating), len(s.rate), len(s.availability), len(s.sales)} {
		if rows != want {
			return fmt.Errorf("%s: a column has %d rows, want %d", name, rows, want)
		}
	}
	return nil
}

// append adds the rows of other columns.
func (s *signals) append(other *signals) {
	s.experience = append(s.experience, other.experience...)
	s.rating = append(s.rating, other.rating...)
	s.rate = append(s.rate, other.rate...)
	s.availability = append(s.availability, other.availability...)
	s.sales = append(s.sales, other.sales...)
}

// grow makes room for n more rows.
func (s *signals) grow(n int) {
	s.experience, s.rating, s.rate = slices.Grow(s.experience, n), slices.Grow(s.rating, n), slices.Grow(s.rate, n)
	s.availability, s.sales = slices.Grow(s.availability, n), slices.Grow(s.sales, n)
}

// dayOf returns the day in a column. Days out of the column's range, millions of years away, become the nearest one.
func dayOf(day matching.Optional[int]) int32 {
	if !day.Known {
		return unknownDay
	}
	return int32(min(max(day.Value, math.MinInt32), unknownDay-1))
}

func known(value float64) matching.Optional[float64] {
	if math.IsNaN(value) {
		return matching.Optional[float64]{}
	}
	return matching.Some(value)
}
