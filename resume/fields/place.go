package fields

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A placeRank is how certain it is that a text is a place.
type placeRank int

const (
	notPlace         placeRank = iota
	placeByNeighbors           // it stands among contact details, and is nothing else that is known
	placeByForm                // it has the form of a place: "Springfield, Evergreen"
	placeByName                // it has the name of a place
	placeByLabel
)

// place returns how certain it is that text is a place.
func (d *placeWords) place(text string) placeRank {
	text = strings.Trim(text, " ,.;()")
	k := key(text)
	if k == "" || utf8.RuneCountInString(text) > 70 || strings.ContainsAny(text, "@:") || longNumber(k) {
		return notPlace
	}
	if d.knownPlace(k) || d.remote[k] || d.hasPlaceSuffix(text, k) || d.townAt(text) == len(text) {
		return placeByName
	}

	before, _, brackets := strings.Cut(text, "(")
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",(/،", r) })
	if brackets && !d.knownPlace(key(before)) || len(parts) > 4 || !d.placeParts(parts) {
		return notPlace
	}

	last := strings.TrimSpace(parts[len(parts)-1])
	lastCity := d.cities[withoutDigits(key(last))] != ""
	switch {
	case len(parts) > 1 && d.countryCode(last) != "",
		d.cities[withoutDigits(k)] != "" && hasDigit(text):
		return placeByName
	case len(parts) == 1: // "Chicago IL"
		i := strings.LastIndexByte(last, ' ')
		if i > 0 && d.cities[key(last[:i])] != "" && d.countryCode(last[i+1:]) != "" {
			return placeByName
		}
		return notPlace

	case d.cities[key(withoutDigits(parts[0]))] != "", lastCity && hasDigit(text):
		return placeByName
	case lastCity, // "Acme, Berlin"
		d.titles.any(k), d.degrees[key(last)], len(parts) > 3, d.isOrganization(k):
		return notPlace
	default:
		return placeByForm
	}
}

// townAt returns the length of a town with its region or country at the start of a text, or 0: "Chicago, IL", "Lyon,
// France", "Austin, TX, USA". Templates and anonymized resumes have words in their place: "City, State".
func (d *placeWords) townAt(text string) int {
	const longest = 40 // bytes of a part
	comma := strings.IndexByte(text[:min(len(text), longest)], ',')
	if comma < 2 || !capitalized(text) {
		return 0
	}

	town := key(text[:comma])
	if _, city := d.cities[town]; !city && !d.townWords[town] {
		return 0
	}
	end := 0

	for at := comma; at < len(text) && text[at] == ','; {
		at++
		for at < len(text) && text[at] == ' ' {
			at++
		}
		n := d.regionAt(text[at:min(len(text), at+longest)], d.townWords[town] && end == 0)
		if n == 0 {
			break
		}

		end = at + n
		at = end + len(text[end:]) - len(strings.TrimLeft(text[end:], " "))
	}

	return end
}

// regionAt returns the length of the region or country at the start of a text, of at most three words, 0 if there is
// none. With generic, a word such as "State" is one.
func (d *placeWords) regionAt(text string, generic bool) int {
	words := wordRanges(text, 3, func(r rune) bool { return !strings.ContainsRune(" ,;|()\t", r) })
	for n := len(words); n > 0; n-- {
		end := words[n-1].end
		part := text[:end]
		if words[0].start == 0 && !strings.Contains(part, ",") && capitalized(part) &&
			(d.countryCode(part) != "" || generic && d.regionWords[key(part)]) {
			return end
		}
	}
	return 0
}

// longNumber reports whether a key has a word with more digits than a postal code.
func longNumber(k string) bool {
	for word := range strings.FieldsSeq(k) {
		if countDigits(word) > 7 {
			return true
		}
	}
	return false
}

// placeParts reports whether the parts of a text may form a place. Each has a few words, which start with a capital or
// a digit. Only the last may be a title or an organization.
func (d *placeWords) placeParts(parts []string) bool {
	for i, part := range parts {
		part = strings.TrimSpace(part)
		first, _ := utf8.DecodeRuneInString(part)
		if len(strings.Fields(part)) > 5 || unicode.IsLower(first) || !unicode.IsLetter(first) && !unicode.IsDigit(first) {
			return false
		}
		if k := key(part); i < len(parts)-1 && (d.titles.any(k) || d.isOrganization(k)) {
			return false
		}
	}
	return true
}

// isOrganization reports whether a key reads as a company or a school.
func (d *jobWords) isOrganization(k string) bool {
	return d.endsLegal(k) || d.organizations.any(k) || d.schools.any(k)
}

// hasPlaceSuffix reports whether a text has an ending of places: "Greater London Area", "横浜市".
func (d *placeWords) hasPlaceSuffix(text, k string) bool {
	for _, suffix := range d.placeSuffixes {
		if !wide(suffix) {
			if strings.HasSuffix(k, " "+suffix) && strings.Count(k, " ") < 5 {
				return true
			}
			continue
		}
		name, ok := strings.CutSuffix(text, suffix)
		if ok && name != "" && len(text) <= 6*len(suffix) && !strings.ContainsAny(name, " ,") {
			return true
		}
	}
	return false
}

// knownPlace reports whether a key is the name of a country, of a part of one, or of a city.
func (d *placeWords) knownPlace(k string) bool {
	_, city := d.cities[k]
	return city || d.countries[k] != "" || len(k) > 3 && d.regions[k] != ""
}

// countryCode returns the ISO 3166 code for the last part of an address: a country, or a state, with or without a
// postal code. States of two letters must be in capitals. For other texts it returns "".
func (d *placeWords) countryCode(part string) string {
	k := withoutDigits(key(part))
	code := cmp.Or(d.countries[k], d.regions[k])
	if len(k) == 2 && !strings.Contains(part, strings.ToUpper(k)) && part != "Ca" {
		return ""
	}
	return code
}

// country returns the ISO 3166 code of the country of a place, "" if it is unknown. The last part of the place that
// identifies a country decides: by the name of a country or a region, by its last word, or by a city at its start.
func (d *placeWords) country(text string) string {
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",()·|،", r) })
	for _, part := range slices.Backward(parts) {
		part = strings.TrimSpace(part)
		lastWord := part[strings.LastIndexByte(part, ' ')+1:]
		code := cmp.Or(d.countryCode(part), d.countryCode(lastWord))
		for k := withoutDigits(key(part)); k != "" && code == ""; k = k[:max(strings.LastIndexByte(k, ' '), 0)] {
			code = d.cities[k]
		}
		if code != "" {
			return code
		}
	}
	return ""
}

// withoutDigits drops the words that have digits: postal codes.
func withoutDigits(text string) string {
	var words []string
	for word := range strings.FieldsSeq(text) {
		if !hasDigit(word) {
			words = append(words, word)
		}
	}
	return strings.Join(words, " ")
}
