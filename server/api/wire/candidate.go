package wire

import (
	"time"

	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/server/api/validate"
)

// CandidateAnswer is the response of POST /interview with the view candidate.
type CandidateAnswer = Answer[CandidateInterview]

// A CandidateInterview is the part of an Interview that the interviewed person may see: nothing of how answers are
// judged, and no scores.
type CandidateInterview struct {
	Freelancer    Interviewed     `json:"freelancer"`
	Mode          interview.Mode  `json:"mode"`
	SessionID     string          `json:"session_id"`
	State         interview.State `json:"state"`
	Language      string          `json:"language"` // ISO 639-1
	InterviewData CandidateData   `json:"interview_data"`
	CreatedAt     time.Time       `json:"created_at"`
	ExpiresAt     time.Time       `json:"expires_at"`
}

// CandidateData holds the questions and the answers to them, in the same order.
type CandidateData struct {
	Questions []CandidateQuestion `json:"questions"`
	Answers   []string            `json:"answers,omitempty"`
}

// A CandidateQuestion is a question without its rubric, and without its difficulty, which in adaptive interviews
// depends on the score of the answer before.
type CandidateQuestion struct {
	ID    string         `json:"id"`
	Text  string         `json:"text"`
	Skill NullableString `json:"skill"` // null if about the project as a whole
	Kind  NullableString `json:"kind"`  // null for custom questions
}

func newCandidateInterview(r *interview.Result) CandidateInterview {
	return CandidateInterview{
		Freelancer: Interviewed(r.Freelancer),
		Mode:       r.Mode,
		SessionID:  r.SessionID,
		State:      r.State,
		Language:   r.Language,
		InterviewData: CandidateData{
			Questions: Convert(r.Questions, newCandidateQuestion),
			Answers:   Convert(r.Answers, func(a interview.Answer) string { return a.Text }),
		},
		CreatedAt: r.Begun,
		ExpiresAt: r.Expires,
	}
}

func newCandidateQuestion(q interview.Question) CandidateQuestion {
	return CandidateQuestion{ID: q.ID, Text: q.Text, Skill: NullableString(q.Skill), Kind: NullableString(q.Kind)}
}

// A View is the part of an interview that a response has.
type View string

// Interview returns the data of a response at a time.
func (v View) Interview(r *interview.Result, now time.Time) any {
	if v == CandidateView {
		return newCandidateInterview(r)
	}
	return NewInterview(r, now)
}

// Question returns the data of an event.
func (v View) Question(q interview.Question) any {
	if v == CandidateView {
		return newCandidateQuestion(q)
	}
	return newInterviewQuestion(q)
}

// The views that a request can ask for.
const (
	FullView      View = "full"
	CandidateView View = "candidate"
)

// ReadView returns the view that a request asks for.
func ReadView(name *string, faults *validate.Faults) View {
	v := View(valueOr(name, string(FullView)))
	if v != FullView && v != CandidateView {
		faults.Add("view", "unknown_value", "view must be full or candidate; got %s.", validate.Quote(string(v)))
	}
	return v
}
