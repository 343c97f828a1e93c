package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/server/api/wire"
)

// A brief has the arguments that describe work. They are members of the body of POST /match, which checks them.
type brief struct {
	Description      string         `json:"description,omitempty"`
	JobTitle         string         `json:"job_title,omitempty"`
	RequiredSkills   []string       `json:"required_skills,omitempty"`
	NiceToHaveSkills []string       `json:"nice_to_have_skills,omitempty"`
	BudgetRange      []float64      `json:"budget_range,omitempty"`
	BudgetType       string         `json:"budget_type,omitempty"`
	Currency         string         `json:"currency,omitempty"`
	Timeline         int            `json:"timeline,omitempty"`
	StartDate        string         `json:"start_date,omitempty"`
	Complexity       string         `json:"complexity,omitempty"`
	EffortHours      float64        `json:"effort_hours,omitempty"`
	Filters          map[string]any `json:"filters,omitempty"`
}

type matchInput struct {
	brief
	Limit  int `json:"limit,omitempty"`
	Offset int `json:"offset,omitempty"`
}

type similarInput struct {
	FreelancerID string `json:"freelancer_id"`
	Limit        int    `json:"limit,omitempty"`
	Offset       int    `json:"offset,omitempty"`
}

// defaultLimit is the number of matches on a page if the agent asks for no number. A person reads no more at once, and
// each takes about a hundred tokens.
const defaultLimit = 5

type matchOutput struct {
	RequestID        string        `json:"request_id"`
	Considered       int           `json:"considered"`
	NextOffset       *int          `json:"next_offset"`
	Currency         string        `json:"currency,omitempty"`
	RateCurrency     string        `json:"hourly_rate_currency,omitempty"`
	Reason           string        `json:"reason,omitempty"`
	Notes            []string      `json:"notes,omitempty"`
	UnknownSkills    []string      `json:"unknown_skills,omitempty"`
	SuggestedFilters []any         `json:"suggested_filters,omitempty"`
	Matches          []rankedMatch `json:"matches"`
}

// A rankedMatch is one match. Everything that the freelancer wrote is in Profile.
type rankedMatch struct {
	Rank          int      `json:"rank"`
	Score         float64  `json:"score"`
	Level         string   `json:"level"`
	Price         string   `json:"price,omitempty"`
	Hours         *float64 `json:"hours,omitempty"`
	Days          *float64 `json:"days,omitempty"`
	Cost          *float64 `json:"cost,omitempty"`
	UnknownFields []string `json:"unknown_fields,omitempty"`
	Profile       profile  `json:"profile_data"`
}

// A profile has what is stored about a freelancer, and the skills that a brief and the profile name.
type profile struct {
	ID            string   `json:"id"`
	Name          string   `json:"name,omitempty"`
	JobTitle      string   `json:"job_title,omitempty"`
	Skills        []string `json:"skills,omitempty"`
	MoreSkills    int      `json:"more_skills,omitempty"`
	MatchedSkills []string `json:"matched_skills,omitempty"`
	MissingSkills []string `json:"missing_skills,omitempty"`
	Experience    *float64 `json:"experience,omitempty"`
	Rating        *float64 `json:"rating,omitempty"`
	HourlyRate    *float64 `json:"hourly_rate,omitempty"`
	Available     *bool    `json:"available,omitempty"`
	ProfileURL    string   `json:"profile_url,omitempty"`
}

// maxSkills is the number of a freelancer's skills in a match. Some profiles list dozens.
const maxSkills = 10

