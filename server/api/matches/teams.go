package matches

import (
	"context"
	"errors"

	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/limits"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/teams"
)

// A TeamFinder finds teams for briefs. It returns the errors of Matcher.
type TeamFinder interface {
	Plan(ctx context.Context, r *teams.Request) (*teams.Plan, error)
	Find(ctx context.Context, plan *teams.Plan) (*teams.Answer, error)
}

// Teams handles requests for teams.
type Teams struct {
	Service  TeamFinder
	Requests *limits.Requests
	Views    *limits.Views
}

// Find handles POST /teams. It counts as many requests as there are roles, because each is a match: listing them is no
// cheaper way to match. A request with an error counts once, like any other.
func (h *Teams) Find(ctx context.Context, call *endpoint.Call) error {
	request, form, err := readTeams(call)
	if err != nil {
		return errors.Join(h.Requests.Take(ctx, call), err)
	}

	plan, err := h.plan(ctx, call, request)
	if err != nil {
		return err
	}

	answer, err := h.Service.Find(ctx, plan)
	if err != nil {
		return err
	}
	if err := h.Views.Show(ctx, call, shownIn(answer)...); err != nil {
		return err
	}
	return endpoint.WriteAnswer(call, wire.NewTeams(request, answer, form))
}

func readTeams(call *endpoint.Call) (*teams.Request, wire.UnknownForm, error) {
	var request wire.TeamsRequest
	var faults validate.Faults
	if err := call.Decode(&request, &faults); err != nil {
		return nil, wire.AsZero, err
	}
	form := readUnknown(call, &faults)
	valid := request.Teams(call.Caller.Plan, &faults)
	return valid, form, faults.Err()
}

// plan plans the roles of a request, and charges each of them. The first one is charged before the brief is read, so
// that nobody without requests left causes work.
func (h *Teams) plan(ctx context.Context, call *endpoint.Call, r *teams.Request) (*teams.Plan, error) {
	if err := h.Requests.Check(ctx, call, max(1, len(r.Roles))); err != nil {
		return nil, err
	}
	if err := h.Requests.Take(ctx, call); err != nil {
		return nil, err
	}

	plan, err := h.Service.Plan(ctx, r)
	if err != nil {
		return nil, err
	}

	others := len(plan.Roles) - 1
	if others == 0 {
		return plan, nil
	}
	if err := h.Requests.Check(ctx, call, others); err != nil {
		return nil, err
	}
	for range others {
		if err := h.Requests.Take(ctx, call); err != nil {
			return nil, err
		}
	}
	return plan, nil
}

// shownIn returns the IDs of the freelancers in an answer, each once.
func shownIn(answer *teams.Answer) (ids []string) {
	seen := make(map[string]bool)
	add := func(id string) {
		if !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	for i := range answer.Teams {
		for j := range answer.Teams[i].Members {
			add(answer.Teams[i].Members[j].Freelancer.ID)
		}
	}
	for i := range answer.Roles {
		for j := range answer.Roles[i].Candidates {
			add(answer.Roles[i].Candidates[j].Freelancer.ID)
		}
	}
	return ids
}
