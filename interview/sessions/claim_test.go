package sessions_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/interview/sessions"
)

func TestConduct_RepeatsTheResultForAKey(t *testing.T) {
	f := newFixture(t)
	r := fresh(interview.Adaptive)
	r.IdempotencyKey = "begin"
	began := f.conduct(t, r)
	wantSame(t, began, f.conduct(t, r))
	answer := followUp(r, began.SessionID, interview.Adaptive, "level 4: a")
	answer.IdempotencyKey = "one"
	first := f.conduct(t, answer)
	wantSame(t, first, f.conduct(t, answer))
	next := followUp(r, began.SessionID, interview.Adaptive, "level 4: b")
	next.IdempotencyKey = "two"
	f.conduct(t, next)
	wantSame(t, first, f.conduct(t, answer)) // not the current state

	next.IdempotencyKey = "one"
	f.refused(t, next, interview.CodeIdempotency)
	next.Account = "acc_2"
	f.refused(t, next, interview.CodeSessionNotFound) // keys belong to an account, and a failure releases the key
	next.Account = "acc_1"
	next.IdempotencyKey = "three"

	read := followUp(r, began.SessionID, interview.Report)
	read.IdempotencyKey = "read"
	report := f.conduct(t, read)
	f.conduct(t, next)
	wantSame(t, report, f.conduct(t, read))

	f.clock.pass(24*time.Hour - time.Second)
	wantSame(t, first, f.conduct(t, answer))
	f.clock.pass(time.Second)
	again := f.conduct(t, answer) // the result has expired, so this is a new answer
	if len(again.Answers) != 4 {
		t.Errorf("the session has %d answers, want 4", len(again.Answers))
	}
}

func TestConduct_ReleasesTheKeyAfterAFailure(t *testing.T) {
	f := newFixture(t)
	r := fresh(interview.Full)
	r.FreelancerID = "f9"
	r.IdempotencyKey = "k"
	f.refused(t, r, matching.CodeFreelancerUnknown)
	r.FreelancerID = "f1"
	f.conduct(t, r)
}

// If two requests with the same answer run concurrently, one succeeds. The other gets CodeSessionChanged or, if both
// have the same key, CodeIdempotency.
func TestConduct_ConcurrentEqualRequests(t *testing.T) {
	for _, key := range []string{"", "k"} {
		t.Run("key "+key, func(t *testing.T) {
			f := newFixture(t)
			r := fresh(interview.Adaptive)
			began := f.conduct(t, r)
			answer := followUp(r, began.SessionID, interview.Adaptive, "level 4: a")
			answer.IdempotencyKey = key
			entered := make(chan struct{}, 2)
			leave := make(chan struct{})
			f.expert.script = func(_ context.Context, q *interview.Question, answer string) (interview.Judgment, error) {
				entered <- struct{}{}
				<-leave
				return byLevel(q, answer)
			}

			codes := make(chan matching.Code, 2)
			send := func() {
				_, err := f.Conduct(t.Context(), answer, nil)
				codes <- matching.CodeOf(err)
			}

			go send()
			<-entered
			go send()
			want := interview.CodeSessionChanged

			if key == "" {
				<-entered // both requests have read the session
			} else {
				want = interview.CodeIdempotency
				if got := <-codes; got != want {
					t.Errorf("while the first request runs, the second gets %q, want %s", got, want)
				}
			}

			close(leave)
			got := []matching.Code{<-codes}

			if key == "" {
				got = append(got, <-codes)
				slices.Sort(got)
				wantSame(t, []matching.Code{"", want}, got)
			} else {
				wantSame(t, []matching.Code{""}, got)
				if again := f.conduct(t, answer); len(again.Answers) != 1 {
					t.Errorf("the session has %d answers, want 1", len(again.Answers))
				}
			}

			report := f.conduct(t, followUp(r, began.SessionID, interview.Report))
			if len(report.Answers) != 1 || len(report.Questions) != 2 {
				t.Errorf("the session has %d answers and %d questions, want 1 and 2", len(report.Answers), len(report.Questions))
			}
		})
	}
}

