package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"freelancer-matching/internal/analysis"
	"freelancer-matching/interview"
)

// The tokens of a call for questions. Several small calls at once are as fast as one of them: a model writes some eighty
// tokens a second, and a question with its rubric takes about four hundred.
const (
	questionsPerCall  = 3
	tokensPerQuestion = 900  // also in scripts that take more of them
	thoughtTokens     = 2000 // of models that think before they write
)

// How many characters of its data a call for questions sends.
const (
	projectLimit = 3000
	titleLimit   = 150
	profileLimit = 2000
	skillLimit   = 100 // of each
	askedLimit   = 3000
)

// errOffPlan is the cause of a failure with a question that fits its schema, but not into the interview.
var errOffPlan = errors.New("the question does not fit into the interview")

func offPlan(text string) error { return &failure{kind: ErrReply, text: text, cause: errOffPlan} }

// Ask implements interview.Asker. What is wanted of each question is planned here; the model writes some questions in each
// of several calls at once. Where a call ends too soon, or asks for what was asked before, it is made once more for the
// questions that are missing.
func (i *Interviewer) Ask(
	ctx context.Context, account string, s *interview.Subject, asked []interview.Question, n int, aim interview.Aim,
) iter.Seq2[interview.Question, error] {
	return func(yield func(interview.Question, error) bool) {
		ctx, cancel := context.WithTimeout(ctx, i.chat.options.Timeout)
		var calls sync.WaitGroup
		defer calls.Wait()
		defer cancel()
		slots, skills := plan(s, asked, n, aim)
		r := &round{
			Interviewer: i, account: account, subject: s, skills: skills, profile: profileText(&s.Freelancer), asked: slices.Clone(asked),
			known: gramsOfAll(asked), yield: yield,
		}
		var parts []iter.Seq2[interview.Question, error]
		for part := range slices.Chunk(slots, questionsPerCall) {
			parts = append(parts, ahead(&calls, len(part), r.write(ctx, part, asked)))
		}
		for k, part := range parts {
			if !r.take(ctx, slots[k*questionsPerCall:min(n, (k+1)*questionsPerCall)], part) {
				return
			}
		}
	}
}

// ahead runs a sequence of at most n questions and one failure while earlier ones are read.
func ahead(calls *sync.WaitGroup, n int, sequence iter.Seq2[interview.Question, error]) iter.Seq2[interview.Question, error] {
	type made struct {
		question interview.Question
		err      error
	}
	all := make(chan made, n+1)
	calls.Go(func() {
		defer close(all)
		for q, err := range sequence {
			all <- made{q, err}
		}
	})
	return func(yield func(interview.Question, error) bool) {
		for m := range all {
			if !yield(m.question, m.err) {
				return
			}
		}
	}
}

// round is the questions of one Ask.
type round struct {
	*Interviewer
	account string
	subject *interview.Subject
	skills  []string
	profile string               // as the model gets to know it
	asked   []interview.Question // those of this round, too
	known   []grams              // of them
	yield   func(interview.Question, error) bool
}

// take gives away the questions of some slots, from a call that is under way and, where that fails, from one more. It is
// false when no more are wanted, or can be had.
func (r *round) take(ctx context.Context, slots []slot, call iter.Seq2[interview.Question, error]) bool {
	for attempt := 0; ; attempt++ {
		made, failure := 0, error(nil)
		for q, err := range call {
			if err == nil && isDouble(q.Text, r.known) {
				err = offPlan("the model asks for the same again")
			}
			if failure = err; err != nil {
				break
			}
			if !r.yield(q, nil) {
				return false
			}
			made++
			r.asked, r.known = append(r.asked, q), append(r.known, gramsOf(q.Text))
		}
		if failure == nil {
			return true
		}
		passing := errors.Is(failure, ErrReply) || errors.Is(failure, ErrUnavailable)
		repaired := made == 0 && !errors.Is(failure, errOffPlan) // as far as Chat can
		if attempt > 0 || !passing || repaired {
			r.yield(interview.Question{}, failure)
			return false
		}
		slots = slots[made:]
		call = r.write(ctx, slots, r.asked)
	}
}

// write yields the questions of some slots, in their order, as the model writes them. A failure comes last.
func (r *round) write(ctx context.Context, slots []slot, asked []interview.Question) iter.Seq2[interview.Question, error] {
	return func(yield func(interview.Question, error) bool) {
		made := 0
		for element, err := range r.chat.Stream(ctx, r.task(slots, asked)) {
			switch {
			case made == len(slots): // nothing that comes behind them makes them worse
				continue
			case err != nil:
				yield(interview.Question{}, err)
				return
			}
			w := readQuestion(element)
			if w.Number != made+1 {
				yield(interview.Question{}, offPlan("the model does not keep to the order of the questions"))
				return
			}
			if !yield(r.question(w, slots[made]), nil) {
				return
			}
			made++
		}
		if made < len(slots) {
			yield(interview.Question{}, offPlan(fmt.Sprintf("the model wrote %d of %d questions", made, len(slots))))
		}
	}
}

