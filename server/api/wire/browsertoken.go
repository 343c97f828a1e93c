package wire

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/freelancer-matching/service/access/browsertoken"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/validate"
)

// BrowserTokenRequest is the body of POST /browser-tokens.
type BrowserTokenRequest struct {
	Origins           []string     `json:"origins"`
	Filters           MatchFilters `json:"filters,omitzero"`
	Currency          *string      `json:"currency,omitempty"` // of amounts in the filters
	Hide              []string     `json:"hide,omitempty"`
	Visitor           string       `json:"visitor,omitempty"`
	RequestsPerMinute *int         `json:"requests_per_minute,omitempty"`
	ExpiresIn         *int         `json:"expires_in,omitempty"` // seconds
}

// Claims validates the request and returns the claims of a token that is created with a key at a time.
func (r *BrowserTokenRequest) Claims(key string, now time.Time, faults *validate.Faults) *browsertoken.Claims {
	const minSeconds, maxSeconds = int(browsertoken.MinLifetime / time.Second), int(browsertoken.MaxLifetime / time.Second)
	validate.Within(faults, "expires_in", r.ExpiresIn, minSeconds, maxSeconds)
	seconds := valueOr(r.ExpiresIn, int(browsertoken.DefaultLifetime/time.Second))

	r.Filters.filters(faults)
	if r.Filters.MaxCost != nil {
		faults.Add("filters.max_cost", "not_allowed",
			"filters.max_cost depends on the size of the work, which the page sends. Use max_hourly_rate instead.")
	}
	filters, err := Encode(r.Filters)
	if err != nil {
		panic(err) // what was decoded can be encoded
	}

	claims := &browsertoken.Claims{
		Key: key, Expires: now.Add(time.Duration(seconds) * time.Second).UTC().Truncate(time.Second),
		Origins: r.Origins, Filters: filters, Hide: r.Hide, Visitor: r.Visitor,
		PerMinute: valueOr(r.RequestsPerMinute, browsertoken.DefaultPerMinute),
	}
	if r.Currency != nil && !faults.In(ParameterCurrency) {
		claims.Currency = currencyCode(*r.Currency, faults)
	}
	for _, f := range claims.Check() {
		if !faults.In(f.Field) {
			faults.Add(f.Field, f.Code, "%s", f.Message)
		}
	}
	return claims
}

// BoundFilters returns the filters of a token, which were valid when it was created.
func BoundFilters(c *browsertoken.Claims) (matching.Filters, error) {
	var filters MatchFilters
	var faults validate.Faults
	if err := json.Unmarshal(c.Filters, &filters); err != nil {
		return matching.Filters{}, err
	}
	bound := filters.filters(&faults)
	return bound, faults.Err()
}

// CheckBrowser adds the faults of a match that a web page sends: what would reveal the fields that its token hides.
func (r *MatchRequest) CheckBrowser(c *browsertoken.Claims, faults *validate.Faults) {
	refuse := func(field, hidden string) {
		faults.Add(field, "hidden", "%s can't be used, because the browser token hides %s.", field, hidden)
	}

	encoded, err := Encode(r.Filters)
	if err != nil {
		panic(err) // what was decoded can be encoded
	}
	var set map[string]json.RawMessage
	if err := json.Unmarshal(encoded, &set); err != nil {
		panic(err)
	}

	refused := c.RefusedFilters()
	for _, name := range slices.Sorted(maps.Keys(refused)) {
		if _, isSet := set[name]; isSet {
			refuse("filters."+name, refused[name])
		}
	}
	features := c.Features()
	for _, name := range slices.Sorted(maps.Keys(features)) {
		if _, isSet := r.Weights[name]; isSet {
			refuse(validate.Join("weights", name), features[name])
		}
	}
}

// BrowserTokenAnswer is the response of POST /browser-tokens.
type BrowserTokenAnswer = Answer[BrowserToken]

// A BrowserToken is a token for a web page.
type BrowserToken struct {
	Token     string    `json:"token"`
	ExpiresAt time.Time `json:"expires_at"`
}
