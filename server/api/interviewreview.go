package api

import (
	"github.com/gin-gonic/gin"

	"freelancer-matching/access/apikey"
	"freelancer-matching/interview"
	"freelancer-matching/server/api/validate"
	"freelancer-matching/server/api/wire"
)

// reviewInterview replaces the level of a mark and responds with the session.
func (s *Server) reviewInterview(c *gin.Context) error {
	id, err := sessionIDOf(c)
	if err != nil {
		return err
	}
	var body wire.ReviewRequest
	var faults validate.Faults
	if err := decodeBody(c, &body, &faults); err != nil {
		return err
	}

	k := keyOf(c)
	plan, _ := apikey.PlanNamed(k.Plan)
	r := interview.ReviewRequest{
		Account: ownerOf(k), Limits: interview.Limits{Sessions: plan.Interviews, Bytes: plan.InterviewBytes},
		By: interviewRequester(c), SessionID: id, Question: body.Question, Criterion: body.Criterion,
		Level: wire.Optional(body.Level), Reason: body.Reason, Reviewer: body.Reviewer,
	}

	faults.Merge(r.Check())
	if err := faults.Err(); err != nil {
		return err
	}
	result, err := s.deps.Interviews.Review(c.Request.Context(), r)
	if err != nil {
		return err
	}

	return writeAnswer(c, wire.NewInterview(&result))
}
