package sessions

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

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/interview/faults"
)

// overdueTime is how long a session is kept after a time limit at least, so that the server submits what was saved even
// if it wasn't running at that time.
const overdueTime = 24 * time.Hour

// Candidates lets invited people answer the questions of their interviews, and evaluates what they submit. It is safe
// for concurrent use, and several processes can share one Store.
type Candidates struct {
	service *Service
	wake    chan struct{} // has an element if candidates have submitted answers since Run last looked
	turns   turns         // of candidates of adaptive interviews, by session
}

// NewCandidates returns the Candidates of a service.
func NewCandidates(s *Service) *Candidates {
	return &Candidates{service: s, wake: make(chan struct{}, 1)}
}

// refuse returns the error for a refusal about a session with an invitation.
func (se *session) refuse(r interview.Refusal) error {
	return &interview.RefusedError{Refusal: r, Language: se.Invited.Language, SessionID: se.record.ID}
}

// maxWaiting is how many browsers may have opened a link before the candidate agrees. The oldest gives way to a new
// one, and can open the link again.
const maxWaiting = 16

// OpenInvitation opens a link. It returns the candidate with a new secret, which only this browser gets, and when the
// secret becomes useless. A link works in every browser until the candidate agrees in one of them, because scanners of
// mail open links before people do. Its errors are RefusedErrors.
func (s *Candidates) OpenInvitation(ctx context.Context, token string) (interview.Candidate, time.Time, error) {
	record, err := s.service.config.Store.FindInvited(ctx, [sha256.Size]byte(hash(token)), s.service.now())
	if errors.Is(err, interview.ErrNotFound) {
		return interview.Candidate{}, time.Time{}, &interview.RefusedError{Refusal: interview.RefusedUnknown}
	}
	if err != nil {
		return interview.Candidate{}, time.Time{}, err
	}

	c := interview.Candidate{SessionID: record.ID, Browser: rand.Text()}
	var end time.Time
	err = s.service.change(ctx, record.ID, func(se *session) (*audit.Event, error) {
		i := se.Invited
		switch {
		case i == nil || subtle.ConstantTimeCompare(i.Token, hash(token)) == 0: // replaced meanwhile
			return nil, &interview.RefusedError{Refusal: interview.RefusedUnknown}
		case !i.Consented.IsZero():
			return nil, se.refuse(interview.RefusedUsed)
		}

		if err := s.admit(se); err != nil {
			return nil, err
		}
		end = se.record.Expires
		i.Waiting = append(i.Waiting, hash(c.Browser))
		i.Waiting = i.Waiting[max(0, len(i.Waiting)-maxWaiting):]
		if !i.Opened.IsZero() {
			return nil, nil
		}

		i.Opened = s.service.now()
		return se.candidateEvent(i.Opened, audit.InterviewOpened), nil
	})

	return c, end, refusedBy(err)
}

// candidateEvent returns an entry of the audit log about what the candidate did.
func (se *session) candidateEvent(at time.Time, action audit.Action) *audit.Event {
	by := interview.Requester{By: audit.By{Actor: audit.Candidate}, Account: se.record.Account}
	entry := entryBy(by, at, action, se.record.ID)
	return &entry
}

// refusedBy turns the errors of change into refusals.
func refusedBy(err error) error {
	switch {
	case errors.Is(err, interview.ErrNotFound):
		return &interview.RefusedError{Refusal: interview.RefusedUnknown}
	case errors.Is(err, interview.ErrChanged):
		return &interview.RefusedError{Refusal: interview.RefusedBusy}
	}
	return err
}

// admit returns a refusal unless the candidate may go on: see the last page, or answer.
func (s *Candidates) admit(se *session) error {
	now := s.service.now()
	switch i := se.Invited; {
	case !i.Submitted.IsZero():
		return nil
	case !i.Revoked.IsZero():
		return se.refuse(interview.RefusedRevoked)
	case se.Evaluation != nil:
		return se.refuse(interview.RefusedClosed)
	case !i.Deadline.IsZero() && now.After(i.Deadline.Add(interview.Grace)):
		return se.refuse(interview.RefusedTimeOver)
	case i.Deadline.IsZero() && !now.Before(i.Expires):
		return se.refuse(interview.RefusedExpired)
	}
	return nil
}

// identify returns a refusal unless this is the candidate's browser: the one in which the candidate has agreed, or
// before that any one that has opened the invitation.
func (se *session) identify(c interview.Candidate) error {
	i := se.Invited
	if i == nil {
		return &interview.RefusedError{Refusal: interview.RefusedUnknown}
	}

	// Earlier releases stored the first browser that opened the link, and no others.
	known := [][]byte{i.Browser}
	if i.Consented.IsZero() {
		known = append(known, i.Waiting...)
	}
	isThis := func(secret []byte) bool { return subtle.ConstantTimeCompare(secret, hash(c.Browser)) == 1 }
	if c.Browser == "" || !slices.ContainsFunc(known, isThis) {
		return se.refuse(interview.RefusedUsed)
	}

	return nil
}

