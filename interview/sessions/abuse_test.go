package sessions_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
)

// TestCandidate_SessionEnds tests that the end of the session deletes no answers that the server has promised to submit
// or evaluate.
func TestCandidate_SessionEnds(t *testing.T) {
	short := func(f *fixture) { f.config.Lifetime = 2 * time.Hour }
	open := func(t *testing.T, m interview.Mode) (*fixture, string, interview.Candidate) {
		t.Helper()
		f := newFixture(t, short)
		session, c := f.invite(t, m) // the invitation ends with the session
		f.clock.pass(2*time.Hour - 10*time.Minute)

		if _, err := f.candidates.Start(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		f.save(t, c, "q1", "level 4: saved")
		return f, session, c
	}

	evaluated := func(t *testing.T, f *fixture, session string) {
		t.Helper()
		f.settle(t)
		if r := f.report(t, session, interview.Questions); r.Evaluation == nil || r.Answers[0].Text != "level 4: saved" {
			t.Errorf("got answers %+v and evaluation %+v", r.Answers, r.Evaluation)
		}
	}

	t.Run("time limit", func(t *testing.T) {
		f, session, _ := open(t, interview.Questions)
		f.clock.pass(11 * time.Minute)
		evaluated(t, f, session)
	})

	t.Run("submitted at the end", func(t *testing.T) {
		f, session, c := open(t, interview.Questions)
		f.clock.pass(10*time.Minute - time.Second)
		if _, err := f.candidates.Submit(t.Context(), c); err != nil {
			t.Fatal(err)
		}

		f.clock.pass(time.Minute)
		evaluated(t, f, session)
	})
}

// TestCandidate_ParallelNext tests that repeated requests for the next question cost one judgment.
func TestCandidate_ParallelNext(t *testing.T) {
	const requests = 16
	var sent sync.WaitGroup
	var judged atomic.Int32
	f := newFixture(t, withoutModel, func(f *fixture) {
		f.counter.script = func(_ context.Context, q *interview.Question, answer string) (interview.Judgment, error) {
			judged.Add(1)
			sent.Wait()
			return byLevel(q, answer)
		}
	})

	_, c := f.started(t, interview.Adaptive)
	f.save(t, c, "q1", "level 3: because")
	sent.Add(requests)
	var group sync.WaitGroup
	for range requests {
		group.Go(func() {
			sent.Done()
			if v, err := f.candidates.Next(t.Context(), c, "q1"); err != nil || len(v.Questions) != 2 {
				t.Errorf("%d questions, %v", len(v.Questions), err)
			}
		})
	}

	group.Wait()
	if n := judged.Load(); n != 1 {
		t.Errorf("the answer was judged %d times", n)
	}
}

// A strictStore fails for a text that PostgreSQL doesn't store.
type strictStore struct{ interview.Store }

func (s strictStore) DeleteAudited(ctx context.Context, account, id string, entry audit.Event) error {
	if strings.ContainsRune(id, 0) {
		return errors.New("invalid byte sequence")
	}
	return s.Store.DeleteAudited(ctx, account, id, entry)
}

func TestDelete_InvalidID(t *testing.T) {
	f := newFixture(t, func(f *fixture) { f.config.Store = strictStore{f.config.Store} })
	err := f.Delete(t.Context(), "acc_1", "\x00", interview.Requester{})
	if matching.CodeOf(err) != interview.CodeSessionNotFound {
		t.Errorf("got error %v", err)
	}
}
