package sessions

import (
	"crypto/sha256"
	"time"

	"github.com/freelancer-matching/service/interview"
)

// An invited is the invitation of a stored session, under the names of its fields. It has the drafts of the candidate's
// answers until they are submitted.
type invited struct {
	Token       []byte   // SHA-256 of the link's token
	Browser     []byte   // SHA-256 of the secret of the browser in which the candidate has agreed; nil before
	Waiting     [][]byte `json:",omitempty"` // those of the browsers that have opened the link before that
	Language    string
	ConsentText string
	ReturnURL   string
	TimeLimit   time.Duration // 0 for none

	Expires   time.Time
	Opened    time.Time
	Consented time.Time // the candidate has agreed and started
	Deadline  time.Time // for answers, without the interview.Grace period; zero without a time limit or before the start
	Submitted time.Time
	Revoked   time.Time

	Drafts   map[string]Draft // by the ID of the question
	Due      time.Time        // when Candidates.Settle has something to do; zero for never
	Attempts int              // failed evaluations
}

// A Draft is an answer that the candidate can still change.
type Draft struct {
	Text  string
	Facts interview.AnswerFacts
}

// invitationStatus returns the status of the session's invitation, or nil if it has none.
func (se *session) invitationStatus() *interview.InvitationStatus {
	i := se.Invited
	if i == nil {
		return nil
	}
	return &interview.InvitationStatus{
		Expires: i.Expires, Opened: i.Opened, Consented: i.Consented, Submitted: i.Submitted, Revoked: i.Revoked,
		Deadline: i.Deadline,
	}
}

// closed reports whether the session accepts no more answers: it is evaluated, or the candidate has submitted all
// answers and the evaluation follows.
func (se *session) closed() bool { return se.Evaluation != nil || se.submitted() }

// submitted reports whether the candidate has submitted all answers.
func (se *session) submitted() bool { return se.Invited != nil && !se.Invited.Submitted.IsZero() }

// hash returns the SHA-256 of a secret.
func hash(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}
