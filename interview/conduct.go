package interview

import (
	"context"
	"errors"
	"fmt"

	"freelancer-matching/internal/matching"
)

// Conduct does what a request asks for, by its mode:
//
//   - ai_questions: without session_id, a new session with generated questions; with it, the same questions again.
//   - ai_full: the same, and with answers to a session of ai_questions or ai_full their evaluation. Answers need a session: nobody
//     can answer questions that he has not seen.
//   - custom_full: the client's questions; with answers, at once or later by session_id, their evaluation.
//   - hybrid: generated questions, then the client's. The session keeps both, and the answers are to those.
//   - adaptive: one question at a time. Each request with session_id brings the newest answer, alone, and gets the next
//     question, or after the last the evaluation. See nextAim for what comes next.
//   - report: the session as it stands.
//
// Answers are by position, one for each question, blank where there is none. They close the session with their evaluation, which
// later requests get again: those without answers, and those with the same ones. In adaptive the same answer again is one to
// the next question: there clients that may send a request twice need an Idempotency-Key.
//
// A request with an Idempotency-Key that was answered within 24 hours gets that answer again; while it is under way it gets
// CodeIdempotency, and so does another request with its key at any time. A request that failed leaves its key free.
//
// Whoever watches gets questions and scores as they are made, in their order, one at a time, and those of an earlier answer that
// is given again, too. A nil watch is fine.
//
// Failures are matching.Errors with the codes of this package, CodeInvalid with every fault at once, those of Freelancers, and
// others, for which the caller is not to blame. That a model failed is none: see Result.Remarks.
func (s *Service) Conduct(ctx context.Context, r Request, watch func(Event)) (Result, error) {
	if err := r.check(s.config.MaxQuestions); err != nil {
		return Result{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, lease)
	defer cancel()
	patient, stop := context.WithTimeout(ctx, s.config.Patience)
	defer stop()
	t := &task{Service: s, request: &r, patient: patient, watcher: watch}
	earlier, err := t.claim(ctx)
	if err != nil {
		return Result{}, err
	}
	if earlier != nil {
		t.replay(earlier)
		return *earlier, nil
	}
	result, err := t.carryOut(ctx)
	if err != nil {
		t.release(ctx)
		return Result{}, err
	}
	return result, nil
}

// Delete forgets a session of an account, and what was answered to requests about it. CodeSessionNotFound.
func (s *Service) Delete(ctx context.Context, account, id string) error {
	err := s.config.Store.Delete(ctx, account, id)
	if errors.Is(err, ErrNotFound) {
		return errNotFound()
	}
	return err
}

// task is a request being carried out.
type task struct {
	*Service
	request *Request
	session *session
	claimed *Claim          // nil: no Idempotency-Key
	patient context.Context // of askers and judges that are not the last
	watcher func(Event)
}

// within is how long asker or judge i of n may take.
func (t *task) within(ctx context.Context, i, n int) context.Context {
	if i == n-1 {
		return ctx
	}
	return t.patient
}

// id is the session's, for logs, too: it is of no use without a key of its account.
func (t *task) id() string { return t.session.record.ID }

// watch tells whoever watches.
func (t *task) watch(e Event) {
	if t.watcher != nil {
		e.SessionID = t.id()
		t.watcher(e)
	}
}

// tell remembers that something happened, and tells it once.
func (t *task) tell(n Notice) {
	if t.session.notice(n) {
		t.watch(Event{Notice: &n})
	}
}

// replay tells whoever watches what was told before.
func (t *task) replay(r *Result) {
	t.session = &session{record: Record{ID: r.SessionID}}
	for i := range r.Questions {
		t.watch(Event{Question: &r.Questions[i]})
	}
	for i := range r.Remarks {
		t.watch(Event{Notice: &r.Remarks[i]})
	}
	if r.Evaluation == nil {
		return
	}
	for i := range r.Evaluation.Scores {
		t.watch(Event{Score: &r.Evaluation.Scores[i]})
	}
}

// carryOut does what the request asks for. Where another one changed the session meanwhile the answers stand against what it is
// now: they may be those that were evaluated.
func (t *task) carryOut(ctx context.Context) (Result, error) {
	if t.request.SessionID == "" {
		return t.start(ctx)
	}
	result, err := t.goOn(ctx)
	if !errors.Is(err, ErrChanged) {
		return result, err
	}
	if err := t.load(ctx); err != nil {
		return Result{}, err
	}
	if t.session.Evaluation == nil {
		return Result{}, &matching.Error{
			Code:    CodeSessionChanged,
			Message: "another request changed the session meanwhile: see how it stands with mode report, then answer again",
			Cause:   err,
		}
	}
	return t.again(ctx)
}

// start begins a session.
func (t *task) start(ctx context.Context) (Result, error) {
	var err error
	if t.session, err = t.begin(ctx, t.request); err != nil {
		return Result{}, err
	}
	se := t.session
	for i := range se.Notices {
		t.watch(Event{Notice: &se.Notices[i]})
	}
	switch se.Kind {
	case CustomFull:
		t.addOwn()
	case Adaptive:
		err = t.generate(ctx, 1, se.nextAim())
	default:
		if err = t.generate(ctx, se.Planned, Aim{Skills: spread(se.Subject.Skills, se.Planned)}); err == nil {
			t.addOwn()
		}
	}
	if err != nil {
		return Result{}, err
	}
	if len(t.request.ProvidedAnswers) > 0 { // in custom_full
		t.answer(t.request.ProvidedAnswers)
		if err := t.evaluate(ctx); err != nil {
			return Result{}, err
		}
	}
	return t.save(ctx)
}

// goOn is for a request with a session.
func (t *task) goOn(ctx context.Context) (Result, error) {
	if err := t.load(ctx); err != nil {
		return Result{}, err
	}
	if t.session.Evaluation != nil || len(t.request.ProvidedAnswers) == 0 {
		return t.again(ctx)
	}
	t.answer(t.request.ProvidedAnswers)
	var err error
	if t.session.Kind == Adaptive {
		err = t.advance(ctx)
	} else {
		err = t.evaluate(ctx)
	}
	if err != nil {
		return Result{}, err
	}
	return t.save(ctx)
}

// load reads the session that the request names, and holds the request to it.
func (t *task) load(ctx context.Context) error {
	if !isID(t.request.SessionID) {
		return errNotFound()
	}
	record, err := t.config.Store.Find(ctx, t.request.SessionID, t.now())
	if errors.Is(err, ErrNotFound) || err == nil && record.Account != t.request.Account {
		return errNotFound()
	}
	if err != nil {
		return err
	}
	if t.session, err = decode(record); err != nil {
		return err
	}
	return t.session.check(t.request)
}

// again is the session as it stands, for a request that brings nothing new.
func (t *task) again(ctx context.Context) (Result, error) {
	se := t.session
	if len(t.request.ProvidedAnswers) > 0 && !se.has(t.request.ProvidedAnswers) {
		return Result{}, &matching.Error{
			Code:    CodeSessionClosed,
			Message: "the session is evaluated and takes no new answers: see it with mode report, or begin another one",
		}
	}
	result := se.result(t.request.Mode)
	if t.claimed != nil {
		settled, err := t.settled(&result)
		if err != nil {
			return Result{}, err
		}
		if err := t.config.Store.Settle(ctx, *settled); err != nil {
			return Result{}, err
		}
	}
	t.replay(&result)
	return result, nil
}

// answer adds answers to the questions that have none.
func (t *task) answer(texts []string) {
	se, now := t.session, t.now()
	for _, text := range texts {
		se.Answers = append(se.Answers, Answer{Question: se.Questions[len(se.Answers)].ID, Text: text, At: now})
	}
}

// advance judges the newest answer of an adaptive interview, and asks the next question, or evaluates it where it was the last.
func (t *task) advance(ctx context.Context) error {
	se := t.session
	newest := len(se.Answers) - 1
	scores, _, err := t.judge(ctx, se.Questions[newest:], se.Answers[newest:], nil)
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
		t.config.Log.WarnContext(ctx, "an adaptive interview ends early", "session", t.id(), "error", err)
		t.fewer()
	}
	return t.evaluate(ctx)
}

// save stores the session with what became of it, and the answer to the request with it.
func (t *task) save(ctx context.Context) (Result, error) {
	record, err := t.session.encode()
	if err != nil {
		return Result{}, err
	}
	result := t.session.result(t.request.Mode)
	settled, err := t.settled(&result)
	if err != nil {
		return Result{}, err
	}
	if record.Version == 1 {
		err = t.config.Store.Insert(ctx, record, t.config.MaxOpen, t.now(), settled)
	} else {
		err = t.config.Store.Update(ctx, record, settled)
	}
	if errors.Is(err, ErrTooMany) {
		return Result{}, &matching.Error{
			Code:    CodeTooManySessions,
			Message: fmt.Sprintf("there are %d open sessions already: evaluate or delete some; they end after 30 days", t.config.MaxOpen),
			Cause:   err,
		}
	}
	return result, err
}
