package source

import (
	_ "embed"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// field is what a column holds: a field of a freelancer, or a location, which only distinguishes people with the same
// name.
type field int

const (
	fieldNone field = iota
	fieldID
	fieldName
	fieldJobTitle
	fieldSkills
	fieldExperience
	fieldRating
	fieldHourlyRate
	fieldProfileURL
	fieldAvailability
	fieldTotalSales
	fieldDescription
	fieldLocation
	fieldCount
)

var fieldNames = [fieldCount]string{
	"", "id", "name", "job_title", "skills", "experience", "rating", "hourly_rate", "profile_url", "availability",
	"total_sales", "description", "location",
}

// String returns the name of the field in options and in the table of columns, or "".
func (f field) String() string { return fieldNames[f] }

// fieldNamed returns the field with a name, or fieldNone.
func fieldNamed(name string) field { return field(max(0, slices.Index(fieldNames[:], name))) }

// A headerGroup is a set of headers with the same meaning.
type headerGroup struct {
	field     field
	isPart    bool // the columns are parts of one value: names to join, numbers to add up
	isPercent bool // of satisfied clients
	isDate    bool
	note      string
}

// A knownHeader is a header of the vocabulary.
type knownHeader struct {
	*headerGroup
	rank int // columns whose headers have a lower rank are preferred
}

//go:embed headers.txt
var headersFile string

// vocabulary holds the contents of headers.txt.
var vocabulary = parseHeaders(headersFile)

type headerVocabulary struct {
	headers                          map[string]knownHeader // by headerKey
	ignoredPrefixes, ignoredSuffixes []string
}

// parseHeaders parses headers.txt. Adjacent lines with the same field and kind are one group.
func parseHeaders(file string) *headerVocabulary {
	v := &headerVocabulary{headers: make(map[string]knownHeader)}
	var group *headerGroup
	var groupLabel string
	for line := range strings.Lines(file) {
		label, text, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || strings.HasPrefix(line, "#") {
			groupLabel = ""
			continue
		}
		items := strings.Split(text, "; ")
		switch label {
		case "note":
			group.note, groupLabel = text, ""
			continue
		case "ignored prefix":
			v.ignoredPrefixes = append(v.ignoredPrefixes, items...)
			continue
		case "ignored suffix":
			v.ignoredSuffixes = append(v.ignoredSuffixes, items...)
			continue
		}
		if label != groupLabel {
			name, kind, _ := strings.Cut(label, " ")
			group = &headerGroup{
				field:     fieldNamed(name),
				isPart:    kind == "(part)",
				isPercent: kind == "(percent)",
				isDate:    kind == "(date)",
			}
			groupLabel = label
		}
		for _, header := range items {
			v.headers[headerKey(header)] = knownHeader{group, len(v.headers)}
		}
	}
	return v
}

// lookup finds a header: as a whole, without a part in brackets, or without an ignored prefix or suffix.
func lookup(header string) (h knownHeader, ok bool) {
	for _, key := range headerKeys(header) {
		if h, ok := vocabulary.headers[key]; ok {
			return h, true
		}
	}
	return knownHeader{}, false
}

// isKnown reports whether a header stands for a field, according to the vocabulary or the options.
func isKnown(header string, overrides map[string]string) bool {
	for _, column := range overrides {
		if column != "" && strings.EqualFold(column, strings.TrimSpace(header)) {
			return true
		}
	}
	h, ok := lookup(header)
	return ok && h.field != fieldNone
}

// headerKeys returns the forms in which to look up a header.
func headerKeys(header string) []string {
	bare, _, _ := strings.Cut(header, "(")
	bare, _, _ = strings.Cut(bare, "[")
	keys := []string{headerKey(header), headerKey(bare)}
	words := strings.FieldsFunc(bare, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if n := len(words); n > 1 {
		if slices.Contains(vocabulary.ignoredSuffixes, strings.ToLower(words[n-1])) {
			keys = append(keys, headerKey(strings.Join(words[:n-1], "")))
		}
		if slices.Contains(vocabulary.ignoredPrefixes, strings.ToLower(words[0])) {
			keys = append(keys, headerKey(strings.Join(words[1:], "")))
		}
	}
	return keys
}

// headerKey returns the letters and digits of a header in lower case, so that "Hourly_Rate", "hourlyRate" and "Hourly
// rate" are equal.
func headerKey(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, norm.NFKC.String(s))
}
