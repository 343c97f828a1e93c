package ranking

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"freelancer-matching/internal/matching"
)

// Request is a brief as the score needs it, with resolved skills.
type Request struct {
	Skills  []Requirement // without duplicates; the order doesn't matter
	Derived bool          // the skills were extracted from the brief's text
	// NobodyHasAll is set if nobody in the data set has all of the required skills that anybody has.
	NobodyHasAll bool
	HasText      bool // the brief has words; nobody matches words that are missing from the data
	HasSemantic  bool // brief and data have comparable built-in vectors, so Candidate.Semantic is valid
	HasModel     bool // the same for the vectors of a model that reads sentences and Candidate.Model
	HasEncoder   bool // this model is the sentence encoder of this program, not one of an embeddings server

	// Understood is the share, 0 to 1, of the words of the brief that occur in the data or name a skill.
	Understood matching.Optional[float64]

	Budget       matching.Optional[matching.Budget] // of a known kind
	Complexity   matching.Complexity                // "" if not given
	TimelineDays matching.Optional[int]             // until the deadline, counted from Start
	Start        int                                // first day of the work, in days since 1970-01-01
	Effort       matching.Optional[matching.Effort] // the size of the work; see Profile.Sized

	// Money is the currency of the amounts in summaries and of the cost in estimates. All amounts of a request and of its
	// candidates are in the currency of the data set.
	Money Money

	Corpus Corpus
}

// Money converts amounts of the data set for the client. The zero value leaves them as they are, without a currency.
type Money struct {
	Currency     string  // of the client
	DataCurrency string  // of the data set
	Rate         float64 // the amount in Currency that one unit of DataCurrency is worth; 0 means 1
}

// of returns an amount in the client's currency.
func (m Money) of(amount float64) float64 {
	if m.Rate == 0 {
		return amount
	}
	return amount * m.Rate
}

// Requirement is one skill of a request.
type Requirement struct {
	Name  string // canonical; unique in its request
	Nice  bool   // nice to have; otherwise required
	Count int    // freelancers in the data set who have it
	// Spoken says that it is a language that the text demands. It counts like a required skill, but having it is no
	// evidence of the trade, and lacking it may only mean that nobody asked, so that the discount ignores it.
	Spoken bool
}

func (r Requirement) required() bool { return !r.Nice && !r.Spoken }

// Corpus holds the statistics of the data set that the score needs.
type Corpus struct {
	Documents  int
	MeanRating matching.Optional[float64] // 0 to 5; unknown if nobody is rated
	RateMedian matching.Optional[float64] // median of the hourly rates; unknown if all rates are
}

// Candidate is a freelancer being ranked.
type Candidate struct {
	ID       string
	Text     float64 // BM25 divided by the query's reference value, at least 0
	Semantic float64 // similarity in meaning by the built-in vectors, 0 to 1
	// Model is the similarity in meaning by the model that reads sentences, 0 to 1. If unknown, it counts as 0, so that a
	// candidate that was not compared never passes a better one that was.
	Model matching.Optional[float64]
	// Unencoded means that the profile will be compared, but its vector isn't known yet: Model is a stand-in.
	Unencoded bool
	Evidence  []matching.Evidence // for each of Request.Skills
	Signals   matching.Signals
	Schedule  matching.Schedule
	Facts     Facts // used only by explanations
}

// Facts holds optional details for an explanation.
type Facts struct {
	// FoundWords and MissingWords are the main words of the brief, as written there, that do and don't occur in the
	// freelancer's title, skills or description.
	FoundWords, MissingWords []string
	// Through holds, for each of Request.Skills, the freelancer's skill that implies it or is related to it; "" if none.
	Through []string
	// Contradicted holds, for each of Request.Skills, whether the freelancer lists it, but title and description are about
	// work of other fields. Its evidence is InText.
	Contradicted []bool
}

// Scorer scores candidates for one request. It is safe for concurrent use.
type Scorer struct {
	profile *Profile
	request Request
	credits [matching.Listed + 1]float64
	share   [features]float64 // weights normalized to a sum of 1; 0 for features left out
	limits  Curve             // maps the weighted mean to the score before the profile's curve

	// byName holds the indices of request.Skills in the order of their names. Every sum over skills follows it, so that
	// the order in which a client lists them doesn't change a bit of a score.
	byName []int
	// skillShare holds the share of each of request.Skills in the value of the skills feature; the sum is 1.
	skillShare []float64
	discount   matching.Discount // zero if it doesn't apply to the request
	required   int               // number of required skills
	// modelShare is the share of Candidate.Model in the value of the semantic feature; the rest is Candidate.Semantic's.
	modelShare float64

	hours   matching.Optional[float64] // typical size of the work at pace 1
	skipped []matching.Skipped
}