// task is what the model is asked.
func (r *round) task(slots []slot, asked []interview.Question) Task {
	s := r.subject
	task := questionsPrompt.task(struct {
		Slots    []slot
		Language string
	}{slots, languageName(s.Language)})
	var skills, before strings.Builder
	for n, name := range r.skills {
		fmt.Fprintf(&skills, "%d: %s\n", n+1, cut(oneLine(name), skillLimit))
	}
	for _, q := range asked {
		fmt.Fprintf(&before, "- %s\n", oneLine(q.Text))
	}
	task.Data = []Datum{
		{Label: "project description", Text: s.Project, Limit: projectLimit},
		{Label: "job title", Text: oneLine(s.JobTitle), Limit: titleLimit},
		{Label: "required skills", Text: strings.TrimSpace(skills.String())},
		{Label: "profile of the freelancer", Text: r.profile, Limit: profileLimit},
		{Label: "questions asked before", Text: strings.TrimSpace(before.String()), Limit: askedLimit},
	}
	task.Data = slices.DeleteFunc(task.Data, func(d Datum) bool { return d.Text == "" })
	task.MaxTokens, task.Account = len(slots)*tokensPerQuestion+thoughtTokens, r.account
	secret := runs(task.Instructions, rules, s.Freelancer.Description)
	known := gramsOfAll(asked)
	task.Check = func(element json.RawMessage) error { return r.check(readQuestion(element), slots, known, secret) }
	return task
}

// writtenQuestion is a question as the model writes it.
type writtenQuestion struct {
	Number     int                  `json:"number"`
	Skill      int                  `json:"skill"`
	Kind       interview.Kind       `json:"kind"`
	Difficulty interview.Difficulty `json:"difficulty"`
	Text       string               `json:"text"`
	Expected   string               `json:"expected"`
	Points     []string             `json:"points"`
	Level1     string               `json:"level_1"`
	Level3     string               `json:"level_3"`
	Level5     string               `json:"level_5"`
	FollowUps  []string             `json:"follow_ups"`
}

func readQuestion(element json.RawMessage) writtenQuestion {
	var w writtenQuestion
	_ = json.Unmarshal(element, &w) // it fits its schema
	return w
}

func (w *writtenQuestion) texts() []string {
	return slices.Concat([]string{w.Text, w.Expected, w.Level1, w.Level3, w.Level5}, w.Points, w.FollowUps)
}

// check holds a question against the plan, the questions before, the language, and what it must not tell.
func (r *round) check(w writtenQuestion, slots []slot, asked []grams, secret map[string]bool) error {
	if w.Number > len(slots) {
		return fmt.Errorf("number %d: the plan ends with number %d", w.Number, len(slots))
	}
	want := slots[w.Number-1]
	if w.Skill != want.Number || w.Kind != want.Kind || w.Difficulty != want.Difficulty {
		return fmt.Errorf("number %d must be: skill %d, kind %s, difficulty %s", w.Number, want.Number, want.Kind, want.Difficulty)
	}
	if isDouble(w.Text, asked) {
		return fmt.Errorf("number %d asks for the same as a question that was asked before", w.Number)
	}
	if points := slices.Compact(slices.Sorted(slices.Values(w.Points))); len(points) < len(w.Points) {
		return fmt.Errorf("number %d: a point is there twice", w.Number)
	}
	if w.Level1 == w.Level3 || w.Level3 == w.Level5 || w.Level1 == w.Level5 {
		return fmt.Errorf("number %d: the levels must differ in what they describe", w.Number)
	}
	if !r.speaks(w.Text+"\n"+w.Expected, r.subject.Language) {
		return fmt.Errorf("number %d must be in %s", w.Number, languageName(r.subject.Language))
	}
	return leak(strings.Join(w.texts(), "\n"), secret)
}

// speaks reports whether a text is in a language, as far as that can be told: the analyzer takes those that it does not know
// for English, or for one that is near.
func (i *Interviewer) speaks(text, language string) bool {
	for known := analysis.English; known <= analysis.Italian; known++ {
		if known.String() == language {
			return i.analyzer.Language(text) == known
		}
	}
	return true
}

// question is a question that the model wrote for a slot.
func (r *round) question(w writtenQuestion, of slot) interview.Question {
	return interview.Question{
		Text: strings.TrimSpace(w.Text), Skill: of.Skill, Kind: of.Kind, Difficulty: of.Difficulty, Expected: w.Expected, Points: w.Points,
		Anchors:   []interview.Anchor{{Level: 1, Text: w.Level1}, {Level: 3, Text: w.Level3}, {Level: 5, Text: w.Level5}},
		FollowUps: w.FollowUps, By: r.Name(),
	}
}
