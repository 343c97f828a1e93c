package ranking_test

// Properties of every shipped profile, checked on random requests and candidates:
//
//	1. A score and every value lie in 0..1; the rounded contributions add up to the score and the weights to 1.
//	2. The same input gives the same output, and Score, Rank and Explain agree.
//	3. A larger upper end of the budget, or a longer timeline, never lowers a score.
//	4. Stronger evidence for a skill lowers neither the skills value nor the score.
//	5. The order of the skills changes nothing.
//	6. Leaving candidates out never reorders the others.
//	7. Of two freelancers who differ only in skills, rating and sales, the one with all required skills never scores
//	   below the one with none. If the client listed the skills, and the one with none has no related skill, they may
//	   differ in everything, as long as the other features of the one with all of them are worth at least 36 percent as
//	   much, and at least the floor.
//	8. The parts computed for an engine add up to the score.
//	9. A rate within the limit for a cost gives an estimate within that cost, and any other rate one above it.
//	10. A larger similarity by the model never lowers a score. A candidate that was not compared by the model never
//	    passes one that was and is not behind without the model, unless the brief has a budget or a timeline and one of
//	    them is below the floor.
//	11. A budget and a timeline only lower scores, and those of nobody who meets them, except below the floor.
//	12. An unknown rate scores like the median.
//	13. Nobody scores higher with a later first day or fewer hours a week, nor with any other schedule than
//	    engine.BestSchedule.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/ranking"
)

const rounds = 3000

// property runs a check on random requests with every shipped profile, unchanged and with a random curve.
func property(t *testing.T, check func(t *testing.T, rng *rand.Rand, p *ranking.Profile, r ranking.Request)) {
	t.Helper()
	for _, name := range ranking.Names() {
		t.Run(name, func(t *testing.T) {
			p := load(t, name)
			rng := rand.New(rand.NewPCG(1, 2))
			for round := range rounds {
				bent := *p
				if round%2 == 1 {
					bent.Curve = randomCurve(rng)
				}
				check(t, rng, &bent, randomRequest(rng))
				if t.Failed() {
					return
				}
			}
		})
	}
}

func TestScore_BoundedAndAddingUp(t *testing.T) {
	property(t, func(t *testing.T, rng *rand.Rand, p *ranking.Profile, r ranking.Request) {
		c := randomCandidate(rng, r)
		e := p.Scorer(r).Explain(&c)
		if !inUnit(e.Score) {
			t.Errorf("score %v of %+v for %+v", e.Score, c, r)
		}

		var exact float64
		var contributions, weights int
		for _, f := range e.Features {
			if !inUnit(f.Value) || !inUnit(f.Weight) || !inUnit(f.Contribution) || f.Summary == "" {
				t.Errorf("feature %+v of %+v for %+v", f, c, r)
			}
			exact += f.Weight * f.Value
			contributions += millionths(t, f.Contribution)
			weights += millionths(t, f.Weight)
		}

		factor := 1.
		for _, adjustment := range e.Adjustments {
			factor *= adjustment.Factor
		}

		exact *= factor
		for _, f := range e.Features { // each has the same part in the score as in the mean before the curve
			if d := math.Abs(f.Contribution*exact - factor*f.Weight*f.Value*e.Score); d > 1e-5 {
				t.Errorf("contribution of %+v is off by %g", f, d)
			}
		}

		if contributions != millionths(t, e.Score) || p.Curve == nil && math.Abs(exact-e.Score) > 2e-5 {
			t.Errorf("contributions add up to %d millionths, the score is %v: %+v", contributions, e.Score, e.Features)
		}

		if weights != 1e6 {
			t.Errorf("weights add up to %d millionths: %+v", weights, e.Features)
		}
	})
}

func TestScore_Deterministic(t *testing.T) {
	property(t, func(t *testing.T, rng *rand.Rand, p *ranking.Profile, r ranking.Request) {
		cs := randomCandidates(rng, r, 8)
		ranked := p.Scorer(r).Rank(cs)
		if diff := cmp.Diff(ranked, p.Scorer(r).Rank(cs)); diff != "" {
			t.Errorf("a second ranking differs:\n%s", diff)
		}

		for i, place := range ranked {
			s := p.Scorer(r)
			c := &cs[place.Index]
			if s.Score(c) != place.Score || s.Explain(c).Score != place.Score {
				t.Errorf("Rank %v, Score %v, Explain %v", place.Score, s.Score(c), s.Explain(c).Score)
			}

			if i == 0 {
				continue
			}

			before := ranked[i-1]
			if before.Score < place.Score || before.Score == place.Score && cs[before.Index].ID >= c.ID {
				t.Errorf("%s %v is before %s %v", cs[before.Index].ID, before.Score, c.ID, place.Score)
			}
		}
	})
}

