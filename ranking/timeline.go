package ranking

import (
	"strconv"

	"github.com/freelancer-matching/service/internal/matching"
)

// A timelineScorer compares the days that freelancers need with the timeline of a request.
type timelineScorer struct {
	work   *workload
	days   int // until the deadline, counted from start
	start  int // first day of the work, in days since 1970-01-01
	chance *Chance
}

// newTimelineScorer returns the scorer for the timeline of a request, if it has one.
func newTimelineScorer(p *Profile, r *Request, work *workload) timelineScorer {
	t := timelineScorer{work: work, days: r.TimelineDays.Value, start: r.Start, chance: &p.Limits.Estimated}
	if work.given {
		t.chance = &p.Limits.Known
	}
	return t
}

// value compares the days that the work takes with those that are left until the deadline when the freelancer can
// begin. The date is certain, and only the size of the work may be estimated.
func (t *timelineScorer) value(sig *matching.Signals, schedule *matching.Schedule) float64 {
	left := float64(t.days) - t.wait(schedule)
	if left <= 0 {
		return 0
	}

	value := t.chance.of(t.work.days(sig, schedule), left)
	if unavailable(sig, schedule) {
		value *= t.work.numbers.Unavailable
	}
	return value
}

// wait returns the days from the start of the work until the freelancer can begin. An unknown day is no wait.
func (t *timelineScorer) wait(schedule *matching.Schedule) float64 {
	if !schedule.From.Known {
		return 0
	}
	return max(0, float64(schedule.From.Value)-float64(t.start))
}

// unavailable reports whether the freelancer can't begin now, and nobody knows when.
func unavailable(sig *matching.Signals, schedule *matching.Schedule) bool {
	return !schedule.From.Known && !sig.Availability.Or(true)
}

// summary says how long the work takes, and whether that is within the timeline.
func (t *timelineScorer) summary(c *Candidate) string {
	days := t.work.days(&c.Signals, &c.Schedule)
	limit := float64(t.days)

	work := plural(days, "day")
	if t.partTime(&c.Schedule) {
		work += " at " + plural(c.Schedule.HoursPerWeek.Value, "hour") + " a week"
	}

	if wait := t.wait(&c.Schedule); wait > 0 {
		return "available from " + matching.Date(c.Schedule.From.Value) + afterWait(wait, days, limit, work)
	}

	sentence := "needs " + work + ", "
	if days <= limit {
		sentence += "within "
	} else {
		sentence += over(days, limit)
	}
	sentence += "the timeline of " + strconv.Itoa(t.days)

	switch {
	case unavailable(&c.Signals, &c.Schedule):
		return sentence + "; not available now, so this counts " + amount(100*t.work.numbers.Unavailable) + " %"
	case !c.Schedule.From.Known && !c.Signals.Availability.Known:
		return sentence + "; availability unknown"
	default:
		return sentence
	}
}

// afterWait continues a sentence with what happens when a freelancer begins after some days of waiting. work is the
// number of days in words.
func afterWait(wait, days, limit float64, work string) string {
	switch {
	case wait >= limit:
		return ", after the deadline; the work would take " + work
	case wait+days > limit:
		late := max(.1, wait+days-limit) // never rounded to 0
		return "; the work would take " + work + ", " + amount(late) + " past the deadline"
	default:
		return "; the work would take " + work + ", within the timeline of " + amount(limit)
	}
}

// partTime reports whether the freelancer is known to work fewer hours than full time.
func (t *timelineScorer) partTime(schedule *matching.Schedule) bool {
	return schedule.HoursPerWeek.Known && schedule.HoursPerWeek.Value < t.work.numbers.fullTime()
}
