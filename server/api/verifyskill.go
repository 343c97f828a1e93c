package api

import (
	"context"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"freelancer-matching/internal/matching"
)

// maxKeyword is the length of the longest keyword, in characters. openapi.yaml has the same bound.
const maxKeyword = 100

// Verifier says whether a word names a skill or a job. What that may cost beyond the request, an account pays.
type Verifier interface {
	Verify(ctx context.Context, account, keyword string) (*matching.Verification, error)
}

// VerifySkillRequest is the body of POST /verify-skill.
type VerifySkillRequest struct {
	Keyword string `json:"keyword"`
}

func (r *VerifySkillRequest) check(f *faults) {
	atMost(f, "keyword", r.Keyword, maxKeyword)
	if strings.TrimSpace(r.Keyword) == "" && !f.in("keyword") {
		f.add("keyword", "required", "keyword must be the name of a skill or of a job, 1 to %d characters", maxKeyword)
	}
}

// VerifySkillAnswer is the answer of POST /verify-skill.
type VerifySkillAnswer struct {
	Status    string                 `json:"status"` // success
	Data      *matching.Verification `json:"data"`
	RequestID string                 `json:"request_id"`
	TookMS    float64                `json:"took_ms"`
}

func (s *Server) verifySkill(c *gin.Context) error {
	var request VerifySkillRequest
	var f faults
	if err := decode(c.Request, &request, &f); err != nil {
		return err
	}
	request.check(&f)
	if err := f.err(); err != nil {
		return err
	}
	v, err := s.deps.Verifier.Verify(c.Request.Context(), ownerOf(keyOf(c)), request.Keyword)
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, jsonType, VerifySkillAnswer{
		Status: "success", Data: v, RequestID: requestID(c), TookMS: tookMS(c),
	})
}
