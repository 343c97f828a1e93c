// Package dataset writes freelancers in file formats that the indexer reads, for exports and generated data.
package dataset

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/freelancer-matching/service/internal/matching"
)

// Options say what to write besides the main fields. The zero Options write only these.
type Options struct {
	// Details also writes the details, and the column hourly_rate_currency after the main fields. Without that column, a
	// reader would take the currency in which a freelancer charges for the currency of the amounts.
	Details  bool
	Currency string // of the amounts, ISO 4217, for Details
	// EscapeFormulas puts an apostrophe before each text in CSV that a spreadsheet would take for a formula (OWASP, CSV
	// injection). The indexer removes these apostrophes.
	EscapeFormulas bool
}

// WriteCSV writes the main fields with Options.WriteCSV.
func WriteCSV(w io.Writer, freelancers iter.Seq[matching.Freelancer]) error {
	return Options{}.WriteCSV(w, freelancers)
}

// WriteNDJSON writes the main fields with Options.WriteNDJSON.
func WriteNDJSON(w io.Writer, freelancers iter.Seq[matching.Freelancer]) error {
	return Options{}.WriteNDJSON(w, freelancers)
}

// WriteCSV writes freelancers as CSV (RFC 4180) under the header id,name,job_title,skills,experience,rating,
// hourly_rate,profile_url,availability,total_sales,description. Skills are joined by commas, or written as a JSON list
// if one of them is not a simple name; unknown cells are empty. With details, the columns hourly_rate_currency,country,
// location,time_zone,languages,currency,available_from,hours_per_week,verified follow, with languages as in
// "de:C1;en:native;pt-BR:?".
func (o Options) WriteCSV(w io.Writer, freelancers iter.Seq[matching.Freelancer]) error {
	text := func(s string) string { return escapeFormula(s, o.EscapeFormulas) }
	out := csv.NewWriter(w)
	row := append([]string{"id"}, matching.FieldNames(matching.ScopeMatch, matching.ScopeRecord)...)
	if o.Details {
		row = append(append(row, rateCurrency), matching.FieldNames(matching.ScopeDetails)...)
	}

	if err := out.Write(row); err != nil {
		return fmt.Errorf("write header: %w", err)
	}

	var f matching.Freelancer // one for all, as its address goes to the fields
	for f = range freelancers {
		row = append(row[:0], text(f.ID))
		for i := range matching.Fields {
			field := &matching.Fields[i]
			isDetail := field.Scope == matching.ScopeDetails
			if isDetail && !o.Details {
				break
			}

			if isDetail && len(row) == mainColumns {
				row = append(row, o.currencyOf(&f))
			}
			row = append(row, csvCell(field, &f, text))
		}

		if err := out.Write(row); err != nil {
			return fmt.Errorf("write %s: %w", f.ID, err)
		}
	}

	out.Flush()
	return out.Error()
}

// mainColumns is the number of columns before the details: the ID, and the fields of other scopes.
var mainColumns = 1 + len(matching.FieldNames(matching.ScopeMatch, matching.ScopeRecord))

// csvCell returns a field as the indexer reads it from a cell. Numbers and flags can't be formulas, so only other
// values are escaped.
func csvCell(field *matching.Field, f *matching.Freelancer, escape func(string) string) string {
	switch {
	case field.Kind == matching.KindSkills:
		return escape(skillsCell(f.Skills))
	case field.Name == "country":
		return escape(countryText(f.Country))
	case field.Kind == matching.KindNumber || field.Kind == matching.KindInteger || field.Kind == matching.KindFlag:
		return field.Text(f)
	default:
		return escape(field.Text(f))
	}
}

// rateCurrency is the column with the currency of the hourly rate.
const rateCurrency = "hourly_rate_currency"

// currencyOf returns the currency of the hourly rate, or "" if the rate is unknown.
func (o Options) currencyOf(f *matching.Freelancer) string {
	if !f.HourlyRate.Known {
		return ""
	}
	return o.Currency
}

// countryText returns the code of a country, or its name for Namibia: readers take NA for a missing value.
func countryText(code string) string {
	if code == "NA" {
		return "Namibia"
	}
	return code
}

// escapeFormula puts an apostrophe before a text that UnescapeFormula would change and, if formulas is set, before one
// that a spreadsheet would take for a formula.
func escapeFormula(s string, formulas bool) string {
	if startsFormula(strings.TrimLeft(s, "'")) && (formulas || s[0] == '\'') {
		return "'" + s
	}
	return s
}

// UnescapeFormula removes the apostrophe that Options.EscapeFormulas has put before a formula.
func UnescapeFormula(s string) string {
	if s != "" && s[0] == '\'' && startsFormula(strings.TrimLeft(s, "'")) {
		return s[1:]
	}
	return s
}

