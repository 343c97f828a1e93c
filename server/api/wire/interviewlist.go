package wire

import (
	"time"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
)

// InterviewListAnswer is the response of GET /interviews.
type InterviewListAnswer struct {
	Status     string             `json:"status"` // success
	Data       []InterviewSummary `json:"data"`
	NextCursor NullableString     `json:"next_cursor"` // null on the last page
	Damaged    int                `json:"damaged"`     // sessions left out because their stored data is damaged
	RequestID  string             `json:"request_id"`
	TookMS     float64            `json:"took_ms"`
}

// An InterviewSummary is an interview in a list, without questions and answers.
type InterviewSummary struct {
	SessionID            string                  `json:"session_id"`
	Freelancer           Interviewed             `json:"freelancer"`
	JobTitle             string                  `json:"job_title"` // of the project; may be ""
	Mode                 interview.Mode          `json:"mode"`
	State                interview.State         `json:"state"`
	Language             string                  `json:"language"`
	CreatedAt            time.Time               `json:"created_at"`
	EvaluatedAt          *time.Time              `json:"evaluated_at"` // null until then
	ExpiresAt            time.Time               `json:"expires_at"`
	Questions            int                     `json:"questions"` // so far
	Answered             int                     `json:"answered"`
	OverallScore         matching.Optional[int]  `json:"overall_score"`
	Points               *CoveredPoints          `json:"points"` // null until then
	HiringRecommendation matching.Optional[bool] `json:"hiring_recommendation"`
}

// NewInterviewSummary returns an interview as a list has it.
func NewInterviewSummary(sum interview.Summary) InterviewSummary {
	wire := InterviewSummary{
		SessionID: sum.SessionID, Freelancer: Interviewed(sum.Freelancer), JobTitle: sum.JobTitle, Mode: sum.Mode,
		State: sum.State, Language: sum.Language, CreatedAt: sum.Begun, ExpiresAt: sum.Expires, Questions: sum.Questions,
		Answered: sum.Answered, OverallScore: sum.Overall, Points: (*CoveredPoints)(sum.Points),
		HiringRecommendation: sum.Recommendation,
	}
	if !sum.Evaluated.IsZero() {
		wire.EvaluatedAt = &sum.Evaluated
	}
	return wire
}

// DeletedSessions is the data in the response of DELETE /interviews.
type DeletedSessions struct {
	Deleted int `json:"deleted"`
}

// DeletedSession is the data in the response of DELETE /interview.
type DeletedSession struct {
	SessionID string `json:"session_id"`
}

// A DamagedSession is the line of an export for a session whose stored data can't be read.
type DamagedSession struct {
	SessionID string `json:"session_id"`
	Damaged   bool   `json:"damaged"` // true
}

// SessionEvent is the data of the first event, session.
type SessionEvent struct {
	SessionID string         `json:"session_id"`
	Mode      interview.Mode `json:"mode"`
}
