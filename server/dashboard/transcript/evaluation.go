package transcript

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// criterionView describes a criterion.
type criterionView struct {
	Label    string
	Class    string // CSS class, for the color
	Question string // what the criterion asks of an answer
}

func viewOf(c interview.Criterion) criterionView {
	switch c {
	case interview.Technical:
		return criterionView{"Technical", "f-skills", "Is the answer correct and complete?"}
	case interview.Experience:
		return criterionView{"Experience", "f-experience", "Does it describe the person's own work in detail?"}
	case interview.Communication:
		return criterionView{"Communication", "f-text", "Is it clear and to the point?"}
	default:
		return criterionView{page.Title(c), "f-other", ""}
	}
}

// barLength is the length of a score bar that stands for 100 points.
const barLength = 1000

// Share is one criterion's part of the overall score: a part of the score bar, and a row of the breakdown.
type Share struct {
	criterionView
	Points   float64 // of 100
	Possible float64 // points if every level were the highest
	Level    float64 // mean over the answers scored on this criterion
	Scored   int     // answers scored on this criterion
	X, Width float64 // in the bar, in units of barLength
}

// Percent returns the points in percent of the possible points.
func (s Share) Percent() float64 {
	if s.Possible == 0 {
		return 0
	}
	return 100 * s.Points / s.Possible
}

// Equated reports whether the overall score accounts for the difficulty of the questions, and so isn't the mean of the
// answers' scores.
func (s *Interview) Equated() bool { return s.Evaluation.TotalMethod == interview.Equated }

// Shares breaks down the mean of the answers' scores by criterion. Each score is the weighted mean of its levels. It
// returns nil if there is no overall score.
func (s *Interview) Shares() []Share {
	if !s.Evaluation.OverallScore.Known {
		return nil
	}

	criteria := []interview.Criterion{interview.Technical, interview.Experience, interview.Communication}
	shares := make([]Share, len(criteria))
	scoredAnswers := 0
	for i, q := range s.InterviewData.Questions {
		isScored := i < len(s.Evaluation.Details) && s.Evaluation.Details[i].Score.Known
		if !isScored {
			continue
		}
		scoredAnswers++

		weights := map[interview.Criterion]int{
			interview.Technical:     q.ScoringCriteria.Technical,
			interview.Experience:    q.ScoringCriteria.Experience,
			interview.Communication: q.ScoringCriteria.Communication,
		}

		// An answer's score is the weighted mean of its levels, over the criteria that it was scored on.
		levels := map[interview.Criterion]int{}
		totalWeight := 0
		for _, mark := range s.Evaluation.Details[i].Marks {
			levels[mark.Criterion] = levelOf(mark).Or(interview.NoAnswer)
			totalWeight += weights[mark.Criterion]
		}

		for j, c := range criteria {
			level, scored := levels[c]
			switch {
			case scored && totalWeight > 0:
				shares[j].add(level, 100*float64(weights[c])/float64(totalWeight))
			case len(levels) == 0: // no answer: all points are lost
				shares[j].Possible += float64(weights[c])
			}
		}
	}

	if scoredAnswers == 0 {
		return nil
	}

	// Scale the sums to the mean of the answers, and line up the parts of the bar.
	end := 0.
	for j, c := range criteria {
		share := &shares[j]
		share.criterionView = viewOf(c)
		share.Possible /= float64(scoredAnswers)
		share.Points /= float64(scoredAnswers)
		share.Level /= float64(max(1, share.Scored))

		share.X = end
		share.Width = share.Points * barLength / 100
		end += share.Width
	}

	return slices.DeleteFunc(shares, func(s Share) bool { return s.Possible == 0 })
}

// add adds an answer with a level, in whose score the criterion counts for a number of possible points.
func (s *Share) add(level int, possible float64) {
	s.Possible += possible
	s.Points += possible * float64(level) / interview.BestLevel
	s.Level += float64(level)
	s.Scored++
}

// TotalPoints returns the sum of the shares' points.
func (s *Interview) TotalPoints() float64 {
	sum := 0.
	for _, share := range s.Shares() {
		sum += share.Points
	}
	return sum
}

// EvaluatedBy returns what evaluated the answers.
func (s *Interview) EvaluatedBy() string { return methodLabel(s.Evaluation.Method, "Rules") }

// Recommendation returns the label of the recommendation and the CSS class of its badge.
func (s *Interview) Recommendation() page.Option {
	switch r := s.Evaluation.HiringRecommendation; {
	case !r.Known:
		return page.Option{Value: "warn", Label: "No recommendation"}
	case r.Value:
		return page.Option{Value: "on", Label: "Recommended"}
	default:
		return page.Option{Value: "bad", Label: "Not recommended"}
	}
}

