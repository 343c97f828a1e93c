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
	// MinConfidence is the lowest confidence for a recommendation. Three answers to five questions reach it if all their
	// criteria were measured.
	MinConfidence = 0.4

	// fewQuestions is the number of questions with a confidence of one half: the confidence from n fully measured
	// questions is n/(n + fewQuestions).
	fewQuestions = 2
	// countedOnly is the factor for the confidence in a judge that gives no verdicts.
	countedOnly = 0.5

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
	if n := len(sc.Covered); n > 0 && (sc.Covered[0] < 0 || sc.Covered[n-1] >= len(q.Points)) {
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
	for _, c := range order {
		if q.Weights[c] > 0 && !hasMark(c) {
			sc.Unmeasured = append(sc.Unmeasured, c)
		}
	}
	if points, ok := sc.points(q.Weights); ok {
		sc.Value = matching.Some(round(points))
	}
	return sc, nil
}

func (sc *Score) has(r Remark) bool { return slices.Contains(sc.Remarks, r) }

func (sc *Score) addRemark(r Remark) {
	if !sc.has(r) {
		sc.Remarks = append(sc.Remarks, r)
	}
}

// noAnswer returns the score for a question without an answer.
func noAnswer(q *Question) Score { return Score{Question: q.ID, Value: matching.Some(0)} }

// points returns the weighted mean of an answer's marks, from 0 to 100. It ignores criteria without a mark. ok is false
// if no criterion with a weight has a mark.
func (sc *Score) points(w Weights) (points float64, ok bool) {
	var sum, marked int
	for _, m := range sc.Marks {
		sum += w[m.Criterion] * m.Level * pointsPerLevel
		marked += w[m.Criterion]
	}
	if marked == 0 {
		return 0, false
	}
	return float64(sum) / float64(marked), true
}

// measured returns the share of the weights whose criteria have a mark, from 0 to 1.
func (sc *Score) measured(w Weights) float64 {
	var marked, all int
	for _, weight := range w {
		all += weight
	}
	for _, m := range sc.Marks {
		marked += w[m.Criterion]
	}
	return float64(marked) / float64(all)
}

func round(x float64) int { return int(math.Floor(x + .5)) }

// newEvaluation computes the evaluation of scores that are all from one judge.
func newEvaluation(questions []Question, scores []Score, by Judge) *Evaluation {
	e := &Evaluation{Scores: scores, Method: by.Name(), Verdict: by.IsVerdict()}
	var sum, measured float64
	counted := 0 // scores in the mean
	for i := range scores {
		sc := &scores[i]
		if sc.Value.Known { // 0 for a missing answer
			points, _ := sc.points(questions[i].Weights)
			sum += points
			counted++
		}
		measured += sc.measured(questions[i].Weights)
		e.Strengths, e.Improvements = union(e.Strengths, sc.Strengths), union(e.Improvements, sc.Improvements)
	}
	e.collectEvidence()
	if counted > 0 {
		e.Overall = matching.Some(round(sum / float64(counted)))
	}
	e.Confidence = measured / float64(len(scores)+fewQuestions)
	if !e.Verdict {
		e.Confidence *= countedOnly
	}
	e.Confidence = math.Round(e.Confidence*100) / 100
	e.recommend()
	return e
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
func (e *Evaluation) recommend() {
	const none = "no recommendation: "
	flagged := slices.IndexFunc(e.Scores, func(sc Score) bool { return sc.has(RemarkInstructions) })
	total := e.Overall.Value
	switch {
	case !e.Verdict:
		e.Reason = none + fmt.Sprintf("the method %q counts words and facts; its scores are not a verdict", e.Method)
	case !e.Overall.Known:
		e.Reason = none + "no answer could be measured"
	case e.Confidence < MinConfidence:
		e.Reason = none + fmt.Sprintf("the confidence is %.2f, but must be at least %.2f", e.Confidence, MinConfidence)
	case total < RejectBelow:
		e.Recommendation = matching.Some(false)
		e.Reason = fmt.Sprintf("the total of %d is below %d", total, RejectBelow)
	case flagged >= 0:
		e.Reason = none + fmt.Sprintf("the answer to %s may address a language model; read the answers yourself",
			e.Scores[flagged].Question)
	case total >= HireFrom:
		e.Recommendation = matching.Some(true)
		e.Reason = fmt.Sprintf("the total of %d is at least %d", total, HireFrom)
	default:
		e.Reason = none + fmt.Sprintf("the total of %d is from %d to %d, so a person must decide",
			total, RejectBelow, HireFrom-1)
	}
}

// addNotices calls add with a notice for each kind of problem, listing the questions that have it.
func (e *Evaluation) addNotices(add func(code NoticeCode, format string, args ...any)) {
	noticeIf := func(code NoticeCode, message string, applies func(*Score) bool) {
		var questions []string
		for i := range e.Scores {
			if applies(&e.Scores[i]) {
				questions = append(questions, e.Scores[i].Question)
			}
		}
		if len(questions) > 0 {
			add(code, "%s: %s", message, strings.Join(questions, ", "))
		}
	}
	noticeIf(NoticeUnmeasured, "some criteria could not be measured, and the score is the mean of the others",
		func(sc *Score) bool { return len(sc.Unmeasured) > 0 })
	noticeIf(NoticeQuotation, "evidence was dropped because the answer does not contain it",
		func(sc *Score) bool { return sc.has(RemarkQuotation) })
	noticeIf(NoticeInstructions, "answers may address a language model; read them yourself",
		func(sc *Score) bool { return sc.has(RemarkInstructions) })
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