// Scorer returns a scorer for a request. It decides which features take part, and with which weight.
func (p *Profile) Scorer(r Request) *Scorer {
	s := &Scorer{profile: p, request: r, credits: p.Credits()}
	if r.Effort.Known {
		s.hours = matching.Some(r.Effort.Value.Typical)
	}

	skillsFactor := s.weighSkills()

	// The weights of features that take part are scaled to a sum of 1, so that a score says the same with and without a
	// budget.
	sum := 0.
	for f := range features {
		if reason := s.skipReason(f); reason == "" {
			s.share[f] = p.Weights[f.String()]
			switch f {
			case skills:
				s.share[f] *= skillsFactor
			case semantic:
				s.share[f] *= s.weighModel()
			case budget, timeline:
				s.share[f] *= s.chance(f).Weight
			case text, experience, quality, features: // as the profile has it
			}

			sum += s.share[f]
		} else if s.expected(f) {
			s.skipped = append(s.skipped, matching.Skipped{Feature: f.String(), Reason: reason})
		}
	}

	if sum > 0 {
		for f := range s.share {
			s.share[f] /= sum
		}
	}

	if s.understandsLittle() {
		s.skipped = append(s.skipped, matching.Skipped{
			Feature: matching.SkippedLevel,
			Reason: fmt.Sprintf("only %.0f percent of the words of the brief occur in the data or name a skill, "+
				"so no match is excellent", 100*r.Understood.Value),
		})
	}

	s.limits = limitsCurve(s.share[budget]+s.share[timeline], p.Limits.Floor)
	s.setDiscount()
	return s
}

// understandsLittle reports whether so few words of the brief are understood that no match may be excellent.
func (s *Scorer) understandsLittle() bool {
	return s.request.Understood.Known && s.request.Understood.Value < s.profile.Levels.Understood
}

// level returns the level of a score without budget and timeline.
func (s *Scorer) level(fit float64) matching.Level {
	level := s.profile.Level(fit)
	if level == matching.LevelExcellent && s.understandsLittle() {
		return matching.LevelStrong
	}
	return level
}

// setDiscount decides which losses apply to the request, and counts the required skills.
func (s *Scorer) setDiscount() {
	r := &s.request
	everySkillIsKnown := true // somebody has it
	for _, skill := range r.Skills {
		if skill.required() {
			s.required++
			everySkillIsKnown = everySkillIsKnown && skill.Count > 0
		}
	}

	if s.share[skills] == 0 || r.Derived || r.NobodyHasAll {
		return
	}

	// If nobody has one of the skills, such as a misspelled one, everybody lacks something.
	s.discount = s.profile.Skills.Discount
	if !everySkillIsKnown {
		s.discount.Some = 0
	}
}

// weighSkills computes skillShare from the rarity of each skill: the smoothed inverse document frequency of BM25
// (Robertson and Zaragoza, 2009), raised to at least the highest one divided by the profile's rarity bound.
// Languages that the text demands have a weight of their own, whatever the skills are. It returns the factor of the
// weight of the skills feature.
func (s *Scorer) weighSkills() (factor float64) {
	skills := s.request.Skills
	s.byName = make([]int, len(skills))
	weights := make([]float64, len(skills))
	highest := 0.
	for i, skill := range skills {
		s.byName[i] = i
		all := float64(max(s.request.Corpus.Documents, skill.Count))
		having := float64(skill.Count)
		weights[i] = math.Log1p((all - having + .5) / (having + .5))
		if !skill.Spoken {
			highest = max(highest, weights[i])
		}
	}

	// Floating-point sums depend on the order of their terms, so every sum follows the names.
	slices.SortFunc(s.byName, func(a, b int) int { return cmp.Compare(skills[a].Name, skills[b].Name) })

	numbers := s.profile.Skills
	var required, nice, spoken float64
	for _, i := range s.byName {
		weights[i] = max(weights[i], highest/numbers.RarityBound)
		switch {
		case skills[i].Spoken:
			weights[i] = 0
			spoken++
		case skills[i].Nice:
			nice += weights[i]
		default:
			required += weights[i]
		}
	}

	// Many nice-to-have skills must not outweigh the required ones.
	niceFactor := numbers.NiceToHave
	if required > 0 && nice > required {
		niceFactor *= required / nice
	}

	sum := 0.
	for _, i := range s.byName {
		if skills[i].Nice {
			weights[i] *= niceFactor
		}
		sum += weights[i]
	}

	// The sum is 0 if there are only languages, or if all skills are nice to have and the profile gives them no weight.
	ofSkills, ofLanguages := 0., 0.
	if sum > 0 {
		ofSkills = 1
	}
	if s.request.Derived {
		ofSkills *= numbers.Derived
	}
	if spoken > 0 {
		ofLanguages = numbers.Spoken
	}

	factor = ofSkills + ofLanguages
	for i := range weights {
		switch {
		case factor == 0:
		case skills[i].Spoken:
			weights[i] = ofLanguages / spoken / factor
		case sum > 0:
			weights[i] *= ofSkills / factor / sum
		}
	}

	s.skillShare = weights
	if len(skills) > 0 && factor == 0 {
		factor = 1 // the profile gives the skills no weight, so the feature is left at 0
	}
	return factor
}

