package api

import (
	"encoding/json"
	"errors"
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

// decode reads the JSON body of r into the struct that into points to, strictly: exact names, exact types, each member
// once, null for absent. It adds to f what is wrong with single fields; the error is for a body that cannot be read at
// all. Fields with a fault keep their zero value.
func decode(r *http.Request, into any, f *faults) error {
	text, err := readBody(r)
	if err != nil {
		return err
	}
	value, err := parseJSON(text)
	if err != nil {
		return err
	}
	bind("", value, reflect.ValueOf(into).Elem(), f)
	return nil
}

// readBody is the body of a request that says application/json. A request without a body is not held to its type.
func readBody(r *http.Request) ([]byte, error) {
	if r.ContentLength == 0 {
		return nil, malformed("the body is empty, it must be a JSON object")
	}
	if err := checkMediaType(r.Header); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(r.Body)
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, errTooLarge(tooLarge.Limit)
	}
	if err != nil {
		return nil, &matching.Error{Code: CodeMalformedJSON, Message: "the body ended early, send it whole", Cause: err}
	}
	return text, nil
}

func checkMediaType(h http.Header) error {
	if err := checkEncoding(h); err != nil {
		return err
	}
	sent := h.Get("Content-Type")
	media, parameters, err := mime.ParseMediaType(sent)
	if err != nil || media != "application/json" {
		return unsupported("Content-Type must be application/json, got " + shown(sent))
	}
	if charset := parameters["charset"]; charset != "" && !strings.EqualFold(charset, "utf-8") {
		return unsupported("charset must be utf-8, got " + shown(charset))
	}
	return nil
}

func checkEncoding(h http.Header) error {
	if encoding := h.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return unsupported("Content-Encoding " + shown(encoding) + " is not supported, send the body as it is")
	}
	return nil
}

func unsupported(message string) error {
	return &matching.Error{Code: CodeUnsupportedMediaType, Message: message}
}

func errTooLarge(limit int64) error {
	return &matching.Error{
		Code:    CodeBodyTooLarge,
		Message: "the body must not be larger than " + strconv.FormatInt(limit, 10) + " bytes",
	}
}

// bind stores value, at the path field of the body, in target. It knows the kinds that wire requests are made of.
func bind(field string, value any, target reflect.Value, f *faults) {
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
			f.add(field, "invalid_characters", "%s must not contain NUL characters", field)
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

func bindObject(field string, value any, target reflect.Value, f *faults) {
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
			unknownField(f, field, m.name, names)
		case seen[m.name]:
			f.add(at, "duplicate_field", "%s is there twice, send it once", at)
		case m.value != nil:
			bind(at, m.value, target.Field(i), f)
		}
		seen[m.name] = true
	}
}

func bindList(field string, value any, target reflect.Value, f *faults) {
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

func bindMap(field string, value any, target reflect.Value, f *faults) {
	members, ok := value.(object)
	if !ok {
		wrongType(f, field, "an object", value)
		return
	}
	entries := reflect.MakeMapWithSize(target.Type(), len(members))
	for _, m := range members {
		at := join(field, shownName(m.name))
		key := reflect.ValueOf(m.name)
		if entries.MapIndex(key).IsValid() {
			f.add(at, "duplicate_field", "%s is there twice, send it once", at)
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

// bindNumber takes 30, 30.0 and 3e1 for the same whole number, as JSON does.
func bindNumber(field string, value any, target reflect.Value, f *faults) {
	whole := target.Kind() == reflect.Int
	expected := "a number"
	if whole {
		expected = "a whole number"
	}
	number, ok := value.(json.Number)
	if !ok {
		wrongType(f, field, expected, value)
		return
	}
	v, err := number.Float64()
	switch {
	case err != nil || whole && math.Abs(v) > 1<<53:
		f.add(field, "out_of_range", "%s is too large a number: %s", field, shown(number.String()))
	case whole && v != math.Trunc(v):
		wrongType(f, field, expected, value)
	case whole:
		target.SetInt(int64(v))
	default:
		target.SetFloat(v)
	}
}

func wrongType(f *faults, field, expected string, value any) {
	if field == "" {
		field = "body"
	}
	f.add(field, faultWrongType, "%s must be %s, got %s", field, expected, kindOf(value))
}

func kindOf(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case string:
		return "the string " + shown(v)
	case json.Number:
		return "the number " + strings.Trim(shown(v.String()), `"`)
	case []any:
		return "a list"
	default:
		return "an object"
	}
}

// wireNames is the JSON name of each field of a wire type, in their order.
func wireNames(t reflect.Type) []string {
	names := make([]string, t.NumField())
	for i := range names {
		names[i], _, _ = strings.Cut(t.Field(i).Tag.Get("json"), ",")
	}
	return names
}

func index(field string, i int) string { return field + "[" + strconv.Itoa(i) + "]" }

func join(field, name string) string {
	if field == "" {
		return name
	}
	return field + "." + name
}
