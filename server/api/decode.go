package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"freelancer-matching/internal/matching"
)

// decode parses the JSON text into the struct that into points to. It is strict: names and types must match exactly,
// and a name may appear once. A null counts as an absent field. Errors in single fields are added to f, and those
// fields keep their zero value; the returned error is for a text that cannot be parsed at all.
func decode(text []byte, into any, f *fieldErrors) error {
	value, err := parseJSON(text)
	if err != nil {
		return err
	}
	bind("", value, reflect.ValueOf(into).Elem(), f)
	return nil
}

// readJSON returns a function that reads bodies of up to limit bytes.
func readJSON(limit int64) func(*http.Request) (receivedBody, error) {
	return func(r *http.Request) (receivedBody, error) {
		text, err := readBody(r, limit, "application/json")
		return receivedBody{data: text}, err
	}
}

// readBody returns the body of a request with one of the media types. For an empty body it reports that first, whatever
// the Content-Type. It doesn't read bodies that are announced as too large.
func readBody(r *http.Request, limit int64, types ...string) ([]byte, error) {
	if r.ContentLength > limit {
		return nil, errTooLarge(limit)
	}
	if r.ContentLength == 0 {
		return nil, malformed("The body is empty; send a JSON object.")
	}
	if err := checkMediaType(r.Header, types); err != nil {
		return nil, err
	}

	text, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, limit))
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, errTooLarge(tooLarge.Limit)
	}

	if err != nil {
		return nil, &matching.Error{
			Code: CodeMalformedJSON, Message: "The body can't be read; check its chunked encoding.", Cause: err,
		}
	}

	return text, nil
}

func checkMediaType(h http.Header, types []string) error {
	if err := checkEncoding(h); err != nil {
		return err
	}
	media, parameters, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil || !slices.Contains(types, media) {
		return wrongContentType(h, strings.Join(types, " or "))
	}
	if charset := parameters["charset"]; charset != "" && !strings.EqualFold(charset, "utf-8") {
		return unsupported("The charset in Content-Type is " + quote(charset) + "; send utf-8.")
	}
	return nil
}

func wrongContentType(h http.Header, want string) error {
	if sent := h.Get("Content-Type"); sent != "" {
		return unsupported("Content-Type is " + quote(sent) + "; send " + want + ".")
	}
	return unsupported("Content-Type is missing; send " + want + ".")
}

func checkEncoding(h http.Header) error {
	if encoding := h.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return unsupported("Content-Encoding " + quote(encoding) + " is not supported; send the body uncompressed.")
	}
	return nil
}

func unsupported(message string) error {
	return &matching.Error{Code: CodeUnsupportedMediaType, Message: message}
}

func errTooLarge(limit int64) error {
	return &matching.Error{
		Code:    CodeBodyTooLarge,
		Message: fmt.Sprintf("The body exceeds the limit of %d bytes.", limit),
	}
}

// bind stores value, found at the path field, in target. It supports the kinds that occur in request types, and panics
// on any other.
func bind(field string, value any, target reflect.Value, f *fieldErrors) {
	switch target.Kind() {
	case reflect.Pointer:
		if value == nil {
			return
		}
		pointed := reflect.New(target.Type().Elem())
		bind(field, value, pointed.Elem(), f)

		if !f.in(field) {
			target.Set(pointed)
		}

	case reflect.Struct:
		bindObject(field, value, target, f)
	case reflect.Slice:
		bindList(field, value, target, f)
	case reflect.Map:
		bindMap(field, value, target, f)
	case reflect.String:
		if text, ok := value.(string); !ok {
			wrongType(f, field, "a string", value)
		} else if strings.ContainsRune(text, 0) {
			f.add(field, "invalid_characters", "%s must not contain NUL characters.", field)
		} else {
			target.SetString(text)
		}

	case reflect.Bool:
		if truth, ok := value.(bool); ok {
			target.SetBool(truth)
		} else {
			wrongType(f, field, "true or false", value)
		}

	case reflect.Float64, reflect.Int:
		bindNumber(field, value, target, f)
	default:
		panic("api: no JSON binding for " + target.Type().String())
	}
}