func TestScore_NeverFallsWithBudgetOrTime(t *testing.T) {
	property(t, func(t *testing.T, rng *rand.Rand, p *ranking.Profile, r ranking.Request) {
		c := randomCandidate(rng, r)
		before := p.Scorer(r).Score(&c)
		if r.Budget.Known {
			wider := r
			wider.Budget.Value.High += rng.ExpFloat64() * wider.Budget.Value.High
			if after := p.Scorer(wider).Score(&c); after < before {
				t.Errorf("budget %v gives %v, budget %v gives %v", r.Budget, before, wider.Budget, after)
			}
		}
		if r.TimelineDays.Known {
			longer := r
			longer.TimelineDays.Value += rng.IntN(100)
			if after := p.Scorer(longer).Score(&c); after < before {
				t.Errorf("timeline %v gives %v, timeline %v gives %v", r.TimelineDays, before, longer.TimelineDays, after)
			}
		}
	})
}

func TestScore_NeverRisesWithALaterStart(t *testing.T) {
	property(t, func(t *testing.T, rng *rand.Rand, p *ranking.Profile, r ranking.Request) {
		s := p.Scorer(r)
		c := randomCandidate(rng, r)
		before := s.Score(&c)
		worse := c
		if c.Schedule.From.Known {
			worse.Schedule.From.Value += rng.IntN(100)
		}
		if c.Schedule.HoursPerWeek.Known {
			worse.Schedule.HoursPerWeek.Value *= rng.Float64()
		}

		if after := s.Score(&worse); after > before {
			t.Errorf("%+v scores %v, %+v scores %v", c.Schedule, before, worse.Schedule, after)
		}

		best := c
		best.Schedule = engine.BestSchedule()
		if most := s.Score(&best); before > most {
			t.Errorf("%+v scores %v, the best schedule %v", c.Schedule, before, most)
		}
	})
}

func TestScore_NeverFallsWithEvidence(t *testing.T) {
	property(t, func(t *testing.T, rng *rand.Rand, p *ranking.Profile, r ranking.Request) {
		if len(r.Skills) == 0 {
			return
		}
		c := randomCandidate(rng, r)
		better := c
		better.Evidence = slices.Clone(c.Evidence)
		i := rng.IntN(len(r.Skills))
		better.Evidence[i] += matching.Evidence(rng.IntN(int(matching.Listed-c.Evidence[i]) + 1))
		s := p.Scorer(r)
		before := s.Explain(&c)
		after := s.Explain(&better)
		if after.Score < before.Score || after.Features[0].Value < before.Features[0].Value {
			t.Errorf("evidence %v: %v %v; evidence %v: %v %v", c.Evidence, before.Score, before.Features[0],
				better.Evidence, after.Score, after.Features[0])
		}
	})
}

func TestScore_IgnoresTheOrderOfSkills(t *testing.T) {
	property(t, func(t *testing.T, rng *rand.Rand, p *ranking.Profile, r ranking.Request) {
		c := randomCandidate(rng, r)
		shuffled := r
		sameC := c
		shuffled.Skills = slices.Clone(r.Skills)
		sameC.Evidence = slices.Clone(c.Evidence)
		rng.Shuffle(len(r.Skills), func(i, j int) {
			shuffled.Skills[i], shuffled.Skills[j] = shuffled.Skills[j], shuffled.Skills[i]
			sameC.Evidence[i], sameC.Evidence[j] = sameC.Evidence[j], sameC.Evidence[i]
		})
		if diff := cmp.Diff(p.Scorer(r).Explain(&c), p.Scorer(shuffled).Explain(&sameC)); diff != "" {
			t.Errorf("in another order:\n%s", diff)
		}
	})
}

