package interviewer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/llm"
	"github.com/freelancer-matching/service/llm/prompts"
	"github.com/freelancer-matching/service/llm/readable"
	"github.com/freelancer-matching/service/llm/sanitize"
)

// A model writes about 80 tokens per second, and a question with its rubric takes about 400. Several small calls at
// once are therefore faster than one.
const (
	questionsPerCall  = 3
	tokensPerQuestion = 900 // enough for scripts that need more tokens
)

// How many characters of its data a call for questions sends.
const (
	projectLimit = 3000
	titleLimit   = 150
	profileLimit = 2000
	skillLimit   = 100 // per skill
	askedLimit   = 3000
)

// tailTimeout is how long a reply may go on after its last question. Its end has the usage of the call.
const tailTimeout = 2 * time.Second

// offPlanError is the error for a question that fits its schema, but not the interview.
type offPlanError struct{ text string }

func (e *offPlanError) Error() string { return llm.ErrReply.Error() + ": " + e.text }

func (e *offPlanError) Unwrap() error { return llm.ErrReply }

// Ask implements interview.Asker. It plans the questions, and has the model write a few of them in each of several
// concurrent calls. If a call ends early, or repeats a question, Ask calls once more for the missing questions.
func (i *Interviewer) Ask(
	ctx context.Context, account string, s *interview.Subject, asked []interview.Question, n int, aim interview.Aim,
) iter.Seq2[interview.Question, error] {
	return func(yield func(interview.Question, error) bool) {
		// Deferred calls run in reverse order: the calls are canceled and then waited for, so none outlives Ask.
		ctx, cancel := context.WithTimeout(ctx, i.chat.Timeout())
		var calls sync.WaitGroup
		defer calls.Wait()
		defer cancel()

		slots, skills := plan(s, asked, n, aim)
		r := &round{
			Interviewer: i,
			account:     account,
			subject:     s,
			skills:      skills,
			profile:     profileText(&s.Freelancer),
			asked:       slices.Clone(asked),
			trigrams:    trigramsOfAll(asked),
			yield:       yield,
		}

		// All calls start at once. Their questions are delivered in the order of the slots.
		var parts []iter.Seq2[interview.Question, error]
		for part := range slices.Chunk(slots, questionsPerCall) {
			parts = append(parts, prefetch(&calls, len(part), r.write(ctx, part, asked)))
		}

		for k, part := range parts {
			if !r.deliver(ctx, slots[k*questionsPerCall:min(n, (k+1)*questionsPerCall)], part) {
				break
			}
		}

		// The end of a reply has the usage, which the budget needs.
		if r.delivered == n {
			defer time.AfterFunc(tailTimeout, cancel).Stop()
			calls.Wait()
		}
	}
}

// prefetch starts reading a sequence of at most n questions and one error, and returns it.
func prefetch(
	calls *sync.WaitGroup, n int, sequence iter.Seq2[interview.Question, error],
) iter.Seq2[interview.Question, error] {
	type pair struct {
		question interview.Question
		err      error
	}

	// There is room for everything that the sequence yields, so the goroutine ends even if nobody reads.
	pairs := make(chan pair, n+1)
	calls.Go(func() {
		defer close(pairs)
		for q, err := range sequence {
			pairs <- pair{q, err}
		}
	})

	return func(yield func(interview.Question, error) bool) {
		for p := range pairs {
			if !yield(p.question, p.err) {
				return
			}
		}
	}
}

// round is one call of Ask in progress.
type round struct {
	*Interviewer
	account  string
	subject  *interview.Subject
	skills   []string
	profile  string               // as the model sees it
	asked    []interview.Question // including those of this round
	trigrams []trigrams           // of asked
	yield    func(interview.Question, error) bool

	delivered int // questions
}

// deliver yields the questions for some slots: from a call in progress and, if that fails, from a second one. It
// returns false if the round is over, because the caller stopped or the second call failed, too.
func (r *round) deliver(ctx context.Context, slots []slot, call iter.Seq2[interview.Question, error]) bool {
	for attempt := 0; ; attempt++ {
		delivered := 0
		failed := error(nil)
		for q, err := range call {
			// Concurrent calls don't see each other's questions, so repetitions are found only here.
			if err == nil && isDuplicate(q.Text, r.trigrams) {
				err = &offPlanError{"the model repeats a question"}
			}

			if failed = err; err != nil {
				break
			}

			delivered++
			r.delivered++
			if !r.yield(q, nil) {
				return false
			}

			r.asked = append(r.asked, q)
			r.trigrams = append(r.trigrams, trigramsOf(q.Text))
		}

		if failed == nil {
			return true
		}

		// A second call is worth its time only after a temporary failure that Chat hasn't repaired already.
		isTemporary := errors.Is(failed, llm.ErrReply) || errors.Is(failed, llm.ErrUnavailable)
		_, isOffPlan := errors.AsType[*offPlanError](failed)
		wasRepaired := delivered == 0 && !isOffPlan // Chat has made its own second call
		mayRetry := attempt == 0 && isTemporary && !wasRepaired
		if !mayRetry {
			r.yield(interview.Question{}, withReason(failed))
			return false
		}

		slots = slots[delivered:]
		call = r.write(ctx, slots, r.asked)
	}
}

// write yields the questions for some slots, in their order, as the model writes them. An error comes last.
func (r *round) write(
	ctx context.Context, slots []slot, asked []interview.Question,
) iter.Seq2[interview.Question, error] {
	return func(yield func(interview.Question, error) bool) {
		written := 0
		for element, err := range r.chat.Stream(ctx, r.task(slots, asked)) {
			switch {
			case written == len(slots): // further elements, and errors after the last question, don't matter
				continue
			case err != nil:
				yield(interview.Question{}, err)
				return
			}

			q := readQuestion(element)
			// Questions are matched to slots by their order.
			if q.Number != written+1 {
				yield(interview.Question{}, &offPlanError{"the model changed the order of the questions"})
				return
			}

			if !yield(r.question(q, slots[written]), nil) {
				return
			}
			written++
		}

		if written < len(slots) {
			yield(interview.Question{}, &offPlanError{fmt.Sprintf("the model wrote %d of %d questions", written, len(slots))})
		}
	}
}

