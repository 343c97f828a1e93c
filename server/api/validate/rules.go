package validate

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// OneOf checks that a value, if there is one, is allowed.
func OneOf(faults *Faults, field string, value *string, allowed ...string) {
	if value != nil && !faults.In(field) && !slices.Contains(allowed, *value) {
		faults.Add(field, "unknown_value", "%s must be one of %s; got %s.", field, strings.Join(allowed, ", "), Quote(*value))
	}
}

// Within checks that a value, if there is one, is from low to high.
func Within[T cmp.Ordered](faults *Faults, field string, value *T, low, high T) {
	switch {
	case value == nil || faults.In(field):
	case *value < low:
		faults.Add(field, "too_small", "%s must be from %v to %v; got %v.", field, low, high, *value)
	case *value > high:
		faults.Add(field, "too_large", "%s must be from %v to %v; got %v.", field, low, high, *value)
	}
}

// NotNegative checks that a value, if there is one, is at least 0.
func NotNegative(faults *Faults, field string, value *float64) {
	if value != nil && !faults.In(field) && *value < 0 {
		faults.Add(field, "negative", "%s must not be negative; got %v.", field, *value)
	}
}

// MaxCharacters checks that a text has at most this many characters.
func MaxCharacters(faults *Faults, field, text string, characters int) {
	if n := utf8.RuneCountInString(text); n > characters && !faults.In(field) {
		faults.Add(field, "too_long", "%s must have at most %d characters; got %d.", field, characters, n)
	}
}

// Texts checks that a list has at most maxEntries texts, that none is blank, and that none has more than
// maxCharacters characters.
func Texts(faults *Faults, field string, list []string, maxEntries, maxCharacters int) {
	if faults.In(field) {
		return
	}
	if len(list) > maxEntries {
		faults.Add(field, "too_many", "%s must have at most %d entries; got %d.", field, maxEntries, len(list))
		return
	}
	for i, text := range list {
		at := Index(field, i)
		if strings.TrimSpace(text) == "" {
			faults.Add(at, "blank", "%s must not be blank.", at)
		}
		MaxCharacters(faults, at, text, maxCharacters)
	}
}

// RequiredText checks that a text is not empty and has at most this many characters.
func RequiredText(faults *Faults, field, text string, characters int) {
	if text == "" && !faults.In(field) {
		faults.Add(field, "required", "%s must have 1 to %d characters.", field, characters)
	}
	MaxCharacters(faults, field, text, characters)
}

// WholeNumber returns the number in a text, which must be from low to high.
func WholeNumber(faults *Faults, field, text string, low, high uint64) uint64 {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n < low || n > high {
		faults.Add(field, "out_of_range", "%s must be a whole number from %d to %d; got %s.", field, low, high, Quote(text))
	}
	return n
}
