package interview

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
)

// judge is scores for answers to questions, all by the same judge: the first one who can mark every one of them. Where one fails
// for one answer his marks for the others do not count, because marks by different judges do not compare. Scores that are there
// already are kept where they are by that judge; known may be shorter than questions.
func (t *task) judge(ctx context.Context, questions []Question, answers []Answer, known []Score) ([]Score, Judge, error) {
	var err error
	for i, j := range t.config.Judges {
		var scores []Score
		if scores, err = t.markAll(t.within(ctx, i, len(t.config.Judges)), j, questions, answers, known); err == nil {
			return scores, j, nil
		}
		if ctx.Err() != nil {
			return nil, nil, fmt.Errorf("judge the answers: %w", context.Cause(ctx))
		}
		if i < len(t.config.Judges)-1 {
			next := t.config.Judges[i+1].Name()
			t.config.Log.WarnContext(ctx, "a judge failed, the next one is asked", "session", t.id(), "judge", j.Name(), "error", err)
			t.tell(Notice{NoticeJudgeFailed, fmt.Sprintf("%s failed to judge the answers; they were judged by %s", j.Name(), next)})
		}
	}
	return nil, nil, fmt.Errorf("judge the answers: %w", err)
}

// marked is the score of one answer, or why there is none.
type marked struct {
	score Score
	err   error
}

// markAll is the scores of answers by one judge: several at once, each by itself, told in the order of the questions.
func (t *task) markAll(ctx context.Context, j Judge, questions []Question, answers []Answer, known []Score) ([]Score, error) {
	ctx, cancel := context.WithCancel(ctx)
	scores := make([]Score, len(questions))
	results := make(map[int]chan marked)
	work := make(chan int, len(questions))
	for i := range questions {
		switch {
		case strings.TrimSpace(answers[i].Text) == "":
			scores[i] = noAnswer(&questions[i])
		case i < len(known) && known[i].By == j.Name():
			scores[i] = known[i]
		default:
			results[i] = make(chan marked, 1)
			work <- i
		}
	}
	close(work)
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	for range min(t.config.Parallel, len(results)) {
		group.Go(func() {
			for i := range work {
				score, err := t.mark(ctx, j, &questions[i], answers[i].Text)
				results[i] <- marked{score, err}
			}
		})
	}
	for i := range questions {
		result, open := results[i]
		if !open {
			if i >= len(known) { // an answer without a text
				t.watch(Event{Score: &scores[i]})
			}
			continue
		}
		m := <-result
		if m.err != nil {
			return nil, fmt.Errorf("the answer to %s: %w", questions[i].ID, m.err)
		}
		scores[i] = m.score
		t.watch(Event{Score: &scores[i]})
	}
	return scores, nil
}

// mark is the score of one answer. A judge that panics fails: it reads hostile text, and others are being served.
func (t *task) mark(ctx context.Context, j Judge, q *Question, answer string) (score Score, err error) {
	defer func() {
		if p := recover(); p != nil {
			t.config.Log.ErrorContext(ctx, "a judge panicked", "judge", j.Name(), "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("%s panicked", j.Name())
		}
	}()
	if err := ctx.Err(); err != nil {
		return Score{}, err
	}
	judgement, err := j.Judge(ctx, t.request.Account, &t.session.Subject, q, answer)
	if err != nil {
		return Score{}, err
	}
	return newScore(q, &judgement, answer, j.Name())
}

// evaluate closes the session with its evaluation.
func (t *task) evaluate(ctx context.Context) error {
	se := t.session
	scores, by, err := t.judge(ctx, se.Questions, se.Answers, se.Scores)
	if err != nil {
		return err
	}
	e := newEvaluation(se.Questions, scores, by)
	e.At = t.now()
	for _, n := range e.notices() {
		t.tell(n)
	}
	se.Evaluation, se.record.Expires = e, e.At.Add(t.config.Lifetime)
	return nil
}
