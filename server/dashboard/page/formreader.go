package page

import (
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/internal/matching"
)

// DateLayout is the format of dates in forms.
const DateLayout = "2006-01-02"

// SplitList returns the entries of a text, which are separated by commas or line breaks.
func SplitList(text string) []string {
	var entries []string
	for _, entry := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("\n\r,", r) }) {
		if entry = strings.TrimSpace(entry); entry != "" {
			entries = append(entries, entry)
		}
	}
	return entries
}

// FormReader reads optional values from a form. A value that is not a number is recorded in faults; all other rules are
// left to the API.
type FormReader struct {
	*Visit
	Faults []matching.FieldError
}

// AddFault records what is wrong with a field.
func (f *FormReader) AddFault(field, message string) {
	f.Faults = append(f.Faults, matching.FieldError{Field: field, Code: "wrong_type", Message: message})
}

// Text returns the value of a field, or nil if it is empty.
func (f *FormReader) Text(field string) *string {
	text := f.Value(field)
	if text == "" {
		return nil
	}
	return &text
}

// Decimal returns the number in a field, or nil if it is empty.
func (f *FormReader) Decimal(field string) *float64 {
	text := f.Value(field)
	if text == "" {
		return nil
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n-n != 0 { // JSON has neither infinities nor NaN
		f.AddFault(field, "enter a number such as 1500 or 4.5")
		return nil
	}
	return &n
}

// Integer returns the whole number in a field, or nil if it is empty.
func (f *FormReader) Integer(field string) *int {
	text := f.Value(field)
	if text == "" {
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		f.AddFault(field, "enter a whole number")
		return nil
	}
	return &n
}