func TestRank_KeepsItsOrderWhenSomeAreLeftOut(t *testing.T) {
	property(t, func(t *testing.T, rng *rand.Rand, p *ranking.Profile, r ranking.Request) {
		all := randomCandidates(rng, r, 10)
		kept := slices.DeleteFunc(slices.Clone(all), func(ranking.Candidate) bool { return rng.IntN(2) == 0 })
		s := p.Scorer(r)
		want := slices.DeleteFunc(ids(all, s.Rank(all)), func(id string) bool {
			return !slices.ContainsFunc(kept, func(c ranking.Candidate) bool { return c.ID == id })
		})
		if diff := cmp.Diff(want, ids(kept, s.Rank(kept))); diff != "" {
			t.Errorf("order of those left:\n%s", diff)
		}
	})
}

func TestScore_AllRequiredSkillsBeatNone(t *testing.T) {
	property(t, func(t *testing.T, rng *rand.Rand, p *ranking.Profile, r ranking.Request) {
		if len(r.Skills) == 0 || r.Skills[0].Nice || r.Derived {
			return
		}

		able := randomCandidate(rng, r)
		unable := able
		unable.Evidence = slices.Clone(able.Evidence)
		unable.Signals.Rating = randomSignals(rng).Rating
		unable.Signals.TotalSales = randomSignals(rng).TotalSales
		for i, skill := range r.Skills {
			able.Evidence[i] = matching.Evidence(rng.IntN(int(matching.Listed) + 1))
			unable.Evidence[i] = matching.Evidence(rng.IntN(int(matching.Listed) + 1))
			if !skill.Nice {
				able.Evidence[i] = matching.Implied + matching.Evidence(rng.IntN(2))
				unable.Evidence[i] = matching.Evidence(rng.IntN(int(matching.Sibling) + 1))
			}
		}

		s := p.Scorer(r)
		if s.Score(&able) < s.Score(&unable) {
			t.Errorf("%+v scores %v, %+v scores %v", able, s.Score(&able), unable, s.Score(&unable))
		}
	})
}

func TestScorer_PartsAddUpToTheScore(t *testing.T) {
	property(t, func(t *testing.T, rng *rand.Rand, p *ranking.Profile, r ranking.Request) {
		straight := *p
		straight.Curve = nil
		r.HasModel = false // an engine knows nothing of it
		c := randomCandidate(rng, r)
		s := straight.Scorer(r)
		credits := s.Credits()
		sum := c.Text/(1+c.Text)*s.TextWeight() + c.Semantic*s.SemanticWeight()
		sum += s.Fit(c.Signals, c.Schedule) + s.Quality(c.Signals)
		for i, w := range s.SkillWeights() {
			sum += w * credits[c.Evidence[i]]
		}
		if score := limited(p, s.Explain(&c), sum) * kept(s, r, &c); math.Abs(score-s.Score(&c)) > 2e-5 {
			t.Errorf("parts add up to %v, which gives the score %v instead of %v", sum, score, s.Score(&c))
		}
	})
}

// A budget and a timeline that somebody meets change nothing, unless the score is below the floor.
func TestScore_LimitsOnlyLower(t *testing.T) {
	property(t, func(t *testing.T, rng *rand.Rand, p *ranking.Profile, r ranking.Request) {
		c := randomCandidate(rng, r)
		free := r
		free.Budget = matching.Optional[matching.Budget]{}
		free.TimelineDays = matching.Optional[int]{}
		before := p.Scorer(free).Explain(&c)
		e := p.Scorer(r).Explain(&c)
		met := true
		for _, f := range e.Features {
			met = met && (f.Value == 1 || f.Name != "budget" && f.Name != "timeline")
		}

		floor := p.Curve.At(p.Limits.Floor * kept(p.Scorer(r), r, &c))
		if len(before.Features) == 0 {
			return
		}

		if met && before.Score >= floor && math.Abs(e.Score-before.Score) > 1.5e-6 {
			t.Errorf("score %v without limits, %v within them", before.Score, e.Score)
		}

		if !met && e.Score > max(before.Score, floor) {
			t.Errorf("score %v without limits, %v beyond them", before.Score, e.Score)
		}
	})
}

// An unknown rate scores like the median, whether the budget is generous or not.
func TestScore_UnknownRateIsTheMedian(t *testing.T) {
	property(t, func(t *testing.T, rng *rand.Rand, p *ranking.Profile, r ranking.Request) {
		unknown := randomCandidate(rng, r)
		unknown.Signals.HourlyRate = matching.Optional[float64]{}
		known := unknown
		known.Signals.HourlyRate = r.Corpus.RateMedian
		s := p.Scorer(r)
		if got, want := s.Score(&unknown), s.Score(&known); got != want {
			t.Errorf("the unknown rate scores %v, the median %v", got, want)
		}
	})
}

