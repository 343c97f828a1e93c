package value

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/freelancer-matching/service/internal/wordbook"
)

// Remarks on countries.
const (
	remarkNotCountry       = "not a country; use an ISO 3166 code, such as DE, or a name"
	remarkNamibia          = "NA may mean Namibia or not available; write Namibia"
	remarkAmbiguousCountry = "several countries have this name; use an ISO 3166 code, such as CD"
)

// maxPlace is the length in bytes of the longest text that is searched for a country.
const maxPlace = 300

// nameLanguages are the languages in which names of countries and languages are known: those of the word book. If two
// of them have the same name for different things, the first one decides.
var nameLanguages = func() []language.Tag {
	first := []language.Tag{
		language.English, language.Spanish, language.Portuguese, language.French, language.German, language.Italian,
		language.Dutch, language.Polish,
	}
	for _, tag := range wordbook.Languages() {
		if !slices.Contains(first, tag) {
			first = append(first, tag)
		}
	}
	return first
}()

// countryTable has the countries of ISO 3166-1, and Kosovo, by code and by name.
type countryTable struct {
	codes  map[string]bool
	byName map[string]string // by nameKey: the code, or "" for a name of several countries
	states map[string]bool   // by nameKey: also names of states
	cities map[string]bool   // by nameKey: also names of cities
	parts  map[string]bool   // codes that also stand for states and provinces
}

var countries = sync.OnceValue(func() *countryTable {
	t := &countryTable{
		codes: make(map[string]bool), byName: make(map[string]string),
		states: make(map[string]bool), cities: make(map[string]bool), parts: make(map[string]bool),
	}
	for code := range zoneNames().ofCountry {
		t.codes[code] = true
	}
	for _, list := range wordbook.Lists() {
		if code, ok := strings.CutPrefix(list.Name, wordbook.CountryPrefix); ok {
			t.codes[code] = true
			for _, name := range list.Items {
				t.byName[nameKey(name)] = code
			}
		}
	}
	for _, e := range load("countries.txt") {
		for _, item := range e.items {
			switch e.list {
			case "part":
				t.parts[item] = true
			case "state":
				t.states[nameKey(item)] = true
			case "city":
				t.cities[nameKey(item)] = true
			case "ambiguous":
				t.byName[nameKey(item)] = ""
			}
		}
	}
	for _, l := range nameLanguages {
		names := display.Regions(l)
		for code := range t.codes {
			addName(t.byName, names.Name(language.MustParseRegion(code)), code)
		}
	}
	return t
})

// addName adds a name of CLDR, which counts only if the data files don't have it.
func addName(names map[string]string, name, code string) {
	if key := nameKey(name); key != "" {
		if _, ok := names[key]; !ok {
			names[key] = code
		}
	}
}

// nameKey returns the words of a name in lower case, without accents, punctuation and a leading "the". "Bosnia &
// Herzegovina" and "Bosnia and Herzegovina" have the same key.
func nameKey(name string) string {
	var b strings.Builder
	for _, r := range fold(name) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		case r == '&':
			b.WriteString(" and ")
		case r != '.' && r != '\'':
			b.WriteByte(' ')
		}
	}

	words := strings.Fields(b.String())
	if len(words) > 1 && words[0] == "the" {
		words = words[1:]
	}

	// Both forms are usual, as in St. Lucia.
	for i, word := range words {
		if word == "saint" {
			words[i] = "st"
		}
	}

	return strings.Join(words, " ")
}

// Country parses a country: its ISO 3166-1 code with two or three letters, its flag, or its name in a language of the
// word book. It also accepts a place that names its country, such as "Porto, Portugal". It returns the code with two
// letters, which is XK for Kosovo. "NA" is unknown, because programs write it for missing values.
func Country(text string) (code, remark string) {
	text = strings.TrimSpace(text)
	switch {
	case text == "NA":
		return "", remarkNamibia
	case Unknown(text):
		return "", ""
	case len(text) > maxPlace:
		return "", remarkNotCountry
	}

	if code, ok := countries().named(text); ok {
		if code == "" {
			remark = remarkAmbiguousCountry
		}
		return code, remark
	}

	if code = CountryOf(text); code == "" {
		return "", remarkNotCountry
	}

	return code, ""
}

