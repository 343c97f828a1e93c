package matching

import (
	"math"
	"time"
)

// Freelancer is a person who can be hired, as described by one data set. Missing texts are empty; missing numbers and
// flags are unknown. Fields below has a row for each member but the ID.
type Freelancer struct {
	ID          string   `json:"id"` // unique in its data set and stable between loads of the same data
	Name        string   `json:"name,omitempty"`
	JobTitle    string   `json:"job_title,omitempty"`
	Skills      []string `json:"skills,omitempty"` // as named in the data, without markup and duplicates
	Description string   `json:"description,omitempty"`
	ProfileURL  string   `json:"profile_url,omitempty"`
	Signals
	Details
}

// Details holds facts that clients filter by and receive on request.
type Details struct {
	Country       string            `json:"country,omitempty"`        // ISO 3166-1 alpha-2 code, such as DE
	Location      string            `json:"location,omitempty"`       // as in the data, such as "Porto, Portugal"
	TimeZone      string            `json:"time_zone,omitempty"`      // IANA name, or a fixed offset such as UTC+05:30
	Languages     []SpokenLanguage  `json:"languages,omitempty"`      // each tag once
	Currency      string            `json:"currency,omitempty"`       // ISO 4217 code, in which the freelancer charges
	AvailableFrom string            `json:"available_from,omitempty"` // a date such as 2026-12-01
	HoursPerWeek  Optional[float64] `json:"hours_per_week,omitzero"`  // that the freelancer offers
	Verified      Optional[bool]    `json:"verified,omitzero"`        // by the marketplace that the data comes from
}

// A SpokenLanguage is a language that a freelancer speaks.
type SpokenLanguage struct {
	Tag   string        `json:"language"`        // BCP 47, in canonical form: de, pt-BR
	Level LanguageLevel `json:"level,omitempty"` // "" if unknown
}

// String returns the language with its level, such as de:C1, or de:? if the level is unknown.
func (l SpokenLanguage) String() string {
	if l.Level == "" {
		return l.Tag + ":?"
	}
	return l.Tag + ":" + string(l.Level)
}

// A LanguageLevel is a level of the Common European Framework of Reference for Languages, A1 to C2, or LevelNative.
type LanguageLevel string

// LevelNative is the level of a native speaker, above C2.
const LevelNative LanguageLevel = "native"

// Signals holds the facts about a freelancer that are neither text nor skills.
type Signals struct {
	Experience   Optional[float64] `json:"experience,omitzero"`  // years
	Rating       Optional[float64] `json:"rating,omitzero"`      // 0 to 5
	HourlyRate   Optional[float64] `json:"hourly_rate,omitzero"` // in the currency of the data set
	Availability Optional[bool]    `json:"availability,omitzero"`
	TotalSales   Optional[int]     `json:"total_sales,omitzero"` // completed projects, the basis of the rating
}

// A Schedule says when a freelancer can work, as prepared for searches.
type Schedule struct {
	From Optional[int] // the first day on which they can start, in days since 1970-01-01, possibly in the past
	// HoursPerWeek is more than 0 and at most 168, to a tenth.
	HoursPerWeek Optional[float64]
}

// Day returns the day of a date such as 2026-12-01, in days since 1970-01-01. It reports whether the date is valid.
func Day(date string) (day int, ok bool) {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return 0, false
	}
	return DayOf(t), true
}

// DayOf returns the day of a time in UTC, in days since 1970-01-01.
func DayOf(t time.Time) int { return int(math.Floor(float64(t.Unix()) / (24 * 60 * 60))) }

// Date returns a day, in days since 1970-01-01, as a date such as 2026-12-01.
func Date(day int) string { return time.Unix(int64(day)*24*60*60, 0).UTC().Format(time.DateOnly) }

