// Package labels names the facts about freelancers that filters select by. A document has the labels of its freelancer,
// and a filter has those that pass.
package labels

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
)

// The kinds of labels. A label is a kind and a value, such as "country:DE". For unknown values, see
// engine.UnknownLabels.
const (
	kindCountry  = "country:"
	kindZone     = "zone:"
	kindLanguage = "lang:"
	kindVerified = "verified:"
	kindName     = "name:"  // a word of the name, see words
	kindPlace    = "place:" // a word of the location

	unknown = "?"
)

// levels are the levels of languages in rising order.
var levels = [...]matching.LanguageLevel{"A1", "A2", "B1", "B2", "C1", "C2", matching.LevelNative}

// Of returns the labels of a freelancer's document, which Country and the functions below filter by.
func Of(f *matching.Freelancer) []string {
	d := &f.Details
	var labels []string
	add := func(label string) {
		if len(label) <= engine.MaxWordBytes && !slices.Contains(labels, label) {
			labels = append(labels, label)
		}
	}

	add(kindCountry + valueOr(d.Country))
	add(kindZone + valueOr(d.TimeZone))

	// Every part of a tag is a label of its own: somebody who speaks pt-BR also passes a filter for pt.
	for _, language := range d.Languages {
		for _, tag := range ranges(language.Tag) {
			add(kindLanguage + tag)
			if slices.Contains(levels[:], language.Level) {
				add(kindLanguage + tag + "/" + string(language.Level))
			} else if !hasLevel(d.Languages, tag) {
				add(kindLanguage + tag + "/" + unknown)
			}
		}
	}

	if len(d.Languages) == 0 {
		add(kindLanguage + unknown)
	}

	switch {
	case !d.Verified.Known:
		add(kindVerified + unknown)
	case d.Verified.Value:
		add(kindVerified + "yes")
	default:
		add(kindVerified + "no")
	}

	for _, word := range words(f.Name) {
		add(kindName + word)
	}
	for _, word := range words(d.Location) {
		add(kindPlace + word)
	}

	return labels
}

// maxWords limits the words of a name or a place.
const maxWords = 12

// words returns the words of a name or a place without case and accents.
func words(text string) []string {
	var plain strings.Builder
	for _, r := range norm.NFKD.String(text) {
		switch {
		case unicode.Is(unicode.Mn, r): // an accent
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			plain.WriteRune(unicode.ToLower(r))
		default:
			plain.WriteByte(' ')
		}
	}
	all := strings.Fields(plain.String())
	return all[:min(len(all), maxWords)]
}

// Name returns the sets of labels of freelancers whose name has all words of a text.
func Name(text string) [][]string {
	var sets [][]string
	for _, word := range words(text) {
		sets = append(sets, []string{kindName + word})
	}
	return sets
}

// Place returns the sets of labels of freelancers whose location has all words of a text, or whose country is the given
// one. The country may be "".
func Place(text, country string) [][]string {
	var sets [][]string
	for _, word := range words(text) {
		set := []string{kindPlace + word}
		if country != "" {
			set = append(set, kindCountry+country)
		}
		sets = append(sets, set)
	}
	return sets
}

func valueOr(value string) string {
	if value == "" || len(value) > engine.MaxWordBytes/2 {
		return unknown
	}
	return value
}

// hasLevel reports whether the level of a language is known, of itself or of one of its variants.
func hasLevel(languages []matching.SpokenLanguage, tag string) bool {
	return slices.ContainsFunc(languages, func(l matching.SpokenLanguage) bool {
		return slices.Contains(levels[:], l.Level) && slices.Contains(ranges(l.Tag), tag)
	})
}

// ranges returns a language tag and the more general ones that include it: pt-BR and pt, zh-Hant-TW, zh-Hant and zh.
func ranges(tag string) []string {
	all := []string{tag}
	for {
		i := strings.LastIndexByte(tag, '-')
		if i < 0 {
			return all
		}
		if tag = tag[:i]; i-strings.LastIndexByte(tag, '-') > 2 { // a single letter only introduces what follows
			all = append(all, tag)
		}
	}
}

// Country returns the labels of freelancers in one of the countries, given as in matching.Details.
func Country(countries []string) []string {
	labels := make([]string, len(countries))
	for i, country := range countries {
		labels[i] = kindCountry + country
	}
	return labels
}

// Language returns the labels of freelancers who speak a language, given by its canonical tag, at least at a
// level. If the level is "", any level will do, even an unknown one. A regional tag such as pt-BR does not include
// speakers of pt, but pt includes those of pt-BR. There are no labels for an invalid level.
func Language(tag string, level matching.LanguageLevel) []string {
	if level == "" {
		return []string{kindLanguage + tag}
	}
	at := slices.Index(levels[:], level)
	if at < 0 {
		return nil
	}
	var labels []string
	for _, enough := range levels[at:] {
		labels = append(labels, kindLanguage+tag+"/"+string(enough))
	}
	return labels
}

// Zone returns the labels of freelancers in one of the time zones; zones.Near finds those within some hours of
// another.
func Zone(zones []string) []string {
	labels := make([]string, len(zones))
	for i, zone := range zones {
		labels[i] = kindZone + zone
	}
	return labels
}

// Verified returns the labels of freelancers who are verified, or of those who are known not to be.
func Verified(verified bool) []string {
	if verified {
		return []string{kindVerified + "yes"}
	}
	return []string{kindVerified + "no"}
}
