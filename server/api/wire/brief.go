package wire

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/briefs"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/validate"
)

// A SavedBriefRequest describes a brief to save. What is missing stays as it is.
type SavedBriefRequest struct {
	Name     *string       `json:"name"`
	Match    *MatchRequest `json:"match"`
	Top      *int          `json:"top"`
	MinScore *float64      `json:"min_score"`
	MinLevel *string       `json:"min_level"` // "" for any
	Notify   *bool         `json:"notify"`
	Closed   *bool         `json:"closed"`
}

// Check adds the faults of the match to faults, with the paths of its fields.
func (r *SavedBriefRequest) Check(plan apikey.Plan, faults *validate.Faults) {
	if r.Match == nil || faults.In("match") {
		return
	}
	var inMatch validate.Faults
	r.Match.Brief(plan, &inMatch)
	if r.Match.Limit != nil || r.Match.Offset != nil {
		inMatch.Add("limit", "not_allowed", "limit and offset must be absent; top says how long the list is.")
	}
	for _, f := range inMatch.List() {
		faults.Add("match."+f.Field, f.Code, "%s", "match."+f.Message)
	}
}

// Apply changes the settings of a brief.
func (r *SavedBriefRequest) Apply(n *briefs.Settings) error {
	if r.Name != nil {
		n.Name = *r.Name
	}
	if r.Match != nil {
		request, err := json.Marshal(r.Match)
		if err != nil {
			return fmt.Errorf("encode the match of a brief: %w", err)
		}
		n.Request = request
	}
	n.Top = valueOr(r.Top, n.Top)
	n.MinScore = valueOr(r.MinScore, n.MinScore)
	n.MinLevel = matching.Level(valueOr(r.MinLevel, string(n.MinLevel)))
	n.Notify = valueOr(r.Notify, n.Notify)
	n.Closed = valueOr(r.Closed, n.Closed)
	return nil
}

// SavedMatch returns the brief of a saved match, for a number of places.
func SavedMatch(request json.RawMessage, places int) (*matching.Brief, error) {
	var r MatchRequest
	if err := json.Unmarshal(request, &r); err != nil {
		return nil, fmt.Errorf("decode a saved brief: %w", err)
	}
	var faults validate.Faults
	b := r.Brief(apikey.Plan{MaxDepth: maxLimit}, &faults)
	b.Limit = places
	return b, faults.Err()
}

// A SavedBrief is a saved brief as clients receive it.
type SavedBrief struct {
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Match     MatchRequest   `json:"match"`
	Top       int            `json:"top"`
	MinScore  float64        `json:"min_score"`
	MinLevel  NullableString `json:"min_level"`
	Notify    bool           `json:"notify"`
	Closed    bool           `json:"closed"`
	CreatedAt time.Time      `json:"created_at"`
	ChangedAt time.Time      `json:"changed_at"`
	MatchedAt *time.Time     `json:"matched_at"` // null before the first match
	People    int            `json:"people"`     // number on the list
}

// NewSavedBrief returns a saved brief as clients receive it.
func NewSavedBrief(b *briefs.Brief) (SavedBrief, error) {
	n := &b.Settings
	var match MatchRequest
	if err := json.Unmarshal(n.Request, &match); err != nil {
		return SavedBrief{}, fmt.Errorf("decode the match of brief %s: %w", b.ID, err)
	}
	return SavedBrief{
		ID: b.ID, Name: n.Name, Match: match, Top: n.Top, MinScore: n.MinScore,
		MinLevel: NullableString(n.MinLevel), Notify: n.Notify, Closed: n.Closed, CreatedAt: b.Created,
		ChangedAt: b.Changed, MatchedAt: knownTime(b.Matched), People: len(b.People),
	}, nil
}

// knownTime returns a time, or nil for the zero time.
func knownTime(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	return &at
}

// SavedBriefListAnswer is the response of GET /briefs.
type SavedBriefListAnswer struct {
	Status     string         `json:"status"` // success
	Data       []SavedBrief   `json:"data"`
	NextCursor NullableString `json:"next_cursor"` // null on the last page
	RequestID  string         `json:"request_id"`
	TookMS     float64        `json:"took_ms"`
}

// A DeletedBrief is the data in the response of DELETE /briefs/{id}.
type DeletedBrief struct {
	ID string `json:"id"`
}

// SavedBriefPeople is the data in the response of GET /briefs/{id}/people.
type SavedBriefPeople struct {
	MatchedAt *time.Time      `json:"matched_at"` // null before the first match
	People    []briefs.Person `json:"people"`
}

// NewSavedBriefPeople returns the list of a brief.
func NewSavedBriefPeople(b *briefs.Brief) SavedBriefPeople {
	return SavedBriefPeople{MatchedAt: knownTime(b.Matched), People: OrEmpty(b.People)}
}

// A PersonBriefsRequest is the body of POST /freelancers/{id}/briefs.
type PersonBriefsRequest struct {
	Limit         *int     `json:"limit"`
	MinHourlyRate *float64 `json:"min_hourly_rate"` // that the budget of a brief must pay, in the brief's currency
}

// Wishes returns what the person wants.
func (r *PersonBriefsRequest) Wishes(faults *validate.Faults) briefs.Wishes {
	validate.Within(faults, "limit", r.Limit, 1, maxLimit)
	validate.NotNegative(faults, "min_hourly_rate", r.MinHourlyRate)
	return briefs.Wishes{Limit: valueOr(r.Limit, defaultLimit), MinHourlyRate: Optional(r.MinHourlyRate)}
}
