package playground

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/value"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// matchFilters returns the filters that the form describes. Countries, languages and the time zone may be written in
// words; the API accepts codes only.
func (f *briefReader) matchFilters() wire.MatchFilters {
	filters := wire.MatchFilters{
		MinRating:      f.Decimal("min_rating"),
		MinExperience:  f.Decimal("min_experience"),
		MaxHourlyRate:  f.maxRate("max_hourly_rate"),
		Countries:      f.countries("countries"),
		Languages:      f.languages("languages"),
		MustHaveSkills: page.SplitList(f.Value("must_have_skills")),
		ExcludeSkills:  page.SplitList(f.Value("exclude_skills")),
	}

	if f.Value("available") != "" {
		filters.Available = new(true)
	}

	zone := f.Value("time_zone")
	hours := f.Decimal("within_hours")

	// Hours without a zone would silently not count.
	if zone != "" {
		if name, _ := value.TimeZone(zone); name != "" {
			zone = name
		}
		filters.TimeZone = &wire.TimeZoneFilter{Zone: zone, WithinHours: hours}
	} else if hours != nil {
		f.AddFault("time_zone", "enter the time zone too, or leave both empty")
	}

	return filters
}

// countries returns the codes of the countries in a field. The API reports what isn't one.
func (f *briefReader) countries(field string) []string {
	list := page.SplitList(f.Value(field))
	for i, text := range list {
		if code, _ := value.Country(text); code != "" {
			list[i] = code
		}
	}
	return list
}

// languages returns the languages in a field, such as "German C1, English".
func (f *briefReader) languages(field string) []wire.LanguageFilter {
	var list []wire.LanguageFilter
	var unknown []string // all of them, so that one correction is enough
	for _, text := range page.SplitList(f.Value(field)) {
		spoken, _ := value.SpokenLanguages(text)
		if len(spoken) != 1 {
			unknown = append(unknown, "“"+text+"”")
			continue
		}
		l := wire.LanguageFilter{Language: spoken[0].Tag}
		if level := string(spoken[0].Level); level != "" {
			l.MinLevel = &level
		}
		list = append(list, l)
	}

	if len(unknown) > 0 {
		f.AddFault(field, "unknown: "+strings.Join(unknown, ", ")+"; enter languages such as German C1, English")
	}
	return list
}

// A suggestion is a filter that the brief asks for.
type suggestion struct {
	Because []string // words of the brief
	Label   string   // the filter in words
	Use     string   // value of the button that uses it
}

// newSuggestion returns a suggestion of the API for the page. ok is false if this page doesn't know the filter.
func newSuggestion(s *matching.SuggestedFilter) (_ suggestion, ok bool) {
	use, err := json.Marshal(map[string]any{s.Filter: s.Value})
	if err != nil {
		return suggestion{}, false
	}
	form := filterForm(string(use))
	return suggestion{Because: s.Because, Label: filterLabel(form), Use: string(use)}, len(form) > 0
}

// filterFields returns the form fields of a filter of the API, or none if the form lacks the filter.
func filterFields(filter string) []string {
	switch filter {
	case "available", "min_rating", "min_experience", "max_hourly_rate", "countries", "languages", "must_have_skills",
		"exclude_skills":
		return []string{filter}
	case "time_zone":
		return []string{filter, "within_hours"}
	default:
		return nil
	}
}

// filterForm returns the form fields for a filter in JSON, or none if it is invalid.
func filterForm(filter string) url.Values {
	var f wire.MatchFilters
	if err := json.Unmarshal([]byte(filter), &f); err != nil {
		return nil
	}
	form := url.Values{}

	if len(f.Countries) > 0 {
		form.Set("countries", strings.Join(f.Countries, ", "))
	}

	var languages []string
	for _, l := range f.Languages {
		text := page.SpokenName(l.Language)
		if l.MinLevel != nil {
			text += " " + *l.MinLevel
		}
		languages = append(languages, text)
	}

	// Languages are written in words, as the form accepts them, with the level behind.
	if len(languages) > 0 {
		form.Set("languages", strings.Join(languages, ", "))
	}

	if f.TimeZone != nil {
		form.Set("time_zone", f.TimeZone.Zone)
		if f.TimeZone.WithinHours != nil {
			form.Set("within_hours", strconv.FormatFloat(*f.TimeZone.WithinHours, 'f', -1, 64))
		}
	}

	if f.Available != nil {
		form.Set("available", "yes")
	}

	if f.MaxHourlyRate != nil {
		form.Set("max_hourly_rate", strconv.FormatFloat(*f.MaxHourlyRate, 'f', -1, 64))
	}

	if len(f.MustHaveSkills) > 0 {
		form.Set("must_have_skills", strings.Join(f.MustHaveSkills, ", "))
	}

	if len(f.ExcludeSkills) > 0 {
		form.Set("exclude_skills", strings.Join(f.ExcludeSkills, ", "))
	}

	return form
}

// filterLabel describes form fields of a filter in words.
func filterLabel(form url.Values) string {
	switch {
	case form.Has("countries"):
		var names []string
		for _, code := range page.SplitList(form.Get("countries")) {
			names = append(names, page.CountryName(code))
		}
		return "Country: " + strings.Join(names, " or ")
	case form.Has("languages"):
		return "Language: " + strings.Join(page.SplitList(form.Get("languages")), " and ")
	case form.Has("available"):
		return "Available in time"
	case form.Has("min_rating"):
		return "Rating: at least " + form.Get("min_rating")
	case form.Has("min_experience"):
		return "Experience: at least " + form.Get("min_experience") + " years"
	case form.Has("must_have_skills"):
		return "With: " + strings.Join(page.SplitList(form.Get("must_have_skills")), ", ")
	case form.Has("time_zone"):
		return fmt.Sprintf("Time zone: within %s h of %s", form.Get("within_hours"), form.Get("time_zone"))
	case form.Has("exclude_skills"):
		return "Without: " + strings.Join(page.SplitList(form.Get("exclude_skills")), ", ")
	default:
		return "Maximum rate: " + form.Get("max_hourly_rate") + " per hour"
	}
}
