package dashboard

import (
	"strconv"
	"strings"

	"freelancer-matching/internal/matching"
)

const dateLayout = "2006-01-02"

// splitList returns the entries of a text, which are separated by commas or line breaks.
func splitList(text string) []string {
	var entries []string
	for _, entry := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("\n\r,", r) }) {
		if entry = strings.TrimSpace(entry); entry != "" {
			entries = append(entries, entry)
		}
	}
	return entries
}

// formReader reads optional values from a form. A value that is not a number is recorded in faults; all other rules are
// left to the API.
type formReader struct {
	*visit
	faults []matching.FieldError
}

func (f *formReader) addFault(field, message string) {
	f.faults = append(f.faults, matching.FieldError{Field: field, Code: "wrong_type", Message: message})
}

// text returns the value of a field, or nil if it is empty.
func (f *formReader) text(field string) *string {
	text := f.value(field)
	if text == "" {
		return nil
	}
	return &text
}

// decimal returns the number in a field, or nil if it is empty.
func (f *formReader) decimal(field string) *float64 {
	text := f.value(field)
	if text == "" {
		return nil
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n-n != 0 { // JSON has neither infinities nor NaN
		f.addFault(field, "enter a number such as 1500 or 4.5")
		return nil
	}
	return &n
}

// integer returns the whole number in a field, or nil if it is empty.
func (f *formReader) integer(field string) *int {
	text := f.value(field)
	if text == "" {
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		f.addFault(field, "enter a whole number")
		return nil
	}
	return &n
}
