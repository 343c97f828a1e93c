package api

import (
	"context"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
)

// Verifier checks whether a keyword names a skill or a job title. Asking a language model counts against the account's
// daily limits.
type Verifier interface {
	Verify(ctx context.Context, account, keyword string) (*matching.Verification, error)
}

// skills handles single skills.
type skills struct{ verifier Verifier }

// verify handles POST /verify-skill.
func (h *skills) verify(ctx context.Context, call *endpoint.Call) error {
	var request wire.VerifySkillRequest
	var faults validate.Faults
	if err := call.Decode(&request, &faults); err != nil {
		return err
	}
	request.Check(&faults)
	if err := faults.Err(); err != nil {
		return err
	}
	v, err := h.verifier.Verify(ctx, call.Caller.Account, request.Keyword)
	if err != nil {
		return err
	}
	return endpoint.WriteAnswer(call, v)
}
