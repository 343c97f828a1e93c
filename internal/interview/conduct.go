package interview

import (
	"context"
	"errors"
)

// Conduct does what a request asks for, by its mode:
//
//   - ai_questions: without session_id, a new session with generated questions; with it, the same questions again.
//   - ai_full: the same, and with answers to a session of ai_questions or ai_full their evaluation. Answers need a session: nobody
//     can answer questions that he has not seen.
//   - custom_full: the client's questions; with answers, at once or later by session_id, their evaluation.
//   - hybrid: generated questions, then the client's. The session keeps both, and the answers are to those.
//   - adaptive: one question at a time. Each request with session_id brings the newest answer, alone, and gets the next
//     question, or after the last the evaluation. See ladder for what comes next.
//   - report: the session as it stands.
//
// Answers are by position, one for each question, blank where there is none. They close the session with their evaluation, which
// later requests get again: those without answers, and those with the same ones. In adaptive the same answer again is one to
// the next question: there clients that send a request twice need an Idempotency-Key.
//
// A request with an Idempotency-Key that was answered within 24 hours gets that answer again, one that is under way
// CodeIdempotency, and so does another request with its key. A request that failed leaves its key free.
//
// Whoever watches gets questions and scores as they are made, in their order, from one goroutine at a time, and those of an earlier
// answer that is given again, too. A nil watch is fine.
//
// Failures are matching.Errors with the codes above, CodeInvalid with every fault at once, CodeFreelancerUnknown, those of
// Freelancers, and others, for which the caller is not to blame. That a model failed is none: see Result.Remarks.
func (s *Service) Conduct(_ context.Context, r Request, _ func(Event)) (Result, error) {
	if err := r.check(); err != nil {
		return Result{}, err
	}
	return Result{}, errors.New("interviews cannot be conducted yet: sessions are being built")
}

// Delete forgets a session, and every answer to a request about it. CodeSessionNotFound.
func (s *Service) Delete(_ context.Context, _, _ string) error {
	return errors.New("sessions cannot be deleted yet: they are being built")
}
