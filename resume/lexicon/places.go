package lexicon

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/freelancer-matching/service/resume/wording"
)

// A PlaceRank is how certain it is that a text is a place.
type PlaceRank int

// The ranks of places, from the least to the most certain.
const (
	NotPlace         PlaceRank = iota
	PlaceByNeighbors           // it stands among contact details, and is nothing else that is known
	PlaceByForm                // it has the form of a place: "Springfield, Evergreen"
	PlaceByName                // it has the name of a place
	PlaceByLabel
)

// Place returns how certain it is that text is a place.
func (d *placeWords) Place(text string) PlaceRank {
	text = strings.Trim(text, " ,.;()")
	key := wording.Key(text)
	if key == "" || utf8.RuneCountInString(text) > 70 {
		return NotPlace
	}

	isContact := strings.ContainsAny(text, "@:") || longNumber(key)
	if isContact {
		return NotPlace
	}

	byName := d.KnownPlace(key) || d.Remote[key] || d.hasPlaceSuffix(text, key) || d.TownAt(text) == len(text)
	if byName {
		return PlaceByName
	}

	// "Jerez (Spain)" is written like "Jerez, Spain". A code in brackets may be any abbreviation.
	if town, country, ok := strings.Cut(text, " ("); ok && len(country) > 3 && d.CountryCode(country) != "" {
		text = town + ", " + country
	}

	before, _, brackets := strings.Cut(text, "(")
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",(/،", r) })
	unknownBeforeBracket := brackets && !d.KnownPlace(wording.Key(before))
	if unknownBeforeBracket || len(parts) > 4 {
		return NotPlace
	}
	if !d.placeParts(parts) {
		return NotPlace
	}

	// Digits beside a city are a postal code or the number of a house.
	cityWithNumber := d.Cities[withoutDigits(key)] != "" && wording.HasDigit(text)
	if cityWithNumber {
		return PlaceByName
	}
	if len(parts) == 1 {
		return d.cityAndRegion(strings.TrimSpace(parts[0]))
	}
	return d.placeOfParts(parts, text, key)
}

// cityAndRegion returns PlaceByName for a city and its region without a comma: "Chicago IL".
func (d *placeWords) cityAndRegion(text string) PlaceRank {
	i := strings.LastIndexByte(text, ' ')
	if i <= 0 {
		return NotPlace
	}
	if d.Cities[wording.Key(text[:i])] != "" && d.CountryCode(text[i+1:]) != "" {
		return PlaceByName
	}
	return NotPlace
}

// placeOfParts returns how certain it is that a text of two to four parts is a place. key is its key.
func (d *placeWords) placeOfParts(parts []string, text, key string) PlaceRank {
	last := strings.TrimSpace(parts[len(parts)-1])
	firstIsCity := d.Cities[wording.Key(withoutDigits(parts[0]))] != ""
	if firstIsCity || d.CountryCode(last) != "" {
		return PlaceByName
	}

	// The city also comes last in addresses, "Hauptstr. 5, Berlin", but without a number it follows a name: "Acme,
	// Berlin".
	if d.Cities[withoutDigits(wording.Key(last))] != "" {
		if wording.HasDigit(text) {
			return PlaceByName
		}
		return NotPlace
	}

	lastKey := wording.Key(last)
	isElse := d.Titles.Any(key) || d.Degrees[lastKey] || d.Contracts[lastKey] || d.IsOrganization(key)
	if isElse || len(parts) > 3 {
		return NotPlace
	}
	return PlaceByForm
}

