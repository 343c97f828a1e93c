// Package strictjson decodes JSON into structs. Unlike encoding/json, it rejects unknown and repeated names, and it
// reports all faults of a text at once.
package strictjson

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/server/api/validate"
)

// Decode parses the JSON text into the struct that into points to. It is strict: names and types must match exactly,
// and a name may appear once. A null counts as an absent field. Errors in single fields are added to faults, and those
// fields keep their zero value; the returned error is for a text that cannot be parsed at all.
func Decode(text []byte, into any, faults *validate.Faults) error {
	value, err := Parse(text)
	if err != nil {
		return err
	}
	Bind("", value, reflect.ValueOf(into).Elem(), faults)
	return nil
}

// Bind stores value, found at the path field, in target. It supports the kinds that occur in request types, and panics
// on any other.
func Bind(field string, value any, target reflect.Value, faults *validate.Faults) {
	switch target.Kind() {
	case reflect.Pointer:
		if value == nil {
			return
		}
		pointed := reflect.New(target.Type().Elem())
		Bind(field, value, pointed.Elem(), faults)

		// A pointer to a value with a fault would look like one that the client sent.
		if !faults.In(field) {
			target.Set(pointed)
		}

	case reflect.Struct:
		bindObject(field, value, target, faults)
	case reflect.Slice:
		bindList(field, value, target, faults)
	case reflect.Map:
		bindMap(field, value, target, faults)
	case reflect.String:
		if text, ok := value.(string); !ok {
			WrongType(faults, field, "a string", value)
		} else if strings.ContainsRune(text, 0) {
			faults.Add(field, "invalid_characters", "%s must not contain NUL characters.", field)
		} else {
			target.SetString(text)
		}

	case reflect.Bool:
		if truth, ok := value.(bool); ok {
			target.SetBool(truth)
		} else {
			WrongType(faults, field, "true or false", value)
		}

	case reflect.Float64, reflect.Int:
		bindNumber(field, value, target, faults)
	default:
		panic("api: no JSON binding for " + target.Type().String())
	}
}

func bindObject(field string, value any, target reflect.Value, faults *validate.Faults) {
	members, ok := value.(Object)
	if !ok {
		WrongType(faults, field, "an object", value)
		return
	}

	names := FieldNames(target.Type())
	seen := map[string]bool{}
	for _, m := range members {
		at := validate.Join(field, m.Name)
		i := slices.Index(names, m.Name)
		switch {
		case i < 0:
			faults.AddUnknown(field, m.Name, names)
		case seen[m.Name]:
			faults.Add(at, "duplicate_field", "%s appears more than once; send it once.", at)
		case m.Value != nil: // null counts as an absent field
			Bind(at, m.Value, wireField(target, i), faults)
		}

		seen[m.Name] = true
	}
}

func bindList(field string, value any, target reflect.Value, faults *validate.Faults) {
	items, ok := value.([]any)
	if !ok {
		WrongType(faults, field, "a list", value)
		return
	}
	list := reflect.MakeSlice(target.Type(), len(items), len(items))
	for i, item := range items {
		Bind(validate.Index(field, i), item, list.Index(i), faults)
	}
	target.Set(list)
}

func bindMap(field string, value any, target reflect.Value, faults *validate.Faults) {
	members, ok := value.(Object)
	if !ok {
		WrongType(faults, field, "an object", value)
		return
	}

	entries := reflect.MakeMapWithSize(target.Type(), len(members))
	for _, m := range members {
		at := validate.Join(field, validate.Shorten(m.Name))
		key := reflect.ValueOf(m.Name)
		if entries.MapIndex(key).IsValid() {
			faults.Add(at, "duplicate_field", "%s appears more than once; send it once.", at)
			continue
		}

		entry := reflect.New(target.Type().Elem()).Elem()
		if m.Value != nil {
			Bind(at, m.Value, entry, faults)
			entries.SetMapIndex(key, entry)
		}
	}

	target.Set(entries)
}

// bindNumber treats 30, 30.0 and 3e1 as the same whole number, as JSON does.
func bindNumber(field string, value any, target reflect.Value, faults *validate.Faults) {
	whole := target.Kind() == reflect.Int
	expected := "a number"
	limit := math.MaxFloat64

	if whole {
		expected = "a whole number"
		limit = 1 << 53 // a float64 skips whole numbers beyond it
	}

	number, ok := value.(json.Number)
	if !ok {
		WrongType(faults, field, expected, value)
		return
	}

	v, err := number.Float64()
	switch {
	case err != nil || math.Abs(v) > limit:
		faults.Add(field, "out_of_range", "%[1]s must be %[2]s from -%[3]v to %[3]v; got %[4]s.", field, expected, limit,
			validate.Quote(number.String()))
	case whole && v != math.Trunc(v):
		WrongType(faults, field, expected, value)
	case whole:
		target.SetInt(int64(v))
	default:
		target.SetFloat(v)
	}
}

// WrongType records that a field, or the whole body if it is "", is of another type than expected.
func WrongType(faults *validate.Faults, field, expected string, value any) {
	if field == "" {
		field = "body"
	}
	faults.Add(field, string(validate.CodeWrongType), "%s must be %s; got %s.", field, expected, describe(value))
}

// describe names the type of a JSON value, and repeats short values.
func describe(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case string:
		return "the string " + validate.Quote(v)
	case json.Number:
		return "the number " + strings.Trim(validate.Quote(v.String()), `"`)
	case []any:
		return "a list"
	default:
		return "an object"
	}
}

// FieldNames returns the JSON names of a struct type's fields, in order, with those of embedded structs.
func FieldNames(t reflect.Type) []string {
	names := make([]string, 0, t.NumField())
	for i := range t.NumField() {
		field := t.Field(i)
		if field.Anonymous {
			names = append(names, FieldNames(field.Type)...)
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

// wireField returns the field of a struct that has the ith of its FieldNames.
func wireField(v reflect.Value, i int) reflect.Value {
	t := v.Type()
	for n := range t.NumField() {
		// The names of an embedded struct take the place of one name.
		size := 1
		if t.Field(n).Anonymous {
			size = len(FieldNames(t.Field(n).Type))
		}
		if i < size {
			if t.Field(n).Anonymous {
				return wireField(v.Field(n), i)
			}
			return v.Field(n)
		}
		i -= size
	}
	panic("api: no field with this number in " + t.String())
}
