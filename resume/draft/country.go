package draft

import (
	"regexp"

	"github.com/freelancer-matching/service/internal/value"
	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/person"
)

// postalCodes are the forms of postal codes that only one country has, or that name their country.
var postalCodes = []struct {
	country string
	form    *regexp.Regexp
}{
	{"GB", regexp.MustCompile(`\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b`)},
	{"CA", regexp.MustCompile(`\b[A-Z]\d[A-Z] \d[A-Z]\d\b`)},
	{"NL", regexp.MustCompile(`\b\d{4} [A-Z]{2}\b`)},
	{"PL", regexp.MustCompile(`(?:^|[ ,])\d{2}-\d{3}\b`)},
	{"PT", regexp.MustCompile(`(?:^|[ ,])\d{4}-\d{3}\b`)},
	{"BR", regexp.MustCompile(`(?:^|[ ,])\d{5}-\d{3}\b`)},
	{"DE", regexp.MustCompile(`\bD-\d{5}\b`)},
	{"AT", regexp.MustCompile(`\bA-\d{4}\b`)},
	{"CH", regexp.MustCompile(`\bCH-\d{4}\b`)},
	{"FR", regexp.MustCompile(`\bF-\d{5}\b`)},
	{"IT", regexp.MustCompile(`\bI-\d{5}\b`)},
	{"JP", regexp.MustCompile(`〒`)},
}

// country returns the ISO 3166 code of the country where a person lives, "" if it is unknown. derived says what it was
// derived from if the location doesn't name it.
func (w *Writer) country(c resume.Contact) (code, derived string) {
	if code := value.CountryOf(c.Location); code != "" {
		return code, ""
	}

	if code := w.words.Country(c.Location); code != "" {
		return code, "The country is derived from the town or region."
	}

	for _, p := range postalCodes {
		if p.form.MatchString(c.Location) {
			return p.country, "The country is derived from the form of the postal code."
		}
	}

	// People keep their number when they move, so it comes last.
	if code := person.PhoneCountry(c.Phone); code != "" {
		return code, "The country is derived from the country code of the phone number."
	}

	return "", ""
}
