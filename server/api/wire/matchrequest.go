package wire

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/freelancer-matching/service/access/apikey"
	rates "github.com/freelancer-matching/service/internal/exchange"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/validate"
)

// The limits of a brief. openapi.yaml documents them.
const (
	MaxDescription = 20_000 // characters
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
	Timeline         *int               `json:"timeline,omitempty"`   // days
	StartDate        *string            `json:"start_date,omitempty"` // such as 2026-12-01; today in UTC if nil
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

// Brief validates the request and returns its brief, which must not be used if there are errors in faults. The plan
// limits how deep the client may page.
func (r *MatchRequest) Brief(plan apikey.Plan, faults *validate.Faults) *matching.Brief {
	r.checkWords(faults)
	r.checkBudget(faults)
	validate.OneOf(faults, "complexity", r.Complexity, "low", "medium", "high")
	validate.Within(faults, "timeline", r.Timeline, 1, maxTimeline)
	validate.Within(faults, "effort_hours", r.EffortHours, 0, maxEffort)

	// Within accepts its limits.
	if r.EffortHours != nil && *r.EffortHours == 0 {
		faults.Add("effort_hours", "too_small", "effort_hours must be more than 0 and at most %d; got 0.", maxEffort)
	}
	filters := r.Filters.filters(faults)
	start := day(faults, "start_date", r.StartDate)

	currency := r.currency(faults)
	r.checkWeights(faults)
	r.CheckPage(plan, faults)

	return &matching.Brief{
		Description:      r.Description,
		JobTitle:         r.JobTitle,
		RequiredSkills:   r.RequiredSkills,
		NiceToHaveSkills: r.NiceToHaveSkills,
		Budget:           r.budget(),
		Complexity:       matching.Complexity(valueOr(r.Complexity, "")),
		TimelineDays:     Optional(r.Timeline),
		StartDay:         start,
		EffortHours:      Optional(r.EffortHours),
		Filters:          filters,
		Currency:         currency,
		Profile:          r.Profile,
		Weights:          r.Weights,
		Limit:            r.PageLimit(),
		Offset:           r.PageOffset(),
		Explain:          r.Explain,
		Details:          r.Details,
	}
}

func (r *MatchRequest) checkWords(faults *validate.Faults) {
	validate.MaxCharacters(faults, "description", r.Description, MaxDescription)
	validate.MaxCharacters(faults, "job_title", r.JobTitle, maxJobTitle)
	validate.MaxCharacters(faults, "profile", r.Profile, maxProfile)
	validate.Texts(faults, "required_skills", r.RequiredSkills, maxSkills, maxSkill)
	validate.Texts(faults, "nice_to_have_skills", r.NiceToHaveSkills, maxSkills, maxSkill)
	if faults.In("description") || faults.In("required_skills") || faults.In("job_title") {
		return
	}
	if !strings.ContainsFunc(r.Description+r.JobTitle+strings.Join(r.RequiredSkills, ""), isLetterOrNumber) {
		faults.Add("description", "required",
			"At least one of description, required_skills and job_title must contain a letter or a digit.")
	}
}

func isLetterOrNumber(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

func (r *MatchRequest) checkBudget(faults *validate.Faults) {
	validate.OneOf(faults, "budget_type", r.BudgetType, "fixed", "hourly")
	if r.BudgetRange == nil || faults.In("budget_range") {
		return
	}

	if n := len(r.BudgetRange); n != 2 {
		faults.Add("budget_range", "invalid_budget_range", "budget_range must be two numbers, [low, high]; got %d.", n)
		return
	}

	low := r.BudgetRange[0]
	high := r.BudgetRange[1]

	if low < 0 {
		faults.Add("budget_range[0]", "negative", "budget_range[0] must not be negative; got %v.", low)
	}

	if high < 0 {
		faults.Add("budget_range[1]", "negative", "budget_range[1] must not be negative; got %v.", high)
	}

	if low > high {
		faults.Add("budget_range", "reversed", "budget_range must be [low, high] with low at most high; got [%v, %v].", low,
			high)
	}
}

// budget returns the budget, or none if budget_range is absent or invalid.
func (r *MatchRequest) budget() matching.Optional[matching.Budget] {
	if len(r.BudgetRange) != 2 {
		return matching.Optional[matching.Budget]{}
	}
	return matching.Some(matching.Budget{
		Low: r.BudgetRange[0], High: r.BudgetRange[1],
		Kind: matching.BudgetKind(valueOr(r.BudgetType, "")),
	})
}

// currency returns the code of the request's currency, or "" for that of the data set.
func (r *MatchRequest) currency(faults *validate.Faults) string {
	if r.Currency == nil || faults.In(ParameterCurrency) {
		return ""
	}
	return currencyCode(*r.Currency, faults)
}

// ParameterCurrency is the query parameter of the currency that the amounts of records are in.
const ParameterCurrency = "currency"

// ReadCurrency returns the currency that the query of a request names, or "" for that of the data set.
func ReadCurrency(parameters map[string]string, faults *validate.Faults) string {
	text, ok := parameters[ParameterCurrency]
	if !ok {
		return ""
	}
	return currencyCode(text, faults)
}

// currencyCode returns a code of ISO 4217 in capital letters.
func currencyCode(text string, faults *validate.Faults) string {
	code, err := rates.Code(text)
	if err != nil {
		faults.Add(ParameterCurrency, "unknown_currency", "currency must be a code of ISO 4217, such as EUR; got %s.",
			validate.Quote(text))
	}
	return code
}

func (r *MatchRequest) checkWeights(faults *validate.Faults) {
	if n := len(r.Weights); n > maxWeights {
		faults.Add("weights", "too_many", "weights must have at most %d entries; got %d.", maxWeights, n)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(r.Weights)) {
		weight := r.Weights[name]
		validate.Within(faults, validate.Join("weights", validate.Shorten(name)), &weight, 0, maxWeight)
	}
}

// PageLimit returns how many matches the client asks for.
func (r *MatchRequest) PageLimit() int { return valueOr(r.Limit, defaultLimit) }

// PageOffset returns how many matches come before the page.
func (r *MatchRequest) PageOffset() int { return valueOr(r.Offset, 0) }

// CheckPage checks the page that the client asks for. The plan limits how deep it may be.
func (r *MatchRequest) CheckPage(plan apikey.Plan, faults *validate.Faults) {
	validate.Within(faults, "limit", r.Limit, 1, maxLimit)
	if faults.In("limit") || faults.In("offset") {
		return
	}
	limit := r.PageLimit()
	offset := r.PageOffset()
	if offset < 0 {
		faults.Add("offset", "negative", "offset must not be negative; got %d.", offset)
	} else if offset+limit > plan.MaxDepth {
		faults.Add("offset", "too_large", "offset + limit must be at most %d on the plan %s; got %d + %d.", plan.MaxDepth,
			plan.Name, offset, limit)
	}
}
