package interview

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"freelancer-matching/access/audit"
	"freelancer-matching/internal/matching"
)

// grace is how long after the deadline answers are still accepted: the time that the last of them may need to arrive.
const grace = 30 * time.Second

// overdueTime is how long a session is kept after a time limit at least, so that the server submits what was saved even
// if it wasn't running at that time.
const overdueTime = 24 * time.Hour

// A Refusal is the reason why a candidate can't continue.
type Refusal string

// The refusals.
const (
	RefusedUnknown  Refusal = "unknown"  // no such link: mistyped, replaced, or its session was deleted or expired
	RefusedUsed     Refusal = "used"     // another browser has opened the link
	RefusedExpired  Refusal = "expired"  // the invitation
	RefusedRevoked  Refusal = "revoked"  // the invitation
	RefusedClosed   Refusal = "closed"   // the session was answered in another way
	RefusedTimeOver Refusal = "timeover" // the time limit ended without an answer
	RefusedTooLong  Refusal = "toolong"  // the answer, or all answers together
	RefusedEmpty    Refusal = "empty"    // no question has an answer
	RefusedBusy     Refusal = "busy"     // other requests changed the session at the same time
)

// A RefusedError is the error of the methods for candidates.
type RefusedError struct {
	Refusal   Refusal
	Language  string // of the invitation; "" if unknown
	SessionID string // "" if unknown
}

// Error implements error.
func (e *RefusedError) Error() string { return "candidate refused: " + string(e.Refusal) }

// refuse returns the error for a refusal about a session with an invitation.
func (se *session) refuse(r Refusal) error {
	return &RefusedError{r, se.Invited.Language, se.record.ID}
}

// A Candidate is the browser that has opened an invitation.
type Candidate struct {
	SessionID string
	Browser   string // the secret that OpenInvitation has returned
}

// A Visit is what a candidate may know about the interview. It has nothing of the rubrics and the evaluation.
type Visit struct {
	SessionID   string
	Account     string
	Project     string // a title; "" if unknown
	Language    string // of the pages
	SpokenIn    string // the language of the questions
	ConsentText string // "" for the default
	ReturnURL   string
	Adaptive    bool // one question at a time, and no way back
	Questions   []CandidateQuestion
	Planned     int // total number of questions
	Answered    int // the first questions whose answers are final; only in adaptive interviews
	TimeLimit   time.Duration
	Expires     time.Time // of the invitation
	Deadline    time.Time // zero for none
	Now         time.Time
	Retention   time.Duration // of the session after its evaluation
	Started     bool
	Submitted   bool
}

// A CandidateQuestion is a question with the draft of its answer.
type CandidateQuestion struct {
	ID, Text string
	Answer   string
	Facts    AnswerFacts
}

// Blank reports whether the question has no answer.
func (q *CandidateQuestion) Blank() bool { return strings.TrimSpace(q.Answer) == "" }

// Last reports whether no further question follows those in the visit.
func (v *Visit) Last() bool { return len(v.Questions) >= v.Planned }

// hasNext reports whether the candidate can go on to a next question.
func (v *Visit) hasNext() bool { return v.Adaptive && v.Started && !v.Submitted && !v.Last() }

// maxTitle is the maximum number of characters of a project's title.
const maxTitle = 120

func (s *Service) visit(se *session) Visit {
	i := se.Invited
	v := Visit{
		SessionID: se.record.ID, Account: se.record.Account, Project: se.Subject.title(),
		Language: i.Language, SpokenIn: se.Subject.Language, ConsentText: i.ConsentText, ReturnURL: i.ReturnURL,
		Adaptive: se.Kind == Adaptive, Planned: len(se.Questions), Answered: len(se.Answers),
		TimeLimit: i.TimeLimit, Expires: i.Expires, Deadline: i.Deadline, Now: s.now(), Retention: s.config.Lifetime,
		Started: !i.Consented.IsZero(), Submitted: se.submitted(),
	}

	// A fixed form shows all its questions from the start; an adaptive one grows up to its plan.
	if v.Adaptive {
		v.Planned = max(se.Planned, len(se.Questions))
	}

	// The first questions may have final answers; the others have drafts at most.
	for n, q := range se.Questions {
		shown := CandidateQuestion{ID: q.ID, Text: q.Text}
		if n < len(se.Answers) {
			shown.Answer = se.Answers[n].Text
			shown.Facts = se.Answers[n].Facts
		} else if d, ok := i.Drafts[q.ID]; ok {
			shown.Answer = d.Text
			shown.Facts = d.Facts
		}

		v.Questions = append(v.Questions, shown)
	}

	return v
}

