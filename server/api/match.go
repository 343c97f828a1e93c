package api

import (
	"context"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"freelancer-matching/access/apikey"
	"freelancer-matching/internal/matching"
	"freelancer-matching/server/api/validate"
)

// Matcher finds freelancers for briefs. Errors in a brief that only it can find, such as an unknown feature, are a
// matching.Error with the code CodeInvalid.
type Matcher interface {
	Match(ctx context.Context, b *matching.Brief) (*matching.Answer, error)
}

// A Freelancer is a freelancer in a response. Unknown values are zero; Match.UnknownFields names them.
type Freelancer struct {
	ID           string   `json:"id"`
	Name         string   `json:"name"`
	JobTitle     string   `json:"job_title"`
	Skills       []string `json:"skills"`
	Experience   float64  `json:"experience"` // years
	Rating       float64  `json:"rating"`
	HourlyRate   float64  `json:"hourly_rate"`
	ProfileURL   string   `json:"profile_url"`
	Availability bool     `json:"availability"`
	TotalSales   int      `json:"total_sales"`
}

func wireFreelancer(f *matching.Freelancer) Freelancer {
	return Freelancer{
		ID: f.ID, Name: f.Name, JobTitle: f.JobTitle, Skills: orEmpty(f.Skills),
		Experience: f.Experience.Or(0), Rating: f.Rating.Or(0), HourlyRate: f.HourlyRate.Or(0),
		ProfileURL: f.ProfileURL, Availability: f.Availability.Or(false), TotalSales: f.TotalSales.Or(0),
	}
}

// A Match is one entry of matches.
type Match struct {
	Freelancer     Freelancer            `json:"freelancer"`
	Score          float64               `json:"score"`
	MatchingSkills int                   `json:"matching_skills"`
	MatchedSkills  []string              `json:"matched_skills"`
	MissingSkills  []string              `json:"missing_skills"`
	UnknownFields  []string              `json:"unknown_fields"`
	Level          matching.Level        `json:"level"`
	Estimate       matching.Estimate     `json:"estimate"`
	Details        *Details              `json:"details,omitempty"`
	Explanation    []matching.Feature    `json:"explanation,omitempty"`
	Adjustments    []matching.Adjustment `json:"adjustments,omitempty"`
}

// Details holds what else is known about a freelancer. A value is null if it is unknown.
type Details struct {
	Country       *string                    `json:"country"` // ISO 3166-1 alpha-2
	Location      *string                    `json:"location"`
	TimeZone      *string                    `json:"time_zone"`
	Languages     []DetailsLanguage          `json:"languages"`
	Currency      *string                    `json:"currency"`       // ISO 4217, in which the freelancer charges
	AvailableFrom *string                    `json:"available_from"` // a date
	HoursPerWeek  matching.Optional[float64] `json:"hours_per_week"`
	Verified      matching.Optional[bool]    `json:"verified"`
}

// DetailsLanguage is a language that a freelancer speaks. The level is null if it is unknown.
type DetailsLanguage struct {
	Language string  `json:"language"` // BCP 47
	Level    *string `json:"level"`
}

func wireDetails(d *matching.Details) *Details {
	known := func(text string) *string {
		if text == "" {
			return nil
		}
		return &text
	}
	details := &Details{
		Country: known(d.Country), Location: known(d.Location), TimeZone: known(d.TimeZone),
		Currency: known(d.Currency), AvailableFrom: known(d.AvailableFrom),
		HoursPerWeek: d.HoursPerWeek, Verified: d.Verified,
	}
	for _, l := range d.Languages {
		details.Languages = append(details.Languages, DetailsLanguage{Language: l.Tag, Level: known(string(l.Level))})
	}
	return details
}

func wireMatch(m *matching.Match) Match {
	return Match{
		Freelancer: wireFreelancer(&m.Freelancer), Score: m.Score, MatchingSkills: len(m.MatchedSkills),
		MatchedSkills: orEmpty(m.MatchedSkills), MissingSkills: orEmpty(m.MissingSkills),
		UnknownFields: m.Freelancer.UnknownFields(), Level: m.Level, Estimate: m.Estimate, Explanation: m.Explanation,
		Adjustments: m.Adjustments,
	}
}

