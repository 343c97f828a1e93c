package api

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"freelancer-matching/access/apikey"
	rates "freelancer-matching/internal/exchange"
	"freelancer-matching/internal/matching"
)

// The limits of a brief. openapi.yaml documents them.
const (
	maxDescription = 20_000 // characters
	maxJobTitle    = 200
	maxSkills      = 50
	maxSkill       = 100 // characters
	maxTimeline    = 3650
	maxEffort      = 100_000 // hours
	maxProfile     = 100
	maxWeights     = 50
	maxWeight      = 1000
	defaultLimit   = 10
	maxLimit       = 100
)

// MatchRequest is the body of POST /match.
type MatchRequest struct {
	Description      string             `json:"description,omitempty"`
	RequiredSkills   []string           `json:"required_skills,omitempty"`
	BudgetRange      []float64          `json:"budget_range,omitempty"`
	Complexity       *string            `json:"complexity,omitempty"`
	Timeline         *int               `json:"timeline,omitempty"` // days
	JobTitle         string             `json:"job_title,omitempty"`
	NiceToHaveSkills []string           `json:"nice_to_have_skills,omitempty"`
	BudgetType       *string            `json:"budget_type,omitempty"`
	Currency         *string            `json:"currency,omitempty"` // of every amount; that of the data set if nil
	EffortHours      *float64           `json:"effort_hours,omitempty"`
	Filters          MatchFilters       `json:"filters,omitzero"`
	Weights          map[string]float64 `json:"weights,omitempty"`
	Profile          string             `json:"profile,omitempty"`
	Limit            *int               `json:"limit,omitempty"`
	Offset           *int               `json:"offset,omitempty"`
	Explain          bool               `json:"explain,omitempty"`
	Details          bool               `json:"details,omitempty"`
}

// brief validates the request and returns its brief, which must not be used if there are errors in f. The plan limits
// how deep the client may page.
func (r *MatchRequest) brief(plan apikey.Plan, f *fieldErrors) *matching.Brief {
	r.checkWords(f)
	r.checkBudget(f)
	oneOf(f, "complexity", r.Complexity, "low", "medium", "high")
	within(f, "timeline", r.Timeline, 1, maxTimeline)
	within(f, "effort_hours", r.EffortHours, 0, maxEffort)

	if r.EffortHours != nil && *r.EffortHours == 0 {
		f.add("effort_hours", "too_small", "effort_hours must be more than 0 and at most %d; got 0.", maxEffort)
	}
	filters := r.Filters.filters(f)

	if r.Filters.MaxCost != nil && r.Complexity == nil && r.EffortHours == nil {
		f.add("filters.max_cost", "unknown_size",
			"filters.max_cost needs the size of the work; send complexity or effort_hours.")
	}

	currency := r.currency(f)
	r.checkWeights(f)
	r.checkPage(plan, f)

	return &matching.Brief{
		Description:      r.Description,
		JobTitle:         r.JobTitle,
		RequiredSkills:   r.RequiredSkills,
		NiceToHaveSkills: r.NiceToHaveSkills,
		Budget:           r.budget(),
		Complexity:       matching.Complexity(valueOr(r.Complexity, "")),
		TimelineDays:     optional(r.Timeline),
		EffortHours:      optional(r.EffortHours),
		Filters:          filters,
		Currency:         currency,
		Profile:          r.Profile,
		Weights:          r.Weights,
		Limit:            valueOr(r.Limit, defaultLimit),
		Offset:           valueOr(r.Offset, 0),
		Explain:          r.Explain,
		Details:          r.Details,
	}
}

func (r *MatchRequest) checkWords(f *fieldErrors) {
	atMost(f, "description", r.Description, maxDescription)
	atMost(f, "job_title", r.JobTitle, maxJobTitle)
	atMost(f, "profile", r.Profile, maxProfile)
	checkTexts(f, "required_skills", r.RequiredSkills, maxSkills, maxSkill)
	checkTexts(f, "nice_to_have_skills", r.NiceToHaveSkills, maxSkills, maxSkill)
	if f.in("description") || f.in("required_skills") || f.in("job_title") {
		return
	}
	if !strings.ContainsFunc(r.Description+r.JobTitle+strings.Join(r.RequiredSkills, ""), isLetterOrNumber) {
		f.add("description", "required",
			"At least one of description, required_skills and job_title must contain a letter or a digit.")
	}
}

