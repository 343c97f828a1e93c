package interview

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"freelancer-matching/internal/matching"
)

const (
	// pointsPerLevel converts levels to scores of 0 to 100. The scale is linear because the anchors are evenly spaced.
	pointsPerLevel = 100 / BestLevel

	// HireFrom is the lowest total with the recommendation to hire. It corresponds to a mean level of 3.5.
	HireFrom = 70
	// RejectBelow is the lowest total without the recommendation to reject. It corresponds to a mean level of 2.5. A total
	// from RejectBelow to HireFrom is close to level 3, and a person has to decide.
	RejectBelow = 50
	// MinConfidence is the lowest confidence for a recommendation.
	MinConfidence = 0.8

	minMeasured = 2 // measured answers for a recommendation, which must also be more than half of all
	// highestNoIdea is the highest level that RemarkNoIdea replaces by NoAnswer. A judge that gives a higher one
	// contradicts its remark.
	highestNoIdea = 2

	bigGap = 2 // levels between two judgments of an answer from which a person has to read it

	maxEntries  = 10    // strengths, improvements, and quotations for one mark
	maxFeedback = 4_000 // bytes
)

// chatMarkup matches a line that begins like a message in a prompt: with a role such as "system:", or with a token of a
// chat template. People seldom write such lines. They don't change marks, but are a reason for a person to read the
// answer.
var chatMarkup = regexp.MustCompile(`(?im)^\s*(?:(?:system|assistant)\s*:|<\|\w+\|>|\[INST\]|<<SYS>>)`)

// newScore computes the score of an answer from a judgment. It returns an error if the judgment is invalid.
func newScore(q *Question, j *Judgment, answer, by string) (Score, error) {
	sc := Score{
		Question:     q.ID,
		Answered:     true,
		Feedback:     j.Feedback,
		Strengths:    j.Strengths,
		Improvements: j.Improvements,
		Covered:      slices.Compact(slices.Sorted(slices.Values(j.Covered))),
		Remarks:      slices.Clone(j.Remarks),
		By:           by,
	}

	// Judgments come from models, so everything in them is checked.
	isUnknown := func(index int) bool { return index < 0 || index >= len(q.Points) }
	if slices.ContainsFunc(sc.Covered, isUnknown) {
		return Score{}, fmt.Errorf("covered points are %v, but the question has %d", sc.Covered, len(q.Points))
	}
	if len(j.Feedback) > maxFeedback {
		return Score{}, fmt.Errorf("feedback has %d bytes, want at most %d", len(j.Feedback), maxFeedback)
	}

	order := criteria()
	hasMark := func(c Criterion) bool {
		return slices.ContainsFunc(sc.Marks, func(m Mark) bool { return m.Criterion == c })
	}

	for _, m := range j.Marks {
		if !slices.Contains(order, m.Criterion) || hasMark(m.Criterion) {
			return Score{}, errors.New("a mark has an unknown or repeated criterion")
		}
		if m.Level < NoAnswer || m.Level > BestLevel {
			return Score{}, fmt.Errorf("level of %s is %d, want %d to %d", m.Criterion, m.Level, NoAnswer, BestLevel)
		}

		// An invented quotation is dropped, and its mark stays.
		var dropped bool
		if m.Evidence, dropped = findQuotations(answer, m.Evidence); dropped {
			sc.addRemark(RemarkQuotation)
		}
		sc.Marks = append(sc.Marks, m)
	}

	slices.SortFunc(sc.Marks, func(a, b Mark) int {
		return cmp.Compare(slices.Index(order, a.Criterion), slices.Index(order, b.Criterion))
	})

	if chatMarkup.MatchString(answer) {
		sc.addRemark(RemarkInstructions)
	}

	// The remark counts only if neither marks nor covered points contradict it.
	isGood := func(m Mark) bool { return m.Level > highestNoIdea }
	isContradicted := len(sc.Covered) > 0 || slices.ContainsFunc(sc.Marks, isGood)
	if sc.has(RemarkNoIdea) && !isContradicted {
		sc.Marks = noMarks(q.Weights)
	}

	sc.compute(q.Weights)
	return sc, nil
}

