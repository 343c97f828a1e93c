package api

import (
	"fmt"
	"strings"

	"freelancer-matching/internal/matching"
	"freelancer-matching/internal/spelling"
)

const (
	maxDetails   = 100 // field errors listed in a response; a body of 1 MiB can cause half a million
	maxInMessage = 3   // field errors repeated in the message of the response
)

// fieldErrors collects all errors in the fields of a request, so that the client can fix them at once.
type fieldErrors struct {
	list   []matching.FieldError // the first maxDetails
	count  int
	codes  map[string]bool
	fields map[string]bool // fields with an error, and the objects and lists that contain them
}

// add records an error. The message must be a sentence that names the field and the accepted values.
func (f *fieldErrors) add(field, code, format string, args ...any) {
	if f.codes == nil {
		f.codes = map[string]bool{}
		f.fields = map[string]bool{}
	}
	f.count++
	f.codes[code] = true
	f.fields[field] = true
	for i, c := range field {
		if c == '.' || c == '[' {
			f.fields[field[:i]] = true
		}
	}
	if len(f.list) < maxDetails {
		f.list = append(f.list, matching.FieldError{Field: field, Code: code, Message: fmt.Sprintf(format, args...)})
	}
}

// addAll records errors that another package has found.
func (f *fieldErrors) addAll(list []matching.FieldError) {
	for _, e := range list {
		f.add(e.Field, e.Code, "%s", e.Message)
	}
}

// in reports whether a field, or a part of it, already has an error. Its value is then not checked any further.
func (f *fieldErrors) in(field string) bool { return f.fields[field] }

// addUnknown records that the object at the path inside has no field with this name, and suggests a known one.
func (f *fieldErrors) addUnknown(inside, name string, known []string) {
	at := join(inside, shorten(name))
	code := string(CodeUnknownField)
	if f.count >= maxDetails {
		f.add(at, code, "") // only counted: suggestions for half a million names would take too long
	} else if nearest := spelling.Nearest(name, known); nearest != "" {
		f.add(at, code, "%s is not a known field. Did you mean %s?", at, join(inside, nearest))
	} else if len(known) == 0 {
		f.add(at, code, "%s is not a known parameter; this operation has none.", at)
	} else {
		f.add(at, code, "%s is not a known field. The known fields are %s.", at, strings.Join(known, ", "))
	}
}

// err returns the error for the whole request, or nil if every field is valid. Its code is the most basic of the
// errors: a wrong type, else an unknown field, else a broken rule.
func (f *fieldErrors) err() error {
	if f.count == 0 {
		return nil
	}
	code := matching.CodeInvalid
	switch {
	case f.codes[string(CodeWrongType)]:
		code = CodeWrongType
	case f.codes[string(CodeUnknownField)]:
		code = CodeUnknownField
	}
	return &matching.Error{Code: code, Message: f.message(), Details: f.list}
}

func (f *fieldErrors) message() string {
	var messages []string
	for _, e := range f.list[:min(len(f.list), maxInMessage)] {
		messages = append(messages, asSentence(e.Message))
	}
	text := strings.Join(messages, " ")
	switch {
	case f.count == 1:
		return text
	case f.count <= maxInMessage:
		return fmt.Sprintf("The request has %d errors: %s", f.count, text)
	case f.count <= maxDetails:
		return fmt.Sprintf("The request has %d errors. The first %d: %s", f.count, maxInMessage, text)
	default:
		return fmt.Sprintf("The request has %d errors; details lists %d. The first %d: %s", f.count, maxDetails,
			maxInMessage, text)
	}
}

// asSentence adds the final stop that messages from other packages may lack.
func asSentence(message string) string {
	if strings.HasSuffix(message, ".") || strings.HasSuffix(message, "?") {
		return message
	}
	return message + "."
}

// quote returns a client's text in quotation marks, shortened to be repeated in a message.
func quote(text string) string { return fmt.Sprintf("%q", cut(text, 40)) }

// shorten returns a client's field name, shortened if it is longer than any known one.
func shorten(name string) string { return cut(name, 60) }

func cut(text string, characters int) string {
	if runes := []rune(text); len(runes) > characters {
		return string(runes[:characters]) + "…"
	}
	return text
}
