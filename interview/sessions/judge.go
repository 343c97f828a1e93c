package sessions

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/interview/messages"
	"github.com/freelancer-matching/service/interview/scoring"
)

// judge returns scores for all answers, and the judge that gave them: the first one that can judge every answer. If a
// judge fails for one answer, its marks for the others are discarded, because marks from different judges are not
// comparable. Scores in known, which may be shorter than questions, are kept if they are from the same judge.
func (t *task) judge(
	ctx context.Context, questions []interview.Question, answers []interview.Answer, known []interview.Score,
) ([]interview.Score, interview.Judge, error) {
	var err error
	for i, j := range t.config.Judges {
		var scores []interview.Score
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
			t.addNotice(interview.NoticeJudgeFailed, j.Name(), messages.Reason(err, t.session.Subject.Language), next)
		}
	}

	return nil, nil, fmt.Errorf("judge the answers: %w", err)
}

// A scoreResult is the score of one answer, or the error of the judge.
type scoreResult struct {
	score interview.Score
	err   error
}

// markAll returns one judge's scores for all answers. It judges several answers in parallel, each on its own, and emits
// the scores in the order of the questions.
func (t *task) markAll(
	ctx context.Context, j interview.Judge, questions []interview.Question, answers []interview.Answer,
	known []interview.Score,
) ([]interview.Score, error) {
	ctx, cancel := context.WithCancel(ctx)
	scores := make([]interview.Score, len(questions))

	// Each pending result has a channel with room for it, so no worker blocks if the loop below ends early.
	results := make(map[int]chan scoreResult)
	work := make(chan int, len(questions))
	for i := range questions {
		switch {
		case strings.TrimSpace(answers[i].Text) == "":
			scores[i] = scoring.Unanswered(&questions[i])
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

		// The score itself keeps its value, which an adaptive interview needs for its next question.
		shown := scores[i]
		if !j.IsVerdict() {
			scoring.Withhold(&shown, questions[i].Weights)
		}
		t.emit(interview.Event{Score: &shown})
	}

	return scores, nil
}

// mark returns the score of one answer. It turns a panic into an error, because judges read hostile text and a panic
// would end the server.
func (t *task) mark(
	ctx context.Context, j interview.Judge, q *interview.Question, answer string,
) (score interview.Score, err error) {
	defer func() {
		if p := recover(); p != nil {
			t.config.Log.ErrorContext(ctx, "judge panicked", "judge", j.Name(), "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("%s panicked", j.Name())
		}
	}()
	if err := ctx.Err(); err != nil {
		return interview.Score{}, err
	}
	judgment, err := j.Judge(ctx, t.request.Account, &t.session.Subject, q, answer)
	if err != nil {
		return interview.Score{}, err
	}
	return scoring.NewScore(q, &judgment, answer, j.Name())
}

// evaluate judges all answers and closes the session with its evaluation.
func (t *task) evaluate(ctx context.Context) error {
	se := t.session
	scores, by, err := t.judge(ctx, se.Questions, se.Answers, se.Scores)
	if err != nil {
		return err
	}
	if err := t.crossCheck(ctx, by, scores); err != nil {
		return err
	}
	e := scoring.Evaluate(se.about(), se.Kind == interview.Adaptive, scores, by, t.agreement(ctx, by, scores))
	e.At = t.now()
	scoring.AddNotices(e, t.addNotice)
	se.Evaluation, se.record.Expires = e, e.At.Add(t.config.Lifetime)
	se.Scores = nil // the evaluation has them
	return nil
}

// crossCheck compares the scores of a judge that gives verdicts with those of the last judge, which no text can
// persuade, and adds a remark where they are far apart.
func (t *task) crossCheck(ctx context.Context, by interview.Judge, scores []interview.Score) error {
	counter := t.config.Judges[len(t.config.Judges)-1]
	if !by.IsVerdict() || counter.IsVerdict() {
		return nil
	}

	se := t.session
	for i := range scores {
		if len(scores[i].Marks) == 0 {
			continue
		}
		counted, err := t.mark(ctx, counter, &se.Questions[i], se.Answers[i].Text)
		if err != nil {
			return fmt.Errorf("count in the answer to %s: %w", se.Questions[i].ID, err)
		}

		isNew := !slices.Contains(scores[i].Remarks, interview.RemarkJudgesApart)
		if isNew && scoring.IsFarApart(&scores[i], &counted) {
			scores[i].Remarks = append(scores[i].Remarks, interview.RemarkJudgesApart)
		}
	}

	return nil
}

// about returns what an evaluation of the session is about.
func (se *session) about() scoring.About {
	return scoring.About{Questions: se.Questions, Skills: se.Subject.Skills, Messages: se.messages()}
}

// The number of answers to judge twice: one of sampleEvery, but at least one and at most maxSample.
const (
	sampleEvery = 3
	maxSample   = 3
)

// sample returns the indexes of the answers to judge twice, chosen by the session's seed.
func (se *session) sample(scores []interview.Score) []int {
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

// reordered is a judge that judges an answer for the second time.
type reordered struct {
	judge  interview.Judge
	second interview.SecondJudge
}

// Name implements interview.Judge.
func (r reordered) Name() string { return r.judge.Name() }

// IsVerdict implements interview.Judge.
func (r reordered) IsVerdict() bool { return r.judge.IsVerdict() }

// Judge implements interview.Judge.
func (r reordered) Judge(
	ctx context.Context, account string, s *interview.Subject, q *interview.Question, answer string,
) (interview.Judgment, error) {
	return r.second.JudgeAgain(ctx, account, s, q, answer)
}

// agreement lets the judge judge a sample of the answers a second time, within the time for models, and compares the
// marks. It leaves out answers for which the second judgment fails, and returns nil if none is left or the judge gives
// no verdicts.
func (t *task) agreement(ctx context.Context, by interview.Judge, scores []interview.Score) *interview.Agreement {
	if !by.IsVerdict() {
		return nil
	}
	ctx, cancel := context.WithDeadline(ctx, t.modelDeadline)
	defer cancel()

	again := by
	if second, ok := by.(interview.SecondJudge); ok {
		again = reordered{by, second}
	}

	se := t.session
	sample := se.sample(scores)
	seconds := make([]scoreResult, len(sample))
	var group errgroup.Group
	group.SetLimit(t.config.Parallel)

	for k, i := range sample {
		group.Go(func() error {
			seconds[k].score, seconds[k].err = t.mark(ctx, again, &se.Questions[i], se.Answers[i].Text)
			return nil
		})
	}
	_ = group.Wait() // the errors are in seconds

	a := &interview.Agreement{}
	for k, i := range sample {
		if err := seconds[k].err; err != nil {
			t.config.Log.WarnContext(ctx, "second judgment failed", "session", t.id(), "judge", by.Name(), "error", err)
			continue
		}
		scoring.Compare(a, &se.Questions[i], scores[i].Marks, seconds[k].score.Marks)
	}

	// Without a comparison, there is neither agreement nor disagreement.
	if a.Answers == 0 {
		return nil
	}

	return a
}
