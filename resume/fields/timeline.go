package fields

import (
	"math"

	"freelancer-matching/internal/matching"
)

// firstMonth returns the month in which a period that starts at a date begins, counted from year 0. A bare year means
// its middle, so that a period from 2016 to 2018 is two years long.
func (d date) firstMonth() int {
	if d.month == 0 {
		return 12*d.year + 6
	}
	return 12*d.year + d.month - 1
}

// lastMonth returns the month in which a period that ends at a date ends, counted from year 0.
func (d date) lastMonth() int {
	if d.month == 0 {
		return 12*d.year + 5
	}
	return 12*d.year + d.month - 1
}

// A period is a range of months, including both.
type period struct{ first, last int }

// period returns the months of a span, until today if it is current. ok is false if an end is unknown, or if the start
// is in the future.
func (s *span) period(today date) (p period, ok bool) {
	p = period{s.from.firstMonth(), s.to.lastMonth()}
	if s.current {
		p.last = today.lastMonth()
	}
	return p, (s.current || s.to.year != 0) && p.last >= p.first
}

// months returns the length of a span in months, if it is known.
func (s *span) months(today date) matching.Optional[int] {
	p, ok := s.period(today)
	if !ok {
		return matching.Optional[int]{}
	}
	return matching.Some(p.last - p.first + 1)
}

// years returns how long periods last together until today, in years with one decimal. Overlaps count once.
func years(periods []period, today date) matching.Optional[float64] {
	for i := range periods {
		periods[i].last = min(periods[i].last, today.lastMonth())
	}
	months := covered(periods)
	if len(periods) == 0 {
		return matching.Optional[float64]{}
	}
	return matching.Some(math.Round(float64(months)/12*10) / 10)
}
