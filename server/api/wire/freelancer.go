package wire

import (
	"bytes"
	"slices"

	"github.com/freelancer-matching/service/freelancers"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/validate"
)

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

func newFreelancer(f *matching.Freelancer) Freelancer {
	return Freelancer{
		ID: f.ID, Name: f.Name, JobTitle: f.JobTitle, Skills: OrEmpty(f.Skills),
		Experience: f.Experience.Or(0), Rating: f.Rating.Or(0), HourlyRate: f.HourlyRate.Or(0),
		ProfileURL: f.ProfileURL, Availability: f.Availability.Or(false), TotalSales: f.TotalSales.Or(0),
	}
}

// A nullableFreelancer is a Freelancer whose unknown values are null.
type nullableFreelancer struct {
	ID           string                     `json:"id"`
	Name         NullableString             `json:"name"`
	JobTitle     NullableString             `json:"job_title"`
	Skills       []string                   `json:"skills"`
	Experience   matching.Optional[float64] `json:"experience"`
	Rating       matching.Optional[float64] `json:"rating"`
	HourlyRate   matching.Optional[float64] `json:"hourly_rate"`
	ProfileURL   NullableString             `json:"profile_url"`
	Availability matching.Optional[bool]    `json:"availability"`
	TotalSales   matching.Optional[int]     `json:"total_sales"`
}

func newNullableFreelancer(f *Freelancer, unknown []string) nullableFreelancer {
	nullable := nullableFreelancer{
		ID: f.ID, Name: NullableString(f.Name), JobTitle: NullableString(f.JobTitle),
		ProfileURL:   NullableString(f.ProfileURL),
		Experience:   knownUnless(unknown, "experience", f.Experience),
		Rating:       knownUnless(unknown, "rating", f.Rating),
		HourlyRate:   knownUnless(unknown, "hourly_rate", f.HourlyRate),
		Availability: knownUnless(unknown, "availability", f.Availability),
		TotalSales:   knownUnless(unknown, "total_sales", f.TotalSales),
	}
	if len(f.Skills) > 0 {
		nullable.Skills = f.Skills
	}
	return nullable
}

// knownUnless returns the value of a field, which is unknown if a list names the field.
func knownUnless[T any](unknown []string, field string, value T) matching.Optional[T] {
	return matching.Optional[T]{Value: value, Known: !slices.Contains(unknown, field)}
}

// An UnknownForm says how unknown values of freelancers are written.
type UnknownForm bool

// The forms. AsZero is the zero of the type in matches, and nothing in records.
const (
	AsZero UnknownForm = false
	AsNull UnknownForm = true
)

// ReadUnknown returns the form that the query of a request asks for.
func ReadUnknown(parameters map[string]string, faults *validate.Faults) UnknownForm {
	form, ok := parameters[ParameterUnknown]
	if ok {
		validate.OneOf(faults, ParameterUnknown, &form, "null")
	}
	return UnknownForm(ok)
}

// ParameterUnknown is the query parameter of the form.
const ParameterUnknown = "unknown"

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