// An apiMatch is the part of a wire.Match that tools use.
type apiMatch struct {
	Freelancer struct {
		ID           string   `json:"id"`
		Name         string   `json:"name"`
		JobTitle     string   `json:"job_title"`
		Skills       []string `json:"skills"`
		Experience   *float64 `json:"experience"`
		Rating       *float64 `json:"rating"`
		HourlyRate   *float64 `json:"hourly_rate"`
		Availability *bool    `json:"availability"`
		ProfileURL   string   `json:"profile_url"`
	} `json:"freelancer"`
	Score         float64  `json:"score"`
	MatchedSkills []string `json:"matched_skills"`
	MissingSkills []string `json:"missing_skills"`
	UnknownFields []string `json:"unknown_fields"`
	Level         string   `json:"level"`
	Price         *struct {
		Verdict string `json:"verdict"`
	} `json:"price"`
	Estimate struct {
		Hours *float64 `json:"hours"`
		Days  *float64 `json:"days"`
		Cost  *float64 `json:"cost"`
	} `json:"estimate"`
	Explanation []apiFeature    `json:"explanation"`
	Adjustments []apiAdjustment `json:"adjustments"`
}

func (m *apiMatch) profile() profile {
	f := &m.Freelancer
	shown := f.Skills[:min(len(f.Skills), maxSkills)]
	return profile{
		ID: f.ID, Name: f.Name, JobTitle: f.JobTitle, Skills: shown, MoreSkills: len(f.Skills) - len(shown),
		MatchedSkills: m.MatchedSkills, MissingSkills: m.MissingSkills, Experience: f.Experience, Rating: f.Rating,
		HourlyRate: f.HourlyRate, Available: f.Availability, ProfileURL: f.ProfileURL,
	}
}

func (m *apiMatch) ranked(rank int) rankedMatch {
	ranked := rankedMatch{
		Rank: rank, Score: m.Score, Level: m.Level, Hours: m.Estimate.Hours, Days: m.Estimate.Days,
		Cost: m.Estimate.Cost, UnknownFields: m.UnknownFields, Profile: m.profile(),
	}
	if m.Price != nil {
		ranked.Price = m.Price.Verdict
	}
	return ranked
}

// An briefReading says how a brief was read. It quotes the brief.
type briefReading struct {
	UnknownSkills []struct {
		Skill string `json:"skill"`
	} `json:"unknown_skills"`
	Skipped []struct {
		Feature string `json:"feature"`
		Reason  string `json:"reason"`
	} `json:"skipped"`
	Filters []struct {
		Message string `json:"message"`
	} `json:"filters"`
	Effort *struct {
		Low     float64 `json:"low"`
		Typical float64 `json:"typical"`
		High    float64 `json:"high"`
	} `json:"effort"`
	Budget *struct {
		Message string `json:"message"`
	} `json:"budget"`
}

// notes returns how a brief was read, as sentences.
func (r *briefReading) notes() (notes []string) {
	if e := r.Effort; e != nil {
		notes = append(notes, fmt.Sprintf("size of the work: about %.0f hours, from %.0f to %.0f", e.Typical, e.Low, e.High))
	}
	if r.Budget != nil {
		notes = append(notes, "budget: "+r.Budget.Message)
	}
	for _, s := range r.Skipped {
		notes = append(notes, s.Feature+": "+s.Reason)
	}
	for _, f := range r.Filters {
		notes = append(notes, "filter: "+f.Message)
	}
	return notes
}

func (r *briefReading) unknownSkills() (names []string) {
	for _, u := range r.UnknownSkills {
		names = append(names, u.Skill)
	}
	return names
}

// An apiMatches is the part of a wire.MatchAnswer that tools use.
type apiMatches struct {
	RequestID          string     `json:"request_id"`
	Matches            []apiMatch `json:"matches"`
	Considered         int        `json:"considered"`
	NextOffset         *int       `json:"next_offset"`
	Currency           string     `json:"currency"`
	HourlyRateCurrency string     `json:"hourly_rate_currency"`
	Reason             string     `json:"reason"`
	SuggestedFilters   []any      `json:"suggested_filters"`
	briefReading
}

// output returns the matches of a page that begins at offset, without what the brief says.
func (a *apiMatches) output(offset int) matchOutput {
	out := matchOutput{
		RequestID: a.RequestID, Considered: a.Considered, NextOffset: a.NextOffset, Currency: a.Currency,
		RateCurrency: a.HourlyRateCurrency, Reason: a.Reason, Matches: make([]rankedMatch, len(a.Matches)),
	}
	for i := range a.Matches {
		out.Matches[i] = a.Matches[i].ranked(offset + 1 + i)
	}
	return out
}

