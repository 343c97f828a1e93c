package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"freelancer-matching/interview"
)

// What a call for marks sends, in characters, and takes, in tokens.
const (
	contextLimit    = 2000 // of the project's description
	questionLimit   = 2000
	rubricLimit     = 6000
	answerTextLimit = 12_000
	marksTokens     = 2000 + thoughtTokens
)

// The best levels that are believed without what they rest on.
const (
	unproven = 2 // of a criterion without a quotation that is in the answer
	few      = 3 // of Technical with fewer than fewShare of the points shown by quotations
	some     = 4 // with fewer than someShare

	fewShare, someShare = 0.4, 0.8
)

// Judge implements interview.Judge. It drops quotations that do not occur in the answer, and lowers levels that rest on
// no quotation, or on points that no quotation shows.
func (i *Interviewer) Judge(
	ctx context.Context, account string, s *interview.Subject, q *interview.Question, answer string,
) (interview.Judgement, error) {
	if letters(answer) == 0 {
		return unanswered(q), nil
	}
	task := i.answerTask(s, q, answer)
	task.Account = account
	reply, err := i.chat.Ask(ctx, task)
	if err != nil {
		return interview.Judgement{}, err
	}
	return readMarks(reply.JSON).judgement(q, newQuotable(answer)), nil
}

// unanswered returns the judgment of an answer without a letter or digit.
func unanswered(q *interview.Question) interview.Judgement {
	j := interview.Judgement{Question: q.ID}
	for _, c := range criteria(q) {
		j.Marks = append(j.Marks, interview.Mark{Criterion: c, Level: interview.NoAnswer})
	}
	return j
}

// criteria are those that a question is marked for; all, where it does not say.
func criteria(q *interview.Question) []interview.Criterion {
	all := []interview.Criterion{interview.Technical, interview.Experience, interview.Communication}
	if len(q.Weights) == 0 {
		return all
	}
	return slices.DeleteFunc(all, func(c interview.Criterion) bool { return q.Weights[c] == 0 })
}

// answerTask is what the model is asked.
func (i *Interviewer) answerTask(s *interview.Subject, q *interview.Question, answer string) Task {
	task := answerPrompt.task(struct {
		Language string
		Points   int
	}{languageName(s.Language), len(q.Points)})
	var rubric strings.Builder
	if q.Expected != "" {
		fmt.Fprintf(&rubric, "a good answer: %s\n", oneLine(q.Expected))
	}
	for n, point := range q.Points {
		fmt.Fprintf(&rubric, "point %d: %s\n", n+1, oneLine(point))
	}
	for _, anchor := range q.Anchors {
		fmt.Fprintf(&rubric, "technical, level %d: %s\n", anchor.Level, oneLine(anchor.Text))
	}
	task.Data = slices.DeleteFunc([]Datum{
		{Label: "project description", Text: s.Project, Limit: contextLimit},
		{Label: "question", Text: q.Text, Limit: questionLimit},
		{Label: "rubric", Text: strings.TrimSpace(rubric.String()), Limit: rubricLimit},
		{Label: "answer", Text: answer, Limit: answerTextLimit},
	}, func(d Datum) bool { return d.Text == "" })
	task.MaxTokens = marksTokens
	secret := runs(task.Instructions, rules)
	task.Check = func(reply json.RawMessage) error { return readMarks(reply).check(q, secret) }
	return task
}

// writtenMarks is a judgement as the model writes it.
type writtenMarks struct {
	Points []struct {
		Point     int    `json:"point"`
		Quotation string `json:"quotation"`
		Covered   bool   `json:"covered"`
	} `json:"points"`
	Marks        map[interview.Criterion]writtenMark `json:"marks"`
	Feedback     string                              `json:"feedback"`
	Strengths    []string                            `json:"strengths"`
	Improvements []string                            `json:"improvements"`
	Remarks      []interview.Remark                  `json:"remarks"`
}

type writtenMark struct {
	Evidence []string `json:"evidence"`
	Level    int      `json:"level"`
}

func readMarks(reply json.RawMessage) writtenMarks {
	var w writtenMarks
	_ = json.Unmarshal(reply, &w) // it fits its schema
	return w
}

// check holds a judgement against the question, and what it must not tell.
func (w writtenMarks) check(q *interview.Question, secret map[string]bool) error {
	named := make(map[int]bool)
	for _, p := range w.Points {
		named[p.Point] = p.Point <= len(q.Points)
	}
	for n := range len(q.Points) {
		if !named[n+1] {
			return fmt.Errorf("point %d is missing", n+1)
		}
	}
	if len(w.Points) != len(q.Points) {
		return fmt.Errorf("there must be %d points, each of them once", len(q.Points))
	}
	texts := slices.Concat([]string{w.Feedback}, w.Strengths, w.Improvements)
	return leak(strings.Join(texts, "\n"), secret)
}

// judgement returns what is believed of the marks: levels that quotations from the answer support.
func (w writtenMarks) judgement(q *interview.Question, answer *quotable) interview.Judgement {
	j := interview.Judgement{
		Question: q.ID, Feedback: w.Feedback, Strengths: w.Strengths, Improvements: w.Improvements,
	}
	missing := false
	find := func(quotation string) (string, bool) {
		verbatim, ok := answer.find(quotation)
		missing = missing || !ok
		return verbatim, ok
	}
	for _, p := range w.Points {
		if !p.Covered {
			continue
		}
		if _, ok := find(p.Quotation); ok {
			j.Covered = append(j.Covered, p.Point-1)
		}
	}
	slices.Sort(j.Covered)
	for _, c := range criteria(q) {
		mark := interview.Mark{Criterion: c, Level: w.Marks[c].Level}
		for _, quotation := range w.Marks[c].Evidence {
			if verbatim, ok := find(quotation); ok && !slices.Contains(mark.Evidence, verbatim) {
				mark.Evidence = append(mark.Evidence, verbatim)
			}
		}
		if len(mark.Evidence) == 0 {
			mark.Level = min(mark.Level, unproven)
		}
		if c == interview.Technical {
			mark.Level = min(mark.Level, believed(len(j.Covered), len(q.Points)))
		}
		j.Marks = append(j.Marks, mark)
	}
	j.Remarks = slices.Compact(slices.Sorted(slices.Values(w.Remarks)))
	if missing {
		j.Remarks = append(j.Remarks, interview.RemarkQuotation)
	}
	return j
}

// believed is the best level of Technical for so many points that are shown, of all.
func believed(covered, points int) int {
	share := float64(covered) / float64(max(1, points))
	switch {
	case points == 0:
		return interview.BestLevel
	case covered == 0:
		return unproven
	case share < fewShare:
		return few
	case share < someShare:
		return some
	default:
		return interview.BestLevel
	}
}
