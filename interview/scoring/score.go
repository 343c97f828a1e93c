package scoring

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
)

const (
	// pointsPerLevel converts levels to scores of 0 to 100. The scale is linear because the anchors are evenly spaced.
	pointsPerLevel = 100 / interview.BestLevel

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

	// MaxGap is the number of points from which a model's score is too far above the offline one. The expert and good
	// answers in interview/testdata come closer to the 90 and 80 points that a model may give them, and texts that only
	// instruct a model don't.
	MaxGap = 50

	bigGap = 2 // levels between two judgments of an answer from which a person has to read it

	maxEntries  = 10    // strengths, improvements, and quotations for one mark
	maxFeedback = 4_000 // bytes
)

// chatMarkup matches a line that begins like a message in a prompt: with a role such as "system:", or with a token of a
// chat template. People seldom write such lines. They don't change marks, but are a reason for a person to read the
// answer.
var chatMarkup = regexp.MustCompile(`(?im)^\s*(?:(?:system|assistant)\s*:|<\|\w+\|>|\[INST\]|<<SYS>>)`)

// NewScore computes the score of an answer from a judgment. It returns an error if the judgment is invalid.
func NewScore(q *interview.Question, j *interview.Judgment, answer, by string) (interview.Score, error) {
	sc := score{
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
		return interview.Score{}, fmt.Errorf("covered points are %v, but the question has %d", sc.Covered, len(q.Points))
	}
	if len(j.Feedback) > maxFeedback {
		return interview.Score{}, fmt.Errorf("feedback has %d bytes, want at most %d", len(j.Feedback), maxFeedback)
	}

	order := interview.Criteria()
	hasMark := func(c interview.Criterion) bool {
		return slices.ContainsFunc(sc.Marks, func(m interview.Mark) bool { return m.Criterion == c })
	}

	for _, m := range j.Marks {
		if !slices.Contains(order, m.Criterion) || hasMark(m.Criterion) {
			return interview.Score{}, errors.New("a mark has an unknown or repeated criterion")
		}
		if m.Level < interview.NoAnswer || m.Level > interview.BestLevel {
			return interview.Score{}, fmt.Errorf("level of %s is %d, want %d to %d",
				m.Criterion, m.Level, interview.NoAnswer, interview.BestLevel)
		}

		// An invented quotation is dropped, and its mark stays.
		var dropped bool
		if m.Evidence, dropped = findQuotations(answer, m.Evidence); dropped {
			sc.addRemark(interview.RemarkQuotation)
		}
		sc.Marks = append(sc.Marks, m)
	}

	slices.SortFunc(sc.Marks, func(a, b interview.Mark) int {
		return cmp.Compare(slices.Index(order, a.Criterion), slices.Index(order, b.Criterion))
	})

	if chatMarkup.MatchString(answer) {
		sc.addRemark(interview.RemarkInstructions)
	}

	// The remark counts only if neither marks nor covered points contradict it.
	isGood := func(m interview.Mark) bool { return m.Level > highestNoIdea }
	isContradicted := len(sc.Covered) > 0 || slices.ContainsFunc(sc.Marks, isGood)
	if sc.has(interview.RemarkNoIdea) && !isContradicted {
		sc.Marks = noMarks(q.Weights)
	}

	sc.compute(q.Weights)
	return interview.Score(sc), nil
}

// IsFarApart reports whether a model's score is far above the offline score of the same answer. An answer in a language
// that the offline judge doesn't know, in an interview in one that it knows, counts as 0.
func IsFarApart(model, offline *interview.Score) bool {
	isForeign := (*score)(offline).has(interview.RemarkLanguage)
	isComparable := model.Value.Known && (offline.Value.Known || isForeign)
	return isComparable && model.Value.Value-offline.Value.Or(0) >= MaxGap
}

// noMarks returns marks of level NoAnswer for all criteria with a weight.
func noMarks(w interview.Weights) []interview.Mark {
	var marks []interview.Mark
	for _, c := range interview.Criteria() {
		if w[c] > 0 {
			marks = append(marks, interview.Mark{Criterion: c, Level: interview.NoAnswer})
		}
	}
	return marks
}

// compute sets Value and Unmeasured from the marks and their reviews.
func (sc *score) compute(w interview.Weights) {
	sc.Unmeasured = nil
	sc.Value = matching.Optional[int]{}
	for _, c := range interview.Criteria() {
		isMarked := slices.ContainsFunc(sc.Marks, func(m interview.Mark) bool { return m.Criterion == c })
		needsMark := w[c] > 0 && sc.Answered
		if needsMark && !isMarked {
			sc.Unmeasured = append(sc.Unmeasured, c)
		}
	}
	if points, ok := sc.points(w); ok {
		sc.Value = matching.Some(round(points))
	}
}

func (sc *score) isReviewed() bool {
	return slices.ContainsFunc(sc.Marks, func(m interview.Mark) bool { return m.Review != nil })
}

// isSubstantial reports whether the answer says enough to show how well its writer can do something. An answer that a
// person reviewed does, unless all its levels are NoAnswer.
func (sc *score) isSubstantial() bool {
	if !sc.Answered || !sc.Value.Known {
		return false
	}
	if !slices.ContainsFunc(sc.Marks, func(m interview.Mark) bool { return m.EffectiveLevel() > interview.NoAnswer }) {
		return false
	}

	isEmpty := sc.has(interview.RemarkNoIdea) || sc.has(interview.RemarkTooShort)
	return sc.isReviewed() || !sc.has(interview.RemarkOffTopic) && (!isEmpty || len(sc.Covered) > 0)
}

func (sc *score) has(r interview.Remark) bool { return slices.Contains(sc.Remarks, r) }

func (sc *score) addRemark(r interview.Remark) {
	if !sc.has(r) {
		sc.Remarks = append(sc.Remarks, r)
	}
}

// Unanswered returns the score for a question without an answer.
func Unanswered(q *interview.Question) interview.Score {
	return interview.Score{Question: q.ID, Value: matching.Some(0)}
}

// points returns the weighted mean of an answer's marks, from 0 to 100, and 0 without an answer. It ignores criteria
// without a mark. ok is false if no criterion with a weight has a mark.
func (sc *score) points(w interview.Weights) (points float64, ok bool) {
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