// TownAt returns the length of a town with its region or country at the start of a text, or 0: "Chicago, IL", "Lyon,
// France", "Austin, TX, USA". Templates and anonymized resumes have words in their place: "City, State".
func (d *placeWords) TownAt(text string) int {
	const longest = 40 // bytes of a part
	comma := strings.IndexByte(text[:min(len(text), longest)], ',')
	if comma < 2 || !wording.Capitalized(text) {
		return 0
	}

	town := wording.Key(text[:comma])
	if _, city := d.Cities[town]; !city && !d.townWords[town] {
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
	words := wording.WordRanges(text, 3, func(r rune) bool { return !strings.ContainsRune(" ,;|()\t", r) })
	// The longest name counts: "Guinea Bissau" begins with the name of another country.
	for n := len(words); n > 0; n-- {
		end := words[n-1].End
		part := text[:end]
		isName := words[0].Start == 0 && !strings.Contains(part, ",") && wording.Capitalized(part)
		if !isName {
			continue
		}

		isGeneric := generic && d.regionWords[wording.Key(part)]
		if isGeneric || d.CountryCode(part) != "" {
			return end
		}
	}
	return 0
}

// longNumber reports whether a key has a word with more digits than a postal code.
func longNumber(k string) bool {
	for word := range strings.FieldsSeq(k) {
		if wording.CountDigits(word) > 7 {
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
		startsLikeName := unicode.IsDigit(first) || unicode.IsLetter(first) && !unicode.IsLower(first)
		if !startsLikeName || len(strings.Fields(part)) > 5 {
			return false
		}

		if i == len(parts)-1 {
			break
		}
		if key := wording.Key(part); d.Titles.Any(key) || d.IsOrganization(key) {
			return false
		}
	}
	return true
}

// hasPlaceSuffix reports whether a text has an ending of places: "Greater London Area", "横浜市".
func (d *placeWords) hasPlaceSuffix(text, k string) bool {
	for _, suffix := range d.placeSuffixes {
		if !wording.Wide(suffix) {
			if strings.HasSuffix(k, " "+suffix) && strings.Count(k, " ") < 5 {
				return true
			}
			continue
		}
		name, ok := strings.CutSuffix(text, suffix)
		oneName := name != "" && len(text) <= 6*len(suffix) && !strings.ContainsAny(name, " ,")
		if ok && oneName {
			return true
		}
	}
	return false
}

// PostalTown reports whether the last part of an address is a postal code and a town, which may be an unknown one:
// "67435 Neustadt". Four digits may also be a year, so that a street with its number must precede them.
func (d *placeWords) PostalTown(text string) bool {
	parts := strings.Split(strings.Trim(text, " ,."), ", ")
	code, town, ok := strings.Cut(parts[len(parts)-1], " ")
	digits := wording.CountDigits(code)
	isCode := digits == len(code[strings.LastIndexByte(code, '-')+1:]) && digits >= 4 && digits <= 6
	if !ok || !isCode || !wording.Capitalized(town) || wording.HasDigit(town) || strings.Count(town, " ") > 4 {
		return false
	}

	street := strings.Join(parts[:len(parts)-1], ", ")
	return digits > 4 || wording.HasDigit(street) && !wording.Sentence(street)
}

// EndsWithCity reports whether the last of two parts of a text is a city, which may have its region after it: "Saúde,
// São Paulo - SP".
func (d *placeWords) EndsWithCity(text string) bool {
	quarter, city, ok := strings.Cut(text, ", ")
	city, _, _ = strings.Cut(city, " - ")
	return ok && wording.Capitalized(quarter) && strings.Count(quarter, " ") < 4 && d.Cities[wording.Key(city)] != ""
}

// KnownPlace reports whether a key is the name of a country, of a part of one, or of a city.
func (d *placeWords) KnownPlace(k string) bool {
	_, city := d.Cities[k]
	return city || d.Countries[k] != "" || len(k) > 3 && d.Regions[k] != ""
}

// SoundsLikeTown reports whether a key of one word is a known place, or ends like the name of a town: "Weinheim".
func (d *placeWords) SoundsLikeTown(k string) bool { return d.KnownPlace(k) || d.towns.Has(k) }

// CountryCode returns the ISO 3166 code for the last part of an address: a country, or a state, with or without a
// postal code. States of two letters must be in capitals. For other texts it returns "".
func (d *placeWords) CountryCode(part string) string {
	k := withoutDigits(wording.Key(part))
	code := cmp.Or(d.Countries[k], d.Regions[k])
	inCapitals := strings.Contains(part, strings.ToUpper(k)) || part == "Ca"
	if len(k) == 2 && !inCapitals {
		return ""
	}
	return code
}

// Country returns the ISO 3166 code of the country of a place, "" if it is unknown. The last part of the place that
// identifies a country decides: by the name of a country or a region, by its last word, or by a city at its start.
func (d *placeWords) Country(text string) string {
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",()·|،", r) })
	for _, part := range slices.Backward(parts) {
		part = strings.TrimSpace(part)
		lastWord := part[strings.LastIndexByte(part, ' ')+1:]
		code := cmp.Or(d.CountryCode(part), d.CountryCode(lastWord))
		for k := withoutDigits(wording.Key(part)); k != "" && code == ""; k = k[:max(strings.LastIndexByte(k, ' '), 0)] {
			code = d.Cities[k]
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
		if !wording.HasDigit(word) {
			words = append(words, word)
		}
	}
	return strings.Join(words, " ")
}
