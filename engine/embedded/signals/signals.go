// Package signals has columns of what documents are scored by besides their words, and groups documents with similar
// values into classes, for which a query computes upper bounds.
package signals

import (
	"fmt"
	"math"
	"slices"

	"github.com/freelancer-matching/service/engine/embedded/sectionfile"
	"github.com/freelancer-matching/service/internal/matching"
)

// Columns holds the columns that documents are filtered and scored by, besides words and skills. An unknown value
// is NaN, unknownSales or availabilityUnknown.
type Columns struct {
	Experience   []float64 // years
	Rating       []float64
	Rate         []float64
	Availability []uint8
	Sales        []int64
}

const unknownSales = math.MinInt64

// The values of the column Availability.
const (
	AvailabilityUnknown = iota
	NotAvailable
	Available
)

// Add appends the signals of the next document.
func (s *Columns) Add(of matching.Signals) {
	s.Experience = append(s.Experience, of.Experience.Or(math.NaN()))
	s.Rating = append(s.Rating, of.Rating.Or(math.NaN()))
	s.Rate = append(s.Rate, of.HourlyRate.Or(math.NaN()))
	availability := uint8(AvailabilityUnknown)
	if of.Availability.Known {
		availability = NotAvailable
		if of.Availability.Value {
			availability = Available
		}
	}
	s.Availability = append(s.Availability, availability)
	sales := int64(unknownSales)
	if of.TotalSales.Known {
		sales = int64(of.TotalSales.Value)
	}
	s.Sales = append(s.Sales, sales)
}

// At returns the signals of a document.
func (s *Columns) At(i int) matching.Signals {
	of := matching.Signals{
		Experience: Known(s.Experience[i]),
		Rating:     Known(s.Rating[i]),
		HourlyRate: Known(s.Rate[i]),
	}
	if s.Availability[i] != AvailabilityUnknown {
		of.Availability = matching.Some(s.Availability[i] == Available)
	}
	if s.Sales[i] != unknownSales {
		of.TotalSales = matching.Some(int(s.Sales[i]))
	}
	return of
}

// Transfer writes or reads the columns.
func (s *Columns) Transfer(f *sectionfile.Sections, name string) {
	sectionfile.Transfer(f, name+" experience", &s.Experience)
	sectionfile.Transfer(f, name+" rating", &s.Rating)
	sectionfile.Transfer(f, name+" rate", &s.Rate)
	sectionfile.Transfer(f, name+" availability", &s.Availability)
	sectionfile.Transfer(f, name+" sales", &s.Sales)
}

// Check returns an error unless every column has want rows.
func (s *Columns) Check(name string, want int) error {
	for _, rows := range []int{len(s.Experience), len(s.Rating), len(s.Rate), len(s.Availability), len(s.Sales)} {
		if rows != want {
			return fmt.Errorf("%s: a column has %d rows, want %d", name, rows, want)
		}
	}
	return nil
}

// Append adds the rows of other columns.
func (s *Columns) Append(other *Columns) {
	s.Experience = append(s.Experience, other.Experience...)
	s.Rating = append(s.Rating, other.Rating...)
	s.Rate = append(s.Rate, other.Rate...)
	s.Availability = append(s.Availability, other.Availability...)
	s.Sales = append(s.Sales, other.Sales...)
}

// Reset removes all rows and keeps their memory.
func (s *Columns) Reset() {
	s.Experience = s.Experience[:0]
	s.Rating = s.Rating[:0]
	s.Rate = s.Rate[:0]
	s.Availability = s.Availability[:0]
	s.Sales = s.Sales[:0]
}

// Grow makes room for n more rows.
func (s *Columns) Grow(n int) {
	s.Experience, s.Rating, s.Rate = slices.Grow(s.Experience, n), slices.Grow(s.Rating, n), slices.Grow(s.Rate, n)
	s.Availability, s.Sales = slices.Grow(s.Availability, n), slices.Grow(s.Sales, n)
}

// Known returns the value of a column, of which NaN is unknown.
func Known(value float64) matching.Optional[float64] {
	if math.IsNaN(value) {
		return matching.Optional[float64]{}
	}
	return matching.Some(value)
}
