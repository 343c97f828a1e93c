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
	// pointsPerLevel is the scale from levels to 100: 0 is no answer, and 5 leaves nothing to ask for. It is linear, because the
	// anchors are written at even distances.
	pointsPerLevel = 100 / BestLevel

	// HireFrom is the total from which to hire: levels of 3.5 and more in the mean.
	HireFrom = 70
	// RejectBelow is the total below which not to: levels of less than 2.5. Between the two answers are what level 3 describes,
	// and somebody has to weigh what no total knows.
	RejectBelow = 50
	// MinConfidence is needed for a recommendation: three of five answers, if all of their criteria were measured.
	MinConfidence = 0.4

	// fewQuestions is the number of questions at which their mean is trusted by half: confidence is n/(n + fewQuestions) of
	// what was measured.
	fewQuestions = 2
	// countedOnly is how much of the confidence a judge has who gives no verdicts.
	countedOnly = 0.5

	maxSaid     = 10 // strengths, improvements, and quotations for one mark
	maxFeedback = 4_000
)

// chatMarkup finds lines that begin like a message in the prompt of a language model: a role such as "system:", or a token
// of a chat template. People seldom write them. They change no mark; they are a reason to read the answer.
var chatMarkup = regexp.MustCompile(`(?im)^\s*(?:(?:system|assistant)\s*:|<\|\w+\|>|\[INST\]|<<SYS>>)`)

// newScore is what a judge made of an answer, checked. It fails where the judge breaks its contract.
func newScore(q *Question, j *Judgment, answer, by string) (Score, error) {
	sc := Score{
		Question: q.ID, Answered: true, Feedback: j.Feedback, Strengths: j.Strengths, Improvements: j.Improvements,
		Covered: slices.Compact(slices.Sorted(slices.Values(j.Covered))), Remarks: slices.Clone(j.Remarks), By: by,
	}
	if n := len(sc.Covered); n > 0 && (sc.Covered[0] < 0 || sc.Covered[n-1] >= len(q.Points)) {
		return Score{}, fmt.Errorf("covers points %v of %d", sc.Covered, len(q.Points))
	}
	if len(j.Feedback) > maxFeedback {
		return Score{}, fmt.Errorf("feedback has %d bytes, of at most %d", len(j.Feedback), maxFeedback)
	}
	order := criteria()
	for _, m := range j.Marks {
		if !slices.Contains(order, m.Criterion) || slices.ContainsFunc(sc.Marks, func(o Mark) bool { return o.Criterion == m.Criterion }) {
			return Score{}, errors.New("a mark is for an unknown criterion, or a second one for the same")
		}
		if m.Level < NoAnswer || m.Level > BestLevel {
			return Score{}, fmt.Errorf("level %d of %s is not one of %d to %d", m.Level, m.Criterion, NoAnswer, BestLevel)
		}
		var lost bool
		if m.Evidence, lost = quoted(answer, m.Evidence); lost && !slices.Contains(sc.Remarks, RemarkQuotation) {
			sc.Remarks = append(sc.Remarks, RemarkQuotation)
		}
		sc.Marks = append(sc.Marks, m)
	}
	slices.SortFunc(sc.Marks, func(a, b Mark) int {
		return cmp.Compare(slices.Index(order, a.Criterion), slices.Index(order, b.Criterion))
	})
	if chatMarkup.MatchString(answer) && !slices.Contains(sc.Remarks, RemarkInstructions) {
		sc.Remarks = append(sc.Remarks, RemarkInstructions)
	}
	for _, c := range order {
		if q.Weights[c] > 0 && !slices.ContainsFunc(sc.Marks, func(m Mark) bool { return m.Criterion == c }) {
			sc.Unmeasured = append(sc.Unmeasured, c)
		}
	}
	if points, ok := sc.points(q.Weights); ok {
		sc.Value = matching.Some(round(points))
	}
	return sc, nil
}

// noAnswer is the score of a question without an answer.
func noAnswer(q *Question) Score { return Score{Question: q.ID, Value: matching.Some(0)} }

// points is an answer's mean of marks by their weights, 0 to 100. Criteria without a mark are left out, and the others weigh more;
// ok: there is one.
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

// measured returns how much of an answer was measured, from 0 to 1: the share of the weights that have a mark.
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