// result returns the output with its text.
func (o *matchOutput) result() *result {
	if len(o.Matches) == 0 {
		return &result{
			summary:    fmt.Sprintf("No matches (%s). request_id %s.", o.Reason, o.RequestID) + o.remarks(),
			structured: o,
		}
	}

	summary := fmt.Sprintf("%d of %d freelancers, best first; scores are from 0 to 1. request_id %s.", len(o.Matches),
		o.Considered, o.RequestID)
	if o.NextOffset != nil {
		summary += fmt.Sprintf(" More with offset %d.", *o.NextOffset)
	}
	summary += o.remarks()

	lines := make([]any, len(o.Matches))
	for i := range o.Matches {
		lines[i] = o.Matches[i]
	}
	return &result{summary: summary, data: lines, structured: o}
}

// remarks returns what an agent should know about the brief, as lines of text.
func (o *matchOutput) remarks() string {
	var text strings.Builder
	for _, note := range o.Notes {
		text.WriteString("\n- " + note)
	}
	if len(o.UnknownSkills) > 0 {
		fmt.Fprintf(&text, "\n- unknown skills: %q", o.UnknownSkills)
	}
	if len(o.SuggestedFilters) > 0 {
		suggested, _ := json.Marshal(o.SuggestedFilters) // decoded from JSON
		fmt.Fprintf(&text, "\n- suggested filters: %s", suggested)
	}
	return text.String()
}

// unknownAsNull makes the API write unknown values as null, so that no tool reports an unknown rate as 0.
const unknownAsNull = "?unknown=null"

func callMatch(ctx context.Context, c client, arguments json.RawMessage) (*result, error) {
	body, offset := withLimit(arguments)
	var answer apiMatches
	err := c.send(ctx, request{method: http.MethodPost, path: "/match" + unknownAsNull, body: body}, &answer)
	if err != nil {
		return nil, err
	}

	out := answer.output(offset)
	out.Notes = answer.notes()
	out.UnknownSkills = answer.unknownSkills()
	out.SuggestedFilters = answer.SuggestedFilters
	return out.result(), nil
}

// withLimit adds the default limit to the arguments of a match that has none, and returns its offset. Invalid arguments
// stay as they are, for the API to reject.
func withLimit(arguments json.RawMessage) (body []byte, offset int) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(arguments, &members); err != nil || members == nil {
		return arguments, 0
	}

	_ = json.Unmarshal(members["offset"], &offset) // the API reports an invalid one
	if _, sent := members["limit"]; !sent {
		members["limit"] = json.RawMessage(strconv.Itoa(defaultLimit))
	}

	body, err := json.Marshal(members)
	if err != nil {
		return arguments, offset
	}
	return body, offset
}

func callSimilar(ctx context.Context, c client, arguments json.RawMessage) (*result, error) {
	in := similarInput{Limit: defaultLimit}
	if err := decode(arguments, &in); err != nil {
		return nil, err
	}
	if err := requireID(in.FreelancerID); err != nil {
		return nil, err
	}

	query := url.Values{"limit": {strconv.Itoa(in.Limit)}, "offset": {strconv.Itoa(in.Offset)}, "unknown": {"null"}}
	path := "/freelancers/" + url.PathEscape(in.FreelancerID) + "/similar?" + query.Encode()
	var answer apiMatches
	if err := c.send(ctx, request{method: http.MethodGet, path: path}, &answer); err != nil {
		return nil, err
	}

	// The brief of this search is a profile, so what else the response says may quote it.
	out := answer.output(in.Offset)
	return out.result(), nil
}

type explainInput struct {
	FreelancerID string `json:"freelancer_id"`
	brief
}

