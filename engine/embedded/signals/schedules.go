package signals

import (
	"fmt"
	"math"
	"slices"

	"github.com/freelancer-matching/service/engine/embedded/sectionfile"
	"github.com/freelancer-matching/service/internal/matching"
)

// Schedules holds the columns of matching.Schedule.
type Schedules struct {
	From   []int32  // first day, or UnknownDay
	Tenths []uint16 // hours a week in tenths; 0 is unknown
}

// UnknownDay stands for a day that is not known.
const UnknownDay = math.MaxInt32

// tenthsPerHour is the unit of the column Tenths.
const tenthsPerHour = 10

// Add appends the schedule of the next document.
func (s *Schedules) Add(of matching.Schedule) {
	s.From = append(s.From, DayOf(of.From))
	tenths := math.Round(of.HoursPerWeek.Or(0) * tenthsPerHour)
	s.Tenths = append(s.Tenths, uint16(min(max(tenths, 0), math.MaxUint16)))
}

// At returns the schedule of a document.
func (s *Schedules) At(i int) (of matching.Schedule) {
	if day := s.From[i]; day != UnknownDay {
		of.From = matching.Some(int(day))
	}
	if tenths := s.Tenths[i]; tenths != 0 {
		of.HoursPerWeek = matching.Some(float64(tenths) / tenthsPerHour)
	}
	return of
}

// Transfer writes or reads the columns. Files of earlier versions lack the hours, which are unknown then. The names of
// the sections begin with a prefix.
func (s *Schedules) Transfer(f *sectionfile.Sections, prefix string) {
	sectionfile.Transfer(f, prefix+"available from", &s.From)
	hours := prefix + "hours per week"
	if f.Writing() || f.IsNext(hours) {
		sectionfile.Transfer(f, hours, &s.Tenths)
	} else {
		s.Tenths = make([]uint16, len(s.From))
	}
}

// Check returns an error unless every column has want rows.
func (s *Schedules) Check(want int) error {
	if len(s.From) != want || len(s.Tenths) != want {
		return fmt.Errorf("schedules: %d days and %d hours, want %d", len(s.From), len(s.Tenths), want)
	}
	return nil
}

// Append adds the rows of other columns.
func (s *Schedules) Append(other *Schedules) {
	s.From = append(s.From, other.From...)
	s.Tenths = append(s.Tenths, other.Tenths...)
}

// Reset removes all rows and keeps their memory.
func (s *Schedules) Reset() {
	s.From = s.From[:0]
	s.Tenths = s.Tenths[:0]
}

// Grow makes room for n more rows.
func (s *Schedules) Grow(n int) {
	s.From = slices.Grow(s.From, n)
	s.Tenths = slices.Grow(s.Tenths, n)
}

// DayOf returns the day in a column. Days out of the column's range, millions of years away, become the nearest one.
func DayOf(day matching.Optional[int]) int32 {
	if !day.Known {
		return UnknownDay
	}
	return int32(min(max(day.Value, math.MinInt32), UnknownDay-1))
}