func TestScore_ModelNeverReordersThoseItDidNotCompare(t *testing.T) {
	property(t, func(t *testing.T, rng *rand.Rand, p *ranking.Profile, r ranking.Request) {
		cs := randomCandidates(rng, r, 2)
		r.HasModel = false
		before := p.Scorer(r)
		r.HasModel = true
		after := p.Scorer(r)

		if before.Score(&cs[0]) < before.Score(&cs[1]) {
			cs[0], cs[1] = cs[1], cs[0]
		}

		from, _ := before.Bend()
		bent := from > 0 && before.Score(&cs[1]) < p.Curve.At(p.Limits.Floor)

		cs[0].Model = matching.Some(rng.Float64())
		cs[1].Model = matching.Optional[float64]{}
		closer := cs[0]
		closer.Model.Value += (1 - closer.Model.Value) * rng.Float64()

		// Scores that are equal when rounded may differ in the next digit.
		if a, b := after.Score(&cs[0]), after.Score(&cs[1]); a < b-1e-6-1e-9 && !bent {
			t.Errorf("%+v scores %v, %+v was not compared and scores %v", cs[0], a, cs[1], b)
		}

		if a, b := after.Score(&closer), after.Score(&cs[0]); a < b {
			t.Errorf("similarity %v scores %v, %v scores %v", closer.Model, a, cs[0].Model, b)
		}
	})
}

func TestRateLimit_AgreesWithTheEstimate(t *testing.T) {
	property(t, func(t *testing.T, rng *rand.Rand, p *ranking.Profile, r ranking.Request) {
		s := p.Scorer(r)
		c := randomCandidate(rng, r)
		c.Signals.HourlyRate = matching.Some(float64(1 + rng.IntN(20000))) // in cents, so that rounding doesn't matter
		cost := s.Explain(&c).Estimate.Cost
		if !cost.Known {
			return
		}

		rounding := 1 + .05*c.Signals.HourlyRate.Value // the cost belongs to hours rounded to tenths
		for _, target := range []float64{cost.Value - rounding, cost.Value + rounding} {
			limit := p.RateLimit(target, r.Effort.Value.Typical)
			within := c.Signals.HourlyRate.Value <= limit.Max(c.Signals.Experience)
			if within != (cost.Value <= target) {
				t.Errorf("cost %v, limit %v: rate %v allowed: %v", cost.Value, target, c.Signals.HourlyRate.Value, within)
			}
		}
	})

	limit := load(t, "").RateLimit(999, 30)
	if rate := limit.Max(matching.Optional[float64]{}); rate < 33.3 || rate > 33.3+1e-9 {
		t.Errorf("30 hours for 999 allow a rate of %v, want 33.3", rate)
	}
}

// limited returns the score, without the profile's curve, for the weighted mean of the features of e.
func limited(p *ranking.Profile, e ranking.Explained, mean float64) float64 {
	limits, others := 0., 0.
	for _, f := range e.Features {
		if f.Name == "budget" || f.Name == "timeline" {
			limits += f.Weight
		} else {
			others += f.Weight
		}
	}
	if limits == 0 || others == 0 {
		return mean
	}
	if score := (mean - limits) / others; score >= p.Limits.Floor {
		return score
	}
	return mean * p.Limits.Floor / (limits + others*p.Limits.Floor)
}

// kept returns the share of its score that a candidate keeps.
func kept(s *ranking.Scorer, r ranking.Request, c *ranking.Candidate) float64 {
	var required, has float64
	related := false
	for i, skill := range r.Skills {
		if !skill.Nice {
			required++
			related = related || c.Evidence[i] != matching.NoEvidence
			if c.Evidence[i].Matches() {
				has++
			}
		}
	}

	switch {
	case has == required:
		return 1
	case has > 0:
		return 1 - s.Discount().Some*(1-has/required)
	case related:
		return 1 - s.Discount().Related
	default:
		return 1 - s.Discount().None
	}
}

