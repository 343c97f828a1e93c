package api

import (
	"context"

	"github.com/gin-gonic/gin"

	"freelancer-matching/internal/matching"
	"freelancer-matching/server/api/validate"
	"freelancer-matching/server/api/wire"
)

// Verifier checks whether a keyword names a skill or a job title. Asking a language model counts against the account's
// daily limits.
type Verifier interface {
	Verify(ctx context.Context, account, keyword string) (*matching.Verification, error)
}

func (s *Server) verifySkill(c *gin.Context) error {
	var request wire.VerifySkillRequest
	var faults validate.Faults
	if err := decodeBody(c, &request, &faults); err != nil {
		return err
	}
	request.Check(&faults)
	if err := faults.Err(); err != nil {
		return err
	}
	v, err := s.deps.Verifier.Verify(c.Request.Context(), ownerOf(keyOf(c)), request.Keyword)
	if err != nil {
		return err
	}
	return writeAnswer(c, v)
}
