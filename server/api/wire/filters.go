package wire

import (
	"fmt"
	"strings"
	"time"

	"golang.org/x/text/language"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/value"
	"github.com/freelancer-matching/service/server/api/validate"
)

// The limits of filters. openapi.yaml documents them.
const (
	maxRating       = 5
	maxIDs          = 500
	maxID           = 200 // characters
	maxCountries    = 250
	maxFilterSpoken = 10 // languages
	maxTag          = 35 // characters of a country, language or zone
	maxWithinHours  = 12
)

// MatchFilters holds the conditions that every match must meet.
type MatchFilters struct {
	Available      *bool            `json:"available,omitempty"`
	MinRating      *float64         `json:"min_rating,omitempty"`
	MinExperience  *float64         `json:"min_experience,omitempty"`
	MaxHourlyRate  *float64         `json:"max_hourly_rate,omitempty"`
	MaxCost        *float64         `json:"max_cost,omitempty"`
	Countries      []string         `json:"countries,omitempty"`
	Languages      []LanguageFilter `json:"languages,omitempty"`
	TimeZone       *TimeZoneFilter  `json:"time_zone,omitempty"`
	AvailableBy    *string          `json:"available_by,omitempty"` // a date such as 2026-12-01
	Verified       *bool            `json:"verified,omitempty"`
	MustHaveSkills []string         `json:"must_have_skills,omitempty"`
	ExcludeSkills  []string         `json:"exclude_skills,omitempty"`
	IDs            []string         `json:"ids,omitempty"`
	ExcludeIDs     []string         `json:"exclude_ids,omitempty"`
}

// LanguageFilter asks for speakers of a language.
type LanguageFilter struct {
	Language string  `json:"language"` // BCP 47
	MinLevel *string `json:"min_level,omitempty"`
}

// TimeZoneFilter asks for time zones near one.
type TimeZoneFilter struct {
	Zone        string   `json:"zone"`
	WithinHours *float64 `json:"within_hours,omitempty"`
}

// filters validates the filters and returns them for the brief. Countries, languages and zones get their canonical
// form.
func (r *MatchFilters) filters(faults *validate.Faults) matching.Filters {
	validate.Within(faults, "filters.min_rating", r.MinRating, 0, maxRating)
	validate.NotNegative(faults, "filters.min_experience", r.MinExperience)
	validate.NotNegative(faults, "filters.max_hourly_rate", r.MaxHourlyRate)
	validate.NotNegative(faults, "filters.max_cost", r.MaxCost)
	validate.Texts(faults, "filters.must_have_skills", r.MustHaveSkills, maxSkills, maxSkill)
	validate.Texts(faults, "filters.exclude_skills", r.ExcludeSkills, maxSkills, maxSkill)
	validate.Texts(faults, "filters.ids", r.IDs, maxIDs, maxID)
	validate.Texts(faults, "filters.exclude_ids", r.ExcludeIDs, maxIDs, maxID)

	if r.IDs != nil && len(r.IDs) == 0 {
		faults.Add("filters.ids", "empty", "filters.ids must contain at least one ID. Omit it to allow every freelancer.")
	}

	return matching.Filters{
		Available:      Optional(r.Available),
		MinRating:      Optional(r.MinRating),
		MinExperience:  Optional(r.MinExperience),
		MaxHourlyRate:  Optional(r.MaxHourlyRate),
		MaxCost:        Optional(r.MaxCost),
		Countries:      r.countries(faults),
		Languages:      r.languages(faults),
		TimeZone:       r.timeZone(faults),
		AvailableBy:    day(faults, "filters.available_by", r.AvailableBy),
		Verified:       Optional(r.Verified),
		MustHaveSkills: r.MustHaveSkills,
		ExcludeSkills:  r.ExcludeSkills,
		IDs:            r.IDs,
		ExcludeIDs:     r.ExcludeIDs,
	}
}

// countries returns the codes of the countries. Names are errors that suggest the code.
func (r *MatchFilters) countries(faults *validate.Faults) []string {
	const field = "filters.countries"
	if r.Countries != nil && len(r.Countries) == 0 {
		faults.Add(field, "empty", "%s must contain at least one code. Omit it to allow every country.", field)
	}
	validate.Texts(faults, field, r.Countries, maxCountries, maxTag)

	if faults.In(field) {
		return nil
	}
	var codes []string
	for i, text := range r.Countries {
		at := validate.Index(field, i)
		upper := strings.ToUpper(text)
		code, _ := value.Country(upper)

		if upper == "NA" { // data uses it for unknown values
			code = upper
		}

		switch {
		case code == upper && len(code) == len("DE"):
			codes = append(codes, code)
		case code != "":
			faults.Add(at, "unknown_country", "%s must be a code of ISO 3166-1 with two letters; for %s, send %s.", at,
				validate.Quote(text),
				code)
		default:
			faults.Add(at, "unknown_country", "%s must be a code of ISO 3166-1 with two letters, such as DE; got %s.", at,
				validate.Quote(text))
		}
	}

	return codes
}

