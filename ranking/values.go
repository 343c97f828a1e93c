package ranking

import (
	"math"

	"freelancer-matching/internal/matching"
)

// values holds the value of each feature for one candidate, 0 to 1; 0 for features left out.
type values [features]float64

// mix returns the weighted mean of the values, which [Curve] maps to the score.
func (s *Scorer) mix(v values) float64 {
	sum := 0.
	for f, share := range s.share {
		sum += share * v[f]
	}
	return sum
}

// values returns a candidate's feature values. Scores, explanations and the decomposition for retrieval all use it.
func (s *Scorer) values(c *Candidate) values {
	v := s.signalValues(&c.Signals, &c.Schedule)
	if s.share[skills] > 0 {
		v[skills] = s.skillsValue(c.Evidence)
	}
	if s.share[text] > 0 {
		v[text] = c.Text / (1 + c.Text)
	}
	if s.share[semantic] > 0 {
		v[semantic] = (1-s.modelShare)*c.Semantic + s.modelShare*c.Model.Value
	}
	return v
}

// signalValues returns the values of the features that depend on signals and schedule only.
func (s *Scorer) signalValues(sig *matching.Signals, schedule *matching.Schedule) (v values) {
	if s.share[budget] > 0 {
		v[budget] = s.budgetValue(sig)
	}
	if s.share[timeline] > 0 {
		v[timeline] = s.timelineValue(sig, schedule)
	}
	if s.share[experience] > 0 {
		v[experience] = s.experienceValue(sig)
	}
	if s.share[quality] > 0 {
		v[quality] = s.rating(sig) / 5
	}
	return v
}

// skillsValue returns the credit earned for the requested skills, weighted by rarity.
func (s *Scorer) skillsValue(evidence []matching.Evidence) float64 {
	sum := 0.
	for _, i := range s.byName {
		sum += s.skillShare[i] * s.credits[evidence[i]]
	}
	return sum
}

// budgetValue compares a freelancer's price with the upper end of the budget. The lower end has no effect.
func (s *Scorer) budgetValue(sig *matching.Signals) float64 {
	return s.chance(budget).of(s.price(sig), s.request.Budget.Value.High)
}

// price returns the amount to compare with the budget: the rate for an hourly budget, the cost of all the work
// otherwise.
func (s *Scorer) price(sig *matching.Signals) float64 {
	if s.hourly() {
		return s.hourlyRate(sig)
	}
	return s.workHours(sig) * s.hourlyRate(sig)
}

func (s *Scorer) hourly() bool { return s.request.Budget.Value.Kind == matching.BudgetHourly }

// chance returns the numbers for the budget or the timeline.
func (s *Scorer) chance(f feature) *Chance {
	sizeGiven := s.request.Effort.Value.From == matching.EffortFromClient
	if sizeGiven || f == budget && s.hourly() {
		return &s.profile.Limits.Known
	}
	return &s.profile.Limits.Estimated
}

// experienceValue compares the years of experience with those the complexity asks for.
func (s *Scorer) experienceValue(sig *matching.Signals) float64 {
	if !sig.Experience.Known {
		return s.profile.Neutral
	}
	return min(1, sig.Experience.Value/s.profile.Experience.Years[s.request.Complexity])
}

// rating returns the Bayesian mean of a rating, 0 to 5. The data set's mean counts like a number of additional
// projects, so a single 5.0 stays near it and two hundred 4.9s don't. Without a rating, it returns that mean.
func (s *Scorer) rating(sig *matching.Signals) float64 {
	prior := s.request.Corpus.MeanRating.Value
	if !sig.Rating.Known {
		return prior
	}
	numbers := s.profile.Quality
	projects := numbers.UnknownProjects
	if sig.TotalSales.Known {
		projects = float64(sig.TotalSales.Value)
	}
	return (projects*sig.Rating.Value + numbers.PriorProjects*prior) / (projects + numbers.PriorProjects)
}

// estimate returns hours, days and cost of the work with one freelancer; all are unknown if the size of the work is.
func (s *Scorer) estimate(sig *matching.Signals, schedule *matching.Schedule) (e matching.Estimate) {
	if !s.hours.Known {
		return e
	}
	hours := s.workHours(sig)
	e.Hours = matching.Some(hours)
	e.Days = matching.Some(s.profile.Work.days(hours, schedule.HoursPerWeek))
	if sig.HourlyRate.Known {
		e.Cost = matching.Some(hours * sig.HourlyRate.Value)
	}
	return e
}

// workHours returns the hours of the work with one freelancer, or 0 if the size of the work is unknown.
func (s *Scorer) workHours(sig *matching.Signals) float64 {
	return s.hours.Value / s.profile.Work.Pace.of(sig.Experience)
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

// of returns 1 for an amount up to the limit. Above it, it returns the probability that the true amount, whose
// logarithm is normally distributed, is at most Reach times the limit, relative to that of an amount at the limit.
func (c *Chance) of(amount, limit float64) float64 {
	if amount <= limit {
		return 1
	}
	return normal(math.Log(c.Reach*limit/amount)/c.Spread) / normal(math.Log(c.Reach)/c.Spread)
}

// normal returns the probability of a value up to z in the standard normal distribution.
func normal(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
