// Package scoring computes scores, totals, results per skill and recommendations from the marks of judges. No other
// package computes a number of an evaluation.
package scoring

import (
	"math"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/interview/messages"
)

// An About is what an evaluation is about, apart from its scores.
type About struct {
	Questions []interview.Question
	Skills    []interview.Skill // required, in order
	Messages  *messages.Printer // in the language of the interview
}

// Evaluate returns the evaluation of scores that are all from one judge, one for each question. The total of an
// adaptive interview is equated. agreement may be nil.
func Evaluate(
	about About, adaptive bool, scores []interview.Score, by interview.Judge, agreement *interview.Agreement,
) *interview.Evaluation {
	e := &interview.Evaluation{
		Scores: scores, Method: by.Name(), Verdict: by.IsVerdict(), Agreement: agreement, TotalMethod: interview.Mean,
	}
	if adaptive {
		e.TotalMethod = interview.Equated
	}
	Compute(e, about)
	return e
}

// Compute sets everything in an evaluation that follows from the marks and their reviews. Call it again after a review
// has changed.
func Compute(e *interview.Evaluation, about About) {
	computed := evaluation{e, about}
	computed.compute()
}

// An evaluation is an evaluation while it is computed.
type evaluation struct {
	*interview.Evaluation
	about About
}

// A score is a score while it is computed.
type score interview.Score

// compute sets everything in the evaluation that follows from the marks and their reviews.
func (e *evaluation) compute() {
	var all tally
	e.Strengths = nil
	e.Improvements = nil
	for i := range e.Scores {
		sc := (*score)(&e.Scores[i])
		q := &e.about.Questions[i]
		sc.compute(q.Weights)
		all.add(q, sc)
		e.Strengths = union(e.Strengths, sc.Strengths)
		e.Improvements = union(e.Improvements, sc.Improvements)
	}

	reference := referenceForm(len(e.Scores))
	total := all.total(e.TotalMethod, reference)
	e.Overall = total.score
	e.StandardError = total.standardError

	// Confidence belongs to a recommendation, which only a verdict allows.
	e.Confidence = matching.Optional[float64]{}
	if e.Verdict && total.score.Known {
		e.Confidence = matching.Some(confidence(float64(total.score.Value), total.standardError.Value))
	}

	e.Skills = nil
	for _, skill := range e.about.Skills {
		e.Skills = append(e.Skills, e.skillResult(&skill, reference))
	}

	// The recommendation depends on everything else.
	Derive(e.Evaluation, e.about.Questions)
	e.recommend()
}

// confidence returns the probability, rounded down to hundredths, that the true total is on the same side as the total
// of the middle between RejectBelow and HireFrom, if errors are normally distributed.
func confidence(total, standardError float64) float64 {
	const middle = (HireFrom + RejectBelow) / 2
	z := math.Abs(total-middle) / standardError
	return min(math.Floor(50*(1+math.Erf(z/math.Sqrt2))), 99) / 100
}

// A tally collects the answers for a total. It leaves out those that couldn't be measured.
type tally struct {
	form   form
	points float64 // their sum
}

func (t *tally) add(q *interview.Question, sc *score) {
	if points, ok := sc.points(q.Weights); ok {
		t.form = append(t.form, location(q.Difficulty))
		t.points += points
	}
}

// A total is a score from 0 to 100. It is unknown if there was nothing to measure.
type total struct {
	score         matching.Optional[int]
	standardError matching.Optional[float64] // points, to one decimal
}

// total returns the total of the answers. By Equated, it refers to the reference form.
func (t *tally) total(by interview.TotalMethod, reference form) total {
	if len(t.form) == 0 {
		return total{}
	}
	levels := t.points / pointsPerLevel
	mean := t.points / float64(len(t.form))
	if by != interview.Equated {
		reference = t.form
	} else {
		mean = t.form.equate(levels, reference)
	}
	return total{matching.Some(round(mean)), matching.Some(roundTo(t.form.standardError(levels, reference), 1))}
}

