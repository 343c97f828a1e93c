package api

import (
	"time"

	"github.com/gin-gonic/gin"

	"freelancer-matching/access/apikey"
	"freelancer-matching/interview"
	"freelancer-matching/server/api/validate"
)

// ReviewRequest is the body of POST /interviews/{id}/reviews.
type ReviewRequest struct {
	Question  string `json:"question"`
	Criterion string `json:"criterion"`
	Level     *int   `json:"level"`
	Reason    string `json:"reason"`
	Reviewer  string `json:"reviewer,omitempty"`
}

// A ReviewedMark is one review in the history of an evaluation.
type ReviewedMark struct {
	Question  string              `json:"question"` // the question's ID
	Criterion interview.Criterion `json:"criterion"`
	Level     int                 `json:"level"`
	Reason    string              `json:"reason"`
	By        string              `json:"by"`
	At        time.Time           `json:"at"`
}

func wireReview(r interview.MarkReview) ReviewedMark {
	return ReviewedMark{
		Question: r.Question, Criterion: r.Criterion, Level: r.Level, Reason: r.Reason, By: r.By, At: r.At,
	}
}

// reviewInterview replaces the level of a mark and responds with the session.
func (s *Server) reviewInterview(c *gin.Context) error {
	id, err := sessionIDOf(c)
	if err != nil {
		return err
	}
	var body ReviewRequest
	var faults validate.Faults
	if err := decodeBody(c, &body, &faults); err != nil {
		return err
	}

	k := keyOf(c)
	plan, _ := apikey.PlanNamed(k.Plan)
	r := interview.ReviewRequest{
		Account: ownerOf(k), Limits: interview.Limits{Sessions: plan.Interviews, Bytes: plan.InterviewBytes},
		By: interviewRequester(c), SessionID: id, Question: body.Question, Criterion: body.Criterion,
		Level: optional(body.Level), Reason: body.Reason, Reviewer: body.Reviewer,
	}

	faults.Merge(r.Check())
	if err := faults.Err(); err != nil {
		return err
	}
	result, err := s.deps.Interviews.Review(c.Request.Context(), r)
	if err != nil {
		return err
	}

	return writeAnswer(c, NewInterview(&result))
}