func isLetterOrNumber(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

func (r *MatchRequest) checkBudget(f *fieldErrors) {
	oneOf(f, "budget_type", r.BudgetType, "fixed", "hourly")
	if r.BudgetRange == nil || f.in("budget_range") {
		return
	}

	if n := len(r.BudgetRange); n != 2 {
		f.add("budget_range", "invalid_budget_range", "budget_range must be two numbers, [low, high]; got %d.", n)
		return
	}

	low := r.BudgetRange[0]
	high := r.BudgetRange[1]

	if low < 0 {
		f.add("budget_range[0]", "negative", "budget_range[0] must not be negative; got %v.", low)
	}

	if high < 0 {
		f.add("budget_range[1]", "negative", "budget_range[1] must not be negative; got %v.", high)
	}

	if low > high {
		f.add("budget_range", "reversed", "budget_range must be [low, high] with low at most high; got [%v, %v].", low, high)
	}
}

// budget returns the budget, or none if budget_range is absent or invalid.
func (r *MatchRequest) budget() matching.Optional[matching.Budget] {
	if len(r.BudgetRange) != 2 {
		return matching.Optional[matching.Budget]{}
	}
	return matching.Some(matching.Budget{
		Low: r.BudgetRange[0], High: r.BudgetRange[1], Hourly: valueOr(r.BudgetType, "fixed") == "hourly",
	})
}

// currency returns the code of the request's currency, or "" for that of the data set.
func (r *MatchRequest) currency(f *fieldErrors) string {
	if r.Currency == nil || f.in("currency") {
		return ""
	}
	code, err := rates.Code(*r.Currency)
	if err != nil {
		f.add("currency", "unknown_currency", "currency must be a code of ISO 4217, such as EUR; got %s.",
			quote(*r.Currency))
	}
	return code
}

func (r *MatchRequest) checkWeights(f *fieldErrors) {
	if n := len(r.Weights); n > maxWeights {
		f.add("weights", "too_many", "weights must have at most %d entries; got %d.", maxWeights, n)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(r.Weights)) {
		weight := r.Weights[name]
		within(f, join("weights", shorten(name)), &weight, 0, maxWeight)
	}
}

func (r *MatchRequest) checkPage(plan apikey.Plan, f *fieldErrors) {
	within(f, "limit", r.Limit, 1, maxLimit)
	if f.in("limit") || f.in("offset") {
		return
	}
	limit := valueOr(r.Limit, defaultLimit)
	offset := valueOr(r.Offset, 0)
	if offset < 0 {
		f.add("offset", "negative", "offset must not be negative; got %d.", offset)
	} else if offset+limit > plan.MaxDepth {
		f.add("offset", "too_large", "offset + limit must be at most %d on the plan %s; got %d + %d.", plan.MaxDepth,
			plan.Name, offset, limit)
	}
}

// The rules that several fields share. They skip fields that already have an error.

func oneOf(f *fieldErrors, field string, value *string, allowed ...string) {
	if value != nil && !f.in(field) && !slices.Contains(allowed, *value) {
		f.add(field, "unknown_value", "%s must be one of %s; got %s.", field, strings.Join(allowed, ", "), quote(*value))
	}
}

func within[T cmp.Ordered](f *fieldErrors, field string, value *T, low, high T) {
	switch {
	case value == nil || f.in(field):
	case *value < low:
		f.add(field, "too_small", "%s must be from %v to %v; got %v.", field, low, high, *value)
	case *value > high:
		f.add(field, "too_large", "%s must be from %v to %v; got %v.", field, low, high, *value)
	}
}

func atLeastZero(f *fieldErrors, field string, value *float64) {
	if value != nil && !f.in(field) && *value < 0 {
		f.add(field, "negative", "%s must not be negative; got %v.", field, *value)
	}
}

func atMost(f *fieldErrors, field, text string, characters int) {
	if n := utf8.RuneCountInString(text); n > characters && !f.in(field) {
		f.add(field, "too_long", "%s must have at most %d characters; got %d.", field, characters, n)
	}
}

// checkTexts checks that a list has at most maxEntries texts, that none is blank, and that none has more than
// maxCharacters characters.
func checkTexts(f *fieldErrors, field string, list []string, maxEntries, maxCharacters int) {
	if f.in(field) {
		return
	}
	if len(list) > maxEntries {
		f.add(field, "too_many", "%s must have at most %d entries; got %d.", field, maxEntries, len(list))
		return
	}
	for i, text := range list {
		at := index(field, i)
		if strings.TrimSpace(text) == "" {
			f.add(at, "blank", "%s must not be blank.", at)
		}
		atMost(f, at, text, maxCharacters)
	}
}

func optional[T any](value *T) matching.Optional[T] {
	if value == nil {
		return matching.Optional[T]{}
	}
	return matching.Some(*value)
}

func valueOr[T any](value *T, fallback T) T {
	if value == nil {
		return fallback
	}
	return *value
}