// skillResult returns the result for a required skill.
func (e *evaluation) skillResult(skill *interview.Skill, reference form) interview.SkillResult {
	r := interview.SkillResult{Skill: skill.Name, MustHave: skill.MustHave, State: interview.NotAsked}
	questions := e.about.Questions
	var all, substantial tally
	for i := range e.Scores {
		if questions[i].Skill != skill.Name {
			continue
		}
		r.Questions = append(r.Questions, questions[i].ID)
		sc := (*score)(&e.Scores[i])
		all.add(&questions[i], sc)

		if sc.isSubstantial() {
			substantial.add(&questions[i], sc)
		}
	}

	if len(r.Questions) == 0 {
		return r
	}
	total := all.total(e.TotalMethod, reference)
	r.Score = total.score
	r.StandardError = total.standardError
	if r.Score.Known {
		r.Level = matching.Some(roundTo(float64(r.Score.Value)/pointsPerLevel, 1))
	}

	// Blank and evasive answers show nothing. With no others, the skill counts as not shown rather than weak.
	shown := substantial.total(e.TotalMethod, reference).score
	switch {
	case !shown.Known:
		r.State = interview.NotShown
	case r.Score.Value >= HireFrom:
		r.State = interview.Shown
	case shown.Value < RejectBelow:
		r.State = interview.Weak
	default:
		r.State = interview.PartlyShown
	}

	return r
}

// Derive sets what isn't stored because the scores have it: the evidence and the numbers of covered points. It removes
// the numbers of judges that only count, which earlier releases stored.
func Derive(e *interview.Evaluation, questions []interview.Question) {
	if !e.Verdict {
		withhold(e, questions)
	}
	collectEvidence(e)

	e.Points = interview.Points{}
	for i := range e.Skills {
		e.Skills[i].Points = interview.Points{}
	}
	for i := range min(len(e.Scores), len(questions)) {
		addPoints(e, (*score)(&e.Scores[i]), &questions[i])
	}

	for i := range e.Skills {
		r := &e.Skills[i]
		r.Evidence = nil
		for _, q := range e.Evidence {
			if slices.Contains(r.Questions, q.Question) {
				r.Evidence = append(r.Evidence, q)
			}
		}
	}
}

// addPoints counts the points of a question with a measured answer, for the evaluation and for the question's skill.
func addPoints(e *interview.Evaluation, sc *score, q *interview.Question) {
	if _, isMeasured := sc.points(q.Weights); !sc.Answered || !isMeasured {
		return
	}
	e.Points.Covered += len(sc.Covered)
	e.Points.Of += len(q.Points)
	for i := range e.Skills {
		if r := &e.Skills[i]; slices.Contains(r.Questions, q.ID) {
			r.Points.Covered += len(sc.Covered)
			r.Points.Of += len(q.Points)
		}
	}
}

// collectEvidence sets Evidence to the evidence of all marks.
func collectEvidence(e *interview.Evaluation) {
	e.Evidence = nil
	for i := range e.Scores {
		for _, m := range e.Scores[i].Marks {
			for _, text := range m.Evidence {
				e.Evidence = append(e.Evidence, interview.Quotation{
					Question: e.Scores[i].Question, Criterion: m.Criterion, Text: text,
				})
			}
		}
	}
}

// AddNotices calls add with a notice for each kind of problem, listing the questions that have it.
func AddNotices(given *interview.Evaluation, add func(code interview.NoticeCode, args ...any)) {
	e := &evaluation{Evaluation: given}
	noticeIf := func(code interview.NoticeCode, applies func(*score) bool) {
		var questions []string
		for i := range e.Scores {
			if applies((*score)(&e.Scores[i])) {
				questions = append(questions, e.Scores[i].Question)
			}
		}
		if len(questions) > 0 {
			add(code, strings.Join(questions, ", "))
		}
	}
	noticeIf(interview.NoticeUnmeasured, func(sc *score) bool { return len(sc.Unmeasured) > 0 })
	noticeIf(interview.NoticeQuotation, func(sc *score) bool { return sc.has(interview.RemarkQuotation) })
	noticeIf(interview.NoticeInstructions, func(sc *score) bool { return sc.has(interview.RemarkInstructions) })
	noticeIf(interview.NoticeAboutMarks, func(sc *score) bool { return sc.has(interview.RemarkAboutMarks) })
	noticeIf(interview.NoticeJudgesApart, func(sc *score) bool { return sc.has(interview.RemarkJudgesApart) })
	disputed := e.disputed()
	noticeIf(interview.NoticeDisagreement, func(sc *score) bool { return slices.Contains(disputed, sc.Question) })
}