type explainOutput struct {
	RequestID  string           `json:"request_id"`
	Rank       *int             `json:"rank"`
	Total      int              `json:"total"`
	Score      float64          `json:"score"`
	Level      string           `json:"level"`
	ExcludedBy []string         `json:"excluded_by,omitempty"`
	Features   []feature        `json:"features"`
	LastShown  *shownMatch      `json:"last_shown,omitempty"`
	Notes      []string         `json:"notes,omitempty"`
	Profile    explainedProfile `json:"profile_data"`
}

type feature struct {
	Feature      string  `json:"feature"`
	Value        float64 `json:"value"`
	Weight       float64 `json:"weight"`
	Contribution float64 `json:"contribution"`
	Shortfall    float64 `json:"shortfall,omitempty"`
}

type shownMatch struct {
	Rank  int     `json:"rank"`
	Score float64 `json:"score"`
}

// An explainedProfile is a profile with the sentences that explain its score, which quote it.
type explainedProfile struct {
	profile
	Summaries   map[string]string `json:"summaries"`
	Adjustments []apiAdjustment   `json:"adjustments,omitempty"`
	Excluded    map[string]string `json:"excluded,omitempty"`
}

type apiFeature struct {
	feature
	Summary string `json:"summary"`
}

type apiAdjustment struct {
	Factor float64 `json:"factor"`
	Reason string  `json:"reason"`
}

// An apiStanding is the part of a wire.Standing that tools use.
type apiStanding struct {
	Match      apiMatch `json:"match"`
	Rank       *int     `json:"rank"`
	Total      int      `json:"total"`
	ExcludedBy []struct {
		Filter string  `json:"filter"`
		Wanted string  `json:"wanted"`
		Actual *string `json:"actual"`
	} `json:"excluded_by"`
	LastShown  *shownMatch `json:"last_shown"`
	Shortfalls []struct {
		Feature string  `json:"feature"`
		Points  float64 `json:"points"`
	} `json:"shortfalls"`
	briefReading
}

func callExplain(ctx context.Context, c client, arguments json.RawMessage) (*result, error) {
	var answer wire.Answer[apiStanding]
	err := c.send(ctx, request{method: http.MethodPost, path: "/match/explain" + unknownAsNull, body: arguments}, &answer)
	if err != nil {
		return nil, err
	}
	standing := &answer.Data
	m := &standing.Match

	out := &explainOutput{
		RequestID: answer.RequestID, Rank: standing.Rank, Total: standing.Total, Score: m.Score, Level: m.Level,
		Features: []feature{}, LastShown: standing.LastShown, Notes: standing.notes(),
		Profile: explainedProfile{
			profile: m.profile(), Summaries: map[string]string{}, Adjustments: m.Adjustments, Excluded: map[string]string{},
		},
	}

	// The sentences about a feature quote the profile, so they are apart from its numbers.
	shortfalls := map[string]float64{}
	for _, s := range standing.Shortfalls {
		shortfalls[s.Feature] = s.Points
	}
	for _, f := range m.Explanation {
		f.Shortfall = shortfalls[f.Feature]
		out.Features = append(out.Features, f.feature)
		out.Profile.Summaries[f.Feature] = f.Summary
	}

	for _, e := range standing.ExcludedBy {
		out.ExcludedBy = append(out.ExcludedBy, e.Filter+" (wanted: "+e.Wanted+")")
		if e.Actual != nil {
			out.Profile.Excluded[e.Filter] = *e.Actual
		}
	}

	return &result{summary: out.summary(), data: []any{out.Features, out.Profile}, structured: out}, nil
}

func (o *explainOutput) summary() string {
	place := fmt.Sprintf("excluded by %v", o.ExcludedBy)
	switch {
	case o.Rank != nil:
		place = fmt.Sprintf("rank %d of %d", *o.Rank, o.Total)
	case len(o.ExcludedBy) == 0:
		place = fmt.Sprintf("not among the first of %d matches", o.Total)
	}
	return fmt.Sprintf("Score %.3f of 1 (%s), %s.", o.Score, o.Level, place)
}
