package ranking

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/freelancer-matching/service/internal/matching"
)

// Scorer scores candidates for one request. It is safe for concurrent use.
type Scorer struct {
	profile *Profile
	share   [features]float64 // weights normalized to a sum of 1; 0 for features left out
	limits  Curve             // maps the weighted mean to the score before the profile's curve
	skipped []matching.Skipped

	// nobodyExcels is set if so little is known about the brief that no match may be excellent.
	nobodyExcels bool

	work  workload
	money Money

	skills     skillScorer
	meaning    meaningScorer
	budget     budgetScorer
	timeline   timelineScorer
	experience experienceScorer
	quality    qualityScorer
}

// Scorer returns a scorer for a request. It decides which features take part, and with which weight.
func (p *Profile) Scorer(r Request) *Scorer {
	s := &Scorer{
		profile: p,
		work:    newWorkload(p, &r),
		money:   r.Money,

		skills:     newSkillScorer(p, &r),
		meaning:    newMeaningScorer(p, &r),
		experience: newExperienceScorer(p, &r),
		quality:    newQualityScorer(p, &r),
	}
	s.budget = newBudgetScorer(p, &r, &s.work)
	s.timeline = newTimelineScorer(p, &r, &s.work)

	s.weighFeatures(&r)
	s.limits = limitsCurve(s.share[budget]+s.share[timeline], p.Limits.Floor)

	// Without the skills feature, and if nobody has all of the skills, there is nobody to protect from those who lack
	// some. Skills that were derived from the text are a guess.
	if s.share[skills] > 0 && !r.Derived && !r.NobodyHasAll {
		s.skills.setDiscount(p.Skills.Discount)
	}

	s.limitLevels(&r)

	return s
}

// limitLevels decides whether matches may be excellent, and notes why not.
func (s *Scorer) limitLevels(r *Request) {
	limit := func(because string) {
		s.nobodyExcels = true
		s.skipped = append(s.skipped, matching.Skipped{
			Feature: matching.SkippedLevel, Reason: because + ", so no match is excellent",
		})
	}

	if r.Understood.Known && r.Understood.Value < s.profile.Levels.Understood {
		limit(fmt.Sprintf("only %.0f percent of the words of the brief occur in the data or name a skill",
			100*r.Understood.Value))
	}
	if r.Trade.Known && r.Trade.Value < s.profile.Levels.Trade {
		limit("no title fits the trade of the brief")
	}
}

// weighFeatures sets the shares of the features that take part, and notes those left out although the client sent a
// value for them.
func (s *Scorer) weighFeatures(r *Request) {
	sum := 0.
	for f := range features {
		reason := s.skipReason(f, r)
		if reason == "" {
			s.share[f] = s.profile.Weights[f.String()] * s.factor(f)
			sum += s.share[f]
		} else if s.profile.expects(f, r) {
			s.skipped = append(s.skipped, matching.Skipped{Feature: f.String(), Reason: reason})
		}
	}

	// The weights of features that take part are scaled to a sum of 1, so that a score says the same with and without a
	// budget.
	if sum > 0 {
		for f := range s.share {
			s.share[f] /= sum
		}
	}
}

// factor returns what multiplies the profile's weight of a feature for this request.
func (s *Scorer) factor(f feature) float64 {
	switch f {
	case skills:
		return s.skills.factor
	case semantic:
		return s.meaning.factor
	case budget:
		return s.budget.chance.Weight
	case timeline:
		return s.timeline.chance.Weight
	default:
		return 1
	}
}

// skipReason returns why a feature takes no part in the score, or "" if it does.
func (s *Scorer) skipReason(f feature, r *Request) string {
	sizeUnknown := !s.work.typical.Known

	switch {
	case f == skills && len(r.Skills) == 0:
		return "the brief has no skills"
	case f == text && !r.HasText:
		return "the brief has no text"
	case f == semantic && !r.HasSemantic && !r.HasModel:
		return "the index has no vector to compare the brief with"
	case f == budget && !r.Budget.Known:
		return "the brief has no budget_range"
	case f == budget && sizeUnknown && !s.budget.hourly():
		return "a budget for the whole project needs the work's size"
	case f == budget && !r.Corpus.RateMedian.Known:
		return "no freelancer has an hourly rate"
	case f == timeline && !r.TimelineDays.Known:
		return "the brief has no timeline"
	case f == timeline && sizeUnknown:
		return "a timeline needs the work's size"
	case f == experience && s.experience.years == 0:
		return "the brief has no complexity"
	case f == quality && !r.Corpus.MeanRating.Known:
		return "no freelancer has a rating"
	case s.profile.Weights[f.String()] == 0:
		return "its weight is 0"
	default:
		return ""
	}
}

// expects reports whether the client sent a value that a feature uses, so that skipping the feature must be reported.
// Every brief has words, and overriding a weight also asks for its feature.
func (p *Profile) expects(f feature, r *Request) bool {
	if p.overridden[f] && p.Weights[f.String()] > 0 {
		return true
	}

	switch f {
	case skills:
		return len(r.Skills) > 0
	case text:
		return true
	case budget:
		return r.Budget.Known
	case timeline:
		return r.TimelineDays.Known
	case experience:
		return r.Complexity != ""
	default:
		return false
	}
}

// level returns the level of a score without budget and timeline.
func (s *Scorer) level(fit float64) matching.Level {
	level := s.profile.Level(fit)
	if level == matching.LevelExcellent && s.nobodyExcels {
		return matching.LevelStrong
	}
	return level
}

// Skipped returns the features that were left out although the client sent a value for them, with the reasons.
func (s *Scorer) Skipped() []matching.Skipped { return s.skipped }

// Ranked is a candidate's place in a ranking.
type Ranked struct {
	Index int     // into the candidates
	Score float64 // 0 to 1, rounded to 1e-6
}

// Rank returns the candidates' places, best first. Ties are broken by id, bytewise.
func (s *Scorer) Rank(candidates []Candidate) []Ranked {
	ranked := make([]Ranked, len(candidates))
	for i := range candidates {
		ranked[i] = Ranked{Index: i, Score: s.Score(&candidates[i])}
	}
	slices.SortFunc(ranked, func(a, b Ranked) int {
		if a.Score != b.Score {
			return cmp.Compare(b.Score, a.Score)
		}
		return cmp.Compare(candidates[a.Index].ID, candidates[b.Index].ID)
	})
	return ranked
}

// Score returns the candidate's score, 0 to 1, rounded to 1e-6.
func (s *Scorer) Score(c *Candidate) float64 {
	return round6(s.score(s.mix(s.values(c)), s.skills.kept(c.Evidence)))
}

// Fitness returns the score, 0 to 1, rounded to 1e-6, that the candidate would have without a budget and a timeline.
func (s *Scorer) Fitness(c *Candidate) float64 {
	v := s.values(c)
	rest := 1 - s.share[budget] - s.share[timeline]
	if rest < 1e-9 { // the profile weighs nothing else
		return s.Score(c)
	}

	sum := s.mix(v) - s.share[budget]*v[budget] - s.share[timeline]*v[timeline]
	return round6(s.profile.Curve.At(max(0, sum/rest) * s.skills.kept(c.Evidence)))
}

// score returns the score for the weighted mean of the features and the share that is kept.
func (s *Scorer) score(mean, kept float64) float64 {
	return s.profile.Curve.At(s.limits.At(mean) * kept)
}

func round6(x float64) float64 { return math.Round(x*1e6) / 1e6 }