// MatchAnswer is the response of POST /match.
type MatchAnswer struct {
	Status         string                   `json:"status"` // success
	Matches        []Match                  `json:"matches"`
	Considered     int                      `json:"considered"`
	DerivedSkills  []string                 `json:"derived_skills,omitempty"`
	RequiredSkills []matching.RequiredSkill `json:"required_skills,omitempty"`
	UnknownSkills  []matching.UnknownSkill  `json:"unknown_skills"`
	Skipped        []matching.Skipped       `json:"skipped"`
	Reason         string                   `json:"reason,omitempty"`
	ReasonDetail   []matching.FilterStep    `json:"reason_detail,omitempty"`
	Filters        []matching.FilterCount   `json:"filters,omitempty"`
	// Currency belongs to the estimates and to the amounts in the request. Without data, both currencies are "".
	Currency           string                     `json:"currency,omitempty"`
	HourlyRateCurrency string                     `json:"hourly_rate_currency,omitempty"`
	ExchangeRate       *matching.Conversion       `json:"exchange_rate,omitempty"`
	SuggestedFilters   []matching.SuggestedFilter `json:"suggested_filters,omitempty"`
	Brief              *DocumentBrief             `json:"brief,omitempty"` // of POST /match/document
	RequestID          string                     `json:"request_id"`
	TookMS             float64                    `json:"took_ms"`
}

func (s *Server) match(c *gin.Context) error {
	var request MatchRequest
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

// matchBrief returns the response to a brief, whose errors in single fields may already be in f. It counts the
// freelancers against the limits of the request's account and sets the headers of that limit.
func (s *Server) matchBrief(
	c *gin.Context, ctx context.Context, x exchange, r *MatchRequest, faults *validate.Faults, //nolint:revive // c has another ctx
) (MatchAnswer, error) {
	brief := r.brief(keyPlan(c), faults)
	if err := faults.Err(); err != nil {
		return MatchAnswer{}, err
	}
	answer, err := s.deps.Matcher.Match(ctx, brief)
	if err != nil {
		return MatchAnswer{}, err
	}
	if err := s.show(c, idsOf(answer.Matches)...); err != nil {
		return MatchAnswer{}, err
	}
	s.recordMatch(c, x, r, answer)
	return wireAnswer(x, brief, answer), nil
}

// keyPlan returns the plan of the request's key.
func keyPlan(c *gin.Context) apikey.Plan {
	plan, _ := apikey.PlanNamed(keyOf(c).Plan)
	return plan
}

func wireAnswer(x exchange, b *matching.Brief, a *matching.Answer) MatchAnswer {
	matches := make([]Match, len(a.Matches))
	for i := range a.Matches {
		matches[i] = wireMatch(&a.Matches[i])
		if !b.Explain {
			matches[i].Explanation = nil
			matches[i].Adjustments = nil
		}

		if b.Details {
			matches[i].Details = wireDetails(&a.Matches[i].Freelancer.Details)
		}
	}

	unknown := make([]matching.UnknownSkill, len(a.UnknownSkills))
	for i, u := range a.UnknownSkills {
		u.Suggestions = orEmpty(u.Suggestions)
		unknown[i] = u
	}

	return MatchAnswer{
		Status: "success", Matches: matches, Considered: a.Considered, DerivedSkills: a.DerivedSkills,
		RequiredSkills: a.RequiredSkills,
		UnknownSkills:  unknown, Skipped: orEmpty(a.Skipped), Reason: a.Reason, ReasonDetail: a.ReasonDetail,
		Filters: a.Filters, Currency: a.Currency, HourlyRateCurrency: a.DataCurrency, ExchangeRate: a.Conversion,
		SuggestedFilters: a.SuggestedFilters,
		RequestID:        x.id, TookMS: milliseconds(time.Since(x.start)),
	}
}

// orEmpty returns l, or an empty list instead of nil, which JSON would write as null.
func orEmpty[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}
