package api

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"freelancer-matching/internal/matching"
	"freelancer-matching/server/api/strictjson"
	"freelancer-matching/server/api/validate"
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
	for i, name := range strictjson.FieldNames(t) {
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
func filterValue(faults *validate.Faults, name string, kind filterKind, list []string) (value any, ok bool) {
	text := list[0]
	switch kind {
	case flagFilter:
		if text != "true" && text != "false" {
			faults.Add(name, string(validate.CodeWrongType), "%s must be true or false; got %s.", name, validate.Quote(text))
			return nil, false
		}
		return text == "true", true

	case numberFilter:
		if _, err := strconv.ParseFloat(text, 64); err != nil || !json.Valid([]byte(text)) { // NaN is no JSON
			faults.Add(name, string(validate.CodeWrongType), "%s must be a number; got %s.", name, validate.Quote(text))
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
		return strictjson.Object{{Name: "zone", Value: text}}, true
	default:
		return text, true
	}
}

// spokenFilter returns the filter of a text such as de or de:B2.
func spokenFilter(text string) strictjson.Object {
	tag, level, hasLevel := strings.Cut(text, ":")
	o := strictjson.Object{{Name: "language", Value: tag}}
	if hasLevel {
		o = append(o, strictjson.Member{Name: "min_level", Value: level})
	}
	return o
}

// bindFilters returns the filters with these members, by the rules of a match. The errors that it adds to f name the
// parameters.
func bindFilters(members map[string]any, faults *validate.Faults) matching.Filters {
	const prefix = "filters."
	if hours, ok := members[withinHours]; ok {
		zone, _ := members["time_zone"].(strictjson.Object)
		if zone == nil && !faults.In("time_zone") {
			faults.Add(withinHours, "required", "%s needs time_zone.", withinHours)
		}
		members["time_zone"] = append(zone, strictjson.Member{Name: withinHours, Value: hours})
		delete(members, withinHours)
	}

	var filters MatchFilters
	var inFilters validate.Faults
	target := reflect.ValueOf(&filters).Elem()
	for i, name := range strictjson.FieldNames(target.Type()) {
		if value, ok := members[name]; ok {
			strictjson.Bind(prefix+name, value, target.Field(i), &inFilters)
		}
	}

	result := filters.filters(&inFilters)
	for _, e := range inFilters.List() {
		faults.Add(strings.TrimPrefix(e.Field, prefix), e.Code, "%s", strings.ReplaceAll(e.Message, prefix, ""))
	}

	return result
}
