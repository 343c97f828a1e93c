package transcript

import (
	"cmp"
	"slices"

	"github.com/freelancer-matching/service/interview"
)

// maxImprovements is how many improvements a report names.
const maxImprovements = 3

// minGain is the smallest gain that a report names; a smaller one would be shown as 0.0.
const minGain = 0.05

// Improvement is a point of a question's rubric that the answer doesn't cover.
type Improvement struct {
	N     int    // number of the question, from 1
	Skill string // of the question; "" for none
	Point string
	Gain  float64 // what covering the point would add to the mean of the answers' scores
}

// MostUseful returns the missing points that would raise the total most, at most maxImprovements. It returns nil for an
// interview without an evaluation or a total.
//
// A rubric describes a correct and complete answer, which is what the technical criterion asks for. So the missing
// points of an answer share evenly what the answer lost on this criterion.
func (s *Interview) MostUseful() []Improvement {
	if s.Evaluation == nil || !s.Evaluation.OverallScore.Known {
		return nil
	}

	scored := 0
	for i := range s.Evaluation.Details {
		if s.Evaluation.Details[i].Score.Known {
			scored++
		}
	}

	var all []Improvement
	for _, t := range s.Turns() {
		lost := t.technicalLoss()
		missing := t.missingPoints()
		if len(missing) == 0 {
			continue
		}

		// The total is the mean over the scored answers, so a point of one answer counts only a part.
		gain := lost / float64(len(missing)) / float64(max(1, scored))
		if gain < minGain {
			continue
		}

		for _, text := range missing {
			all = append(all, Improvement{N: t.N, Skill: string(t.Skill), Point: text, Gain: gain})
		}
	}

	// The sort is stable: among equal gains, the earlier question comes first.
	slices.SortStableFunc(all, func(a, b Improvement) int { return cmp.Compare(b.Gain, a.Gain) })
	return all[:min(len(all), maxImprovements)]
}

// missingPoints returns the points of the rubric that the answer doesn't cover.
func (t *Turn) missingPoints() []string {
	var missing []string
	for _, p := range t.CoveredPoints() {
		if !p.Covered {
			missing = append(missing, p.Text)
		}
	}
	return missing
}

// technicalLoss returns how much the score of the answer would rise if its technical level were the highest. It is 0 if
// the answer was not scored, or not on this criterion.
func (t *Turn) technicalLoss() float64 {
	if t.Judgment == nil || !t.Judgment.Score.Known {
		return 0
	}

	weights := map[interview.Criterion]int{
		interview.Technical:     t.ScoringCriteria.Technical,
		interview.Experience:    t.ScoringCriteria.Experience,
		interview.Communication: t.ScoringCriteria.Communication,
	}

	total := 0
	level := interview.NoAnswer
	scored := false
	for _, m := range t.Judgment.Marks {
		total += weights[m.Criterion]
		if m.Criterion == interview.Technical {
			level = levelOf(m).Or(interview.NoAnswer)
			scored = true
		}
	}

	// A blank answer has no marks. It lost all points on all criteria.
	if !t.Judgment.Answered {
		total = weights[interview.Technical] + weights[interview.Experience] + weights[interview.Communication]
		scored = true
	}

	if !scored || total == 0 {
		return 0
	}
	best := 100 * float64(weights[interview.Technical]) / float64(total)

	return best * float64(interview.BestLevel-level) / interview.BestLevel
}