// task returns the task of writing the questions for some slots.
func (r *round) task(slots []slot, asked []interview.Question) llm.Task {
	s := r.subject
	task := questionsPrompt.Task(struct {
		Slots    []slot
		Language string
	}{slots, prompts.Language(s.Language)})

	// Each name and question takes one line, so that none can pose as another entry of its list.
	var skills, before strings.Builder
	for n, name := range r.skills {
		fmt.Fprintf(&skills, "%d: %s\n", n+1, sanitize.Cut(sanitize.OneLine(name), skillLimit))
	}

	for _, q := range asked {
		fmt.Fprintf(&before, "- %s\n", sanitize.OneLine(q.Text))
	}

	task.Data = []llm.Datum{
		{Label: "project description", Text: s.Project, Limit: projectLimit},
		{Label: "job title", Text: sanitize.OneLine(s.JobTitle), Limit: titleLimit},
		{Label: "required skills", Text: strings.TrimSpace(skills.String())},
		{Label: "profile of the freelancer", Text: r.profile, Limit: profileLimit},
		{Label: "questions asked before", Text: strings.TrimSpace(before.String()), Limit: askedLimit},
	}

	task.Data = slices.DeleteFunc(task.Data, func(d llm.Datum) bool { return d.Text == "" })
	task.Names = []string{s.Freelancer.Name}
	task.MaxTokens = len(slots)*tokensPerQuestion + llm.ReasoningTokens
	task.Account = r.account

	// A question must not repeat the rules or the profile, whatever a text demands.
	forbidden := wordRuns(task.Instructions, llm.Rules, s.Freelancer.Description)
	known := trigramsOfAll(asked)
	task.Check = func(element json.RawMessage) error { return r.check(readQuestion(element), slots, known, forbidden) }

	return task
}

// modelQuestion is a question as the model writes it.
type modelQuestion struct {
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

func readQuestion(element json.RawMessage) modelQuestion {
	var q modelQuestion
	_ = json.Unmarshal(element, &q) // it fits its schema
	return q
}

func (q *modelQuestion) texts() []string {
	return slices.Concat([]string{q.Text, q.Expected, q.Level1, q.Level3, q.Level5}, q.Points, q.FollowUps)
}

// check returns an error if a question deviates from its slot, can't be a text in a language, repeats an earlier
// question or a forbidden text, or is in the wrong language.
func (r *round) check(q modelQuestion, slots []slot, asked []trigrams, forbidden map[string]bool) error {
	if q.Number > len(slots) {
		return fmt.Errorf("number %d: the plan ends with number %d", q.Number, len(slots))
	}
	want := slots[q.Number-1]
	// The plan is the program's, so that no text can persuade the model to ask about something else.
	isPlanned := q.Skill == want.Number && q.Kind == want.Kind && q.Difficulty == want.Difficulty
	if !isPlanned {
		return fmt.Errorf("number %d must be: skill %d, kind %s, difficulty %s",
			q.Number, want.Number, want.Kind, want.Difficulty)
	}

	for _, text := range q.texts() {
		if err := readable.Check(text); err != nil {
			return fmt.Errorf("number %d: %w", q.Number, err)
		}
	}

	for _, text := range append([]string{q.Text}, q.FollowUps...) {
		if err := readable.CheckQuestion(text); err != nil {
			return fmt.Errorf("number %d: %w", q.Number, err)
		}
	}

	// The remaining checks find what weak models do: repeat themselves, and write in another language.
	if isDuplicate(q.Text, asked) {
		return fmt.Errorf("number %d asks for the same as an earlier question", q.Number)
	}
	if points := slices.Compact(slices.Sorted(slices.Values(q.Points))); len(points) < len(q.Points) {
		return fmt.Errorf("number %d: a point occurs twice", q.Number)
	}
	levels := []string{q.Level1, q.Level3, q.Level5}
	if len(slices.Compact(slices.Sorted(slices.Values(levels)))) < len(levels) {
		return fmt.Errorf("number %d: the descriptions of the levels must differ", q.Number)
	}
	if !r.isInLanguage(q.Text+"\n"+q.Expected, r.subject.Language) {
		return fmt.Errorf("number %d must be in %s", q.Number, prompts.Language(r.subject.Language))
	}

	return checkLeaks(strings.Join(q.texts(), "\n"), forbidden)
}

// isInLanguage reports whether a text is in a language. It returns true for languages that the analyzer doesn't know:
// it takes them for English or a similar language.
func (i *Interviewer) isInLanguage(text, language string) bool {
	for known := analysis.English; known <= analysis.Italian; known++ {
		if known.String() == language {
			return i.analyzer.Language(text) == known
		}
	}
	return true
}

// question returns the question that the model wrote for a slot.
func (r *round) question(q modelQuestion, s slot) interview.Question {
	return interview.Question{
		Text:       strings.TrimSpace(q.Text),
		Skill:      s.Skill,
		Kind:       s.Kind,
		Difficulty: s.Difficulty,
		Expected:   q.Expected,
		Points:     q.Points,
		Anchors:    []interview.Anchor{{Level: 1, Text: q.Level1}, {Level: 3, Text: q.Level3}, {Level: 5, Text: q.Level5}},
		FollowUps:  q.FollowUps,
		By:         r.Name(),
	}
}