func load(tb testing.TB, name string) *ranking.Profile {
	tb.Helper()
	p, err := ranking.Load(name)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func ids(cs []ranking.Candidate, ranked []ranking.Ranked) []string {
	list := []string{}
	for _, r := range ranked {
		list = append(list, cs[r.Index].ID)
	}
	return list
}

func inUnit(x float64) bool { return x >= 0 && x <= 1 }

// millionths converts a number with six decimals to an integer.
func millionths(t *testing.T, x float64) int {
	t.Helper()
	n := math.Round(x * 1e6)
	if n/1e6 != x {
		t.Errorf("%v has more than six decimals", x)
	}
	return int(n)
}

func randomCurve(rng *rand.Rand) ranking.Curve {
	curve := ranking.Curve{{0, 0}}
	for range rng.IntN(4) {
		last := curve[len(curve)-1]
		curve = append(curve, [2]float64{
			last[0] + (1-last[0])*(.05+.9*rng.Float64()), last[1] + (1-last[1])*(.05+.9*rng.Float64()),
		})
	}
	return append(curve, [2]float64{1, 1})
}

func randomRequest(rng *rand.Rand) ranking.Request {
	documents := rng.IntN(1 << rng.IntN(21))
	r := ranking.Request{
		HasText:     rng.IntN(8) > 0,
		HasSemantic: rng.IntN(2) == 0,
		HasModel:    rng.IntN(3) == 0,
		Derived:     rng.IntN(4) == 0,
		Complexity: []matching.Complexity{
			"", matching.ComplexityLow, matching.ComplexityMedium, matching.ComplexityHigh,
		}[rng.IntN(4)],
		TimelineDays: maybe(rng, 1+rng.IntN(1<<rng.IntN(12))),
		Start:        20_000 + rng.IntN(1000),
		Effort: maybe(rng, matching.Effort{
			Typical: rng.ExpFloat64() * 200,
			From:    []matching.EffortSource{matching.EffortFromClient, matching.EffortFromText}[rng.IntN(2)],
		}),
		Corpus: ranking.Corpus{
			Documents: documents, MeanRating: matching.Some(5 * rng.Float64()), RateMedian: maybe(rng, 60*rng.Float64()),
		},
	}

	high := math.Floor(rng.ExpFloat64() * 5000 * float64(rng.IntN(3)))
	r.Budget = maybe(rng, matching.Budget{Low: high * rng.Float64(), High: high, Kind: []matching.BudgetKind{
		matching.BudgetFixed, matching.BudgetHourly,
	}[rng.IntN(2)]})
	required := rng.IntN(6)
	for i := range required + rng.IntN(1<<rng.IntN(6)) {
		r.Skills = append(r.Skills, ranking.Requirement{
			Name: fmt.Sprintf("skill-%03d", (i*37)%101), Nice: i >= required, Count: rng.IntN(documents + 1),
		})
	}

	return r
}

func randomCandidates(rng *rand.Rand, r ranking.Request, n int) []ranking.Candidate {
	cs := make([]ranking.Candidate, n)
	for i := range cs {
		if i > 0 && rng.IntN(4) == 0 {
			cs[i] = cs[i-1] // ties
		} else {
			cs[i] = randomCandidate(rng, r)
		}
		cs[i].ID = fmt.Sprint((i*7 + 3) % 101)
	}
	return cs
}

func randomCandidate(rng *rand.Rand, r ranking.Request) ranking.Candidate {
	c := ranking.Candidate{
		ID:       fmt.Sprint(rng.IntN(1000)),
		Text:     rng.ExpFloat64() * float64(rng.IntN(3)) / 2,
		Semantic: rng.Float64(),
		Model:    maybe(rng, rng.Float64()),
		Signals:  randomSignals(rng),
		Schedule: matching.Schedule{
			From: maybe(rng, r.Start-50+rng.IntN(200)), HoursPerWeek: maybe(rng, float64(1+rng.IntN(600))/10),
		},
	}
	for range r.Skills {
		c.Evidence = append(c.Evidence, matching.Evidence(rng.IntN(int(matching.Listed)+1)))
	}
	return c
}

func randomSignals(rng *rand.Rand) matching.Signals {
	return matching.Signals{
		Experience:   maybe(rng, rng.ExpFloat64()*6),
		Rating:       maybe(rng, []float64{0, 1, 4.9, 5, 5 * rng.Float64()}[rng.IntN(5)]),
		HourlyRate:   maybe(rng, math.Floor(rng.ExpFloat64()*40)),
		Availability: maybe(rng, rng.IntN(2) == 0),
		TotalSales:   maybe(rng, rng.IntN(1<<rng.IntN(13))),
	}
}

// maybe leaves every fourth value unknown.
func maybe[T any](rng *rand.Rand, v T) matching.Optional[T] {
	if rng.IntN(4) == 0 {
		return matching.Optional[T]{}
	}
	return matching.Some(v)
}
