package matching

import (
	"slices"
	"strconv"
	"strings"
)

// A Field is one fact about a freelancer. The member that it points to documents its unit.
type Field struct {
	Name  string // in records, exports and reports, and in the JSON of Freelancer
	Kind  Kind
	Scope Scope
	// Pointer returns the address of the value in a freelancer, in the type of the kind.
	Pointer func(*Freelancer) any
}

// A Kind says which values a field can have.
type Kind uint8

// The kinds, with the types of their values.
const (
	KindText      Kind = iota // string of one line
	KindLongText              // string of several lines
	KindDate                  // string, such as 2026-12-01
	KindNumber                // Optional[float64]
	KindInteger               // Optional[int]
	KindFlag                  // Optional[bool]
	KindSkills                // []string
	KindLanguages             // []SpokenLanguage
)

// A Scope says which answers and exports have a field. Records have all of them.
type Scope uint8

// The scopes, in the order of Fields.
const (
	ScopeMatch   Scope = iota // every match has the field, and unknown_fields names it if it's unknown
	ScopeRecord               // records and exports have the field, but matches don't
	ScopeDetails              // a member of Details, which clients and exports ask for
)

// FieldNamed returns the field with a name, or nil.
func FieldNamed(name string) *Field {
	if i := slices.IndexFunc(Fields[:], func(d Field) bool { return d.Name == name }); i >= 0 {
		return &Fields[i]
	}
	return nil
}

// FieldNames returns the names of the fields in some scopes.
func FieldNames(scopes ...Scope) (names []string) {
	for i := range Fields {
		if slices.Contains(scopes, Fields[i].Scope) {
			names = append(names, Fields[i].Name)
		}
	}
	return names
}

// UnknownFields returns the names of the fields of a match that the data set lacks, in the order of the wire format.
func (f *Freelancer) UnknownFields() []string {
	unknown := []string{}
	for i := range Fields {
		if d := &Fields[i]; d.Scope == ScopeMatch && !d.Known(f) {
			unknown = append(unknown, d.Name)
		}
	}
	return unknown
}

// Differences returns the names of the fields in which two freelancers differ.
func Differences(a, b *Freelancer) (names []string) {
	for i := range Fields {
		if d := &Fields[i]; d.Text(a) != d.Text(b) {
			names = append(names, d.Name)
		}
	}
	return names
}

// Copy sets the value of one freelancer to that of another. Both share what a list refers to.
func (d *Field) Copy(to, from *Freelancer) {
	switch v := d.Pointer(to).(type) {
	case *string:
		*v = *d.Pointer(from).(*string)
	case *Optional[float64]:
		*v = *d.Pointer(from).(*Optional[float64])
	case *Optional[int]:
		*v = *d.Pointer(from).(*Optional[int])
	case *Optional[bool]:
		*v = *d.Pointer(from).(*Optional[bool])
	case *[]string:
		*v = *d.Pointer(from).(*[]string)
	case *[]SpokenLanguage:
		*v = *d.Pointer(from).(*[]SpokenLanguage)
	default:
		panic("field " + d.Name + " has a type that Copy doesn't know")
	}
}

// Known reports whether a freelancer has a value.
func (d *Field) Known(f *Freelancer) bool {
	switch v := d.Pointer(f).(type) {
	case *string:
		return *v != ""
	case *Optional[float64]:
		return v.Known
	case *Optional[int]:
		return v.Known
	case *Optional[bool]:
		return v.Known
	case *[]string:
		return len(*v) > 0
	case *[]SpokenLanguage:
		return len(*v) > 0
	default:
		panic("field " + d.Name + " has a type that Known doesn't know")
	}
}

// Text returns a freelancer's value as text, and "" if it is unknown. Skills are on a line each. Languages are as in
// "de:C1;en:native;pt-BR:?", in which the question mark stands for an unknown level.
func (d *Field) Text(f *Freelancer) string {
	if !d.Known(f) {
		return ""
	}

	switch v := d.Pointer(f).(type) {
	case *string:
		return *v
	case *Optional[float64]:
		return strconv.FormatFloat(v.Value, 'f', -1, 64)
	case *Optional[int]:
		return strconv.Itoa(v.Value)
	case *Optional[bool]:
		return strconv.FormatBool(v.Value)
	case *[]string:
		return strings.Join(*v, "\n")
	case *[]SpokenLanguage:
		languages := make([]string, len(*v))
		for i, l := range *v {
			languages[i] = l.String()
		}
		return strings.Join(languages, ";")
	default:
		panic("field " + d.Name + " has a type that Text doesn't know")
	}
}
