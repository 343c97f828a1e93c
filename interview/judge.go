package interview

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

// judge returns scores for all answers, and the judge that gave them: the first one that can judge every answer. If a
// judge fails for one answer, its marks for the others are discarded, because marks from different judges are not
// comparable. Scores in known, which may be shorter than questions, are kept if they are from the same judge.
func (t *task) judge(
	ctx context.Context, questions []Question, answers []Answer, known []Score,
) ([]Score, Judge, error) {
	var err error
	for i, j := range t.config.Judges {
		var scores []Score
		limited, cancel := t.limit(ctx, i, len(t.config.Judges))
		scores, err = t.markAll(limited, j, questions, answers, known)
		cancel()

		if err == nil {
			return scores, j, nil
		}
		if ctx.Err() != nil {
			return nil, nil, fmt.Errorf("judge the answers: %w", context.Cause(ctx))
		}

		if i < len(t.config.Judges)-1 {
			next := t.config.Judges[i+1].Name()
			t.config.Log.WarnContext(ctx, "judge failed, using the next one", "session", t.id(), "judge", j.Name(), "error", err)
			t.addNotice(NoticeJudgeFailed, j.Name(), reasonText(err, t.session.Subject.Language), next)
		}
	}

	return nil, nil, fmt.Errorf("judge the answers: %w", err)
}

// A scoreResult is the score of one answer, or the error of the judge.
type scoreResult struct {
	score Score
	err   error
}

// markAll returns one judge's scores for all answers. It judges several answers in parallel, each on its own, and emits
// the scores in the order of the questions.
func (t *task) markAll(
	ctx context.Context, j Judge, questions []Question, answers []Answer, known []Score,
) ([]Score, error) {
	ctx, cancel := context.WithCancel(ctx)
	scores := make([]Score, len(questions))

	// Each pending result has a channel with room for it, so no worker blocks if the loop below ends early.
	results := make(map[int]chan scoreResult)
	work := make(chan int, len(questions))
	for i := range questions {
		switch {
		case strings.TrimSpace(answers[i].Text) == "":
			scores[i] = noAnswer(&questions[i])
		case i < len(known) && known[i].By == j.Name():
			scores[i] = known[i]
		default:
			results[i] = make(chan scoreResult, 1)
			work <- i
		}
	}

	close(work)

	// Deferred calls run in reverse order: after an error, the remaining work is canceled and then waited for.
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	for range min(t.config.Parallel, len(results)) {
		group.Go(func() {
			for i := range work {
				score, err := t.mark(ctx, j, &questions[i], answers[i].Text)
				results[i] <- scoreResult{score, err}
			}
		})
	}

	// Workers finish in any order; scores are emitted in the order of the questions.
	for i := range questions {
		if result, pending := results[i]; pending {
			r := <-result
			if r.err != nil {
				return nil, fmt.Errorf("judge the answer to %s: %w", questions[i].ID, r.err)
			}
			scores[i] = r.score
		} else if i < len(known) {
			continue // emitted by an earlier request
		}

		t.emit(Event{Score: &scores[i]})
	}

	return scores, nil
}

// mark returns the score of one answer. It turns a panic into an error, because judges read hostile text and a panic
// would end the server.
func (t *task) mark(ctx context.Context, j Judge, q *Question, answer string) (score Score, err error) {
	defer func() {
		if p := recover(); p != nil {
			t.config.Log.ErrorContext(ctx, "judge panicked", "judge", j.Name(), "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("%s panicked", j.Name())
		}
	}()
	if err := ctx.Err(); err != nil {
		return Score{}, err
	}
	judgment, err := j.Judge(ctx, t.request.Account, &t.session.Subject, q, answer)
	if err != nil {
		return Score{}, err
	}
	return newScore(q, &judgment, answer, j.Name())
}

// evaluate judges all answers and closes the session with its evaluation.
func (t *task) evaluate(ctx context.Context) error {
	se := t.session
	scores, by, err := t.judge(ctx, se.Questions, se.Answers, se.Scores)
	if err != nil {
		return err
	}
	e := newEvaluation(se, scores, by, t.agreement(ctx, by, scores))
	e.At = t.now()
	e.addNotices(t.addNotice)
	se.Evaluation, se.record.Expires = e, e.At.Add(t.config.Lifetime)
	se.Scores = nil // the evaluation has them
	return nil
}

// The number of answers to judge twice: one of sampleEvery, but at least one and at most maxSample.
const (
	sampleEvery = 3
	maxSample   = 3
)

// sample returns the indexes of the answers to judge twice, chosen by the session's seed.
func (se *session) sample(scores []Score) []int {
	var marked []int
	for i := range scores {
		if len(scores[i].Marks) > 0 {
			marked = append(marked, i)
		}
	}
	n := min(len(marked), max(1, min(len(marked)/sampleEvery, maxSample)))
	random := rand.New(rand.NewPCG(se.Subject.Seed, uint64(len(scores)))) //nolint:gosec // no secret
	random.Shuffle(len(marked), func(i, k int) { marked[i], marked[k] = marked[k], marked[i] })
	slices.Sort(marked[:n])
	return marked[:n]
}

// agreement lets the judge judge a sample of the answers a second time, within the time for models, and compares the
// marks. It leaves out answers for which the second judgment fails, and returns nil if none is left or the judge gives
// no verdicts.
func (t *task) agreement(ctx context.Context, by Judge, scores []Score) *Agreement {
	if !by.IsVerdict() {
		return nil
	}
	ctx, cancel := context.WithDeadline(ctx, t.modelDeadline)
	defer cancel()

	se := t.session
	sample := se.sample(scores)
	seconds := make([]scoreResult, len(sample))
	var group errgroup.Group
	group.SetLimit(t.config.Parallel)

	for k, i := range sample {
		group.Go(func() error {
			seconds[k].score, seconds[k].err = t.mark(ctx, by, &se.Questions[i], se.Answers[i].Text)
			return nil
		})
	}
	_ = group.Wait() // the errors are in seconds

	a := &Agreement{}
	for k, i := range sample {
		if err := seconds[k].err; err != nil {
			t.config.Log.WarnContext(ctx, "second judgment failed", "session", t.id(), "judge", by.Name(), "error", err)
			continue
		}
		a.add(&se.Questions[i], scores[i].Marks, seconds[k].score.Marks)
	}

	// Without a comparison, there is neither agreement nor disagreement.
	if a.Answers == 0 {
		return nil
	}

	return a
}

// add compares two judgments of an answer.
func (a *Agreement) add(q *Question, first, second []Mark) {
	a.Answers++
	disputed := false
	for _, m := range first {
		i := slices.IndexFunc(second, func(o Mark) bool { return o.Criterion == m.Criterion })
		// Marks that don't count in the total aren't compared.
		if i < 0 || q.Weights[m.Criterion] == 0 {
			continue
		}
		a.Marks++
		switch gap := max(m.Level-second[i].Level, second[i].Level-m.Level); {
		case gap == 0:
			a.Exact++
			a.WithinOne++
		case gap < bigGap:
			a.WithinOne++
		default:
			disputed = true
		}
	}

	if disputed {
		a.Disputed = append(a.Disputed, q.ID)
	}
}
