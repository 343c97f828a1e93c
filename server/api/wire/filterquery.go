package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/strictjson"
	"github.com/freelancer-matching/service/server/api/validate"
)

// A ListQuery is the query of a request for freelancers: filters and other parameters.
type ListQuery struct {
	Filters     matching.Filters
	FiltersHash string            // of the filters
	Others      map[string]string // the other parameters
}

// ReadListQuery parses a query. The filters are the same as in a match, as parameters of the same names; a list is a
// parameter that appears several times. limit and the named parameters are not filters.
func ReadListQuery(raw string, faults *validate.Faults, names ...string) ListQuery {
	q := ListQuery{Others: map[string]string{}}
	values, err := url.ParseQuery(raw)
	if err != nil {
		faults.Add("query", "malformed", "The query string is malformed; send name=value pairs separated by &.")
		return q
	}

	names = append(names, "limit")
	kinds := filterKinds()
	members := map[string]any{}
	hash := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(values)) {
		list := values[name]
		kind, isFilter := kinds[name]
		switch {
		case !isFilter && !slices.Contains(names, name):
			faults.AddUnknown("", name, append(FilterNames(), names...))
		case len(list) > 1 && !kind.isList():
			faults.Add(name, "duplicate_field", "%s appears more than once; send it once.", name)
		case !isFilter:
			q.Others[name] = list[0]
		default:
			// A cursor is only valid with the same filters. Their order in the query makes no difference.
			_, _ = hash.Write([]byte(name + "\x00" + strings.Join(list, "\x00") + "\x01"))
			if value, ok := filterValue(faults, name, kind, list); ok {
				members[name] = value
			}
		}
	}

	q.FiltersHash = hex.EncodeToString(hash.Sum(nil)[:8])
	q.Filters = bindFilters(members, faults)
	return q
}

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

// FilterNames returns the names of the filters in a query, in order.
func FilterNames() []string { return slices.Sorted(maps.Keys(filterKinds())) }

// filterKinds returns the kind of each filter of a match, by its name. It leaves out max_cost, which needs the size of
// the work.
func filterKinds() map[string]filterKind {
	// A new filter of a match is a filter of lists, too, without a change here.
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

// filterValue returns the value of a filter as the JSON of a match would have it. An error in it is added to faults.
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
		if _, err := strconv.ParseFloat(text, 64); err != nil || !json.Valid([]byte(text)) { // NaN isn't JSON
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

// bindFilters returns the filters with these members, by the rules of a match. The errors that it adds to faults
// name the parameters.
func bindFilters(members map[string]any, faults *validate.Faults) matching.Filters {
	const prefix = "filters."

	// A query has two parameters where the JSON of a match has one object.
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
