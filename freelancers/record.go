package freelancers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/spelling"
	"github.com/freelancer-matching/service/internal/value"
)

// The maximum lengths of texts, in characters, as in files.
const (
	maxID          = 200
	maxName        = 200
	maxTitle       = 300
	maxDescription = 20_000
)

// The codes of faults in the fields of a record.
const (
	codeUnknownField = "unknown_field"
	codeDuplicate    = "duplicate_field"
	codeWrongType    = "wrong_type"
	codeTooLong      = "too_long"
	codeInvalid      = "invalid_value"
	codeRequired     = "required"
	codeMismatch     = "mismatch"

	// Of warnings.
	codeInterpreted = "interpreted" // the value may mean something else
	codeDerived     = "derived"     // from another field
)

// A Record is what a JSON object says about a freelancer.
type Record struct {
	ID       string // "" if the object has no id
	Deleted  bool   // the object has "deleted": true
	Warnings []matching.FieldError

	names   []string // of the fields that the object has
	others  []string // IDs under which the freelancer may have been stored before, and erased
	sets    []setter
	charged string // the currency that hourly_rate names
	// currency is the one that amounts are in: of the live index, or of the one that the record would be the first in.
	currency string
}

// A setter sets a field to its new value, or makes it unknown.
type setter func(*matching.Freelancer)

// NewRecord returns a record that sets the known values of a freelancer, whose amounts are in a currency. others are
// further IDs that the freelancer may have been erased under.
func NewRecord(f matching.Freelancer, currency string, others []string) Record {
	r := Record{ID: f.ID, currency: currency, others: others}
	for i := range matching.Fields {
		d := &matching.Fields[i]
		if !d.Known(&f) {
			continue
		}
		r.names = append(r.names, d.Name)
		r.sets = append(r.sets, func(to *matching.Freelancer) { d.Copy(to, &f) })
	}
	return r
}

// identities returns a freelancer under each ID that the record names, with the freelancer's own ID first.
func (r *Record) identities(f *matching.Freelancer) []*matching.Freelancer {
	list := []*matching.Freelancer{f}
	for _, id := range r.others {
		other := *f
		other.ID = id
		list = append(list, &other)
	}
	return list
}

// apply sets the fields that the object has. A null makes a field unknown.
func (r *Record) apply(f *matching.Freelancer) {
	for _, set := range r.sets {
		set(f)
	}
}

// complete sets fields of a whole record that it doesn't have, but that others leave no doubt about, as a load does. It
// returns warnings that name them. A field that the object has as null stays unknown.
func (r *Record) complete(f *matching.Freelancer) (warnings []matching.FieldError) {
	derive := func(field, from string, to *string, value string) {
		isStated := *to != "" || slices.Contains(r.names, field)
		if isStated || value == "" {
			return
		}
		*to = value
		warnings = append(warnings, matching.FieldError{
			Field: field, Code: codeDerived, Message: fmt.Sprintf("%s was derived from %s: %s.", field, from, value),
		})
	}
	derive("currency", "hourly_rate", &f.Currency, r.charged)
	derive("country", "location", &f.Country, value.CountryOf(f.Location))
	derive("time_zone", "country", &f.TimeZone, value.ZoneOf(f.Country))
	return warnings
}

// A parser parses the members of one object.
type parser struct {
	currencies value.Currencies
	record     Record
	faults     []matching.FieldError
}

// parse parses a valid JSON text. hourly_rate is in the given currency unless it names another one. A value that a load
// would leave out or cut is a fault, and one that it would interpret, such as a range, is a warning. The record must
// not be used if there are faults.
func parse(object []byte, currency string) (Record, []matching.FieldError) {
	p := parser{currencies: value.Currencies{Base: currency}, record: Record{currency: currency}}
	// The standard decoder into a struct would accept repeated and unknown members silently.
	decoder := json.NewDecoder(bytes.NewReader(object))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		p.fault("body", codeWrongType, "The record must be an object, such as {\"name\": \"Ada Byron\"}.")
		return p.record, p.faults
	}

	seen := map[string]bool{}

	for decoder.More() {
		token, err := decoder.Token()
		name, _ := token.(string)
		var raw json.RawMessage
		if err == nil {
			err = decoder.Decode(&raw)
		}

		if err != nil {
			p.fault("body", codeWrongType, "The record is not valid JSON.")
			break
		}

		// Which of two values of the same field is meant is unknown, so a repetition is a fault.
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
		switch {
		case i < 0:
			p.unknown(name)
		case seen[name]:
			p.fault(name, codeDuplicate, "%s appears more than once; send it once.", name)
		default:
			seen[name] = true
			if set := fields[i].parse(&p, name, raw); set != nil {
				p.record.names = append(p.record.names, name)
				p.record.sets = append(p.record.sets, set)
			}
		}
	}

	return p.record, p.faults
}

func (p *parser) fault(field, code, format string, args ...any) {
	p.faults = append(p.faults, matching.FieldError{Field: field, Code: code, Message: fmt.Sprintf(format, args...)})
}

// maxUnknownFields limits the faults about members that no field has.
const maxUnknownFields = 100

func (p *parser) unknown(name string) {
	if len(p.faults) >= maxUnknownFields {
		return
	}
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	at := shorten(name)
	if nearest := spelling.Nearest(name, names); nearest != "" {
		p.fault(at, codeUnknownField, "%s is not a known field. Did you mean %s?", at, nearest)
		return
	}
	p.fault(at, codeUnknownField, "%s is not a known field. The known fields are %s.", at, strings.Join(names, ", "))
}

// remark reports what a value parser remarks on a value: as a fault if the value is lost, and as a warning otherwise.
func (p *parser) remark(field, cell, remark string, lost bool) {
	if remark == "" {
		return
	}
	e := matching.FieldError{
		Field: field, Code: codeInvalid, Message: fmt.Sprintf("%s: %s; got %q.", field, remark, shorten(cell)),
	}
	if lost {
		p.faults = append(p.faults, e)
		return
	}
	e.Code = codeInterpreted
	p.record.Warnings = append(p.record.Warnings, e)
}

// shorten returns a client's text, cut to be repeated in a message.
func shorten(text string) string {
	const limit = 60
	if utf8.RuneCountInString(text) > limit {
		return value.Truncate(text, limit) + "…"
	}
	return text
}

// cell returns a text or a number as the cell of a file would have it, and "" for null. ok is false for another type,
// which is a fault.
func (p *parser) cell(name string, raw json.RawMessage) (cell string, ok bool) {
	switch c := raw[0]; {
	case c == '"':
		if err := json.Unmarshal(raw, &cell); err == nil && !strings.ContainsRune(cell, 0) {
			return cell, true
		}
		p.fault(name, codeInvalid, "%s must not contain NUL characters.", name)
		return "", false
	case c == 'n':
		return "", true
	case c == '-' || c >= '0' && c <= '9':
		return string(raw), true
	}
	p.fault(name, codeWrongType, "%s must be a string or a number; got %s.", name, describe(raw))
	return "", false
}

// text returns a text, and "" for null. ok is false for another type, which is a fault.
func (p *parser) text(name string, raw json.RawMessage) (text string, ok bool) {
	if raw[0] != '"' && raw[0] != 'n' {
		p.fault(name, codeWrongType, "%s must be a string; got %s.", name, describe(raw))
		return "", false
	}
	return p.cell(name, raw)
}

// describe names the type of a JSON value.
func describe(raw json.RawMessage) string {
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	default:
		return string(raw)
	}
}
