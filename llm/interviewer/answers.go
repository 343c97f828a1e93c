package interviewer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/llm"
	"github.com/freelancer-matching/service/llm/prompts"
	"github.com/freelancer-matching/service/llm/readable"
	"github.com/freelancer-matching/service/llm/sanitize"
)

// The limits of a call for marks: characters of its data, and tokens of its reply.
const (
	contextLimit    = 2000 // of the project description
	questionLimit   = 2000
	rubricLimit     = 6000
	answerTextLimit = 12_000
	marksTokens     = 2000 + llm.ReasoningTokens
)

// minLanguageWords is how many words show the language of a text.
const minLanguageWords = 8

// Levels are lowered to these if the evidence is thin.
const (
	maxLevelUnquoted = 2 // of a criterion without a quotation that occurs in the answer
	maxLevelFew      = 3 // of Technical if quotations show less than fewShare of the points
	maxLevelSome     = 4 // of Technical below someShare

	fewShare, someShare = 0.4, 0.8
)

// Judge implements interview.Judge. It drops quotations that do not occur in the answer, and lowers levels that rest on
// no quotation, or on points that no quotation shows.
func (i *Interviewer) Judge(
	ctx context.Context, account string, s *interview.Subject, q *interview.Question, answer string,
) (interview.Judgment, error) {
	return i.judge(ctx, account, s, q, answer, false)
}

// JudgeAgain implements interview.SecondJudge. The model reads the answer first and everything else after it, and the
// rubric from its end.
func (i *Interviewer) JudgeAgain(
	ctx context.Context, account string, s *interview.Subject, q *interview.Question, answer string,
) (interview.Judgment, error) {
	return i.judge(ctx, account, s, q, answer, true)
}

func (i *Interviewer) judge(
	ctx context.Context, account string, s *interview.Subject, q *interview.Question, answer string, reversed bool,
) (interview.Judgment, error) {
	if countLetters(answer) == 0 {
		return unanswered(q), nil
	}

	task := answerTask(s, q, answer, reversed)
	task.Account = account
	forbidden := wordRuns(task.Instructions, llm.Rules)
	task.Check = func(reply json.RawMessage) error { return i.checkMarks(readMarks(reply), s, q, forbidden) }

	reply, err := i.chat.Ask(ctx, task)
	if err != nil {
		return interview.Judgment{}, withReason(err)
	}
	return readMarks(reply.JSON).judgment(q, newQuotable(answer)), nil
}

// unanswered returns the judgment of an answer without a letter or digit.
func unanswered(q *interview.Question) interview.Judgment {
	j := interview.Judgment{Question: q.ID}
	for _, c := range criteria(q) {
		j.Marks = append(j.Marks, interview.Mark{Criterion: c, Level: interview.NoAnswer})
	}
	return j
}

// criteria returns the criteria with a weight in the question; all of them if it has no weights.
func criteria(q *interview.Question) []interview.Criterion {
	all := []interview.Criterion{interview.Technical, interview.Experience, interview.Communication}
	if len(q.Weights) == 0 {
		return all
	}
	return slices.DeleteFunc(all, func(c interview.Criterion) bool { return q.Weights[c] == 0 })
}

// answerTask returns the task of marking an answer, with its data in order or reversed. It lacks the account and the
// check.
func answerTask(s *interview.Subject, q *interview.Question, answer string, reversed bool) llm.Task {
	task := answerPrompt.Task(struct {
		Language string
		Points   int
	}{prompts.Language(s.Language), len(q.Points)})

	var rubric []string
	if q.Expected != "" {
		rubric = append(rubric, "a good answer: "+sanitize.OneLine(q.Expected))
	}

	for n, point := range q.Points {
		rubric = append(rubric, fmt.Sprintf("point %d: %s", n+1, sanitize.OneLine(point)))
	}

	for _, anchor := range q.Anchors {
		rubric = append(rubric, fmt.Sprintf("technical, level %d: %s", anchor.Level, sanitize.OneLine(anchor.Text)))
	}

	if reversed {
		slices.Reverse(rubric)
	}

	task.Data = slices.DeleteFunc([]llm.Datum{
		{Label: "project description", Text: s.Project, Limit: contextLimit},
		{Label: "question", Text: q.Text, Limit: questionLimit},
		{Label: "rubric", Text: strings.Join(rubric, "\n"), Limit: rubricLimit},
		{Label: "answer", Text: answer, Limit: answerTextLimit},
	}, func(d llm.Datum) bool { return d.Text == "" })
	if reversed {
		slices.Reverse(task.Data)
	}

	// No mark depends on who the freelancer is, so the name is removed from every text.
	task.Names = []string{s.Freelancer.Name}
	task.MaxTokens = marksTokens

	return task
}

// modelMarks is a judgment as the model writes it.
type modelMarks struct {
	Points []struct {
		Point     int    `json:"point"`
		Quotation string `json:"quotation"`
		Covered   bool   `json:"covered"`
	} `json:"points"`
	Marks        map[interview.Criterion]modelMark `json:"marks"`
	Feedback     string                            `json:"feedback"`
	Strengths    []string                          `json:"strengths"`
	Improvements []string                          `json:"improvements"`
	Remarks      []interview.Remark                `json:"remarks"`
}