// Fields are the facts about a freelancer, apart from the ID, in the order of exports. Records and patches, coverage,
// differences, merged rows, exports, the columns of files and the dashboard's form read this list. Tests compare it
// with the typed structs of the API, the documents of Elasticsearch and the types in their mapping.
// docs/adr/0064-fields.md says how to add a field.
//
// The list is beside Freelancer because every package that needs it already imports this one, and because a row and the
// member that it points to change together. How a cell is parsed is in internal/value, as this package imports none.
//
// It is an array, so that its length is a constant: counts and hashes by field need no allocation.
var Fields = [...]Field{
	{"name", KindText, ScopeMatch, func(f *Freelancer) any { return &f.Name }},
	{"job_title", KindText, ScopeMatch, func(f *Freelancer) any { return &f.JobTitle }},
	{"skills", KindSkills, ScopeMatch, func(f *Freelancer) any { return &f.Skills }},
	{"experience", KindNumber, ScopeMatch, func(f *Freelancer) any { return &f.Experience }},
	{"rating", KindNumber, ScopeMatch, func(f *Freelancer) any { return &f.Rating }},
	{"hourly_rate", KindNumber, ScopeMatch, func(f *Freelancer) any { return &f.HourlyRate }},
	{"profile_url", KindText, ScopeMatch, func(f *Freelancer) any { return &f.ProfileURL }},
	{"availability", KindFlag, ScopeMatch, func(f *Freelancer) any { return &f.Availability }},
	{"total_sales", KindInteger, ScopeMatch, func(f *Freelancer) any { return &f.TotalSales }},
	{"description", KindLongText, ScopeRecord, func(f *Freelancer) any { return &f.Description }},
	{"country", KindText, ScopeDetails, func(f *Freelancer) any { return &f.Country }},
	{"location", KindText, ScopeDetails, func(f *Freelancer) any { return &f.Location }},
	{"time_zone", KindText, ScopeDetails, func(f *Freelancer) any { return &f.TimeZone }},
	{"languages", KindLanguages, ScopeDetails, func(f *Freelancer) any { return &f.Languages }},
	{"currency", KindText, ScopeDetails, func(f *Freelancer) any { return &f.Currency }},
	{"available_from", KindDate, ScopeDetails, func(f *Freelancer) any { return &f.AvailableFrom }},
	{"hours_per_week", KindNumber, ScopeDetails, func(f *Freelancer) any { return &f.HoursPerWeek }},
	{"verified", KindFlag, ScopeDetails, func(f *Freelancer) any { return &f.Verified }},
}

// A RateLimit is a limit on the hourly rate that changes with experience. It expresses a limit on the cost of the work,
// for which experienced people need less time.
type RateLimit struct {
	Unknown          float64 // for an unknown experience
	Beginner, Expert float64 // for no experience, and from ExpertYears on; in between, it is interpolated linearly
	ExpertYears      float64 // more than 0
}

// RateTolerance allows for rounding, so that a cost equal to the limit passes.
const RateTolerance = 1 + 1e-12

// Max returns the highest rate for an experience.
func (l *RateLimit) Max(experience Optional[float64]) float64 {
	if !experience.Known {
		return l.Unknown * RateTolerance
	}
	return (l.Beginner + (l.Expert-l.Beginner)*min(1, experience.Value/l.ExpertYears)) * RateTolerance
}

// Evidence is how a freelancer is known to have a skill, from none to the strongest.
type Evidence uint8

// The kinds of evidence in rising order. If there are several for a skill, the highest counts.
const (
	NoEvidence Evidence = iota
	Sibling             // has another skill of the same family: part credit, never a match
	InText              // found in the description or implied by a skill found there, or listed without any support
	InTitle             // found in the job title, or implied by a skill found there
	Implied             // implied by a listed skill: Next.js implies React
	Listed              // in the skill list
)

// Matches reports whether the evidence is for the skill itself and not just a related one.
func (e Evidence) Matches() bool { return e > Sibling }

// String returns the evidence in the words of an explanation.
func (e Evidence) String() string {
	switch e {
	case Sibling:
		return "related"
	case InText:
		return "in description"
	case InTitle:
		return "in title"
	case Implied:
		return "implied"
	case Listed:
		return "listed"
	default:
		return "missing"
	}
}