// IsCountry reports whether a text is the name of a country or its code in capitals.
func IsCountry(s string) bool {
	s = strings.TrimSpace(s)
	isSmallCode := len(s) == len("DE") && s != strings.ToUpper(s)
	if isSmallCode || len(s) > maxPlace {
		return false
	}
	_, ok := countries().named(s)
	return ok
}

// named returns the country that a text names, or "" if several countries have this name.
func (t *countryTable) named(s string) (code string, ok bool) {
	flag, s := cutFlag(s)
	switch upper := strings.ToUpper(s); {
	case s == "":
		return flag, t.codes[flag]
	case len(s) == len("DE") && t.codes[upper]:
		// A small "no" is more often an answer than Norway.
		code = upper
		ok = s == upper || !words["no"].has(s)
	case len(s) == len("DEU") && t.alpha3(upper) != "":
		code = t.alpha3(upper)
		ok = true
	default:
		code, ok = t.byName[nameKey(s)]
	}
	return code, ok && (flag == "" || flag == code)
}

// alpha3 returns the code with two letters for one with three, or "".
func (t *countryTable) alpha3(upper string) string {
	region, err := language.ParseRegion(upper)
	if err != nil || region.ISO3() != upper {
		return ""
	}
	if code := region.String(); t.codes[code] {
		return code
	}
	return ""
}

// cutFlag removes the flag of a country, two regional indicators, from a text, and returns the code that they spell.
func cutFlag(s string) (code, rest string) {
	isIndicator := func(r rune) bool { return r >= '🇦' && r <= '🇿' }
	if !strings.ContainsFunc(s, isIndicator) {
		return "", s
	}
	rest = strings.TrimSpace(strings.Map(func(r rune) rune {
		if isIndicator(r) {
			code += string('A' + r - '🇦')
			return -1
		}
		return r
	}, s))
	return code, rest
}

// CountryOf returns the country that a place names at its end, as in "Porto, Portugal", "Lyon (France)" and "Austin,
// TX, USA", or as a whole. It returns "" if there is none, if the name may also stand for a part of another country, as
// in "Atlanta, Georgia" and "Dover, DE", or if the place names several countries.
func CountryOf(place string) string {
	place = strings.TrimSpace(place)
	if len(place) > maxPlace || Unknown(place) {
		return ""
	}
	table := countries()
	parts := placeParts(place)
	last := len(parts) - 1
	for last > 0 && table.ofPart(parts[last]) == "" && strings.HasSuffix(place, ")") { // "Lyon, France (remote)"
		last--
		place = ""
	}

	if last < 0 {
		return ""
	}
	code := table.ofPart(parts[last])
	// A short part may be a code of anything, and a city may have the name of a country. Neither contradicts.
	for _, part := range parts[:last] {
		if len(part) <= len("DEU") || table.cities[nameKey(part)] {
			continue
		}
		if other, ok := table.named(part); ok && other != code {
			return ""
		}
	}

	return code
}

// placeParts splits a place at commas, brackets and other separators.
func placeParts(place string) (parts []string) {
	for _, dash := range []string{" - ", " – ", " — "} {
		place = strings.ReplaceAll(place, dash, ",")
	}
	for part := range strings.FieldsFuncSeq(place, func(r rune) bool { return strings.ContainsRune(",;|/()[]·•\n", r) }) {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// ofPart returns the country that the last part of a place names, or "" if it is doubtful.
func (t *countryTable) ofPart(part string) string {
	isCode := len(part) <= len("DEU") && strings.Trim(part, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
	switch {
	case isCode && t.parts[part], t.states[nameKey(part)]:
		return ""
	case len(part) <= len("DEU") && !isCode && t.byName[nameKey(part)] == "": // a small code may be any word
		return ""
	}
	if code, ok := t.named(part); ok {
		return code
	}
	return ""
}
