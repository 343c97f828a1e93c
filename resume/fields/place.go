package fields

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// place tells whether text names a place: 2 by its words, 1 by its form alone ("Springfield, Evergreen"), 0 not.
func (d *dictionary) place(text string) int {
	text = strings.Trim(text, " ,.;()")
	k := key(text)
	if k == "" || utf8.RuneCountInString(text) > 70 || strings.ContainsAny(text, "@:") {
		return 0
	}
	if d.known(k) || d.remote[k] || strings.HasSuffix(k, " area") && strings.Count(k, " ") < 5 {
		return 2
	}
	if last, size := utf8.DecodeLastRuneInString(text); strings.ContainsRune("都府県市省", last) && len(text) > size && len(text) <= 6*size &&
		!strings.ContainsAny(text, " ,") {
		return 2
	}
	if before, _, ok := strings.Cut(text, "("); ok && !d.known(key(before)) {
		return 0
	}
	parts := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '(' || r == '/' || r == '，' || r == '،' })
	if len(parts) > 4 {
		return 0
	}
	for i, part := range parts {
		part = strings.TrimSpace(part)
		if words := strings.Fields(part); len(words) > 5 || i < len(parts)-1 && d.titles.any(key(part)) {
			return 0
		}
		if r, _ := utf8.DecodeRuneInString(part); unicode.IsLower(r) || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return 0
		}
	}
	last := strings.TrimSpace(parts[len(parts)-1])
	for _, part := range parts[:len(parts)-1] {
		if k := key(part); d.endsLegal(k) || d.organisations.any(k) || d.schools.any(k) {
			return 0
		}
	}
	switch {
	case len(parts) > 1 && d.code(last) != "":
		return 2
	case d.cities[withoutDigits(k)] != "" && strings.ContainsAny(text, "0123456789"):
		return 2
	case len(parts) == 1:
		if i := strings.LastIndexByte(last, ' '); i > 0 && d.cities[key(last[:i])] != "" && d.code(last[i+1:]) != "" {
			return 2
		}
		return 0
	case d.cities[key(withoutDigits(parts[0]))] != "",
		d.cities[withoutDigits(key(last))] != "" && strings.ContainsAny(text, "0123456789"):
		return 2
	case d.cities[withoutDigits(key(last))] != "":
		return 0 // "Acme, Berlin"
	case d.titles.any(k), d.degrees[key(last)], len(parts) > 3, d.endsLegal(k), d.organisations.any(k), d.schools.any(k):
		return 0
	default:
		return 1
	}
}

// known reports whether a key is the name of a country, a part of one, or a city.
func (d *dictionary) known(k string) bool {
	_, city := d.cities[k]
	return city || d.countries[k] != "" || len(k) > 3 && d.regions[k] != ""
}

// code is the ISO code of the country that the last part of an address names: the country, or a state, with a postal
// code or without. A state of two letters must be in capitals.
func (d *dictionary) code(part string) string {
	k := withoutDigits(key(part))
	code := d.regions[k]
	if country := d.countries[k]; country != "" {
		if code != "" && code != country {
			return "" // Georgia
		}
		return country
	}
	if len(k) == 2 && code != "" && !strings.Contains(part, strings.ToUpper(k)) && part != "Ca" {
		return ""
	}
	return code
}

// country is the ISO code of the country of a place, "" where it is not told.
func (d *dictionary) country(text string) string {
	parts := strings.FieldsFunc(text, func(r rune) bool {
		return r == ',' || r == '(' || r == ')' || r == '·' || r == '|' || r == '，' || r == '،'
	})
	for i := len(parts) - 1; i >= 0; i-- {
		part := strings.TrimSpace(parts[i])
		if code := d.code(part); code != "" {
			return code
		}
		k := withoutDigits(key(part))
		if code := d.cities[k]; code != "" {
			return code
		}
		if j := strings.LastIndexByte(k, ' '); j > 0 {
			if code := d.code(part[strings.LastIndexByte(part, ' ')+1:]); code != "" {
				return code
			}
			for ; j > 0; j = strings.LastIndexByte(k[:j], ' ') {
				if code := d.cities[k[:j]]; code != "" {
					return code
				}
			}
		}
	}
	return ""
}

// withoutDigits drops the words of a key that have digits: postal codes.
func withoutDigits(text string) string {
	var words []string
	for word := range strings.FieldsSeq(text) {
		if !strings.ContainsAny(word, "0123456789") {
			words = append(words, word)
		}
	}
	return strings.Join(words, " ")
}

// endsLegal reports whether a key ends with a legal form, as the names of companies do.
func (d *dictionary) endsLegal(k string) bool {
	words := strings.Fields(k)
	last := ""
	for i := len(words) - 1; i > 0; i-- {
		last = words[i] + last
		if d.legal[last] {
			return true
		}
		if len(words[i]) > 1 { // of "S. A. S." the letters belong together
			return false
		}
	}
	return false
}
