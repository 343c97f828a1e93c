package wire

import (
	"freelancer-matching/freelancers"
	"freelancer-matching/internal/matching"
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

// A StoredFreelancer is a freelancer as the indexer reads it: without the fields whose values are unknown.
type StoredFreelancer struct {
	Freelancer matching.Freelancer `json:"freelancer"`
	Version    string              `json:"version"` // the ETag without its quotation marks
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
	Outcome  string                `json:"outcome"` // a freelancers.Status, or failed
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