// title returns the job title, or else the first line of the project description if it is short enough for a title.
func (s *Subject) title() string {
	line, _, _ := strings.Cut(s.Project, "\n")
	if line = strings.TrimSpace(line); s.JobTitle == "" && utf8.RuneCountInString(line) <= maxTitle {
		return line
	}
	return s.JobTitle
}

// OpenInvitation uses up the token of a link. It returns the candidate with a new secret, which only this browser gets,
// and when the secret becomes useless. Its errors are RefusedErrors.
func (s *Service) OpenInvitation(ctx context.Context, token string) (Candidate, time.Time, error) {
	record, err := s.config.Store.FindInvited(ctx, [sha256.Size]byte(hash(token)), s.now())
	if errors.Is(err, ErrNotFound) {
		return Candidate{}, time.Time{}, &RefusedError{Refusal: RefusedUnknown}
	}
	if err != nil {
		return Candidate{}, time.Time{}, err
	}

	// Two browsers may open the same link at once. The change decides which of them was first.
	c := Candidate{record.ID, rand.Text()}
	var end time.Time
	err = s.change(ctx, record.ID, func(se *session) (*audit.Event, error) {
		i := se.Invited
		switch {
		case i == nil || subtle.ConstantTimeCompare(i.Token, hash(token)) == 0: // replaced meanwhile
			return nil, &RefusedError{Refusal: RefusedUnknown}
		case i.Browser != nil:
			return nil, se.refuse(RefusedUsed)
		}

		if err := s.admit(se); err != nil {
			return nil, err
		}
		i.Browser, i.Opened, end = hash(c.Browser), s.now(), se.record.Expires
		return se.candidateEvent(s.now(), audit.InterviewOpened), nil
	})

	return c, end, refusedBy(err)
}

// candidateEvent returns an entry of the audit log about what the candidate did.
func (se *session) candidateEvent(at time.Time, action audit.Action) *audit.Event {
	by := Requester{By: audit.By{Actor: audit.Candidate}, Account: se.record.Account}
	entry := by.event(at, action, se.record.ID)
	return &entry
}

// refusedBy turns the errors of change into refusals.
func refusedBy(err error) error {
	switch {
	case errors.Is(err, ErrNotFound):
		return &RefusedError{Refusal: RefusedUnknown}
	case errors.Is(err, ErrChanged):
		return &RefusedError{Refusal: RefusedBusy}
	}
	return err
}

// admit returns a refusal unless the candidate may go on: see the last page, or answer.
func (s *Service) admit(se *session) error {
	now := s.now()
	switch i := se.Invited; {
	case !i.Submitted.IsZero():
		return nil
	case !i.Revoked.IsZero():
		return se.refuse(RefusedRevoked)
	case se.Evaluation != nil:
		return se.refuse(RefusedClosed)
	case !i.Deadline.IsZero() && now.After(i.Deadline.Add(grace)):
		return se.refuse(RefusedTimeOver)
	case i.Deadline.IsZero() && !now.Before(i.Expires):
		return se.refuse(RefusedExpired)
	}
	return nil
}

// identify returns a refusal unless this candidate's browser has opened the session's invitation.
func (se *session) identify(c Candidate) error {
	switch i := se.Invited; {
	case i == nil:
		return &RefusedError{Refusal: RefusedUnknown}
	case c.Browser == "" || subtle.ConstantTimeCompare(i.Browser, hash(c.Browser)) == 0:
		return se.refuse(RefusedUsed)
	}
	return nil
}

// Visit returns the current state of a candidate's interview. If the time limit has ended, it submits the answers saved
// so far. Its errors, and those of the other methods for candidates, are RefusedErrors, apart from internal ones.
func (s *Service) Visit(ctx context.Context, c Candidate) (Visit, error) {
	return s.act(ctx, c, func(*session) (*audit.Event, error) { return nil, nil })
}