func bindObject(field string, value any, target reflect.Value, f *fieldErrors) {
	members, ok := value.(object)
	if !ok {
		wrongType(f, field, "an object", value)
		return
	}

	names := wireNames(target.Type())
	seen := map[string]bool{}
	for _, m := range members {
		at := join(field, m.name)
		i := slices.Index(names, m.name)
		switch {
		case i < 0:
			f.addUnknown(field, m.name, names)
		case seen[m.name]:
			f.add(at, "duplicate_field", "%s appears more than once; send it once.", at)
		case m.value != nil:
			bind(at, m.value, wireField(target, i), f)
		}

		seen[m.name] = true
	}
}

func bindList(field string, value any, target reflect.Value, f *fieldErrors) {
	items, ok := value.([]any)
	if !ok {
		wrongType(f, field, "a list", value)
		return
	}
	list := reflect.MakeSlice(target.Type(), len(items), len(items))
	for i, item := range items {
		bind(index(field, i), item, list.Index(i), f)
	}
	target.Set(list)
}

func bindMap(field string, value any, target reflect.Value, f *fieldErrors) {
	members, ok := value.(object)
	if !ok {
		wrongType(f, field, "an object", value)
		return
	}

	entries := reflect.MakeMapWithSize(target.Type(), len(members))
	for _, m := range members {
		at := join(field, shorten(m.name))
		key := reflect.ValueOf(m.name)
		if entries.MapIndex(key).IsValid() {
			f.add(at, "duplicate_field", "%s appears more than once; send it once.", at)
			continue
		}

		entry := reflect.New(target.Type().Elem()).Elem()
		if m.value != nil {
			bind(at, m.value, entry, f)
			entries.SetMapIndex(key, entry)
		}
	}

	target.Set(entries)
}

// bindNumber treats 30, 30.0 and 3e1 as the same whole number, as JSON does.
func bindNumber(field string, value any, target reflect.Value, f *fieldErrors) {
	whole := target.Kind() == reflect.Int
	expected := "a number"
	limit := math.MaxFloat64

	if whole {
		expected = "a whole number"
		limit = 1 << 53
	}

	number, ok := value.(json.Number)
	if !ok {
		wrongType(f, field, expected, value)
		return
	}

	v, err := number.Float64()
	switch {
	case err != nil || math.Abs(v) > limit:
		f.add(field, "out_of_range", "%[1]s must be %[2]s from -%[3]v to %[3]v; got %[4]s.", field, expected, limit,
			quote(number.String()))
	case whole && v != math.Trunc(v):
		wrongType(f, field, expected, value)
	case whole:
		target.SetInt(int64(v))
	default:
		target.SetFloat(v)
	}
}

func wrongType(f *fieldErrors, field, expected string, value any) {
	if field == "" {
		field = "body"
	}
	f.add(field, string(CodeWrongType), "%s must be %s; got %s.", field, expected, describe(value))
}

// describe names the type of a JSON value, and repeats short values.
func describe(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case string:
		return "the string " + quote(v)
	case json.Number:
		return "the number " + strings.Trim(quote(v.String()), `"`)
	case []any:
		return "a list"
	default:
		return "an object"
	}
}

// wireNames returns the JSON names of a struct type's fields, in order, with those of embedded structs.
func wireNames(t reflect.Type) []string {
	names := make([]string, 0, t.NumField())
	for i := range t.NumField() {
		field := t.Field(i)
		if field.Anonymous {
			names = append(names, wireNames(field.Type)...)
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

// wireField returns the field of a struct that has the ith of its wireNames.
func wireField(v reflect.Value, i int) reflect.Value {
	t := v.Type()
	for n := range t.NumField() {
		size := 1
		if t.Field(n).Anonymous {
			size = len(wireNames(t.Field(n).Type))
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

func index(field string, i int) string { return field + "[" + strconv.Itoa(i) + "]" }

func join(field, name string) string {
	if field == "" {
		return name
	}
	return field + "." + name
}
