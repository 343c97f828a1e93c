package api

import (
	"context"
	"strings"

	"github.com/gin-gonic/gin"

	"freelancer-matching/internal/matching"
	"freelancer-matching/server/api/validate"
)

// maxKeyword is the length of the longest keyword, in characters. openapi.yaml documents it.
const maxKeyword = 100

// Verifier checks whether a keyword names a skill or a job title. Asking a language model counts against the account's
// daily limits.
type Verifier interface {
	Verify(ctx context.Context, account, keyword string) (*matching.Verification, error)
}

// VerifySkillRequest is the body of POST /verify-skill.
type VerifySkillRequest struct {
	Keyword string `json:"keyword"`
}

func (r *VerifySkillRequest) check(faults *validate.Faults) {
	validate.MaxCharacters(faults, "keyword", r.Keyword, maxKeyword)
	if strings.TrimSpace(r.Keyword) == "" && !faults.In("keyword") {
		faults.Add("keyword", "required", "keyword must be the name of a skill or a job title, with 1 to %d characters.",
			maxKeyword)
	}
}

// VerifySkillAnswer is the response of POST /verify-skill.
type VerifySkillAnswer = Answer[*matching.Verification]

func (s *Server) verifySkill(c *gin.Context) error {
	var request VerifySkillRequest
	var faults validate.Faults
	if err := decodeBody(c, &request, &faults); err != nil {
		return err
	}
	request.check(&faults)
	if err := faults.Err(); err != nil {
		return err
	}
	v, err := s.deps.Verifier.Verify(c.Request.Context(), ownerOf(keyOf(c)), request.Keyword)
	if err != nil {
		return err
	}
	return writeAnswer(c, v)
}
