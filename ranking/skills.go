package ranking

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/internal/matching"
)

// A skillScorer values the evidence for the skills of a request.
type skillScorer struct {
	wanted  []Requirement
	credits [matching.Listed + 1]float64 // the share of a skill's weight that each kind of evidence earns

	// demands are in the order of their names. Every sum over skills follows it, so that the order in which a client lists
	// them doesn't change a bit of a score.
	demands []skillDemand
	// share holds, for each of wanted, the share of its demand in the value of the feature. The sum over the demands is 1.
	share []float64
	// factor multiplies the weight of the feature.
	factor float64

	required int               // number of required demands
	discount matching.Discount // zero if it doesn't apply to the request
}

// newSkillScorer returns the scorer for the skills of a request, without a discount.
func newSkillScorer(p *Profile, r *Request) skillScorer {
	s := skillScorer{wanted: r.Skills, credits: p.Credits(), demands: demandsOf(r.Skills)}
	for _, demand := range s.demands {
		if s.wanted[demand[0]].required() {
			s.required++
		}
	}

	s.share = s.rarities(r.Corpus.Documents, p.Skills.RarityBound)
	s.boundNiceToHave(p.Skills.NiceToHave)
	s.normalize(&p.Skills, r.Derived)
	return s
}

// rarities returns the weight of each skill by the rarity of its demand: the smoothed inverse document frequency of
// BM25 (Robertson and Zaragoza, 2009), raised to at least the highest one divided by a bound. It is 0 for languages
// that the text demands, which have a weight of their own, whatever the skills are.
func (s *skillScorer) rarities(documents int, bound float64) []float64 {
	weights := make([]float64, len(s.wanted))
	highest := 0.
	for _, demand := range s.demands {
		if s.wanted[demand[0]].Spoken {
			continue
		}

		having := demand.count(s.wanted)
		lacking := max(documents, having) - having
		rarity := math.Log1p((float64(lacking) + .5) / (float64(having) + .5))
		for _, i := range demand {
			weights[i] = rarity
		}
		highest = max(highest, rarity)
	}

	for i, skill := range s.wanted {
		if !skill.Spoken {
			weights[i] = max(weights[i], highest/bound)
		}
	}

	return weights
}

// boundNiceToHave multiplies the shares of nice-to-have skills by a factor, and by less if they are many: they must not
// outweigh the required ones.
func (s *skillScorer) boundNiceToHave(factor float64) {
	var required, nice float64
	for _, demand := range s.demands {
		i := demand[0]
		if s.wanted[i].Nice {
			nice += s.share[i]
		} else {
			required += s.share[i]
		}
	}

	if required > 0 && nice > required {
		factor *= required / nice
	}

	for i, skill := range s.wanted {
		if skill.Nice {
			s.share[i] *= factor
		}
	}
}

// normalize scales the shares to a sum of 1, of which all skills together and all languages together have parts that
// the profile gives, and sets the factor of the feature's weight to the sum of these parts.
func (s *skillScorer) normalize(numbers *SkillNumbers, derived bool) {
	sum := 0.
	spoken := 0.
	for _, demand := range s.demands {
		i := demand[0]
		sum += s.share[i]
		if s.wanted[i].Spoken {
			spoken++
		}
	}

	// The sum is 0 if there are only languages, or if all skills are nice to have and the profile gives them no weight.
	skillsPart := 0.
	if sum > 0 {
		skillsPart = 1
	}
	if derived {
		skillsPart *= numbers.Derived
	}

	languagesPart := 0.
	if spoken > 0 {
		languagesPart = numbers.Spoken
	}

	s.factor = skillsPart + languagesPart
	if s.factor == 0 {
		// The profile gives the skills no weight, so the feature takes part with the value 0.
		s.factor = 1
		return
	}

	for i, skill := range s.wanted {
		switch {
		case skill.Spoken:
			s.share[i] = languagesPart / spoken / s.factor
		case sum > 0:
			s.share[i] *= skillsPart / s.factor / sum
		}
	}
}

// setDiscount sets what candidates lose who lack required skills.
func (s *skillScorer) setDiscount(discount matching.Discount) {
	s.discount = discount

	// If nobody has one of the skills, such as a misspelled one, everybody lacks something.
	nobodyMeets := func(demand skillDemand) bool {
		return s.wanted[demand[0]].required() && demand.count(s.wanted) == 0
	}
	if slices.ContainsFunc(s.demands, nobodyMeets) {
		s.discount.Some = 0
	}
}

