package sessions

import (
	"context"
	"errors"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
)

// Conduct carries out a request according to its mode:
//
//   - ai_questions starts a session with generated questions. With session_id, it returns the same questions again.
//   - ai_full does the same. With answers to a session of ai_questions or ai_full, it evaluates them. Answers require
//     session_id, because nobody can answer questions before seeing them.
//   - custom_full asks the client's questions. It evaluates answers, which arrive with the questions or later with
//     session_id.
//   - hybrid asks generated questions, then the client's. The session keeps both, and the answers must cover both.
//   - adaptive asks one question at a time. Each request with session_id brings the answer to the last question and
//     returns the next question, or the evaluation after the last one. See nextAim for the choice of questions.
//   - report returns the session's current state.
//
// Answers are listed in the order of the questions, with a blank answer for each skipped question. Evaluating them
// closes the session. Later requests without answers, or with the same answers, get the same evaluation. In adaptive
// mode, however, repeating an answer answers the next question, so clients that retry requests need an Idempotency-Key.
//
// A request that gets answers of earlier requests leaves an entry in the audit log, at most one per session, requester
// and day.
//
// If a request with the same Idempotency-Key succeeded within the last 24 hours, Conduct returns the same result. If
// that request is still running, or differs from r, Conduct returns CodeIdempotency. A failed request releases its key.
//
// Conduct calls watch, unless it is nil, with each question, score and notice: one at a time, in order, as soon as it
// is ready. A stored result is reported in the same way.
//
// Conduct returns a matching.Error with one of this package's codes, with CodeInvalid and all faults of the request, or
// from Freelancers. Other errors are internal. The failure of a model is not an error; Result.Remarks reports it.
func (s *Service) Conduct(
	ctx context.Context, r interview.Request, watch func(interview.Event),
) (interview.Result, error) {
	if err := s.Check(&r); err != nil {
		return interview.Result{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, lease)
	defer cancel()

	t := &task{Service: s, request: &r, modelDeadline: time.Now().Add(s.config.ModelTimeout), watcher: watch}
	earlier, err := t.claim(ctx)
	if err != nil {
		return interview.Result{}, err
	}

	// A client that reconnects with the same key gets the events again, too.
	if earlier != nil {
		t.replayEvents(earlier)
		return t.withWebhook(ctx, earlier)
	}

	result, err := t.execute(ctx)
	if err != nil {
		t.release(ctx)
		return interview.Result{}, err
	}

	return t.withWebhook(ctx, &result)
}

// A task is the execution of one request.
type task struct {
	*Service
	request       *interview.Request
	session       *session
	claimed       *interview.Claim // nil without an Idempotency-Key
	modelDeadline time.Time        // for all askers and judges that have a fallback
	watcher       func(interview.Event)
}

// limit returns a context with the time limit for the i-th of n askers or judges. The last one, which has no fallback,
// may use all the time of the request.
func (t *task) limit(ctx context.Context, i, n int) (context.Context, context.CancelFunc) {
	if i == n-1 {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, t.modelDeadline)
}

// id returns the session's ID. It may appear in logs, because it is useless without a key of its account.
func (t *task) id() string { return t.session.record.ID }

// emit sends an event to the watcher.
func (t *task) emit(e interview.Event) {
	if t.watcher != nil {
		e.SessionID = t.id()
		t.watcher(e)
	}
}

// addNotice adds a notice to the session and emits it, unless the session already has it.
func (t *task) addNotice(code interview.NoticeCode, args ...any) {
	n := t.session.newNotice(code, args...)
	if t.session.addNotice(n) {
		t.emit(interview.Event{Notice: &n})
	}
}

// replayEvents emits the events that led to a stored result.
func (t *task) replayEvents(r *interview.Result) {
	t.session = &session{record: interview.Record{ID: r.SessionID}}
	for i := range r.Questions {
		t.emit(interview.Event{Question: &r.Questions[i]})
	}
	for i := range r.Remarks {
		t.emit(interview.Event{Notice: &r.Remarks[i]})
	}
	if r.Evaluation == nil {
		return
	}
	for i := range r.Evaluation.Scores {
		t.emit(interview.Event{Score: &r.Evaluation.Scores[i]})
	}
}

// execute carries out the request. If another request changed the session at the same time, execute compares the
// answers with the session's new state, because the other request may have evaluated the same answers.
func (t *task) execute(ctx context.Context) (interview.Result, error) {
	if t.request.SessionID == "" {
		return t.start(ctx)
	}
	result, err := t.resume(ctx)
	if !errors.Is(err, interview.ErrChanged) {
		return result, err
	}
	if err := t.load(ctx); err != nil {
		return interview.Result{}, err
	}
	if !t.session.closed() {
		return interview.Result{}, &matching.Error{
			Code:    interview.CodeSessionChanged,
			Message: "Another request changed the session at the same time. Read its state with mode report, then answer again.",
			Cause:   err,
		}
	}
	return t.report(ctx)
}

// start starts a session.
func (t *task) start(ctx context.Context) (interview.Result, error) {
	// The size is checked before a model does any work. Only the client's own texts are known by now.
	texts := []string{t.request.ProjectDescription}
	for _, q := range clientQuestions(t.request) {
		texts = append(texts, q.Text, q.ExpectedAnswer)
	}

	if err := t.checkLimits(ctx, 0, interview.TotalLength(append(texts, t.request.ProvidedAnswers...))); err != nil {
		return interview.Result{}, err
	}

	var err error
	if t.session, err = t.newSession(ctx, t.request); err != nil {
		return interview.Result{}, err
	}

	se := t.session
	if err := se.setWebhook(t.request.Webhook); err != nil {
		return interview.Result{}, err
	}

	// newSession has added notices without emitting them.
	for i := range se.Notices {
		t.emit(interview.Event{Notice: &se.Notices[i]})
	}

	switch se.Kind {
	case interview.CustomFull:
		t.addClientQuestions()
	case interview.Adaptive:
		err = t.generate(ctx, 1, se.nextAim())
	default:
		if err = t.generate(ctx, se.Planned, interview.Aim{Skills: spread(se.Subject.Skills, se.Planned)}); err == nil {
			t.addClientQuestions()
		}
	}

	if err != nil {
		return interview.Result{}, err
	}

	if len(t.request.ProvidedAnswers) > 0 { // only custom_full allows answers here
		t.answer(t.request.ProvidedAnswers)
		if err := t.evaluate(ctx); err != nil {
			return interview.Result{}, err
		}
	}

	return t.save(ctx)
}

// resume carries out a request that names a session.
func (t *task) resume(ctx context.Context) (interview.Result, error) {
	if err := t.load(ctx); err != nil {
		return interview.Result{}, err
	}
	if t.session.closed() || len(t.request.ProvidedAnswers) == 0 {
		return t.report(ctx)
	}
	growth := interview.TotalLength(t.request.ProvidedAnswers)
	if err := t.checkLimits(ctx, len(t.session.record.Data), growth); err != nil {
		return interview.Result{}, err
	}

	t.answer(t.request.ProvidedAnswers)

	var err error
	if t.session.Kind == interview.Adaptive {
		err = t.advance(ctx)
	} else {
		err = t.evaluate(ctx)
	}
	if err != nil {
		return interview.Result{}, err
	}

	return t.save(ctx)
}

// load reads the request's session and checks the request against it.
func (t *task) load(ctx context.Context) error {
	se, err := t.find(ctx, t.request.Account, t.request.SessionID)
	if err != nil {
		return err
	}
	t.session = se
	if err := t.session.check(t.request); err != nil {
		return err
	}
	return t.auditReading(ctx, &t.request.By, t.session)
}

// report returns the session's state for a request that doesn't change the session.
func (t *task) report(ctx context.Context) (interview.Result, error) {
	se := t.session
	if len(t.request.ProvidedAnswers) > 0 && !se.hasAnswers(t.request.ProvidedAnswers) {
		return interview.Result{}, errClosed()
	}
	result := se.result(t.request.Mode)
	settled, err := t.settledClaim()
	if err != nil {
		return interview.Result{}, err
	}
	if settled != nil {
		if err := t.config.Store.Settle(ctx, *settled); err != nil {
			return interview.Result{}, err
		}
	}
	t.replayEvents(&result)
	return result, nil
}

// answer adds answers to the questions that don't have one yet.
func (t *task) answer(texts []string) {
	se := t.session
	now := t.now()
	for _, text := range texts {
		se.Answers = append(se.Answers, interview.Answer{Question: se.Questions[len(se.Answers)].ID, Text: text, At: now})
	}
}

// advance judges the last answer of an adaptive interview. It then asks the next question, or evaluates the session
// after the last question.
func (t *task) advance(ctx context.Context) error {
	se := t.session
	last := len(se.Answers) - 1
	scores, _, err := t.judge(ctx, se.Questions[last:], se.Answers[last:], nil)
	if err != nil {
		return err
	}
	se.Scores = append(se.Scores, scores...)

	if len(se.Answers) < se.Planned {
		err := t.generate(ctx, 1, se.nextAim())
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return err
		}

		// Without a further question, the answers so far are still worth an evaluation.
		t.config.Log.WarnContext(ctx, "adaptive interview ends early", "session", t.id(), "error", err)
		t.truncatePlan()
	}

	return t.evaluate(ctx)
}

// save stores the session and, with an Idempotency-Key, the result of the request.
func (t *task) save(ctx context.Context) (interview.Result, error) {
	record, err := t.session.encode()
	if err != nil {
		return interview.Result{}, err
	}

	// Session and result are stored in one step, so a request with the same key finds both or neither.
	settled, err := t.settledClaim()
	if err != nil {
		return interview.Result{}, err
	}

	if record.Version == 1 {
		err = t.config.Store.Insert(ctx, record, t.request.Limits, t.now(), settled)
	} else {
		err = t.config.Store.Update(ctx, record, t.request.Limits, t.now(), settled)
	}

	if err != nil {
		return interview.Result{}, t.limitError(ctx, err)
	}

	if record.Message != nil {
		t.config.Notify()
	}

	return t.session.result(t.request.Mode), nil
}