// weighModel sets modelShare and returns the factor of the weight of the semantic feature.
func (s *Scorer) weighModel() (factor float64) {
	model := 0.
	if s.request.HasModel {
		model = s.profile.Semantic.Model
	}
	if s.request.HasSemantic {
		factor = 1
	}
	if factor += model; factor > 0 {
		s.modelShare = model / factor
	}
	return factor
}

// skipReason returns why a feature takes no part in the score, or "" if it does.
func (s *Scorer) skipReason(f feature) string {
	r := &s.request
	sizeUnknown := !s.hours.Known

	switch {
	case f == skills && len(r.Skills) == 0:
		return "the brief has no skills"
	case f == text && !r.HasText:
		return "the brief has no text"
	case f == semantic && !r.HasSemantic && !r.HasModel:
		return "the index has no vector to compare the brief with"
	case f == budget && !r.Budget.Known:
		return "the brief has no budget_range"
	case f == budget && r.Budget.Value.Kind != matching.BudgetHourly && sizeUnknown:
		return "a budget for the whole project needs the work's size"
	case f == budget && !r.Corpus.RateMedian.Known:
		return "no freelancer has an hourly rate"
	case f == timeline && !r.TimelineDays.Known:
		return "the brief has no timeline"
	case f == timeline && sizeUnknown:
		return "a timeline needs the work's size"
	case f == experience && s.profile.Experience.Years[r.Complexity] == 0:
		return "the brief has no complexity"
	case f == quality && !r.Corpus.MeanRating.Known:
		return "no freelancer has a rating"
	case s.profile.Weights[f.String()] == 0:
		return "its weight is 0"
	default:
		return ""
	}
}

// expected reports whether the client sent a value that this feature uses, so that skipping the feature must be
// reported. Every brief has words, and overriding a weight also asks for its feature.
func (s *Scorer) expected(f feature) bool {
	if s.profile.overridden[f] && s.profile.Weights[f.String()] > 0 {
		return true
	}
	r := &s.request
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
	return round6(s.score(s.mix(s.values(c)), s.kept(c.Evidence)))
}

// Fitness returns the score, 0 to 1, rounded to 1e-6, that the candidate would have without a budget and a timeline.
func (s *Scorer) Fitness(c *Candidate) float64 {
	v := s.values(c)
	rest := 1 - s.share[budget] - s.share[timeline]
	if rest < 1e-9 { // the profile weighs nothing else
		return s.Score(c)
	}

	sum := s.mix(v) - s.share[budget]*v[budget] - s.share[timeline]*v[timeline]
	return round6(s.profile.Curve.At(max(0, sum/rest) * s.kept(c.Evidence)))
}

// score returns the score for the weighted mean of the features and the share that is kept.
func (s *Scorer) score(mean, kept float64) float64 {
	return s.profile.Curve.At(s.limits.At(mean) * kept)
}

// kept returns the share of its score that the discount leaves to a candidate with the given evidence.
func (s *Scorer) kept(evidence []matching.Evidence) float64 {
	has, related := s.has(evidence)
	return s.discount.Kept(s.required, has, related)
}

// has returns the number of required skills that a candidate with the given evidence has, and whether there is evidence
// for any of them, such as a related skill.
func (s *Scorer) has(evidence []matching.Evidence) (number int, related bool) {
	for i, skill := range s.request.Skills {
		if skill.required() {
			related = related || evidence[i] != matching.NoEvidence
			if evidence[i].Matches() {
				number++
			}
		}
	}
	return number, related
}

func round6(x float64) float64 { return math.Round(x*1e6) / 1e6 }