// Reason returns why the recommendation is what it is, in the language of the interview if LocalReason is true.
func (s *Interview) Reason() string {
	if !s.LocalReason() {
		return "Evaluated without a language model. Rules count the points that an answer covers; " +
			"they can't tell whether it is right, so there is no hiring recommendation, and no score " +
			"until a person has set the levels of all answers."
	}
	return page.Sentence(strings.TrimPrefix(s.Evaluation.RecommendationReason, "no recommendation: "))
}

// LocalReason reports whether Reason is in the language of the interview.
func (s *Interview) LocalReason() bool {
	return s.Evaluation.Verdict || s.Evaluation.Method != "offline"
}

// Headline is the main number of a result.
type Headline struct{ Number, Unit string }

// Headline returns the overall score, or the number of points covered if nobody judged the answers, or nil.
func (s *Interview) Headline() *Headline {
	if s.Evaluation.OverallScore.Known {
		return &Headline{strconv.Itoa(s.Evaluation.OverallScore.Value), "of 100"}
	}
	if s.Evaluation.Verdict {
		return nil // nothing could be measured
	}
	return pointsHeadline(s.Evaluation.Points)
}

// Headline returns the score of the answer, or the number of points that it covers, like that of the evaluation.
func (t *Turn) Headline() *Headline {
	// That a missing answer scores 0 is no judgment, so it isn't shown beside answers that have no score.
	isJudged := t.Judgment.Score.Known && (t.verdict || t.Judgment.Answered)
	if isJudged {
		return &Headline{strconv.Itoa(t.Judgment.Score.Value), "of 100"}
	}
	if t.verdict {
		return nil
	}
	return pointsHeadline(wire.CoveredPoints{Covered: len(t.Judgment.CoveredPoints), Of: len(t.Points)})
}

// pointsHeadline returns the number of points covered, or nil if there are no points.
func pointsHeadline(points wire.CoveredPoints) *Headline {
	if points.Of == 0 {
		return nil
	}
	return &Headline{strconv.Itoa(points.Covered), "of " + page.Plural(points.Of, "point", "points") + " covered"}
}

// ScoreFact returns the overall score with its standard error, or "".
func (s *Interview) ScoreFact() string {
	score := s.Evaluation.OverallScore
	deviation := s.Evaluation.StandardError
	switch {
	case !score.Known:
		return ""
	case !deviation.Known:
		return fmt.Sprintf("%d of 100", score.Value)
	default:
		return fmt.Sprintf("%d of 100, standard error %.0f", score.Value, deviation.Value)
	}
}

// AgreementFact returns how well two judgments of the same answers agree, or "".
func (s *Interview) AgreementFact() string {
	a := s.Evaluation.Agreement
	if a == nil {
		return ""
	}
	return fmt.Sprintf("%s judged twice: %d of %s equal, %d within one level",
		page.Plural(a.Answers, "answer", "answers"), a.Exact, page.Plural(a.Marks, "mark", "marks"), a.WithinOne)
}

// SkillRow is the result for one required skill.
type SkillRow struct {
	Skill      string
	MustHave   bool
	State      page.Option // CSS class of its badge, and label
	Level      string      // or the number of points covered if nobody judged the answers; "" if unknown
	Quotations []string
	WhyNone    string // why there are no quotations
}

// maxSkillQuotations is how many quotations the table of skills shows for each.
const maxSkillQuotations = 2

// SkillRows returns the results by skill.
func (s *Interview) SkillRows() []SkillRow {
	states := map[interview.SkillState]page.Option{
		interview.Shown:       {Value: "on", Label: "Shown"},
		interview.PartlyShown: {Value: "warn", Label: "Partly shown"},
		interview.Weak:        {Value: "bad", Label: "Shown to be weak"},
		interview.Answered:    {Value: "", Label: "Answered"},
		interview.NotShown:    {Value: "", Label: "Not shown"},
		interview.NotAsked:    {Value: "", Label: "Not asked"},
	}

	var rows []SkillRow
	for _, r := range s.Evaluation.Skills {
		row := SkillRow{Skill: r.Skill, MustHave: r.MustHave, State: states[r.State], WhyNone: "No passage stands out."}
		if r.State == interview.NotAsked || r.State == interview.NotShown {
			row.WhyNone = "No answer shows it."
			if r.State == interview.NotAsked {
				row.WhyNone = "No question was about it."
			}
			rows = append(rows, row)
			continue
		}

		switch {
		case r.Level.Known:
			row.Level = fmt.Sprintf("%.1f of 5", r.Level.Value)
		case r.Points.Of > 0:
			row.Level = fmt.Sprintf("%d of %s covered", r.Points.Covered, page.Plural(r.Points.Of, "point", "points"))
		}

		// Several questions can quote the same passage.
		for _, q := range r.Evidence {
			if len(row.Quotations) < maxSkillQuotations && !slices.Contains(row.Quotations, q.Text) {
				row.Quotations = append(row.Quotations, q.Text)
			}
		}

		rows = append(rows, row)
	}

	return rows
}

