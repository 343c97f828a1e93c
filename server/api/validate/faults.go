// Package validate collects all faults in the fields of a request, so that the client can fix them at once, and has the
// rules that fields of several requests share.
package validate

import (
	"errors"
	"fmt"
	"strings"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/spelling"
)

// MaxListed is the number of field errors that a response lists. A body of 1 MiB can cause half a million.
const MaxListed = 100

// maxInMessage is the number of field errors that the message of a response repeats.
const maxInMessage = 3

// The codes of faults that are more basic than a broken rule.
const (
	CodeWrongType    matching.Code = "wrong_type"
	CodeUnknownField matching.Code = "unknown_field"
)

// Faults collects all errors in the fields of a request, so that the client can fix them at once.
type Faults struct {
	list   []matching.FieldError // the first MaxListed
	count  int
	codes  map[string]bool
	fields map[string]bool // fields with an error, and the objects and lists that contain them
}

// Add records an error. The message must be a sentence that names the field and the accepted values.
func (f *Faults) Add(field, code, format string, args ...any) {
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
	if len(f.list) < MaxListed {
		f.list = append(f.list, matching.FieldError{Field: field, Code: code, Message: fmt.Sprintf(format, args...)})
	}
}

// AddAll records errors that another package has found.
func (f *Faults) AddAll(list []matching.FieldError) {
	for _, e := range list {
		f.Add(e.Field, e.Code, "%s", e.Message)
	}
}

// Any reports whether any field has an error.
func (f *Faults) Any() bool { return f.count > 0 }

// List returns the first errors, as many as a response lists.
func (f *Faults) List() []matching.FieldError { return f.list }

// In reports whether a field, or a part of it, already has an error. Its value is then not checked any further.
func (f *Faults) In(field string) bool { return f.fields[field] }

// AddUnknown records that the object at the path inside has no field with this name, and suggests a known one.
func (f *Faults) AddUnknown(inside, name string, known []string) {
	at := Join(inside, Shorten(name))
	code := string(CodeUnknownField)
	if f.count >= MaxListed {
		f.Add(at, code, "") // only counted: suggestions for half a million names would take too long
	} else if nearest := spelling.Nearest(name, known); nearest != "" {
		f.Add(at, code, "%s is not a known field. Did you mean %s?", at, Join(inside, nearest))
	} else if len(known) == 0 {
		f.Add(at, code, "%s is not a known parameter; this operation has none.", at)
	} else {
		f.Add(at, code, "%s is not a known field. The known fields are %s.", at, strings.Join(known, ", "))
	}
}

// Err returns the error for the whole request, or nil if every field is valid. Its code is the most basic of the
// errors: a wrong type, else an unknown field, else a broken rule.
func (f *Faults) Err() error {
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

func (f *Faults) message() string {
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
	case f.count <= MaxListed:
		return fmt.Sprintf("The request has %d errors. The first %d: %s", f.count, maxInMessage, text)
	default:
		return fmt.Sprintf("The request has %d errors; details lists %d. The first %d: %s", f.count, MaxListed,
			maxInMessage, text)
	}
}

// Merge adds the field errors in err, except for fields that already have an error or are part of such a field.
func (f *Faults) Merge(err error) {
	e, ok := errors.AsType[*matching.Error](err)
	if !ok {
		return
	}
	for _, d := range e.Details {
		parent := d.Field[:max(0, strings.LastIndexAny(d.Field, ".["))]
		if !f.In(d.Field) && !f.In(parent) {
			f.Add(d.Field, d.Code, "%s", d.Message)
		}
	}
}

// asSentence adds the final stop that messages from other packages may lack.
func asSentence(message string) string {
	if strings.HasSuffix(message, ".") || strings.HasSuffix(message, "?") {
		return message
	}
	return message + "."
}