// noMarks returns marks of level NoAnswer for all criteria with a weight.
func noMarks(w Weights) []Mark {
	var marks []Mark
	for _, c := range criteria() {
		if w[c] > 0 {
			marks = append(marks, Mark{Criterion: c, Level: NoAnswer})
		}
	}
	return marks
}

// compute sets Value and Unmeasured from the marks and their reviews.
func (sc *Score) compute(w Weights) {
	sc.Unmeasured = nil
	sc.Value = matching.Optional[int]{}
	for _, c := range criteria() {
		isMarked := slices.ContainsFunc(sc.Marks, func(m Mark) bool { return m.Criterion == c })
		needsMark := w[c] > 0 && sc.Answered
		if needsMark && !isMarked {
			sc.Unmeasured = append(sc.Unmeasured, c)
		}
	}
	if points, ok := sc.points(w); ok {
		sc.Value = matching.Some(round(points))
	}
}

func (sc *Score) isReviewed() bool {
	return slices.ContainsFunc(sc.Marks, func(m Mark) bool { return m.Review != nil })
}

// isSubstantial reports whether the answer says enough to show how well its writer can do something. An answer that a
// person reviewed does, unless all its levels are NoAnswer.
func (sc *Score) isSubstantial() bool {
	if !sc.Answered || !sc.Value.Known {
		return false
	}
	if !slices.ContainsFunc(sc.Marks, func(m Mark) bool { return m.EffectiveLevel() > NoAnswer }) {
		return false
	}

	isEmpty := sc.has(RemarkNoIdea) || sc.has(RemarkTooShort)
	return sc.isReviewed() || !sc.has(RemarkOffTopic) && (!isEmpty || len(sc.Covered) > 0)
}

func (sc *Score) has(r Remark) bool { return slices.Contains(sc.Remarks, r) }

func (sc *Score) addRemark(r Remark) {
	if !sc.has(r) {
		sc.Remarks = append(sc.Remarks, r)
	}
}

// noAnswer returns the score for a question without an answer.
func noAnswer(q *Question) Score { return Score{Question: q.ID, Value: matching.Some(0)} }

// points returns the weighted mean of an answer's marks, from 0 to 100, and 0 without an answer. It ignores criteria
// without a mark. ok is false if no criterion with a weight has a mark.
func (sc *Score) points(w Weights) (points float64, ok bool) {
	if !sc.Answered {
		return 0, true
	}
	var sum, marked int
	for i := range sc.Marks {
		m := &sc.Marks[i]
		sum += w[m.Criterion] * m.EffectiveLevel() * pointsPerLevel
		marked += w[m.Criterion]
	}
	if marked == 0 {
		return 0, false
	}
	return float64(sum) / float64(marked), true
}

func round(x float64) int { return int(math.Floor(x + .5)) }

// roundTo rounds to a number of decimals.
func roundTo(x float64, decimals int) float64 {
	unit := math.Pow10(decimals)
	return math.Round(x*unit) / unit
}

// newEvaluation returns the evaluation of scores that are all from one judge. agreement may be nil.
func newEvaluation(se *session, scores []Score, by Judge, agreement *Agreement) *Evaluation {
	e := &Evaluation{
		Scores: scores, Method: by.Name(), Verdict: by.IsVerdict(), Agreement: agreement, TotalMethod: Mean,
	}
	if se.Kind == Adaptive {
		e.TotalMethod = Equated
	}
	e.compute(se)
	return e
}