// levelOf returns the level of a mark that counts: that of a review if there is one. It is unknown if nobody has judged
// the answer.
func levelOf(m wire.Mark) matching.Optional[int] {
	if m.Review != nil {
		return matching.Some(m.Review.Level)
	}
	return m.Level
}

// IsCounted reports whether the judge of the answer only counts, so that its levels aren't shown.
func (t *Turn) IsCounted() bool { return !t.verdict }

// Unscored returns the names of the criteria that the answer was not scored on.
func (t *Turn) Unscored() []string {
	var names []string
	for _, c := range t.Judgment.Unmeasured {
		names = append(names, viewOf(c).Label)
	}
	return names
}

// Warnings returns a label for each reason to check the answer.
func (t *Turn) Warnings() []string {
	known := map[interview.Remark]string{
		interview.RemarkInstructions: "May address a language model",
		interview.RemarkOffTopic:     "Off topic",
		interview.RemarkTooShort:     "Too short to evaluate",
		interview.RemarkRepetitive:   "Repetitive",
		interview.RemarkLanguage:     "Not in the question's language",
		interview.RemarkQuotation:    "Evidence not found in the answer",
		interview.RemarkNoIdea:       "Says that they don't know",
		interview.RemarkAboutMarks:   "The model quotes or writes about marks, instructions or hiring",
		interview.RemarkJudgesApart:  "The model's marks are far above what can be counted",
	}
	var all []string
	for _, r := range t.Judgment.Remarks {
		all = append(all, cmp.Or(known[r], page.Title(r)))
	}
	return all
}

// Point is something that a full answer covers.
type Point struct {
	Text    string
	Covered bool
}

// CoveredPoints returns the points of a full answer, and whether this answer covers them.
func (t *Turn) CoveredPoints() []Point {
	var points []Point
	for i, text := range t.Points {
		points = append(points, Point{text, t.Judgment != nil && slices.Contains(t.Judgment.CoveredPoints, i)})
	}
	return points
}

// Passage is a part of an answer that is evidence for the same criteria throughout.
type Passage struct {
	Text     string
	Criteria []criterionView // empty if the passage is not evidence
}

// Names returns the names of the criteria, such as "technical and experience".
func (p Passage) Names() string {
	var names []string
	for _, c := range p.Criteria {
		names = append(names, strings.ToLower(c.Label))
	}
	return strings.Join(names, " and ")
}

// Class returns the CSS class that underlines the passage.
func (p Passage) Class() string {
	if len(p.Criteria) == 1 {
		return p.Criteria[0].Class
	}
	return "f-several"
}

// Passages splits the answer at the borders of the evidence. The passages joined are the answer.
func (t *Turn) Passages() []Passage {
	evidence := t.evidence()
	borders := []int{0, len(t.Answer)}
	for _, s := range evidence {
		borders = append(borders, s.from, s.to)
	}
	slices.Sort(borders)
	borders = slices.Compact(borders)

	// Evidence can overlap. Between two neighboring borders, the set of criteria is the same throughout.
	var passages []Passage
	for i, from := range borders[:len(borders)-1] {
		passage := Passage{Text: t.Answer[from:borders[i+1]]}
		for _, s := range evidence {
			view := viewOf(s.criterion)
			covers := s.from <= from && from < s.to
			if covers && !slices.Contains(passage.Criteria, view) {
				passage.Criteria = append(passage.Criteria, view)
			}
		}

		// Borders of one criterion within its own evidence don't split the text.
		if last := len(passages) - 1; last >= 0 && slices.Equal(passages[last].Criteria, passage.Criteria) {
			passages[last].Text += passage.Text
			continue
		}

		passages = append(passages, passage)
	}

	return passages
}

// A span is a part of an answer, by its byte offsets, that is evidence for a criterion.
type span struct {
	from, to  int
	criterion interview.Criterion
}

// evidence returns where the answer contains the quotations of its judge. Others, which the service reports, are left
// out.
func (t *Turn) evidence() []span {
	if t.Judgment == nil {
		return nil
	}

	var spans []span
	for _, mark := range t.Judgment.Marks {
		for _, quotation := range mark.Evidence {
			from := strings.Index(t.Answer, quotation)
			if quotation != "" && from >= 0 {
				spans = append(spans, span{from, from + len(quotation), mark.Criterion})
			}
		}
	}
	return spans
}
