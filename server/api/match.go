package api

import (
	"context"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"freelancer-matching/access/apikey"
	"freelancer-matching/internal/matching"
	"freelancer-matching/server/api/validate"
	"freelancer-matching/server/api/wire"
)

// Matcher finds freelancers for briefs. Errors in a brief that only it can find, such as an unknown feature, are a
// matching.Error with the code CodeInvalid.
type Matcher interface {
	Match(ctx context.Context, b *matching.Brief) (*matching.Answer, error)
}

func (s *Server) match(c *gin.Context) error {
	var request wire.MatchRequest
	var faults validate.Faults
	if err := decodeBody(c, &request, &faults); err != nil {
		return err
	}
	answer, err := s.matchBrief(c, c.Request.Context(), exchangeOf(c), &request, &faults)
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, jsonType, answer)
}

// An exchange identifies a response: that of a request, or of one brief in a batch.
type exchange struct {
	id       string // request_id
	start    time.Time
	uploaded bool // the brief is from a file, so it must not be stored
}

func exchangeOf(c *gin.Context) exchange {
	return exchange{id: requestID(c), start: c.GetTime(contextStart)}
}

// matchBrief returns the response to a brief, whose errors in single fields may already be in faults. It counts the
// freelancers against the limits of the request's account and sets the headers of that limit.
func (s *Server) matchBrief(
	c *gin.Context, ctx context.Context, x exchange, r *wire.MatchRequest, faults *validate.Faults,
	//nolint:revive // c has another ctx
) (wire.MatchAnswer, error) {
	brief := r.Brief(keyPlan(c), faults)
	if err := faults.Err(); err != nil {
		return wire.MatchAnswer{}, err
	}
	answer, err := s.deps.Matcher.Match(ctx, brief)
	if err != nil {
		return wire.MatchAnswer{}, err
	}
	if err := s.show(c, idsOf(answer.Matches)...); err != nil {
		return wire.MatchAnswer{}, err
	}
	s.recordMatch(c, x, r, answer)
	response := wire.NewMatchAnswer(brief, answer)
	response.RequestID = x.id
	response.TookMS = milliseconds(time.Since(x.start))
	return response, nil
}

// keyPlan returns the plan of the request's key.
func keyPlan(c *gin.Context) apikey.Plan {
	plan, _ := apikey.PlanNamed(keyOf(c).Plan)
	return plan
}
