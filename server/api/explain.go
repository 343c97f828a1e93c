package api

import (
	"context"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"freelancer-matching/internal/matching"
	"freelancer-matching/server/api/validate"
)

// An Explainer finds the place of a freelancer in the ranking of a brief. It returns the errors of Matcher, and a
// matching.Error with the code CodeFreelancerUnknown if there is no such freelancer.
type Explainer interface {
	Explain(ctx context.Context, b *matching.Brief, id string) (*matching.Standing, error)
}

// maxFreelancerID is the number of characters of the longest ID in a request.
const maxFreelancerID = 200

// ExplainRequest is the body of POST /match/explain.
type ExplainRequest struct {
	MatchRequest
	FreelancerID string `json:"freelancer_id,omitempty"`
}

// ExplainAnswer is the response of POST /match/explain.
type ExplainAnswer = Answer[Standing]

// A Standing is the place of a freelancer in the ranking of a brief.
type Standing struct {
	Match      Match                  `json:"match"`
	Rank       matching.Optional[int] `json:"rank"`
	Total      int                    `json:"total"`
	Excluded   bool                   `json:"excluded"`
	ExcludedBy []matching.Exclusion   `json:"excluded_by"`
	LastShown  *matching.ShownMatch   `json:"last_shown"`
	Shortfalls []matching.Shortfall   `json:"shortfalls"`

	DerivedSkills      []string                `json:"derived_skills,omitempty"`
	UnknownSkills      []matching.UnknownSkill `json:"unknown_skills"`
	Skipped            []matching.Skipped      `json:"skipped"`
	Currency           string                  `json:"currency,omitempty"`
	HourlyRateCurrency string                  `json:"hourly_rate_currency,omitempty"`
	ExchangeRate       *matching.Conversion    `json:"exchange_rate,omitempty"`
}

// explain responds with the standing of one freelancer, who counts as seen like a match.
func (s *Server) explain(c *gin.Context) error {
	var request ExplainRequest
	var faults validate.Faults
	if err := decodeBody(c, &request, &faults); err != nil {
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

	brief := request.brief(keyPlan(c), &faults)
	if err := faults.Err(); err != nil {
		return err
	}
	standing, err := s.deps.Explainer.Explain(c.Request.Context(), brief, id)
	if err != nil {
		return err
	}
	if err := s.show(c, id); err != nil {
		return err
	}

	return writeAnswer(c, wireStanding(brief, standing))
}

func wireStanding(b *matching.Brief, st *matching.Standing) Standing {
	answer := st.Answer
	explained := *b
	explained.Explain = true
	answer.Matches = []matching.Match{st.Match}
	a := wireAnswer(exchange{}, &explained, &answer)
	wire := Standing{
		Match: a.Matches[0], Rank: st.Rank, Total: st.Total, Excluded: len(st.ExcludedBy) > 0,
		ExcludedBy: orEmpty(st.ExcludedBy), Shortfalls: orEmpty(st.Shortfalls),
		DerivedSkills: a.DerivedSkills, UnknownSkills: a.UnknownSkills, Skipped: a.Skipped, Currency: a.Currency,
		HourlyRateCurrency: a.HourlyRateCurrency, ExchangeRate: a.ExchangeRate,
	}
	if st.LastShown.Known {
		wire.LastShown = &st.LastShown.Value
	}
	return wire
}