type modelMark struct {
	Evidence []string `json:"evidence"`
	Level    int      `json:"level"`
}

func readMarks(reply json.RawMessage) modelMarks {
	var m modelMarks
	_ = json.Unmarshal(reply, &m) // it fits its schema
	return m
}

// checkMarks returns an error if the marks don't cover the points of the question, if a text can't be one in a language
// or isn't in that of the interview, if one repeats a forbidden text, or if the feedback is about hiring only.
func (i *Interviewer) checkMarks(
	m modelMarks, s *interview.Subject, q *interview.Question, forbidden map[string]bool,
) error {
	named := make(map[int]bool)
	for _, p := range m.Points {
		named[p.Point] = p.Point <= len(q.Points)
	}

	// A missing point and a repeated one have different messages, which the model needs for its repair.
	for n := range len(q.Points) {
		if !named[n+1] {
			return fmt.Errorf("point %d is missing", n+1)
		}
	}

	if len(m.Points) != len(q.Points) {
		return fmt.Errorf("there must be %d points, each of them once", len(q.Points))
	}

	texts := slices.Concat([]string{m.Feedback}, m.Strengths, m.Improvements)
	for _, text := range texts {
		if err := readable.Check(text); err != nil {
			return err
		}
	}

	// A short text doesn't show its language.
	all := strings.Join(texts, "\n")
	if len(wordPattern.FindAllString(all, -1)) >= minLanguageWords && !i.isInLanguage(all, s.Language) {
		return fmt.Errorf("feedback, strengths and improvements must be in %s", prompts.Language(s.Language))
	}
	if withoutHiring(m.Feedback) == "" {
		return errors.New("the feedback must be about the answer, not about marks or about hiring")
	}

	return checkLeaks(all, forbidden)
}

// judgment returns the marks with the levels that quotations from the answer support.
func (m modelMarks) judgment(q *interview.Question, answer *quotable) interview.Judgment {
	j := interview.Judgment{
		Question:     q.ID,
		Feedback:     withoutHiring(m.Feedback),
		Strengths:    keepWithoutHiring(m.Strengths),
		Improvements: keepWithoutHiring(m.Improvements),
	}
	hasFewerTexts := len(j.Strengths) < len(m.Strengths) || len(j.Improvements) < len(m.Improvements)
	advisesHiring := hasFewerTexts || j.Feedback != strings.TrimSpace(m.Feedback)

	// A point counts as covered only if the answer contains the passage that shows it.
	found := quotationFinder{answer: answer}
	for _, p := range m.Points {
		if !p.Covered {
			continue
		}
		if _, ok := found.find(p.Quotation); ok {
			j.Covered = append(j.Covered, p.Point-1)
		}
	}
	slices.Sort(j.Covered)

	for _, c := range criteria(q) {
		mark := interview.Mark{Criterion: c, Level: m.Marks[c].Level}
		for _, quotation := range m.Marks[c].Evidence {
			if verbatim, ok := found.find(quotation); ok && !slices.Contains(mark.Evidence, verbatim) {
				mark.Evidence = append(mark.Evidence, verbatim)
			}
		}

		// A level without evidence is lowered rather than rejected, so that the rest of the judgment isn't lost.
		if len(mark.Evidence) == 0 {
			mark.Level = min(mark.Level, maxLevelUnquoted)
		}
		if c == interview.Technical {
			mark.Level = min(mark.Level, maxTechnical(len(j.Covered), len(q.Points)))
		}
		j.Marks = append(j.Marks, mark)
	}

	j.Remarks = slices.Compact(slices.Sorted(slices.Values(m.Remarks)))
	if found.isMissing {
		j.Remarks = append(j.Remarks, interview.RemarkQuotation)
	}
	if advisesHiring || found.isAboutMarks {
		j.Remarks = append(j.Remarks, interview.RemarkAboutMarks)
	}

	return j
}

// keepWithoutHiring returns the texts that give no advice about hiring.
func keepWithoutHiring(texts []string) []string {
	kept := make([]string, 0, len(texts))
	for _, text := range texts {
		if withoutHiring(text) == strings.TrimSpace(text) {
			kept = append(kept, text)
		}
	}
	return kept
}

// A quotationFinder finds quotations in an answer, and remembers what was wrong with any of them.
type quotationFinder struct {
	answer       *quotable
	isMissing    bool // the answer doesn't contain one
	isAboutMarks bool // one is about marks, as if to influence them
}

// find returns a quotation as the answer spells it.
func (f *quotationFinder) find(quotation string) (verbatim string, ok bool) {
	verbatim, ok = f.answer.find(quotation)
	f.isMissing = f.isMissing || !ok
	f.isAboutMarks = f.isAboutMarks || isAboutMarks(verbatim)
	return verbatim, ok
}

// maxTechnical returns the best level of Technical for an answer that covers some of the points.
func maxTechnical(covered, points int) int {
	share := float64(covered) / float64(max(1, points))
	switch {
	case points == 0:
		return interview.BestLevel
	case covered == 0:
		return maxLevelUnquoted
	case share < fewShare:
		return maxLevelFew
	case share < someShare:
		return maxLevelSome
	default:
		return interview.BestLevel
	}
}
