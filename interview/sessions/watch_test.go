package sessions_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/freelancer-matching/service/interview"
)

// A spyJudge records the subjects of its calls.
type spyJudge struct {
	*judge
	subjects *[]*interview.Subject
}

func (s *spyJudge) Judge(
	ctx context.Context, account string, subject *interview.Subject, q *interview.Question, answer string,
) (interview.Judgment, error) {
	if q.ID == "q1" {
		*s.subjects = append(*s.subjects, subject)
	}
	return s.judge.Judge(ctx, account, subject, q, answer)
}

// log returns a watcher that appends a line for each event.
func log(into *[]string) func(interview.Event) {
	return func(e interview.Event) {
		switch {
		case e.Question != nil:
			*into = append(*into, "question "+e.Question.ID)
		case e.Score != nil:
			*into = append(*into, fmt.Sprintf("score %s %d by %s", e.Score.Question, e.Score.Value.Or(-1), e.Score.By))
		case e.Notice != nil:
			*into = append(*into, "notice "+string(e.Notice.Code))
		}
	}
}

func TestConduct_EmitsEvents(t *testing.T) {
	f := newFixture(t)
	r := fresh(interview.Full)
	r.RequiredSkills = []string{"React"}
	var events []string
	began, err := f.Conduct(t.Context(), r, log(&events))
	if err != nil {
		t.Fatal(err)
	}

	questions := []string{"question q1", "question q2", "question q3", "question q4", "question q5"}
	wantSame(t, questions, events)
	events = nil
	answer := followUp(r, began.SessionID, interview.Full, levels(5, 4, 0, 2, 1)...)
	if _, err := f.Conduct(t.Context(), answer, log(&events)); err != nil {
		t.Fatal(err)
	}

	scores := []string{
		"score q1 100 by llm:test", "score q2 80 by llm:test", "score q3 0 by ", "score q4 40 by llm:test",
		"score q5 20 by llm:test",
	}

	wantSame(t, scores, events)
	events = nil
	if _, err := f.Conduct(t.Context(), followUp(r, began.SessionID, interview.Report), log(&events)); err != nil {
		t.Fatal(err)
	}

	wantSame(t, append(questions, scores...), events)
}

// Conduct judges up to Config.Parallel answers at a time, and emits the scores in order even if they become ready out
// of order.
func TestConduct_JudgesInParallel(t *testing.T) {
	const parallel = 3
	f := newFixture(t, func(f *fixture) { f.config.Parallel = parallel })
	var running, maxRunning atomic.Int32
	full := make(chan struct{})
	q3 := make(chan struct{})
	f.expert.script = func(_ context.Context, q *interview.Question, answer string) (interview.Judgment, error) {
		defer running.Add(-1)

		n := running.Add(1)
		for m := maxRunning.Load(); n > m && !maxRunning.CompareAndSwap(m, n); m = maxRunning.Load() {
		}
		if n == parallel && q.ID <= "q3" {
			close(full)
		}

		if q.ID <= "q3" {
			<-full // wait until the first three are running
		}

		if q.ID == "q1" {
			<-q3 // the third becomes ready before the first
		}

		if q.ID == "q3" {
			defer close(q3)
		}
		return byLevel(q, answer)
	}

	r := fresh(interview.Full)
	began := f.conduct(t, r)
	var events []string
	answers := followUp(r, began.SessionID, interview.Full, levels(1, 2, 3, 4, 5)...)
	if _, err := f.Conduct(t.Context(), answers, log(&events)); err != nil {
		t.Fatal(err)
	}

	wantSame(t, []string{
		"score q1 20 by llm:test", "score q2 40 by llm:test", "score q3 60 by llm:test", "score q4 80 by llm:test",
		"score q5 100 by llm:test",
	}, events)

	if maxRunning.Load() != parallel {
		t.Errorf("judged %d answers in parallel, want %d", maxRunning.Load(), parallel)
	}
}
