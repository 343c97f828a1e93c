package api

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"freelancer-matching/internal/matching"
)

// A filterKind is how a filter is written in a query.
type filterKind int

const (
	textFilter filterKind = iota
	flagFilter
	numberFilter
	listFilter     // a parameter that may appear several times
	languageFilter // a list of languages with or without a level, such as de:B2
	zoneFilter     // a zone, whose distance is the parameter withinHours
)

// withinHours is the parameter with the distance of time zones.
const withinHours = "within_hours"

// filterKinds returns the kind of each filter of a match, by its name. It leaves out max_cost, which needs the size of
// the work.
func filterKinds() map[string]filterKind {
	t := reflect.TypeFor[MatchFilters]()
	kinds := map[string]filterKind{withinHours: numberFilter}
	for i, name := range wireNames(t) {
		switch t.Field(i).Type {
		case reflect.TypeFor[*bool]():
			kinds[name] = flagFilter
		case reflect.TypeFor[*float64]():
			kinds[name] = numberFilter
		case reflect.TypeFor[[]string]():
			kinds[name] = listFilter
		case reflect.TypeFor[[]LanguageFilter]():
			kinds[name] = languageFilter
		case reflect.TypeFor[*TimeZoneFilter]():
			kinds[name] = zoneFilter
		default:
			kinds[name] = textFilter
		}
	}

	delete(kinds, "max_cost")
	return kinds
}

// isList reports whether a parameter may appear several times.
func (k filterKind) isList() bool { return k == listFilter || k == languageFilter }

// filterValue returns the value of a filter as the JSON of a match would have it. An error in it is added to f.
func filterValue(f *fieldErrors, name string, kind filterKind, list []string) (value any, ok bool) {
	text := list[0]
	switch kind {
	case flagFilter:
		if text != "true" && text != "false" {
			f.add(name, string(CodeWrongType), "%s must be true or false; got %s.", name, quote(text))
			return nil, false
		}
		return text == "true", true

	case numberFilter:
		if _, err := strconv.ParseFloat(text, 64); err != nil || !json.Valid([]byte(text)) { // NaN is no JSON
			f.add(name, string(CodeWrongType), "%s must be a number; got %s.", name, quote(text))
			return nil, false
		}
		return json.Number(text), true

	case listFilter, languageFilter:
		values := make([]any, len(list))
		for i, item := range list {
			values[i] = item
			if kind == languageFilter {
				values[i] = spokenFilter(item)
			}
		}

		return values, true

	case zoneFilter:
		return object{{"zone", text}}, true
	default:
		return text, true
	}
}

// spokenFilter returns the filter of a text such as de or de:B2.
func spokenFilter(text string) object {
	tag, level, hasLevel := strings.Cut(text, ":")
	o := object{{"language", tag}}
	if hasLevel {
		o = append(o, member{"min_level", level})
	}
	return o
}

// bindFilters returns the filters with these members, by the rules of a match. The errors that it adds to f name the
// parameters.
func bindFilters(members map[string]any, f *fieldErrors) matching.Filters {
	const prefix = "filters."
	if hours, ok := members[withinHours]; ok {
		zone, _ := members["time_zone"].(object)
		if zone == nil && !f.in("time_zone") {
			f.add(withinHours, "required", "%s needs time_zone.", withinHours)
		}
		members["time_zone"] = append(zone, member{withinHours, hours})
		delete(members, withinHours)
	}

	var filters MatchFilters
	var inFilters fieldErrors
	target := reflect.ValueOf(&filters).Elem()
	for i, name := range wireNames(target.Type()) {
		if value, ok := members[name]; ok {
			bind(prefix+name, value, target.Field(i), &inFilters)
		}
	}

	result := filters.filters(&inFilters)
	for _, e := range inFilters.list {
		f.add(strings.TrimPrefix(e.Field, prefix), e.Code, "%s", strings.ReplaceAll(e.Message, prefix, ""))
	}

	return result
}
