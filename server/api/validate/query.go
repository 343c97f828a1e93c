package validate

import (
	"maps"
	"net/url"
	"slices"
)

// Query returns the parameters of a query string. Malformed, unknown and repeated parameters are added to faults.
func Query(raw string, faults *Faults, known ...string) map[string]string {
	values, err := url.ParseQuery(raw)
	if err != nil {
		faults.Add("query", "malformed", "The query string is malformed; send name=value pairs separated by &.")
		return nil
	}
	parameters := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		switch {
		case len(values[name]) > 1:
			faults.Add(Shorten(name), "duplicate_field", "%s appears more than once; send it once.", Shorten(name))
		case !slices.Contains(known, name):
			faults.AddUnknown("", name, known)
		default:
			parameters[name] = values[name][0]
		}
	}
	return parameters
}

// Boolean returns the value of a parameter that is true or false; false if it is absent.
func Boolean(faults *Faults, name string, parameters map[string]string) bool {
	text, ok := parameters[name]
	if ok {
		OneOf(faults, name, &text, "true", "false")
	}
	return text == "true"
}
