package ranking

import (
	"strconv"

	"freelancer-matching/internal/matching"
)

const daysPerWeek = 7

// days returns the calendar days that hours of work take. Hours a week beyond those of full-time work don't count, so
// that nobody gains by claiming to work day and night.
func (w *WorkNumbers) days(hours float64, perWeek matching.Optional[float64]) float64 {
	fullTime := w.HoursPerDay * w.DaysPerWeek
	return hours / min(fullTime, perWeek.Or(fullTime)) * daysPerWeek
}

// Days returns the calendar days that hours of work take full time.
func (p *Profile) Days(hours float64) float64 {
	return p.Work.days(hours, matching.Optional[float64]{})
}

// wait returns the days from the start of the work until the freelancer can begin. An unknown day is no wait.
func (s *Scorer) wait(schedule *matching.Schedule) float64 {
	if !schedule.From.Known {
		return 0
	}
	return max(0, float64(schedule.From.Value)-float64(s.request.Start))
}

// timelineValue compares the days that the work takes with those that are left until the deadline when the freelancer
// can begin. The date is certain, and only the size of the work may be estimated.
func (s *Scorer) timelineValue(sig *matching.Signals, schedule *matching.Schedule) float64 {
	left := float64(s.request.TimelineDays.Value) - s.wait(schedule)
	if left <= 0 {
		return 0
	}

	days := s.profile.Work.days(s.workHours(sig), schedule.HoursPerWeek)
	value := s.chance(timeline).of(days, left)
	if s.unavailable(sig, schedule) {
		value *= s.profile.Work.Unavailable
	}
	return value
}

// unavailable reports whether the freelancer can't begin now, and nobody knows when.
func (s *Scorer) unavailable(sig *matching.Signals, schedule *matching.Schedule) bool {
	return !schedule.From.Known && !sig.Availability.Or(true)
}

func (s *Scorer) timelineSummary(c *Candidate) string {
	days := s.estimate(&c.Signals, &c.Schedule).Days.Value
	limit := float64(s.request.TimelineDays.Value)
	wait := s.wait(&c.Schedule)

	work := plural(days, "day")
	if s.partTime(&c.Schedule) {
		work += " at " + plural(c.Schedule.HoursPerWeek.Value, "hour") + " a week"
	}

	available := "available from " + matching.Date(c.Schedule.From.Value)
	switch {
	case wait >= limit:
		return available + ", after the deadline; the work would take " + work
	case wait > 0 && wait+days > limit:
		late := max(.1, wait+days-limit) // never rounded to 0
		return available + "; the work would take " + work + ", " + amount(late) + " past the deadline"
	case wait > 0:
		return available + "; the work would take " + work + ", within the timeline of " + amount(limit)
	}

	sentence := "needs " + work + ", "
	if days <= limit {
		sentence += "within "
	} else {
		sentence += over(days, limit)
	}
	sentence += "the timeline of " + strconv.Itoa(s.request.TimelineDays.Value)

	switch {
	case s.unavailable(&c.Signals, &c.Schedule):
		return sentence + "; not available now, so this counts " + amount(100*s.profile.Work.Unavailable) + " %"
	case !c.Schedule.From.Known && !c.Signals.Availability.Known:
		return sentence + "; availability unknown"
	default:
		return sentence
	}
}

// partTime reports whether the freelancer is known to work fewer hours than full time.
func (s *Scorer) partTime(schedule *matching.Schedule) bool {
	work := &s.profile.Work
	return schedule.HoursPerWeek.Known && schedule.HoursPerWeek.Value < work.HoursPerDay*work.DaysPerWeek
}
