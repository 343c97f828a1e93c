package dashboard

import (
	"cmp"
	"slices"
	"strings"

	"freelancer-matching/interview"
)

// criterionView is how a criterion is shown.
type criterionView struct {
	Label string
	Class string // for its colour
	Asks  string // what it asks of an answer
}

// viewOf is how a criterion is shown.
func viewOf(c interview.Criterion) criterionView {
	switch c {
	case interview.Technical:
		return criterionView{"Technical", "f-skills", "Is it right, and complete for what was asked?"}
	case interview.Experience:
		return criterionView{"Experience", "f-experience", "Is it from own work, with particulars?"}
	case interview.Communication:
		return criterionView{"Communication", "f-text", "Is it clear and to the point?"}
	default:
		return criterionView{title(string(c)), "f-other", ""}
	}
}

// share is what one criterion added to the overall score: a part of the bar, and a row below it.
type share struct {
	criterionView
	Points  float64 // of the 100
	Could   float64 // points, at the highest level everywhere
	Level   float64 // in the mean of the answers that have a mark for it
	Marked  int     // answers that have one
	X, Wide float64 // in the bar, of barLength
}

// Did is the points in percent of what they could be.
func (s share) Did() float64 {
	if s.Could == 0 {
		return 0
	}
	return 100 * s.Points / s.Could
}

// Shares is what the overall score is made of: the mean of the answers' scores, each the mean of its marks by their weights. It is
// empty where nothing was measured.
func (h *heldInterview) Shares() []share {
	criteria := []interview.Criterion{interview.Technical, interview.Experience, interview.Communication}
	shares := make([]share, len(criteria))
	counted := 0
	for i, q := range h.Data.Questions {
		if i >= len(h.Evaluation.Details) || !h.Evaluation.Details[i].Score.Known {
			continue
		}
		counted++
		levels, marked := h.Evaluation.Details[i].weigh(q.Weights)
		for at, c := range criteria {
			if level, has := levels[c]; has && marked > 0 {
				part := 100 * float64(q.Weights[c]) / float64(marked)
				shares[at].Could += part
				shares[at].Points += part * float64(level) / interview.BestLevel
				shares[at].Level += float64(level)
				shares[at].Marked++
			} else if len(levels) == 0 { // no answer: all of it is lost
				shares[at].Could += float64(q.Weights[c])
			}
		}
	}
	if counted == 0 {
		return nil
	}
	x := 0.
	for at, c := range criteria {
		s := &shares[at]
		s.criterionView = viewOf(c)
		s.Could, s.Points = s.Could/float64(counted), s.Points/float64(counted)
		s.Level /= float64(max(1, s.Marked))
		s.X, s.Wide = x, s.Points*barLength/100
		x += s.Wide
	}
	return slices.DeleteFunc(shares, func(s share) bool { return s.Could == 0 })
}

// weigh is the levels of an answer, and the sum of the weights that have one.
func (j *readJudgement) weigh(w readWeights) (levels map[interview.Criterion]int, marked int) {
	levels = map[interview.Criterion]int{}
	for _, m := range j.Marks {
		levels[m.Criterion] = m.Level
		marked += w[m.Criterion]
	}
	return levels, marked
}

// Together is the sum of the shares' points.
func (h *heldInterview) Together() float64 {
	sum := 0.
	for _, s := range h.Shares() {
		sum += s.Points
	}
	return sum
}

// JudgedBy is who judged, in words.
func (e *readEvaluation) JudgedBy() string {
	return maker(e.Method, "counting, without a language model")
}

// Advice is the recommendation in a word or two, with the class of its badge.
func (e *readEvaluation) Advice() option {
	switch {
	case !e.Recommendation.Known:
		return option{"warn", "No recommendation"}
	case e.Recommendation.Value:
		return option{"on", "Recommended"}
	default:
		return option{"bad", "Not recommended"}
	}
}

// Why is the reason of the recommendation, or of there being none.
func (e *readEvaluation) Why() string {
	if !e.Verdict && e.Method == "offline" {
		return "No language model: this measures coverage and particulars; it is no verdict."
	}
	return sentence(strings.TrimPrefix(e.Reason, "no recommendation: "))
}

// View is how the mark's criterion is shown.
func (m readMark) View() criterionView { return viewOf(m.Criterion) }

// Missing is the names of the criteria without a mark.
func (j *readJudgement) Missing() []string {
	var names []string
	for _, c := range j.Unmeasured {
		names = append(names, viewOf(c).Label)
	}
	return names
}

// Warnings is the reasons to look at the answer oneself, in plain words.
func (j *readJudgement) Warnings() []string {
	known := map[interview.Remark]string{
		interview.RemarkInstructions: "May address a language model", interview.RemarkOffTopic: "Is about something else",
		interview.RemarkTooShort: "Too short to tell", interview.RemarkRepetitive: "Repeats itself",
		interview.RemarkLanguage: "In another language than the question", interview.RemarkQuotation: "Evidence left out that it does not have",
	}
	var all []string
	for _, r := range j.Remarks {
		all = append(all, cmp.Or(known[r], title(string(r))))
	}
	return all
}

// point is something that a good answer has.
type point struct {
	Text string
	Has  bool // whether the answer does
}

// Covering is what a full answer covers, and which of it this one does.
func (t *turn) Covering() []point {
	var points []point
	for i, text := range t.Points {
		points = append(points, point{text, t.Judgement != nil && slices.Contains(t.Judgement.Covered, i)})
	}
	return points
}

// passage is a part of an answer that is evidence for the same criteria all through.
type passage struct {
	Text     string
	Criteria []criterionView // none: no evidence
}

// Names is the names of the criteria: technical and experience.
func (p passage) Names() string {
	var names []string
	for _, c := range p.Criteria {
		names = append(names, strings.ToLower(c.Label))
	}
	return strings.Join(names, " and ")
}

// Class is how the passage is underlined.
func (p passage) Class() string {
	if len(p.Criteria) == 1 {
		return p.Criteria[0].Class
	}
	return "f-several"
}

// Passages is the answer in pieces, those that the marks rest on told apart. Put together they are the answer.
func (t *turn) Passages() []passage {
	type span struct {
		from, to int
		of       interview.Criterion
	}
	var spans []span
	ends := []int{0, len(t.Answer)}
	if t.Judgement != nil {
		for _, m := range t.Judgement.Marks {
			for _, text := range m.Evidence {
				if at := strings.Index(t.Answer, text); at >= 0 && text != "" {
					spans = append(spans, span{at, at + len(text), m.Criterion})
					ends = append(ends, at, at+len(text))
				}
			}
		}
	}
	slices.Sort(ends)
	ends = slices.Compact(ends)
	var pieces []passage
	for i, from := range ends[:len(ends)-1] {
		piece := passage{Text: t.Answer[from:ends[i+1]]}
		for _, s := range spans {
			if view := viewOf(s.of); s.from <= from && from < s.to && !slices.Contains(piece.Criteria, view) {
				piece.Criteria = append(piece.Criteria, view)
			}
		}
		if last := len(pieces) - 1; last >= 0 && slices.Equal(pieces[last].Criteria, piece.Criteria) {
			pieces[last].Text += piece.Text
			continue
		}
		pieces = append(pieces, piece)
	}
	return pieces
}
