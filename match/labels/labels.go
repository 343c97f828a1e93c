// Package labels names the facts about freelancers that filters select by. A document has the labels of its freelancer,
// and a filter has those that pass.
package labels

import (
	"slices"
	"strings"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
)

// The kinds of labels. A label is a kind and a value, such as "country:DE". For unknown values, see
// engine.UnknownLabels.
const (
	kindCountry  = "country:"
	kindZone     = "zone:"
	kindLanguage = "lang:"
	kindVerified = "verified:"

	unknown = "?"
)

// levels are the levels of languages in rising order.
var levels = [...]matching.LanguageLevel{"A1", "A2", "B1", "B2", "C1", "C2", matching.LevelNative}

// Of returns the labels of a freelancer's document, which Country and the functions below filter by.
func Of(d *matching.Details) []string {
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

	return labels
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
