package ranking

import (
	"math"

	"github.com/freelancer-matching/service/internal/matching"
)

// A budgetScorer compares freelancers' prices with the budget of a request.
type budgetScorer struct {
	budget matching.Budget
	work   *workload
	median float64 // takes the place of an unknown hourly rate
	chance *Chance
	money  Money
}

// newBudgetScorer returns the scorer for the budget of a request, if it has one.
func newBudgetScorer(p *Profile, r *Request, work *workload) budgetScorer {
	b := budgetScorer{
		budget: r.Budget.Value, work: work, median: r.Corpus.RateMedian.Value, chance: &p.Limits.Estimated, money: r.Money,
	}
	if b.hourly() || work.given {
		b.chance = &p.Limits.Known
	}
	return b
}

// hourly reports whether the budget limits the hourly rate, not the cost of all the work.
func (b *budgetScorer) hourly() bool { return b.budget.Kind == matching.BudgetHourly }

// value compares a freelancer's price with the upper end of the budget. The lower end has no effect.
func (b *budgetScorer) value(sig *matching.Signals) float64 {
	return b.chance.of(b.price(sig), b.budget.High)
}

// price returns the amount to compare with the budget: the rate for an hourly budget, the cost of all the work
// otherwise.
func (b *budgetScorer) price(sig *matching.Signals) float64 {
	if b.hourly() {
		return b.hourlyRate(sig)
	}
	return b.work.hours(sig) * b.hourlyRate(sig)
}

// hourlyRate returns a freelancer's rate, or the median of the data set instead of an unknown one.
func (b *budgetScorer) hourlyRate(sig *matching.Signals) float64 { return sig.HourlyRate.Or(b.median) }

// verdict says whether the price that readers see is within the budget.
func (b *budgetScorer) verdict(sig *matching.Signals) (p matching.Price) {
	limit := b.budget.High
	price := b.price(sig)
	if !b.hourly() {
		_, rounding := tenths(b.work.hours(sig))
		price *= rounding // as in the estimate
	}

	switch {
	case !sig.HourlyRate.Known:
		p.Verdict = matching.PriceUnknown
	case price <= limit:
		p.Verdict = matching.PriceWithin
	default:
		p.Verdict = matching.PriceOver
		if times := math.Round(10*(price/limit)) / 10; !math.IsInf(times, 0) { // JSON has no infinities
			p.Times = matching.Some(times)
		}
	}

	return p
}

// summary compares the price with both ends of the budget, in words: "55/h is within the budget up to 60/h", or
// "96 h at 50/h cost 4,800, about 1.6 times the budget up to 3,000".
func (b *budgetScorer) summary(sig *matching.Signals) string {
	rate := b.money.HourlyRate(b.hourlyRate(sig))
	subject := rate + " is"
	unit := "/h"
	if !b.hourly() {
		// The hours are shown with one decimal, so the cost follows from the hours shown.
		hours, rounding := tenths(b.work.hours(sig))
		subject = decimal(hours, 1) + " h at " + rate + " cost " + b.money.format(b.price(sig)*rounding) + ","
		unit = ""
	}
	if !sig.HourlyRate.Known {
		subject = "unknown rate, counted as the median; " + subject
	}

	limit := "the budget up to " + b.money.format(b.budget.High) + unit

	switch price := b.price(sig); {
	case price > b.budget.High:
		return subject + " " + over(price, b.budget.High) + limit
	case price < b.budget.Low:
		return subject + " below the budget from " + b.money.format(b.budget.Low) + unit +
			", which doesn't lower the score"
	default:
		return subject + " within " + limit
	}
}
