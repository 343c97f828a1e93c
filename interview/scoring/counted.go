package scoring

import (
	"slices"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
)

// Withhold marks the score of an answer as counted, and removes its value unless a person has reviewed all marks that
// have a weight. A judge that gives no verdicts can't tell whether an answer is right (ADR 0071), so its numbers steer
// adaptive interviews and are compared with those of models, but no reader sees them.
func Withhold(given *interview.Score, w interview.Weights) {
	sc := (*score)(given)
	sc.Counted = sc.Answered
	if sc.Counted && !sc.isJudgedByPerson(w) {
		sc.Value = matching.Optional[int]{}
	}
}

// isJudgedByPerson reports whether a person has reviewed all marks that have a weight.
func (sc *score) isJudgedByPerson(w interview.Weights) bool {
	reviewed := 0
	for i := range sc.Marks {
		m := &sc.Marks[i]
		if w[m.Criterion] == 0 {
			continue
		}
		if m.Review == nil {
			return false
		}
		reviewed++
	}
	return reviewed > 0
}

// withhold removes the numbers of an evaluation that follow from counted marks.
func withhold(e *interview.Evaluation, questions []interview.Question) {
	e.Confidence = matching.Optional[float64]{}
	var withheld []string // IDs of the questions whose scores are withheld
	for i := range min(len(e.Scores), len(questions)) {
		sc := &e.Scores[i]
		Withhold(sc, questions[i].Weights)
		if sc.Answered && !sc.Value.Known {
			withheld = append(withheld, sc.Question)
		}
	}

	if len(withheld) == 0 {
		return
	}
	e.Overall = matching.Optional[int]{}
	e.StandardError = matching.Optional[float64]{}

	isWithheld := func(question string) bool { return slices.Contains(withheld, question) }
	for i := range e.Skills {
		r := &e.Skills[i]
		if !slices.ContainsFunc(r.Questions, isWithheld) {
			continue
		}
		r.Score = matching.Optional[int]{}
		r.Level = matching.Optional[float64]{}
		r.StandardError = matching.Optional[float64]{}

		// That an answer says nothing can be counted. How good it is can't.
		if r.State != interview.NotShown {
			r.State = interview.Answered
		}
	}
}
