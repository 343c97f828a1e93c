package interview

import (
	"strings"
	"time"
)

// A Refusal is the reason why a candidate can't continue.
type Refusal string

// The refusals.
const (
	RefusedUnknown  Refusal = "unknown"  // no such link: mistyped, replaced, or its session was deleted or expired
	RefusedUsed     Refusal = "used"     // the candidate has agreed in another browser
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

// A Candidate is a browser that has opened an invitation.
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
