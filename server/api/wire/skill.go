package wire

import (
	"strings"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/validate"
)

// maxKeyword is the length of the longest keyword, in characters. openapi.yaml documents it.
const maxKeyword = 100

// VerifySkillRequest is the body of POST /verify-skill.
type VerifySkillRequest struct {
	Keyword string `json:"keyword"`
}

// Check validates the request.
func (r *VerifySkillRequest) Check(faults *validate.Faults) {
	validate.MaxCharacters(faults, "keyword", r.Keyword, maxKeyword)
	if strings.TrimSpace(r.Keyword) == "" && !faults.In("keyword") {
		faults.Add("keyword", "required", "keyword must be the name of a skill or a job title, with 1 to %d characters.",
			maxKeyword)
	}
}

// VerifySkillAnswer is the response of POST /verify-skill.
type VerifySkillAnswer = Answer[*matching.Verification]