// value returns the credit earned for the requested skills, weighted by rarity. Of near-duplicates, the one with the
// best evidence counts.
func (s *skillScorer) value(evidence []matching.Evidence) float64 {
	sum := 0.
	for _, demand := range s.demands {
		i := demand.best(evidence)
		sum += s.share[i] * s.credits[evidence[i]]
	}
	return sum
}

// kept returns the share of its score that the discount leaves to a candidate with the given evidence.
func (s *skillScorer) kept(evidence []matching.Evidence) float64 {
	has, related := s.has(evidence)
	return s.discount.Kept(s.required, has, related)
}

// has returns the number of required demands that a candidate with the given evidence meets, and whether there is
// evidence for any of them, such as a related skill.
func (s *skillScorer) has(evidence []matching.Evidence) (number int, related bool) {
	for _, demand := range s.demands {
		if !s.wanted[demand[0]].required() {
			continue
		}
		best := evidence[demand.best(evidence)]
		related = related || best != matching.NoEvidence
		if best.Matches() {
			number++
		}
	}
	return number, related
}

// Reasons of the adjustment for a candidate who lacks required skills.
const (
	noRequiredSkill   = "has none of the required skills"
	onlyRelatedSkills = "has none of the required skills, but a related one"
	missingSkill      = "lacks some of the required skills"
)

// lack returns the reason of the discount of a candidate with the given evidence.
func (s *skillScorer) lack(evidence []matching.Evidence) string {
	switch has, related := s.has(evidence); {
	case has > 0:
		return missingSkill
	case related:
		return onlyRelatedSkills
	default:
		return noRequiredSkill
	}
}

// LacksSkills reports whether an adjustment is about required skills that somebody lacks.
func LacksSkills(a matching.Adjustment) bool {
	return a.Reason == noRequiredSkill || a.Reason == onlyRelatedSkills || a.Reason == missingSkill
}

// summary counts the matched skills and groups all skills by their evidence, required skills first.
func (s *skillScorer) summary(c *Candidate) string {
	var required, nice []skillDemand
	for _, demand := range s.demands {
		if s.wanted[demand[0]].Nice {
			nice = append(nice, demand)
		} else {
			required = append(required, demand)
		}
	}

	var sentences []string
	if len(required) > 0 {
		sentences = append(sentences, s.countMatched(c, required, "required skill"))
	}
	if len(nice) > 0 {
		sentences = append(sentences, s.countMatched(c, nice, "nice-to-have skill"))
	}

	return strings.Join(sentences, ", ")
}

// countMatched returns a sentence about the given demands: "1 of 2 required skills (listed: Go; no evidence: Kafka)".
func (s *skillScorer) countMatched(c *Candidate, wanted []skillDemand, kind string) string {
	var byEvidence [matching.Listed + 1][]string
	var contradicted []string
	matched := 0
	for _, demand := range wanted {
		i := demand.best(c.Evidence)
		evidence := c.Evidence[i]
		if evidence.Matches() {
			matched++
		}

		name := s.wanted[i].Name
		if len(c.Facts.Through) > 0 && c.Facts.Through[i] != "" {
			name += " through " + c.Facts.Through[i]
		}
		name += s.countsWith(demand, i)

		if len(c.Facts.Contradicted) > 0 && c.Facts.Contradicted[i] {
			contradicted = append(contradicted, name)
		} else {
			byEvidence[evidence] = append(byEvidence[evidence], name)
		}
	}

	// The strongest evidence comes first.
	var groups []string
	for evidence, names := range slices.Backward(byEvidence[:]) {
		kind := matching.Evidence(evidence)
		if len(names) > 0 {
			groups = append(groups, kind.String()+": "+enumerate(names))
		}
		if kind == matching.InText && len(contradicted) > 0 {
			groups = append(groups, "listed, but nothing in title or description supports it: "+enumerate(contradicted))
		}
	}

	return fmt.Sprintf("%d of %s (%s)", matched, plural(float64(len(wanted)), kind), strings.Join(groups, "; "))
}

// countsWith names the near-duplicates of the skill that counts for a demand.
func (s *skillScorer) countsWith(demand skillDemand, best int) string {
	var others []string
	for _, i := range demand {
		if i != best {
			others = append(others, s.wanted[i].Name)
		}
	}
	if others == nil {
		return ""
	}
	return " (counts once with " + strings.Join(others, ", ") + ")"
}
