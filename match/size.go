package match

import (
	"fmt"
	"math"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match/documents"
	"github.com/freelancer-matching/service/match/effort"
	"github.com/freelancer-matching/service/ranking"

	"github.com/dustin/go-humanize"
)

// hourlyUpTo is the multiple of the median rate up to which a budget of unknown kind is an hourly rate. Of 65 judged
// briefs whose kind a reader could tell, it is right about 63.
const hourlyUpTo = 4

// size returns the size of the work of a brief, and the brief with a known kind of budget. The amounts of the brief are
// in the currency of the data set.
func (r *briefReader) size(
	brief *matching.Brief, d *demand, profile *ranking.Profile,
) (matching.Effort, *matching.Brief) {
	usualRate := d.stats.RateMedian
	sized := *brief
	budget := &sized.Budget.Value
	if sized.Budget.Known && budget.Kind == "" {
		budget.Kind = matching.BudgetFixed
		if usualRate.Known && budget.High <= hourlyUpTo*usualRate.Value {
			budget.Kind = matching.BudgetHourly
		}
	}

	if hours := brief.EffortHours; hours.Known {
		return matching.Effort{
			Low: hours.Value, Typical: hours.Value, High: hours.Value, From: matching.EffortFromClient,
		}, &sized
	}

	work := effort.Work{
		Title: documents.Sentences(brief.JobTitle, d.headline), Description: brief.Description, Buys: buys(&sized, usualRate),
	}
	for _, skill := range d.ordered() {
		work.Skills = append(work.Skills, skill.canonical)
	}

	return profile.Sized(r.efforts.Estimate(&work), brief.Complexity), &sized
}

// buys returns the number of hours that the budget of a whole project pays at the usual rate.
func buys(brief *matching.Brief, usualRate matching.Optional[float64]) matching.Optional[float64] {
	b := &brief.Budget
	known := b.Known && b.Value.Kind == matching.BudgetFixed && b.Value.High > 0 && usualRate.Known && usualRate.Value > 0
	if !known {
		return matching.Optional[float64]{}
	}
	return matching.Some(b.Value.High / usualRate.Value)
}

// leastRounded is the least number of hours that is rounded.
const leastRounded = 1e-9

// shownEffort returns an effort with two digits, because an estimate isn't more precise.
func shownEffort(e matching.Effort) *matching.Effort {
	if e.From != matching.EffortFromClient {
		e.Low = twoDigits(e.Low)
		e.Typical = twoDigits(e.Typical)
		e.High = twoDigits(e.High)
	}
	return &e
}

func twoDigits(x float64) float64 {
	if x < leastRounded { // the units of even smaller numbers leave the range of floating-point numbers
		return x
	}
	unit := math.Pow10(int(math.Floor(math.Log10(x))) - 1)
	if unit >= 1 {
		return math.Round(x/unit) * unit
	}
	return math.Round(x/unit) / math.Round(1/unit) // a division gives the decimal that prints shortest
}

// budgetReading says how the budget of a brief was read, given the brief before and after. It returns nil for a brief
// without a budget.
func (d *demand) budgetReading(written, sized *matching.Brief) *matching.BudgetReading {
	if !sized.Budget.Known {
		return nil
	}

	kind := sized.Budget.Value.Kind
	reading := &matching.BudgetReading{
		Type: kind, Assumed: written.Budget.Value.Kind == "", Buys: buys(sized, d.stats.RateMedian),
	}
	median := d.money.HourlyRate(d.stats.RateMedian.Value)

	var message string
	switch {
	case !d.stats.RateMedian.Known:
		message = "no freelancer has an hourly rate to compare it with"
	case kind == matching.BudgetHourly && reading.Assumed:
		message = fmt.Sprintf("read as an hourly rate, because it is at most %d times the median rate of %s",
			hourlyUpTo, median)
	case kind == matching.BudgetHourly:
		message = "compared with hourly rates, of which half are at most " + median
	case reading.Buys.Known && reading.Buys.Value < .1:
		message = fmt.Sprintf("at the median rate of %s it buys less than 0.1 hours", median)
	case reading.Buys.Known:
		hours := twoDigits(reading.Buys.Value)
		reading.Buys.Value = hours
		message = fmt.Sprintf("at the median rate of %s it buys about %s hours; work like this typically takes %s",
			median, humanize.Commaf(hours), humanize.Commaf(twoDigits(d.effort.Typical)))
	default:
		message = "it buys nothing"
	}

	if kind == matching.BudgetFixed && reading.Assumed {
		message = "read as the price of the whole project; " + message
	}
	if reading.Assumed {
		message += "; send budget_type to say which it is"
	}

	reading.Message = message
	return reading
}