func newDetails(d *matching.Details) *Details {
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

// A StoredFreelancer is a freelancer as PUT accepts it.
type StoredFreelancer struct {
	Freelancer FreelancerRecord `json:"freelancer"`
	Version    string           `json:"version"` // the ETag without its quotation marks
}

// NewStoredFreelancer returns a stored freelancer as clients see it.
func NewStoredFreelancer(s freelancers.Stored, form UnknownForm) StoredFreelancer {
	return StoredFreelancer{Freelancer: FreelancerRecord{s.Freelancer, form}, Version: s.Version}
}

// A FreelancerRecord is a record in a response. Fields whose values are unknown are absent or null.
type FreelancerRecord struct {
	matching.Freelancer
	form UnknownForm
}

// MarshalJSON writes the record.
func (r FreelancerRecord) MarshalJSON() ([]byte, error) {
	record, err := Encode(r.Freelancer)
	if err != nil || r.form == AsZero {
		return record, err
	}

	// The record has at least its ID, so a comma precedes each null.
	record = bytes.TrimSuffix(bytes.TrimSpace(record), []byte("}"))
	for i := range matching.Fields {
		if d := &matching.Fields[i]; !d.Known(&r.Freelancer) {
			record = append(record, `,"`+d.Name+`":null`...)
		}
	}
	return append(record, '}'), nil
}

// FreelancerAnswer is the response of GET /freelancers/{id}.
type FreelancerAnswer = Answer[StoredFreelancer]

// A FreelancerChange is what became of a change.
type FreelancerChange struct {
	ID       string                `json:"id"`
	Outcome  freelancers.Status    `json:"outcome"`
	Version  NullableString        `json:"version"`
	Warnings []matching.FieldError `json:"warnings"`
	Erased   *freelancers.Erasure  `json:"erased,omitempty"` // of a deletion
}

// FreelancerChangeAnswer is the response of PUT, PATCH and DELETE /freelancers/{id}.
type FreelancerChangeAnswer = Answer[FreelancerChange]

// NewFreelancerChange returns what became of the change of a freelancer.
func NewFreelancerChange(id string, r *freelancers.Result) FreelancerChange {
	change := FreelancerChange{
		ID: id, Outcome: r.Status, Version: NullableString(r.Version), Warnings: OrEmpty(r.Warnings),
	}
	if r.Status == freelancers.Deleted {
		change.Erased = &r.Erasure
	}
	return change
}

// FreelancerListAnswer is the response of GET /freelancers.
type FreelancerListAnswer struct {
	Status     string             `json:"status"` // success
	Data       []StoredFreelancer `json:"data"`
	NextCursor NullableString     `json:"next_cursor"` // null on the last page
	Damaged    int                `json:"damaged"`     // freelancers left out because their stored records are damaged
	RequestID  string             `json:"request_id"`
	TookMS     float64            `json:"took_ms"`
}

// A BulkResult is the line of the response for one line of the request.
type BulkResult struct {
	Line     int                   `json:"line"` // in the request, from 1
	ID       NullableString        `json:"id"`
	Outcome  string                `json:"outcome"` // a freelancers.Status, failed or skipped
	Version  NullableString        `json:"version"`
	Warnings []matching.FieldError `json:"warnings,omitempty"`
	Erased   *freelancers.Erasure  `json:"erased,omitempty"`
	Error    *FailureError         `json:"error,omitempty"`
}

// A BulkSummary is the last line of a complete response. A response that ends early has a Failure instead.
type BulkSummary struct {
	Status    string  `json:"status"` // success
	Lines     int     `json:"lines"`  // with a result
	Changed   int     `json:"changed"`
	Unchanged int     `json:"unchanged"`
	Failed    int     `json:"failed"`
	Skipped   int     `json:"skipped"` // left out by the mapping
	RequestID string  `json:"request_id"`
	TookMS    float64 `json:"took_ms"`
}

// A TestRecord is a generated freelancer.
type TestRecord struct {
	Freelancer
	Description string   `json:"description"`
	Details     *Details `json:"details,omitempty"` // on request
}

// TestDataAnswer is the response of /generate-test-data in the format json. It is streamed: first the list, then the
// tail.
type TestDataAnswer struct {
	Status string       `json:"status"` // success
	Data   []TestRecord `json:"data"`
	TestDataTail
}

// TestDataTail is what follows the list of a TestDataAnswer.
type TestDataTail struct {
	Seed      uint64  `json:"seed"`
	RequestID string  `json:"request_id"`
	TookMS    float64 `json:"took_ms"`
}

// NewTestRecord returns a generated freelancer as clients see it.
func NewTestRecord(f *matching.Freelancer, withDetails bool) TestRecord {
	record := TestRecord{Freelancer: newFreelancer(f), Description: f.Description}
	if withDetails {
		record.Details = newDetails(&f.Details)
	}
	return record
}