// compute sets everything in the evaluation that follows from the marks and their reviews. Call it again after a review
// has changed.
func (e *Evaluation) compute(se *session) {
	var all tally
	e.Strengths = nil
	e.Improvements = nil
	for i := range e.Scores {
		sc := &e.Scores[i]
		q := &se.Questions[i]
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
	for _, skill := range se.Subject.Skills {
		e.Skills = append(e.Skills, e.skillResult(&skill, se.Questions, reference))
	}

	// The recommendation depends on everything else.
	e.derive(se.Questions)
	e.recommend(se)
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

func (t *tally) add(q *Question, sc *Score) {
	if points, ok := sc.points(q.Weights); ok {
		t.form = append(t.form, q.Difficulty.location())
		t.points += points
	}
}

// A total is a score from 0 to 100. It is unknown if there was nothing to measure.
type total struct {
	score         matching.Optional[int]
	standardError matching.Optional[float64] // points, to one decimal
}

// total returns the total of the answers. By Equated, it refers to the reference form.
func (t *tally) total(by TotalMethod, reference form) total {
	if len(t.form) == 0 {
		return total{}
	}
	levels := t.points / pointsPerLevel
	mean := t.points / float64(len(t.form))
	if by != Equated {
		reference = t.form
	} else {
		mean = t.form.equate(levels, reference)
	}
	return total{matching.Some(round(mean)), matching.Some(roundTo(t.form.standardError(levels, reference), 1))}
}

// skillResult returns the result for a required skill.
func (e *Evaluation) skillResult(skill *Skill, questions []Question, reference form) SkillResult {
	r := SkillResult{Skill: skill.Name, MustHave: skill.MustHave, State: NotAsked}
	var all, substantial tally
	for i := range e.Scores {
		if questions[i].Skill != skill.Name {
			continue
		}
		r.Questions = append(r.Questions, questions[i].ID)
		all.add(&questions[i], &e.Scores[i])

		if e.Scores[i].isSubstantial() {
			substantial.add(&questions[i], &e.Scores[i])
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
		r.State = NotShown
	case r.Score.Value >= HireFrom:
		r.State = Shown
	case shown.Value < RejectBelow:
		r.State = Weak
	default:
		r.State = PartlyShown
	}

	return r
}

// derive sets what isn't stored because the scores have it: the evidence and the number of covered points.
func (e *Evaluation) derive(questions []Question) {
	e.collectEvidence()
	e.Points = Points{}
	for i := range min(len(e.Scores), len(questions)) {
		if sc := &e.Scores[i]; sc.Answered && sc.Value.Known {
			e.Points.Covered += len(sc.Covered)
			e.Points.Of += len(questions[i].Points)
		}
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

// collectEvidence sets Evidence to the evidence of all marks.
func (e *Evaluation) collectEvidence() {
	e.Evidence = nil
	for i := range e.Scores {
		for _, m := range e.Scores[i].Marks {
			for _, text := range m.Evidence {
				e.Evidence = append(e.Evidence, Quotation{e.Scores[i].Question, m.Criterion, text})
			}
		}
	}
}

// recommend sets the recommendation and its reason.
func (e *Evaluation) recommend(se *session) {
	recommendation, reason := e.decide(se)
	if !recommendation.Known {
		reason = se.say("none", reason)
	}
	e.Recommendation = recommendation
	e.Reason = reason
}

// decide returns the recommendation and its reason.
func (e *Evaluation) decide(se *session) (hire matching.Optional[bool], reason string) {
	measured := 0
	for i := range e.Scores {
		if e.Scores[i].Answered && e.Scores[i].Value.Known {
			measured++
		}
	}

	flagged := slices.IndexFunc(e.Scores, func(sc Score) bool { return sc.has(RemarkInstructions) && !sc.isReviewed() })
	total := e.Overall.Value
	disputed := e.disputed()
	mustHave, missing := e.mustHaveSkills()

	// The order of the cases matters: doubts about the marks come before what the marks add up to.
	switch {
	case !e.Verdict:
		return hire, se.say("offline", e.Method)
	case measured == 0:
		return hire, se.say("nothing_measured")
	case measured < minMeasured || 2*measured <= len(e.Scores):
		return hire, se.say("few_measured", measured, minMeasured)
	case len(disputed) > 0:
		return hire, se.say("disputed", len(disputed), strings.Join(disputed, ", "))
	case total >= RejectBelow && flagged >= 0:
		return hire, se.say("flagged", e.Scores[flagged].Question)
	case total >= RejectBelow && total < HireFrom:
		return hire, se.say("undecided", total, RejectBelow, HireFrom-1)
	case e.Confidence.Value < MinConfidence:
		return hire, se.say("uncertain", total, e.StandardError.Value)
	case total < RejectBelow:
		return matching.Some(false), se.say("reject", total, RejectBelow)
	case len(missing) > 0:
		return hire, se.say("missing_skills", len(missing), strings.Join(missing, ", "))
	case mustHave > 0:
		return matching.Some(true), se.say("hire_skills", mustHave, total, HireFrom)
	default:
		return matching.Some(true), se.say("hire", total, HireFrom)
	}
}

// disputed returns the IDs of the questions for whose answers two judgments differ by bigGap, and that no person has
// reviewed.
func (e *Evaluation) disputed() []string {
	if e.Agreement == nil {
		return nil
	}
	var ids []string
	for i := range e.Scores {
		if sc := &e.Scores[i]; slices.Contains(e.Agreement.Disputed, sc.Question) && !sc.isReviewed() {
			ids = append(ids, sc.Question)
		}
	}
	return ids
}

// mustHaveSkills returns the number of must-have skills and the names of those that aren't shown.
func (e *Evaluation) mustHaveSkills() (n int, missing []string) {
	for i := range e.Skills {
		if r := &e.Skills[i]; r.MustHave {
			n++
			if r.State != Shown {
				missing = append(missing, r.Skill)
			}
		}
	}
	return n, missing
}

// addNotices calls add with a notice for each kind of problem, listing the questions that have it.
func (e *Evaluation) addNotices(add func(code NoticeCode, args ...any)) {
	noticeIf := func(code NoticeCode, applies func(*Score) bool) {
		var questions []string
		for i := range e.Scores {
			if applies(&e.Scores[i]) {
				questions = append(questions, e.Scores[i].Question)
			}
		}
		if len(questions) > 0 {
			add(code, strings.Join(questions, ", "))
		}
	}
	noticeIf(NoticeUnmeasured, func(sc *Score) bool { return len(sc.Unmeasured) > 0 })
	noticeIf(NoticeQuotation, func(sc *Score) bool { return sc.has(RemarkQuotation) })
	noticeIf(NoticeInstructions, func(sc *Score) bool { return sc.has(RemarkInstructions) })
	disputed := e.disputed()
	noticeIf(NoticeDisagreement, func(sc *Score) bool { return slices.Contains(disputed, sc.Question) })
}

// union appends to a the texts of b that it lacks, up to a total of maxEntries.
func union(a, b []string) []string {
	for _, text := range b {
		if len(a) < maxEntries && !slices.Contains(a, text) {
			a = append(a, text)
		}
	}
	return a
}

// findQuotations returns the passages of an answer that match quotations, without duplicates. dropped reports whether
// any quotation matches no passage.
func findQuotations(answer string, quotations []string) (passages []string, dropped bool) {
	for _, q := range quotations {
		passage, ok := findPassage(answer, q)
		dropped = dropped || !ok
		if ok {
			passages = union(passages, []string{passage})
		}
	}
	return passages, dropped
}

// findPassage returns the passage of an answer that is equal to a quotation except for white space.
func findPassage(answer, quotation string) (string, bool) {
	words := strings.Fields(quotation)
	if len(words) == 0 {
		return "", false
	}
	for from := 0; ; {
		at := strings.Index(answer[from:], words[0])
		if at < 0 {
			return "", false
		}
		if end, ok := matchWords(answer, from+at, words); ok {
			return answer[from+at : end], true
		}
		from += at + 1
	}
}

// matchWords reports whether a text contains words, separated by white space, from offset at on, and where they end.
func matchWords(text string, at int, words []string) (end int, ok bool) {
	for i, word := range words {
		if i > 0 {
			rest := strings.TrimLeftFunc(text[at:], unicode.IsSpace)
			if len(rest) == len(text)-at {
				return 0, false
			}
			at = len(text) - len(rest)
		}
		if !strings.HasPrefix(text[at:], word) {
			return 0, false
		}
		at += len(word)
	}
	return at, true
}
