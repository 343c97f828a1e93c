package teams

import (
	"slices"

	"github.com/freelancer-matching/service/teams/selection"
)

// offerSwaps sets what the first team would be with each candidate that the answer lists. It adds the candidates of
// roles whose people the client has chosen to the problem, so no search may follow.
func (c *choosing) offerSwaps(first *selection.Team) {
	inTeam := make(map[string]bool)
	for i, members := range first.Members {
		for _, j := range members {
			inTeam[c.problem.Roles[i].Candidates[j].ID] = true
		}
	}

	for i := range c.answer.Roles {
		role := &c.answer.Roles[i]
		for j := range role.others {
			c.problem.Roles[i].Candidates = append(c.problem.Roles[i].Candidates, c.candidate(&role.others[j]))
		}
		role.Candidates = append(role.Candidates, role.others...)
		role.others = nil

		for j := range role.Candidates {
			candidate := &role.Candidates[j]
			isListed := candidate.Rank <= c.plan.Request.Candidates
			if isListed && !inTeam[candidate.Freelancer.ID] {
				candidate.Swap = c.swap(first, i, j)
			}
		}
	}
}

// swap returns the first team with a candidate in the place of the member of the role with whom it loses least.
func (c *choosing) swap(first *selection.Team, role, candidate int) *Swap {
	var best selection.Team
	replaced := -1
	for seat := range first.Members[role] {
		members := slices.Clone(first.Members)
		members[role] = slices.Clone(members[role])
		members[role][seat] = candidate
		if team := c.problem.Evaluate(members); replaced < 0 || team.Fit > best.Fit {
			best = team
			replaced = first.Members[role][seat]
		}
	}
	return &Swap{Replaces: c.problem.Roles[role].Candidates[replaced].ID, Team: c.team(&best)}
}