// languages returns the languages with canonical tags and levels. Names are errors that suggest the tag or the level.
func (r *MatchFilters) languages(faults *validate.Faults) []matching.LanguageFilter {
	const field = "filters.languages"
	if r.Languages != nil && len(r.Languages) == 0 {
		faults.Add(field, "empty", "%s must contain at least one language. Omit it to allow every language.", field)
	}
	if n := len(r.Languages); n > maxFilterSpoken {
		faults.Add(field, "too_many", "%s must have at most %d entries; got %d.", field, maxFilterSpoken, n)
		return nil
	}
	var list []matching.LanguageFilter
	for i, l := range r.Languages {
		at := validate.Index(field, i)
		list = append(list, matching.LanguageFilter{
			Tag: languageTag(faults, at+".language", l.Language), MinLevel: languageLevel(faults, at+".min_level", l.MinLevel),
		})
	}
	return list
}

func languageTag(faults *validate.Faults, field, text string) string {
	if faults.In(field) {
		return ""
	}

	// value.Language also knows names, such as German, which the error answers with their tag.
	_, err := language.Parse(text)
	tag := ""
	if len(text) <= maxTag {
		tag, _ = value.Language(text)
	}
	switch {
	case text == "":
		faults.Add(field, "required", "%s must be a tag of BCP 47, such as de or pt-BR.", field)
	case tag == "":
		faults.Add(field, "unknown_language", "%s must be a tag of BCP 47, such as de or pt-BR; got %s.", field,
			validate.Quote(text))
	case err != nil:
		faults.Add(field, "unknown_language", "%s must be a tag of BCP 47; for %s, send %s.", field, validate.Quote(text),
			tag)
		return ""
	}
	return tag
}

func languageLevel(faults *validate.Faults, field string, text *string) matching.LanguageLevel {
	if text == nil || faults.In(field) {
		return ""
	}
	levels := value.LevelsFrom("A1")
	names := make([]string, len(levels))
	for i, level := range levels {
		if names[i] = string(level); strings.EqualFold(*text, names[i]) {
			return level
		}
	}
	suggestion := ""
	if level, _ := value.LanguageLevel(*text); level != "" {
		suggestion = fmt.Sprintf(" For %s, send %s.", validate.Quote(*text), level)
	}
	faults.Add(field, "unknown_value", "%s must be one of %s; got %s.%s", field, strings.Join(names, ", "),
		validate.Quote(*text),
		suggestion)
	return ""
}

func (r *MatchFilters) timeZone(faults *validate.Faults) (filter matching.Optional[matching.TimeZoneFilter]) {
	const field, hours = "filters.time_zone.zone", "filters.time_zone.within_hours"
	if r.TimeZone == nil || faults.In("filters.time_zone") {
		return filter
	}
	validate.Within(faults, hours, r.TimeZone.WithinHours, 0, maxWithinHours)
	zone, remark := value.TimeZone(r.TimeZone.Zone)
	if zone == "" {
		if remark == "" {
			remark = "use a name such as Europe/Berlin or an offset such as UTC+05:30"
		}
		faults.Add(field, "unknown_time_zone", "%s is %s: %s.", field, validate.Quote(r.TimeZone.Zone), remark)
	}
	return matching.Some(matching.TimeZoneFilter{Zone: zone, WithinHours: valueOr(r.TimeZone.WithinHours, 0)})
}

// day returns the day of a date such as 2026-12-01, in days since 1970-01-01. It is unknown if date is nil or invalid.
func day(faults *validate.Faults, field string, date *string) (day matching.Optional[int]) {
	if date == nil || faults.In(field) {
		return day
	}
	parsed, err := time.Parse(time.DateOnly, *date)
	if err != nil || parsed.Year() < 1970 {
		faults.Add(field, "invalid_date", "%s must be a date such as 2026-12-01; got %s.", field, validate.Quote(*date))
		return day
	}
	return matching.Some(int(parsed.Unix() / (24 * 60 * 60)))
}