// act changes the session for a candidate who may still answer. Otherwise it only returns the state of the interview,
// or a refusal.
func (s *Service) act(
	ctx context.Context, c Candidate, do func(*session) (*audit.Event, error),
) (v Visit, err error) {
	var over error // the refusal after the time limit has ended
	err = s.change(ctx, c.SessionID, func(se *session) (entry *audit.Event, err error) {
		// change calls this function again if another request was faster.
		over = nil
		if err := se.identify(c); err != nil {
			return nil, err
		}

		// A refused candidate may have left drafts that are due. These are submitted or deleted, and stored like that,
		// before the candidate gets the refusal.
		switch refused := s.admit(se); {
		case refused != nil && se.Invited.Due.IsZero():
			return nil, refused
		case refused != nil:
			if entry = s.closeOverdue(se); entry == nil {
				over = refused
			}

		case !se.submitted():
			if entry, err = do(se); err != nil {
				return nil, err
			}
		}

		v = s.visit(se)
		return entry, nil
	})
	if err = refusedBy(err); err == nil {
		err = over
	}

	if err != nil {
		return Visit{}, err
	}

	if v.Submitted {
		s.notify()
	}

	return v, nil
}

// closeOverdue ends an interview whose time is over: it submits the drafts of an interview with a time limit, unless
// all are blank, and deletes them otherwise. It returns the entry of the audit log if it submits them.
func (s *Service) closeOverdue(se *session) *audit.Event {
	i := se.Invited
	mayStillSubmit := i.TimeLimit > 0 && i.Revoked.IsZero() && se.Evaluation == nil
	if mayStillSubmit && se.hasText() {
		return s.submit(se)
	}

	i.Drafts = nil
	i.Due = time.Time{}
	return nil
}

// hasText reports whether any question has an answer or a draft that is not blank.
func (se *session) hasText() bool {
	filled := func(text string) bool { return strings.TrimSpace(text) != "" }
	return slices.ContainsFunc(se.Answers, func(a Answer) bool { return filled(a.Text) }) ||
		slices.ContainsFunc(slices.Collect(maps.Values(se.Invited.Drafts)), func(d Draft) bool { return filled(d.Text) })
}

// submit turns the drafts into answers, which nobody can change anymore.
func (s *Service) submit(se *session) *audit.Event {
	i := se.Invited
	now := s.now()
	for _, q := range se.Questions[len(se.Answers):] {
		se.answerByCandidate(q.ID, now)
	}
	i.Submitted = now
	i.Drafts = nil
	i.Due = now
	se.keepUntil(now.Add(s.config.Lifetime)) // as after the evaluation, which must not be late
	return se.candidateEvent(now, audit.InterviewSubmitted)
}

// keepUntil keeps the session from expiring before a time.
func (se *session) keepUntil(at time.Time) {
	if se.record.Expires.Before(at) {
		se.record.Expires = at
	}
}

// answerByCandidate adds the draft for a question to the answers.
func (se *session) answerByCandidate(question string, at time.Time) {
	d := se.Invited.Drafts[question]
	se.Answers = append(se.Answers, Answer{Question: question, Text: d.Text, At: at, By: ByCandidate, Facts: d.Facts})
	delete(se.Invited.Drafts, question)
}

// Start records that the candidate has agreed, and starts the time limit. Starting again changes nothing.
func (s *Service) Start(ctx context.Context, c Candidate) (Visit, error) {
	return s.act(ctx, c, func(se *session) (*audit.Event, error) {
		i := se.Invited
		now := s.now()
		if !i.Consented.IsZero() {
			return nil, nil
		}

		i.Consented, i.Due = now, i.Expires
		if i.TimeLimit > 0 {
			i.Deadline = now.Add(i.TimeLimit)
			if i.Deadline.After(i.Expires) {
				i.Deadline = i.Expires
			}
			// A second later than answers are accepted, so that none is missed.
			i.Due = i.Deadline.Add(grace + time.Second)
			se.keepUntil(i.Due.Add(overdueTime))
		}
		return nil, nil
	})
}

// Save stores a draft of the answer to a question. It ignores questions that the candidate can't answer now. Counts in
// facts never decrease, because the candidate may have several pages with the same question.
func (s *Service) Save(ctx context.Context, c Candidate, question, text string, facts AnswerFacts) (Visit, error) {
	return s.act(ctx, c, func(se *session) (*audit.Event, error) {
		if !se.mayAnswer(question) {
			return nil, nil
		}

		i := se.Invited

		// The drafts of other questions count, too, but not the draft that this text replaces.
		total := len(text)
		for _, q := range se.Questions[len(se.Answers):] {
			if q.ID != question {
				total += len(i.Drafts[q.ID].Text)
			}
		}
		for _, a := range se.Answers {
			total += len(a.Text)
		}

		isTooLong := utf8.RuneCountInString(text) > MaxAnswer || total > MaxAnswers
		if isTooLong || invalidText(text) {
			return nil, se.refuse(RefusedTooLong)
		}

		if i.Drafts == nil {
			i.Drafts = map[string]Draft{}
		}
		i.Drafts[question] = Draft{text, i.Drafts[question].Facts.merge(facts)}
		return nil, nil
	})
}

