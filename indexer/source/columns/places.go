package columns

import (
	"embed"
	"strings"
	"sync"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/freelancer-matching/service/indexer/source/headers"
)

// placeNames has the names of countries and languages in the languages of the headers.
type placeNames struct {
	countries map[string]bool // in lower case
	codes     map[string]bool // of countries, two capitals
	languages map[string]bool // in lower case
}

//go:embed data/countries.txt
var otherCountries embed.FS

// places returns the names of countries and languages. They come from CLDR, by way of golang.org/x/text.
var places = sync.OnceValue(func() *placeNames {
	p := &placeNames{
		countries: make(map[string]bool), codes: make(map[string]bool), languages: make(map[string]bool),
	}
	for _, name := range headers.Lines(otherCountries, "data/countries.txt") {
		p.countries[name] = true
	}
	var countries []language.Region
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			if region, err := language.ParseRegion(string([]rune{a, b})); err == nil && region.IsCountry() {
				countries = append(countries, region)
				p.codes[region.String()] = true
			}
		}
	}
	for _, name := range headers.LanguageCodes() {
		tag := language.MustParse(name)
		regions := display.Regions(tag)
		languages := display.Languages(tag)
		for _, country := range countries {
			p.countries[strings.ToLower(regions.Name(country))] = true
		}
		for _, spoken := range display.Supported.Tags() {
			if name := strings.ToLower(languages.Name(spoken)); name != "" {
				p.languages[name] = true
			}
		}
	}
	delete(p.countries, "")
	return p
})

// isPlace reports whether a cell is a country, or ends with one after a comma: "Tartu, Estonia". A code counts in
// capitals.
func (p *placeNames) isPlace(cell string) bool {
	last := cell
	if i := strings.LastIndexByte(cell, ','); i >= 0 {
		last = cell[i+1:]
	}
	last = strings.TrimSpace(last)
	return p.codes[last] || p.countries[strings.ToLower(last)]
}

// areLanguages reports whether items are languages that people speak, with or without a level in brackets.
func (p *placeNames) areLanguages(items []string) bool {
	for _, item := range items {
		name, _, _ := strings.Cut(item, "(")
		for _, separator := range []string{":", " - ", " – "} {
			name, _, _ = strings.Cut(name, separator)
		}
		if !p.languages[strings.ToLower(strings.TrimSpace(name))] {
			return false
		}
	}
	return len(items) > 0
}
