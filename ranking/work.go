package ranking

import (
	"math"

	"github.com/freelancer-matching/service/internal/matching"
)

const daysPerWeek = 7

// days returns the calendar days that hours of work take. Hours a week beyond those of full-time work don't count, so
// that nobody gains by claiming to work day and night.
func (w *WorkNumbers) days(hours float64, perWeek matching.Optional[float64]) float64 {
	return hours / min(w.fullTime(), perWeek.Or(w.fullTime())) * daysPerWeek
}

// fullTime returns the hours of a week of full-time work.
func (w *WorkNumbers) fullTime() float64 { return w.HoursPerDay * w.DaysPerWeek }

// Days returns the calendar days that hours of work take full time.
func (p *Profile) Days(hours float64) float64 {
	return p.Work.days(hours, matching.Optional[float64]{})
}

// RateLimit returns the limit on the hourly rate that keeps the estimated cost of work of a size, in hours at pace 1,
// at or below an amount.
func (p *Profile) RateLimit(cost, hours float64) matching.RateLimit {
	// An experience in between gets the rate in between, because the pace is linear too.
	atPace1 := cost / hours
	pace := &p.Work.Pace
	return matching.RateLimit{
		Unknown:     atPace1,
		Beginner:    atPace1 * pace.Beginner,
		Expert:      atPace1 * pace.Expert,
		ExpertYears: pace.ExpertYears,
	}
}

// of returns the pace for years of experience.
func (p *Pace) of(years matching.Optional[float64]) float64 {
	if !years.Known {
		return 1
	}
	return p.Beginner + (p.Expert-p.Beginner)*min(1, years.Value/p.ExpertYears)
}

// A workload is the size of the work of a request.
type workload struct {
	numbers *WorkNumbers
	typical matching.Optional[float64] // hours at pace 1
	given   bool                       // by the client, not estimated
}

// newWorkload returns the size of the work of a request.
func newWorkload(p *Profile, r *Request) workload {
	return workload{
		numbers: &p.Work,
		typical: matching.Optional[float64]{Value: r.Effort.Value.Typical, Known: r.Effort.Known},
		given:   r.Effort.Value.From == matching.EffortFromClient,
	}
}

// hours returns the hours of the work with one freelancer, or 0 if the size of the work is unknown.
func (w *workload) hours(sig *matching.Signals) float64 {
	return w.typical.Value / w.numbers.Pace.of(sig.Experience)
}

// days returns the calendar days of the work with one freelancer, or 0 if the size of the work is unknown.
func (w *workload) days(sig *matching.Signals, schedule *matching.Schedule) float64 {
	return w.numbers.days(w.hours(sig), schedule.HoursPerWeek)
}

// quote returns hours, days and cost of the work with one freelancer as the client sees them: rounded, and in the
// client's currency. All are unknown if the size of the work is.
func (w *workload) quote(c *Candidate, money Money) matching.Estimate {
	quoted := matching.Estimate{Currency: money.Currency}
	if !w.typical.Known {
		return quoted
	}

	exact := w.hours(&c.Signals)
	hours, rounding := tenths(exact)
	quoted.Hours = matching.Some(hours)
	quoted.Days = matching.Some(math.Round(w.days(&c.Signals, &c.Schedule)*10) / 10)
	if c.Signals.HourlyRate.Known {
		cost := money.of(exact * c.Signals.HourlyRate.Value * rounding)
		quoted.Cost = matching.Some(math.Round(cost*100) / 100)
	}

	return quoted
}

// tenths rounds hours to tenths, and returns the factor that this applies to a cost. Readers see the cost of the
// rounded hours, so that it is the product of the hours and the rate that they see.
func tenths(hours float64) (rounded, factor float64) {
	rounded = math.Round(hours*10) / 10
	if rounded == 0 {
		return hours, 1
	}
	return rounded, rounded / hours
}
