package matches

import (
	"context"
	"unicode/utf8"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
)

// An Explainer finds the place of a freelancer in the ranking of a brief. It returns the errors of Matcher, and a
// matching.Error with the code CodeFreelancerUnknown if there is no such freelancer.
type Explainer interface {
	Explain(ctx context.Context, b *matching.Brief, id string) (*matching.Standing, error)
}

// maxFreelancerID is the number of characters of the longest ID in a request.
const maxFreelancerID = 200

// Explain handles POST /match/explain. It responds with the standing of one freelancer, who counts as seen like a
// match.
func (h *Briefs) Explain(ctx context.Context, call *endpoint.Call) error {
	var request wire.ExplainRequest
	var faults validate.Faults
	if err := call.Decode(&request, &faults); err != nil {
		return err
	}

	id := request.FreelancerID
	switch n := utf8.RuneCountInString(id); {
	case faults.In("freelancer_id"):
	case n == 0:
		faults.Add("freelancer_id", "required", "freelancer_id must be the ID of a freelancer.")
	case n > maxFreelancerID:
		validate.MaxCharacters(&faults, "freelancer_id", id, maxFreelancerID)
	}

	form := readUnknown(call, &faults)
	brief := request.Brief(call.Caller.Plan, &faults)
	if err := faults.Err(); err != nil {
		return err
	}

	brief.Ranking = rankingFor(call, &request.MatchRequest)
	standing, err := h.Explainer.Explain(ctx, brief, id)
	if err != nil {
		return err
	}
	if err := h.Views.Show(ctx, call, id); err != nil {
		return err
	}

	return endpoint.WriteAnswer(call, wire.NewStanding(brief, standing, form))
}
