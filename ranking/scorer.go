package ranking

import (
	"cmp"
	"math"
	"slices"

	"freelancer-matching/internal/matching"
)

// Request is a brief as the score sees it: its skills resolved, its words already looked up.
type Request struct {
	Skills      []Requirement // each skill once; the order does not matter
	Derived     bool          // the required skills were found in the brief's text, not named by the client
	HasText     bool          // the brief says something; words that the data does not hold fit nobody
	HasSemantic bool          // the brief has a vector, and so has the data, so that Candidate.Semantic means something

	Budget       matching.Optional[matching.Budget]
	Complexity   matching.Complexity // "": not said
	TimelineDays matching.Optional[int]
	EffortHours  matching.Optional[float64] // the work's size at a usual pace; unknown: what the complexity means

	Corpus Corpus
}

// Requirement is one skill that the brief asks for.
type Requirement struct {
	Name  string // canonical, and unique in its request
	Nice  bool   // nice to have; otherwise required
	Count int    // how many freelancers of the data set have it
}

// Corpus is what the score needs to know of the whole data set.
type Corpus struct {
	Documents  int
	MeanRating matching.Optional[float64] // 0 to 5; unknown: nobody is rated
}

// Candidate is a freelancer being ranked.
type Candidate struct {
	ID       string
	Text     float64             // BM25 divided by the query's reference value, from 0
	Semantic float64             // how close brief and profile are in meaning, 0 to 1
	Evidence []matching.Evidence // for each of Request.Skills
	Signals  matching.Signals
	Facts    Facts // for the explanation only
}

// Facts are what an explanation can tell beyond the numbers. All of it may be left out.
type Facts struct {
	// FoundWords and MissingWords are the main words of the brief, as it writes them, that the freelancer's title, skills
	// and description have and have not.
	FoundWords, MissingWords []string
	// Through is, for each of Request.Skills, the freelancer's skill that implies it or is related to it; "" for none.
	Through []string
}

// Scorer scores candidates for one request. It is safe for concurrent use.
type Scorer struct {
	profile *Profile
	request Request
	credits [matching.Listed + 1]float64
	share   [features]float64 // of the score; 0 for a feature that is left out, otherwise positive and adding up to 1

	// byName are the indices of request.Skills in the order of their names. Everything that adds floating-point numbers
	// over skills follows it, so that the order in which a client writes them changes no bit of a score.
	byName []int
	// skillShare is, for each of request.Skills, its part of the skills value; the parts add up to 1.
	skillShare []float64

	hours   matching.Optional[float64] // of the work at pace 1
	skipped []matching.Skipped
}

// Scorer prepares the score of a request: which features are in force, and the weight of each.
func (p *Profile) Scorer(r Request) *Scorer {
	s := &Scorer{profile: p, request: r, credits: p.Credits(), hours: r.EffortHours}
	if hours, said := p.Work.Hours[r.Complexity]; said && !s.hours.Known {
		s.hours = matching.Some(hours)
	}
	s.weighSkills()
	sum := 0.
	for f := range features {
		if why := s.leftOut(f); why == "" {
			s.share[f] = p.Weights[f.String()]
			if f == skills && r.Derived {
				s.share[f] *= p.Skills.Derived
			}
			sum += s.share[f]
		} else if s.expected(f) {
			s.skipped = append(s.skipped, matching.Skipped{Feature: f.String(), Reason: why})
		}
	}
	if sum > 0 {
		for f := range s.share {
			s.share[f] /= sum
		}
	}
	return s
}

// weighSkills sets skillShare from how rare each skill is: the smoothed inverse document frequency of BM25 (Robertson
// and Zaragoza 2009), lifted where it would be less than the highest one divided by the profile's bound.
func (s *Scorer) weighSkills() {
	skills := s.request.Skills
	s.byName = make([]int, len(skills))
	weights := make([]float64, len(skills))
	highest := 0.
	for i, skill := range skills {
		s.byName[i] = i
		all := float64(max(s.request.Corpus.Documents, skill.Count))
		having := float64(skill.Count)
		weights[i] = math.Log1p((all - having + .5) / (having + .5))
		highest = max(highest, weights[i])
	}
	slices.SortFunc(s.byName, func(a, b int) int { return cmp.Compare(skills[a].Name, skills[b].Name) })

	numbers := s.profile.Skills
	var required, nice float64
	for _, i := range s.byName {
		weights[i] = max(weights[i], highest/numbers.RarityBound)
		if skills[i].Nice {
			nice += weights[i]
		} else {
			required += weights[i]
		}
	}
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
	if sum > 0 { // 0 only where all skills are nice to have and the profile gives these no weight
		for i := range weights {
			weights[i] /= sum
		}
	}
	s.skillShare = weights
}

// leftOut is why a feature takes no part in the score, or "" where it does.
func (s *Scorer) leftOut(f feature) string {
	r := &s.request
	sizeUnknown := !s.hours.Known
	switch {
	case f == skills && len(r.Skills) == 0:
		return "the brief names no skill"
	case f == text && !r.HasText:
		return "the brief has no text"
	case f == semantic && !r.HasSemantic:
		return "there is no vector to compare the brief by"
	case f == budget && !r.Budget.Known:
		return "the brief names no budget_range"
	case f == budget && !r.Budget.Value.Hourly && sizeUnknown:
		return "a budget for the whole project needs the work's size: send complexity or effort_hours"
	case f == timeline && !r.TimelineDays.Known:
		return "the brief names no timeline"
	case f == timeline && sizeUnknown:
		return "a timeline needs the work's size: send complexity or effort_hours"
	case f == experience && s.profile.Experience.Years[r.Complexity] == 0:
		return "the brief names no complexity"
	case f == quality && !r.Corpus.MeanRating.Known:
		return "nobody in the data is rated"
	case s.profile.Weights[f.String()] == 0:
		return "its weight is 0"
	default:
		return ""
	}
}

// expected reports whether the client sent something that is for this feature, so that it must hear when the feature is
// left out. Every brief has words; a weight alone also asks for its feature.
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

// Skipped names the features that are left out though the client sent something for them, and why.
func (s *Scorer) Skipped() []matching.Skipped { return s.skipped }

// Ranked is a candidate's place in a ranking.
type Ranked struct {
	Index int     // into the candidates
	Score float64 // 0 to 1, rounded to 1e-6
}

// Rank orders candidates, the best first. Ties go by id, bytewise.
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

// Score is how well a candidate fits, 0 to 1, rounded to 1e-6.
func (s *Scorer) Score(c *Candidate) float64 { return s.score(s.values(c)) }

func (s *Scorer) score(v values) float64 { return round6(s.profile.Curve.At(s.mix(v))) }

func round6(x float64) float64 { return math.Round(x*1e6) / 1e6 }
