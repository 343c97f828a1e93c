package freelancers

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/freelancer-matching/service/internal/matching"
)

// WrongTypes returns a fault for each field of a valid JSON object whose value Parse would read as a file's, such as
// "$25/hr" for a number and "Go, SQL" for a list. A program that sends such a text rarely means to: it has skipped a
// conversion, or has the wrong column.
func WrongTypes(object []byte) (faults []matching.FieldError) {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil {
		return nil // Parse reports it
	}

	check := func(name, expected string, isExpected func(json.RawMessage) bool) {
		raw, ok := members[name]
		if ok && raw[0] != 'n' && !isExpected(raw) {
			faults = append(faults, matching.FieldError{
				Field: name, Code: codeWrongType,
				Message: fmt.Sprintf("%s must be %s; got %s. Send lenient=true to have values parsed as those of files.", name,
					expected, describeValue(raw)),
			})
		}
	}

	check("id", "a string", isString)
	check("deleted", "true or false", isFlag)
	for i := range matching.Fields {
		d := &matching.Fields[i]
		switch d.Kind {
		case matching.KindNumber, matching.KindInteger:
			check(d.Name, "a number", isNumber)
		case matching.KindFlag:
			check(d.Name, "true or false", isFlag)
		case matching.KindSkills:
			check(d.Name, "a list of strings", isList)
		case matching.KindLanguages:
			check(d.Name, `a list of objects such as {"language": "de", "level": "B2"}`, isListOfObjects)
		case matching.KindText, matching.KindLongText, matching.KindDate: // Parse accepts nothing but strings
		}
	}
	return faults
}

func isString(raw json.RawMessage) bool { return raw[0] == '"' }

func isFlag(raw json.RawMessage) bool { return raw[0] == 't' || raw[0] == 'f' }

func isNumber(raw json.RawMessage) bool { return raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9' }

func isList(raw json.RawMessage) bool { return raw[0] == '[' }

func isListOfObjects(raw json.RawMessage) bool {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return false
	}
	for _, item := range items {
		if !bytes.HasPrefix(item, []byte("{")) {
			return false
		}
	}
	return true
}

// describeValue returns a value as a message shows it: a string with its content, or else the type.
func describeValue(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return fmt.Sprintf("%q", shorten(text))
	}
	return describe(raw)
}
