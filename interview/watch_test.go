package interview_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"freelancer-matching/interview"
)

// spyJudge remembers what it was told.
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

// log writes down what is told.
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

func TestConduct_TellsWhoWatches(t *testing.T) {
	f := newFixture(t)
	r := fresh(interview.Full)
	r.RequiredSkills = []string{"React"}
	var told []string
	began, err := f.Conduct(t.Context(), r, log(&told))
	if err != nil {
		t.Fatal(err)
	}
	wantSame(t, []string{"question q1", "question q2", "question q3", "question q4", "question q5"}, told)
	told = nil
	answer := followUp(r, began.SessionID, interview.Full, levels(5, 4, 0, 2, 1)...)
	if _, err := f.Conduct(t.Context(), answer, log(&told)); err != nil {
		t.Fatal(err)
	}
	scores := []string{
		"score q1 100 by llm:test", "score q2 80 by llm:test", "score q3 0 by ", "score q4 40 by llm:test", "score q5 20 by llm:test",
	}
	wantSame(t, scores, told)
	told = nil
	if _, err := f.Conduct(t.Context(), followUp(r, began.SessionID, interview.Report), log(&told)); err != nil {
		t.Fatal(err)
	}
	wantSame(t, append([]string{"question q1", "question q2", "question q3", "question q4", "question q5"}, scores...), told)
}

// Answers are judged at once, as many as are allowed and no more, and told in their order whichever is ready first.
func TestConduct_JudgesAtOnceWithinBounds(t *testing.T) {
	const bound = 3
	f := newFixture(t, func(f *fixture) { f.config.Parallel = bound })
	var running, most atomic.Int32
	full, q3 := make(chan struct{}), make(chan struct{})
	f.expert.script = func(_ context.Context, q *interview.Question, answer string) (interview.Judgment, error) {
		defer running.Add(-1)
		n := running.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		if n == bound && q.ID <= "q3" {
			close(full)
		}
		if q.ID <= "q3" {
			<-full // the first three are under way together
		}
		if q.ID == "q1" {
			<-q3 // and the third is ready before the first
		}
		if q.ID == "q3" {
			defer close(q3)
		}
		return byLevel(q, answer)
	}
	r := fresh(interview.Full)
	began := f.conduct(t, r)
	var told []string
	if _, err := f.Conduct(t.Context(), followUp(r, began.SessionID, interview.Full, levels(1, 2, 3, 4, 5)...), log(&told)); err != nil {
		t.Fatal(err)
	}
	wantSame(t, []string{
		"score q1 20 by llm:test", "score q2 40 by llm:test", "score q3 60 by llm:test", "score q4 80 by llm:test", "score q5 100 by llm:test",
	}, told)
	if most.Load() != bound {
		t.Errorf("%d at once, want %d", most.Load(), bound)
	}
}