// startsFormula reports whether spreadsheets take a cell with this text for a formula, including the full-width forms
// of the characters.
func startsFormula(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	return s != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠", first)
}

// skillsCell returns skills in a form that the indexer splits into the same skills: joined by commas if all of them are
// simple names, and otherwise as a JSON list. A single name may look like several that a scraper has glued together, so
// it needs a list, too.
func skillsCell(skills []string) string {
	if len(skills) == 0 {
		return ""
	}
	isComplex := func(s string) bool { return !isSimpleName(s) }
	if len(skills) > 1 && !slices.ContainsFunc(skills, isComplex) && !hasConjunction(skills[len(skills)-1]) {
		return strings.Join(skills, ",")
	}
	var list strings.Builder
	encoder := json.NewEncoder(&list)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(skills); err != nil {
		return strings.Join(skills, ",") // impossible for strings
	}
	return strings.TrimSuffix(list.String(), "\n")
}

// hasConjunction reports whether a name has a short word before its last one, which may be a conjunction in some
// language: the indexer reads "Go, HTML and CSS" as three skills.
func hasConjunction(name string) bool {
	words := strings.Fields(name)
	return slices.ContainsFunc(words[:max(len(words)-1, 0)], func(word string) bool { return len(word) <= maxConjunction })
}

// maxConjunction is at least the length of any conjunction in the languages that the indexer reads.
const maxConjunction = 4

// isSimpleName reports whether a skill is made of ASCII words that begin with a letter, with single spaces or dots
// between them. Other texts may contain separators, numbers of years or punctuation that the indexer interprets or
// removes.
func isSimpleName(s string) bool {
	previous := byte(' ')
	for i := range len(s) {
		c := s[i]
		isLetter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		isDigit := c >= '0' && c <= '9'
		switch {
		case (previous == ' ' || previous == '.') && !isLetter:
			return false
		case !isLetter && !isDigit && strings.IndexByte(" +#&-/.", c) < 0:
			return false
		}
		previous = c
	}
	return strings.IndexByte(" -/&.", previous) < 0
}

// WriteNDJSON writes one JSON object per line, with the fields of WriteCSV in the same order. Skills and languages are
// lists; unknown numbers and flags are null, unknown texts and lists empty.
func (o Options) WriteNDJSON(w io.Writer, freelancers iter.Seq[matching.Freelancer]) error {
	var record bytes.Buffer
	out := json.NewEncoder(&record)
	out.SetEscapeHTML(false)
	var f matching.Freelancer // one for all, as its address goes to the fields

	for f = range freelancers {
		record.Reset()
		if err := o.encode(&record, out, &f); err != nil {
			return fmt.Errorf("write %s: %w", f.ID, err)
		}
		if _, err := w.Write(record.Bytes()); err != nil {
			return fmt.Errorf("write %s: %w", f.ID, err)
		}
	}

	return nil
}

// encode writes the line of a freelancer to a buffer, whose encoder out is. It has all members in each line, also
// unknown ones, because readers learn the members from the first lines.
func (o Options) encode(record *bytes.Buffer, out *json.Encoder, f *matching.Freelancer) error {
	member := func(name string, value any) error {
		separator := byte(',')
		if record.Len() == 0 {
			separator = '{'
		}
		record.WriteByte(separator)
		record.WriteString(strconv.Quote(name))
		record.WriteByte(':')
		if err := out.Encode(value); err != nil {
			return err
		}
		record.Truncate(record.Len() - 1) // Encode ends a value with a line break
		return nil
	}

	if err := member("id", f.ID); err != nil {
		return err
	}

	hasCurrency := false
	for i := range matching.Fields {
		field := &matching.Fields[i]
		isDetail := field.Scope == matching.ScopeDetails
		if isDetail && !o.Details {
			break
		}

		if isDetail && !hasCurrency {
			hasCurrency = true
			if err := member(rateCurrency, o.currencyOf(f)); err != nil {
				return err
			}
		}

		if err := member(field.Name, jsonValue(field, f)); err != nil {
			return err
		}
	}

	record.WriteString("}\n")

	return nil
}

// jsonValue returns the value of a field as NDJSON has it.
func jsonValue(field *matching.Field, f *matching.Freelancer) any {
	if field.Name == "country" {
		return countryText(f.Country)
	}

	// A nil list would be null, but unknown lists are empty.
	switch v := field.Pointer(f).(type) {
	case *[]string:
		return append([]string{}, *v...)
	case *[]matching.SpokenLanguage:
		return append([]matching.SpokenLanguage{}, *v...)
	default:
		return v
	}
}