// newEvaluation is the totals of scores by one judge.
func newEvaluation(questions []Question, scores []Score, by Judge) *Evaluation {
	e := &Evaluation{Scores: scores, Method: by.Name(), Verdict: by.IsVerdict()}
	var sum, measured float64
	counted := 0 // questions in the mean
	for i := range scores {
		sc := &scores[i]
		if sc.Value.Known { // of no answer it is 0
			points, _ := sc.points(questions[i].Weights)
			sum += points
			counted++
		}
		measured += sc.measured(questions[i].Weights)
		e.Strengths, e.Improvements = union(e.Strengths, sc.Strengths), union(e.Improvements, sc.Improvements)
		for _, m := range sc.Marks {
			for _, text := range m.Evidence {
				e.Evidence = append(e.Evidence, Quotation{sc.Question, m.Criterion, text})
			}
		}
	}
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

// recommend says whether to hire, or why the answers do not tell.
func (e *Evaluation) recommend() {
	const none = "no recommendation: "
	spoken := slices.IndexFunc(e.Scores, func(sc Score) bool { return slices.Contains(sc.Remarks, RemarkInstructions) })
	total := e.Overall.Value
	switch {
	case !e.Verdict:
		e.Reason = none + fmt.Sprintf("the marks by %q measure what can be counted in the answers, and are no verdict", e.Method)
	case !e.Overall.Known:
		e.Reason = none + "nothing in the answers could be measured"
	case e.Confidence < MinConfidence:
		e.Reason = none + fmt.Sprintf("too little was measured, confidence %.2f of the %.2f that it takes",
			e.Confidence, MinConfidence)
	case total < RejectBelow:
		e.Recommendation = matching.Some(false)
		e.Reason = fmt.Sprintf("the total is %d of 100, below %d", total, RejectBelow)
	case spoken >= 0:
		e.Reason = none + fmt.Sprintf("the answer to %s may address a language model; read the answers yourself",
			e.Scores[spoken].Question)
	case total >= HireFrom:
		e.Recommendation = matching.Some(true)
		e.Reason = fmt.Sprintf("the total is %d of 100, at least %d", total, HireFrom)
	default:
		e.Reason = none + fmt.Sprintf("the total is %d of 100, which is for a person to decide from %d to %d",
			total, RejectBelow, HireFrom-1)
	}
}

// notices are what of the scores whoever reads the evaluation should know.
func (e *Evaluation) notices() []Notice {
	var notices []Notice
	tell := func(code NoticeCode, what string, is func(*Score) bool) {
		var of []string
		for i := range e.Scores {
			if is(&e.Scores[i]) {
				of = append(of, e.Scores[i].Question)
			}
		}
		if len(of) > 0 {
			notices = append(notices, Notice{code, what + ": " + strings.Join(of, ", ")})
		}
	}
	unmeasured := func(sc *Score) bool { return len(sc.Unmeasured) > 0 }
	remarked := func(r Remark) func(*Score) bool {
		return func(sc *Score) bool { return slices.Contains(sc.Remarks, r) }
	}
	tell(NoticeUnmeasured, "criteria that could not be measured were left out, and the others weigh more", unmeasured)
	tell(NoticeQuotation, "evidence that is not in the answer was left out", remarked(RemarkQuotation))
	tell(NoticeInstructions, "answers may address a language model; read them yourself", remarked(RemarkInstructions))
	return notices
}

// union is a with what of b is not in it, up to maxSaid.
func union(a, b []string) []string {
	for _, text := range b {
		if len(a) < maxSaid && !slices.Contains(a, text) {
			a = append(a, text)
		}
	}
	return a
}

// quoted is the quotations that an answer has, as it has them, each once; lost, whether there are others.
func quoted(answer string, quotations []string) (found []string, lost bool) {
	for _, q := range quotations {
		passage, ok := passageOf(answer, q)
		lost = lost || !ok
		if ok {
			found = union(found, []string{passage})
		}
	}
	return found, lost
}

// passageOf is the passage of an answer that a quotation is, white space aside.
func passageOf(answer, quotation string) (string, bool) {
	words := strings.Fields(quotation)
	if len(words) == 0 {
		return "", false
	}
	for from := 0; ; {
		at := strings.Index(answer[from:], words[0])
		if at < 0 {
			return "", false
		}
		if end, ok := follow(answer, from+at, words); ok {
			return answer[from+at : end], true
		}
		from += at + 1
	}
}

// follow is where words end that stand in a text from an offset on, with white space between them.
func follow(text string, at int, words []string) (end int, ok bool) {
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