// mayAnswer reports whether the candidate has started and the answer to a question is not final.
func (se *session) mayAnswer(question string) bool {
	return !se.Invited.Consented.IsZero() && slices.ContainsFunc(se.Questions[len(se.Answers):], func(q Question) bool {
		return q.ID == question
	})
}

// The largest counts in AnswerFacts. Others are ignored.
const (
	maxSeconds    = 30 * 24 * 60 * 60
	maxCharacters = 10_000_000
	maxPastes     = 100_000
)

// merge returns the larger of both counts. Counts of b out of range are ignored.
func (a AnswerFacts) merge(b AnswerFacts) AnswerFacts {
	larger := func(into *matching.Optional[int], count matching.Optional[int], limit int) {
		isPlausible := count.Known && count.Value >= 0 && count.Value <= limit
		isLarger := !into.Known || count.Value > into.Value
		if isPlausible && isLarger {
			*into = count
		}
	}
	larger(&a.Seconds, b.Seconds, maxSeconds)
	larger(&a.TypedCharacters, b.TypedCharacters, maxCharacters)
	larger(&a.PastedCharacters, b.PastedCharacters, maxCharacters)
	larger(&a.Pastes, b.Pastes, maxPastes)
	return a
}

// Next makes the draft for a question of an adaptive interview final, and asks the next question. It does nothing if
// the answer is already final, and for the last question, whose answer Submit makes final. The judge and the asker may
// take as long as for a request to the API. Calls for the same session wait for each other, so that a candidate who
// sends a form many times doesn't cause as many judgments.
func (s *Service) Next(ctx context.Context, c Candidate, question string) (Visit, error) {
	leave, err := s.turns.take(ctx, c.SessionID)
	if err != nil {
		return Visit{}, err
	}
	defer leave()

	for range 2 { // another process may change the session meanwhile
		var v Visit
		if v, err = s.Visit(ctx, c); err != nil || !v.hasNext() {
			return v, err
		}

		var se *session
		if se, err = s.load(ctx, c.SessionID); err != nil {
			return Visit{}, refusedBy(err)
		}

		// The session may have changed since Visit read it.
		if !se.mayAnswer(question) || se.closed() {
			return s.Visit(ctx, c)
		}

		se.answerByCandidate(question, s.now())
		t := s.taskOf(se)
		if err = t.advance(ctx); err != nil {
			return Visit{}, err
		}

		if se.Evaluation != nil { // no further question could be asked
			se.Invited.Submitted = s.now()
			se.Invited.Due = time.Time{}
		}

		if _, err = t.save(ctx); !errors.Is(err, ErrChanged) {
			break
		}
	}

	if err != nil {
		return Visit{}, refusedBy(err)
	}

	return s.Visit(ctx, c)
}

// load reads a session.
func (s *Service) load(ctx context.Context, id string) (*session, error) {
	r, err := s.config.Store.Find(ctx, id, s.now())
	if err != nil {
		return nil, err
	}
	return decode(r)
}

// taskOf returns a task that continues a session for its candidate. The account's limits were checked when the
// candidate was invited.
func (s *Service) taskOf(se *session) *task {
	r := &Request{
		Account: se.record.Account, SessionID: se.record.ID, Mode: se.Kind, FreelancerID: se.Subject.Freelancer.ID,
	}
	return &task{Service: s, request: r, session: se, modelDeadline: time.Now().Add(s.config.ModelTimeout)}
}

// Submit makes all drafts final. Run evaluates them. Submitting again changes nothing, and neither does submitting an
// adaptive interview before its last question, unless the time is over.
func (s *Service) Submit(ctx context.Context, c Candidate) (Visit, error) {
	return s.act(ctx, c, func(se *session) (*audit.Event, error) {
		switch {
		case se.Invited.Consented.IsZero():
			return nil, nil
		case se.Kind == Adaptive && len(se.Questions) < se.Planned &&
			(se.Invited.Deadline.IsZero() || s.now().Before(se.Invited.Deadline)):
			return nil, nil
		case !se.hasText():
			return nil, se.refuse(RefusedEmpty)
		}
		return s.submit(se), nil
	})
}