// Visit returns the current state of a candidate's interview. If the time limit has ended, it submits the answers saved
// so far. Its errors, and those of the other methods for candidates, are RefusedErrors, apart from internal ones.
func (s *Candidates) Visit(ctx context.Context, c interview.Candidate) (interview.Visit, error) {
	return s.act(ctx, c, func(*session) (*audit.Event, error) { return nil, nil })
}

// act changes the session for a candidate who may still answer. Otherwise it only returns the state of the interview,
// or a refusal.
func (s *Candidates) act(
	ctx context.Context, c interview.Candidate, do func(*session) (*audit.Event, error),
) (v interview.Visit, err error) {
	var over error // the refusal after the time limit has ended
	err = s.service.change(ctx, c.SessionID, func(se *session) (entry *audit.Event, err error) {
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
		return interview.Visit{}, err
	}

	if v.Submitted {
		s.notify()
	}

	return v, nil
}

// closeOverdue ends an interview whose time is over: it submits the drafts of an interview with a time limit, unless
// all are blank, and deletes them otherwise. It returns the entry of the audit log if it submits them.
func (s *Candidates) closeOverdue(se *session) *audit.Event {
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
	return slices.ContainsFunc(se.Answers, func(a interview.Answer) bool { return filled(a.Text) }) ||
		slices.ContainsFunc(slices.Collect(maps.Values(se.Invited.Drafts)), func(d Draft) bool { return filled(d.Text) })
}

// submit turns the drafts into answers, which nobody can change anymore.
func (s *Candidates) submit(se *session) *audit.Event {
	i := se.Invited
	now := s.service.now()
	for _, q := range se.Questions[len(se.Answers):] {
		se.answerByCandidate(q.ID, now)
	}
	i.Submitted = now
	i.Drafts = nil
	i.Due = now
	se.keepUntil(now.Add(s.service.config.Lifetime)) // as after the evaluation, which must not be late
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
	se.Answers = append(se.Answers, interview.Answer{
		Question: question, Text: d.Text, At: at, By: interview.ByCandidate, Facts: d.Facts,
	})
	delete(se.Invited.Drafts, question)
}

// Start records that the candidate has agreed, and starts the time limit. From then on, only this browser can continue.
// Starting again changes nothing.
func (s *Candidates) Start(ctx context.Context, c interview.Candidate) (interview.Visit, error) {
	return s.act(ctx, c, func(se *session) (*audit.Event, error) {
		i := se.Invited
		now := s.service.now()
		if !i.Consented.IsZero() {
			return nil, nil
		}

		i.Browser = hash(c.Browser)
		i.Waiting = nil
		i.Consented, i.Due = now, i.Expires
		if i.TimeLimit > 0 {
			i.Deadline = now.Add(i.TimeLimit)
			if i.Deadline.After(i.Expires) {
				i.Deadline = i.Expires
			}
			// A second later than answers are accepted, so that none is missed.
			i.Due = i.Deadline.Add(interview.Grace + time.Second)
			se.keepUntil(i.Due.Add(overdueTime))
		}
		return nil, nil
	})
}

// Save stores a draft of the answer to a question. It ignores questions that the candidate can't answer now. Counts in
// facts never decrease, because the candidate may have several pages with the same question.
func (s *Candidates) Save(
	ctx context.Context, c interview.Candidate, question, text string, facts interview.AnswerFacts,
) (interview.Visit, error) {
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

		isTooLong := utf8.RuneCountInString(text) > interview.MaxAnswer || total > interview.MaxAnswers
		if isTooLong || faults.InvalidText(text) {
			return nil, se.refuse(interview.RefusedTooLong)
		}

		if i.Drafts == nil {
			i.Drafts = map[string]Draft{}
		}
		i.Drafts[question] = Draft{text, mergeFacts(i.Drafts[question].Facts, facts)}
		return nil, nil
	})
}

// mayAnswer reports whether the candidate has started and the answer to a question is not final.
func (se *session) mayAnswer(question string) bool {
	isAsked := func(q interview.Question) bool { return q.ID == question }
	return !se.Invited.Consented.IsZero() && slices.ContainsFunc(se.Questions[len(se.Answers):], isAsked)
}

// Submit makes all drafts final. Run evaluates them. Submitting again changes nothing, and neither does submitting an
// adaptive interview before its last question, unless the time is over.
func (s *Candidates) Submit(ctx context.Context, c interview.Candidate) (interview.Visit, error) {
	return s.act(ctx, c, func(se *session) (*audit.Event, error) {
		switch {
		case se.Invited.Consented.IsZero():
			return nil, nil
		case se.Kind == interview.Adaptive && len(se.Questions) < se.Planned &&
			(se.Invited.Deadline.IsZero() || s.service.now().Before(se.Invited.Deadline)):
			return nil, nil
		case !se.hasText():
			return nil, se.refuse(interview.RefusedEmpty)
		}
		return s.submit(se), nil
	})
}
