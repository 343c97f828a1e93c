package dates

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/internal/matching"
)

// Parse returns the date that YYYY-MM or YYYY denotes, the zero date for "".
func Parse(text string) Date {
	year, month, _ := strings.Cut(text, "-")
	y, _ := strconv.Atoi(year)
	m, _ := strconv.Atoi(month)
	return Date{y, m}
}

// Covered returns how many months periods last together. Overlaps count once.
func Covered(periods []Period) int {
	slices.SortFunc(periods, func(a, b Period) int { return cmp.Compare(a.first, b.first) })
	months, next := 0, 0
	for _, p := range periods {
		if first := max(p.first, next); p.last >= first {
			months += p.last - first + 1
			next = p.last + 1
		}
	}
	return months
}

// firstMonth returns the month in which a period that starts at a date begins, counted from year 0. A bare year means
// its middle, so that a period from 2016 to 2018 is two years long.
func (d Date) firstMonth() int {
	if d.Month == 0 {
		return 12*d.Year + 6
	}
	return 12*d.Year + d.Month - 1
}

// lastMonth returns the month in which a period that ends at a date ends, counted from year 0.
func (d Date) lastMonth() int {
	if d.Month == 0 {
		return 12*d.Year + 5
	}
	return 12*d.Year + d.Month - 1
}

// A Period is a range of months, including both.
type Period struct{ first, last int }

// Period returns the months of a span, until today if it is current. ok is false if an end is unknown, or if the start
// is in the future.
func (s *Span) Period(today Date) (p Period, ok bool) {
	p = Period{s.From.firstMonth(), s.To.lastMonth()}
	if s.Current {
		p.last = today.lastMonth()
	}
	return p, s.From.Year != 0 && (s.Current || s.To.Year != 0) && p.last >= p.first
}

// Covers reports whether the time of an inner span is within s, which is a range. A year covers all of its months.
func (s *Span) Covers(inner Span) bool {
	if s.Single() || s.From.Year == 0 || inner.From.Year == 0 {
		return false
	}

	starts := s.From.Year < inner.From.Year ||
		s.From.Year == inner.From.Year && (s.From.Month <= inner.From.Month || inner.From.Month == 0)
	last := inner.To
	if inner.Single() {
		last = inner.From
	}
	ends := s.Current || !inner.Current && (last.Year < s.To.Year ||
		last.Year == s.To.Year && (s.To.Month == 0 || last.Month <= s.To.Month))
	return starts && ends
}

// Months returns the length of a span in months, if it is known.
func (s *Span) Months(today Date) matching.Optional[int] {
	p, ok := s.Period(today)
	if !ok {
		return matching.Optional[int]{}
	}
	return matching.Some(p.last - p.first + 1)
}

// Years returns how long periods last together until today, in years with one decimal. Overlaps count once.
func Years(periods []Period, today Date) matching.Optional[float64] {
	for i := range periods {
		periods[i].last = min(periods[i].last, today.lastMonth())
	}
	months := Covered(periods)
	if len(periods) == 0 {
		return matching.Optional[float64]{}
	}
	return matching.Some(math.Round(float64(months)/12*10) / 10)
}
