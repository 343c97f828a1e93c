package api

import (
	"fmt"
	"strings"

	"freelancer-matching/internal/matching"
)

// The codes of single faults that are codes of whole answers too.
const (
	faultWrongType    = string(CodeWrongType)
	faultUnknownField = string(CodeUnknownField)
)

const (
	maxDetails = 100 // faults told one by one; a body of 1 MiB can hold half a million
	maxSpoken  = 3   // of these, named in the message
)

// faults gathers everything that is wrong with a request, so that all of it is told at once.
type faults struct {
	list  []matching.FieldError // the first maxDetails
	count int
	kinds map[string]bool
	bad   map[string]bool // fields that already have a fault
}

// add records a fault. The message names the field and says what would be right.
func (f *faults) add(field, code, format string, args ...any) {
	if f.kinds == nil {
		f.kinds, f.bad = map[string]bool{}, map[string]bool{}
	}
	f.count++
	f.kinds[code] = true
	f.bad[field] = true
	for i, c := range field {
		if c == '.' || c == '[' {
			f.bad[field[:i]] = true
		}
	}
	if len(f.list) < maxDetails {
		f.list = append(f.list, matching.FieldError{Field: field, Code: code, Message: fmt.Sprintf(format, args...)})
	}
}

// in reports whether a field, or a part of it, already has a fault. Its value is then not worth judging further.
func (f *faults) in(field string) bool { return f.bad[field] }

// err is the answer to a request with these faults, nil without any. Its code is the gravest of what was found: a wrong
// type, an unknown field, a broken rule.
func (f *faults) err() error {
	if f.count == 0 {
		return nil
	}
	code := matching.CodeInvalid
	switch {
	case f.kinds[faultWrongType]:
		code = CodeWrongType
	case f.kinds[faultUnknownField]:
		code = CodeUnknownField
	}
	return &matching.Error{Code: code, Message: f.message(), Details: f.list}
}

func (f *faults) message() string {
	var spoken []string
	for _, fault := range f.list[:min(len(f.list), maxSpoken)] {
		spoken = append(spoken, fault.Message)
	}
	text := strings.Join(spoken, "; ")
	switch {
	case f.count == 1:
		return text
	case f.count <= maxSpoken:
		return fmt.Sprintf("%d faults: %s", f.count, text)
	case f.count <= maxDetails:
		return fmt.Sprintf("%d faults, the first: %s", f.count, text)
	default:
		return fmt.Sprintf("%d faults, of which details has %d, the first: %s", f.count, maxDetails, text)
	}
}

// shown is a client's own text, short enough to be repeated in a message.
func shown(text string) string {
	const most = 40
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return fmt.Sprintf("%q", text)
}
