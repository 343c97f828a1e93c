package sessions

import (
	"context"
	"errors"
	"time"

	"github.com/freelancer-matching/service/interview"
)

// Next makes the draft for a question of an adaptive interview final, and asks the next question. It does nothing if
// the answer is already final, and for the last question, whose answer Submit makes final. The judge and the asker may
// take as long as for a request to the API. Calls for the same session wait for each other, so that a candidate who
// sends a form many times doesn't cause as many judgments.
func (s *Candidates) Next(ctx context.Context, c interview.Candidate, question string) (interview.Visit, error) {
	leave, err := s.turns.take(ctx, c.SessionID)
	if err != nil {
		return interview.Visit{}, err
	}
	defer leave()

	for range 2 { // another process may change the session meanwhile
		var v interview.Visit
		if v, err = s.Visit(ctx, c); err != nil || !hasNext(&v) {
			return v, err
		}

		var se *session
		if se, err = s.load(ctx, c.SessionID); err != nil {
			return interview.Visit{}, refusedBy(err)
		}

		// The session may have changed since Visit read it.
		if !se.mayAnswer(question) || se.closed() {
			return s.Visit(ctx, c)
		}

		se.answerByCandidate(question, s.service.now())
		t := s.taskOf(se)
		if err = t.advance(ctx); err != nil {
			return interview.Visit{}, err
		}

		if se.Evaluation != nil { // no further question could be asked
			se.Invited.Submitted = s.service.now()
			se.Invited.Due = time.Time{}
		}

		if _, err = t.save(ctx); !errors.Is(err, interview.ErrChanged) {
			break
		}
	}

	if err != nil {
		return interview.Visit{}, refusedBy(err)
	}

	return s.Visit(ctx, c)
}

// load reads a session.
func (s *Candidates) load(ctx context.Context, id string) (*session, error) {
	r, err := s.service.config.Store.Find(ctx, id, s.service.now())
	if err != nil {
		return nil, err
	}
	return decode(r)
}

// taskOf returns a task that continues a session for its candidate. The account's limits were checked when the
// candidate was invited.
func (s *Candidates) taskOf(se *session) *task {
	r := &interview.Request{
		Account: se.record.Account, SessionID: se.record.ID, Mode: se.Kind, FreelancerID: se.Subject.Freelancer.ID,
	}
	return &task{Service: s.service, request: r, session: se, modelDeadline: time.Now().Add(s.service.config.ModelTimeout)}
}
