package dashboard

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"freelancer-matching/internal/matching"
)

// matchRequest is the body of POST /match, as far as the playground fills it in. It is written in this order.
type matchRequest struct {
	Description    string        `json:"description,omitempty"`
	JobTitle       string        `json:"job_title,omitempty"`
	RequiredSkills []string      `json:"required_skills,omitempty"`
	NiceToHave     []string      `json:"nice_to_have_skills,omitempty"`
	BudgetRange    []float64     `json:"budget_range,omitempty"`
	BudgetType     string        `json:"budget_type,omitempty"`
	Complexity     string        `json:"complexity,omitempty"`
	Timeline       int           `json:"timeline,omitempty"` // days
	Filters        *matchFilters `json:"filters,omitempty"`
	Profile        string        `json:"profile,omitempty"`
	Limit          int           `json:"limit,omitempty"`
	Explain        bool          `json:"explain,omitempty"`
}

type matchFilters struct {
	Available      bool     `json:"available,omitempty"`
	MinRating      *float64 `json:"min_rating,omitempty"`
	MinExperience  *float64 `json:"min_experience,omitempty"`
	MaxHourlyRate  *float64 `json:"max_hourly_rate,omitempty"`
	MustHaveSkills []string `json:"must_have_skills,omitempty"`
}

// encode is the request as JSON that people can read.
func (r matchRequest) encode() []byte { return encodeRequest(r) }

// encodeRequest is a request as JSON that people can read.
func encodeRequest(r any) []byte {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(r); err != nil {
		panic(err) // texts and finite numbers only
	}
	return list.ReplaceAllFunc(bytes.TrimSpace(text.Bytes()), func(items []byte) []byte {
		oneLine := lineBreak.ReplaceAll(items, []byte(" "))
		return slices.Concat([]byte("["), bytes.TrimSpace(oneLine[1:len(oneLine)-1]), []byte("]"))
	})
}

// A list of the indented request, and a line break of it. Inside texts there are none, since JSON writes them as \n.
var (
	list      = regexp.MustCompile(`\[\n[^\[\]{}]*\n *\]`)
	lineBreak = regexp.MustCompile(`\n *`)
)

// requestFrom is the request that the playground's form makes. The faults are of fields that hold no number; all other rules
// are the API's to check.
func requestFrom(v *visit) (matchRequest, *faults) {
	f := &formReader{visit: v}
	r := matchRequest{
		Description: v.value("description"), JobTitle: v.value("job_title"),
		RequiredSkills: lines(v.value("required_skills")), NiceToHave: lines(v.value("nice_to_have_skills")),
		BudgetType: v.value("budget_type"), Complexity: v.value("complexity"), Timeline: f.whole("timeline"),
		Profile: v.value("profile"), Limit: f.whole("limit"), Explain: true,
	}
	low, high := f.decimal("budget_low"), f.decimal("budget_high")
	switch {
	case low == nil && high == nil:
		r.BudgetType = "" // says nothing without a range
	case high == nil:
		f.fault("budget_high", "give the highest amount too, or leave both empty")
	case low == nil:
		r.BudgetRange = []float64{0, *high}
	default:
		r.BudgetRange = []float64{*low, *high}
	}
	filters := matchFilters{
		Available: v.value("available") != "", MinRating: f.decimal("min_rating"), MinExperience: f.decimal("min_experience"),
		MaxHourlyRate: f.decimal("max_hourly_rate"), MustHaveSkills: lines(v.value("must_have_skills")),
	}
	if filters.Available || filters.MinRating != nil || filters.MinExperience != nil || filters.MaxHourlyRate != nil ||
		len(filters.MustHaveSkills) > 0 {
		r.Filters = &filters
	}
	if len(f.faults) > 0 {
		return matchRequest{}, &faults{Message: "the brief was not sent", Fields: f.faults}
	}
	return r, nil
}

// formReader reads numbers from a form.
type formReader struct {
	*visit
	faults []matching.FieldError
}

func (f *formReader) fault(field, message string) {
	f.faults = append(f.faults, matching.FieldError{Field: field, Code: "wrong_type", Message: message})
}

func (f *formReader) decimal(field string) *float64 {
	text := f.value(field)
	if text == "" {
		return nil
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n-n != 0 { // an infinity or no number: JSON has neither
		f.fault(field, "must be a number such as 1500 or 4.5")
		return nil
	}
	return &n
}

func (f *formReader) whole(field string) int {
	text := f.value(field)
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil || n == 0 { // a zero would be left out of the request, and the rule that it breaks with it
		f.fault(field, "must be a whole number, at least 1")
		return 0
	}
	return n
}

// playFaults is what the API found wrong with a request, at the fields of the form; nil for an error of another kind.
func playFaults(a *apiFailure) *faults {
	if len(a.Error.Details) == 0 {
		return nil
	}
	f := &faults{Message: a.Error.Message}
	for _, detail := range a.Error.Details {
		detail.Field = playField(detail.Field)
		f.Fields = append(f.Fields, detail)
	}
	return f
}

// playField is the field of the form behind a path of the request.
func playField(path string) string {
	if i, is := strings.CutPrefix(path, "provided_answers["); is {
		if n, err := strconv.Atoi(strings.TrimSuffix(i, "]")); err == nil {
			return answerField(n)
		}
	}
	switch path {
	case "budget_range", "budget_range[0]":
		return "budget_low"
	case "budget_range[1]":
		return "budget_high"
	}
	const inFilters = len("filters.")
	if len(path) > inFilters && path[:inFilters] == "filters." {
		path = path[inFilters:]
	}
	return fieldOf(path)
}
