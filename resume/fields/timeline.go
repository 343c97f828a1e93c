package fields

import (
	"cmp"
	"math"
	"slices"

	"freelancer-matching/internal/matching"
)

// Months are counted from year 0. A year alone means its middle: a time from 2016 to 2018 is two years.
func (d date) firstMonth() int {
	if d.month == 0 {
		return 12*d.year + 6
	}
	return 12*d.year + d.month - 1
}

func (d date) lastMonth() int {
	if d.month == 0 {
		return 12*d.year + 5
	}
	return 12*d.year + d.month - 1
}

// period is a time in months, both ends within it.
type period struct{ first, last int }

// period is the time of a span up to today; ok is false where an end is not told, or nothing is left of it.
func (s *span) period(today date) (p period, ok bool) {
	p = period{s.from.firstMonth(), s.to.lastMonth()}
	if s.current {
		p.last = today.lastMonth()
	}
	return p, (s.current || s.to.year != 0) && p.last >= p.first
}

// months is how many months a span has.
func (s *span) months(today date) matching.Optional[int] {
	p, ok := s.period(today)
	if !ok {
		return matching.Optional[int]{}
	}
	return matching.Some(p.last - p.first + 1)
}

// years is the time that periods cover up to today, in years with one decimal.
func years(periods []period, today date) matching.Optional[float64] {
	slices.SortFunc(periods, func(a, b period) int { return cmp.Compare(a.first, b.first) })
	months, covered := 0, 0
	for _, p := range periods {
		p.last = min(p.last, today.lastMonth())
		first := max(p.first, covered)
		if p.last >= first {
			months += p.last - first + 1
			covered = p.last + 1
		}
	}
	if len(periods) == 0 {
		return matching.Optional[float64]{}
	}
	return matching.Some(math.Round(float64(months)/12*10) / 10)
}