// If a server dies, the key of its request can be taken over when its lease expires.
func TestConduct_TakesOverAbandonedKeys(t *testing.T) {
	f := newFixture(t)
	r := fresh(interview.Full)
	r.IdempotencyKey = "k"
	entered := make(chan struct{})
	leave := make(chan struct{})
	f.model.edit = func(context.Context, int, *interview.Question) error {
		close(entered)
		<-leave
		return errScript
	}

	f.bank.edit = f.model.edit
	done := make(chan struct{})
	stuck := sessions.NewService(f.config)
	go func() {
		defer close(done)
		_, _ = stuck.Conduct(t.Context(), r, nil)
	}()

	<-entered
	f.config.Askers = []interview.Asker{&asker{name: byOffline}}
	f.restart()
	f.clock.pass(2*time.Minute - time.Second)
	f.refused(t, r, interview.CodeIdempotency)
	f.clock.pass(time.Second)
	f.conduct(t, r)
	f.bank.edit = nil
	close(leave)
	<-done
	f.conduct(t, r) // the stuck service has not affected the result
}

// Several clients send answers to one session through two servers. The report has every accepted answer, in the order
// of the questions and once per key. All other answers are refused.
func TestConduct_ConcurrentAnswers(t *testing.T) {
	const senders, questions = 6, 4
	for _, mode := range []interview.Mode{interview.Adaptive, interview.Full} {
		for seed := range uint64(4) {
			t.Run(fmt.Sprintf("%s %d", mode, seed), func(t *testing.T) {
				f := newFixture(t, withoutModel)
				servers := []*sessions.Service{f.Service, sessions.NewService(f.config)}
				r := fresh(mode)
				r.NumQuestions = matching.Some(questions)
				began := f.conduct(t, r)
				var (
					mu       sync.Mutex
					accepted = map[string]bool{} // the first answer of each accepted request
					keyed    = map[string]bool{} // the first answer of each request with a key
					group    sync.WaitGroup
				)
				for sender := range senders {
					random := rand.New(rand.NewPCG(seed, uint64(sender)))
					group.Go(func() {
						for i := range 6 {
							text := fmt.Sprintf("level %d: by %d, %d", random.IntN(6), sender, i)
							answers := []string{text}

							if mode == interview.Full {
								answers = slices.Repeat(answers, questions)
							}
							request := followUp(r, began.SessionID, mode, answers...)

							if random.IntN(2) == 0 {
								request.IdempotencyKey = fmt.Sprint(sender, i)
								mu.Lock()
								keyed[text] = true
								mu.Unlock()
							}

							for range 1 + random.IntN(2) { // repeat some requests
								_, err := servers[random.IntN(2)].Conduct(t.Context(), request, nil)
								switch matching.CodeOf(err) {
								case "":
									mu.Lock()
									accepted[text] = true
									mu.Unlock()

								case interview.CodeSessionChanged, interview.CodeSessionClosed, interview.CodeIdempotency:
								default:
									t.Error(err)
								}
							}
						}
					})
				}

				group.Wait()
				report := f.conduct(t, followUp(r, began.SessionID, interview.Report))
				if report.State != interview.Evaluated || len(report.Answers) != questions ||
					len(report.Questions) != questions {
					t.Fatalf("the session is %s with %d answers to %d questions",
						report.State, len(report.Answers), len(report.Questions))
				}

				stored := map[string]bool{}
				for i, a := range report.Answers {
					if stored[a.Text] && mode == interview.Adaptive && keyed[a.Text] {
						t.Errorf("%q was accepted twice for one key", a.Text)
					}
					stored[a.Text] = true
					if a.Question != report.Questions[i].ID {
						t.Errorf("answer %d is to question %s", i, a.Question)
					}
				}

				wantSame(t, accepted, stored)
			})
		}
	}
}
