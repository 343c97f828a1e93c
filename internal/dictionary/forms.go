package dictionary

import (
	"strings"

	"github.com/freelancer-matching/service/internal/analysis"
)

// endings lists, by language, endings of inflected words and what they replace in the base form.
var endings = map[analysis.Language][][2]string{
	analysis.Spanish: {{"ces", "z"}, {"es", ""}, {"s", ""}, {"as", "o"}, {"a", "o"}},
	analysis.French:  {{"s", ""}, {"x", ""}, {"aux", "al"}, {"es", ""}, {"e", ""}},
	analysis.Portuguese: {
		{"oes", "ao"}, {"ais", "al"}, {"eis", "el"}, {"ns", "m"}, {"s", ""}, {"es", ""}, {"as", "o"}, {"a", "o"},
	},
	analysis.Italian: {{"che", "ca"}, {"chi", "co"}, {"i", "o"}, {"i", "e"}, {"e", "a"}, {"he", ""}, {"a", "o"}},
	analysis.German: {
		{"t", "en"},
		{"et", "en"},
		{"te", "en"},
		{"ten", "en"},
		{"ete", "en"},
		{"eten", "en"},
		{"end", "en"},
		{"ende", "en"},
		{"enden", "en"},
		{"e", "en"},
		{"te", "en"},
		{"ter", "en"},
		{"tes", "en"},
		{"tem", "en"},
		{"s", ""},
	},
}

// separable lists German prefixes that "ge" and "zu" follow: "aufgebaut", "aufzubauen".
var separable = strings.Fields("ab an auf aus bei bereit ein fertig her hin hoch mit nach um vor zu zusammen")

// baseForms returns forms that a folded word may be inflected from, the likeliest first.
func baseForms(word string, l analysis.Language) []string {
	var forms []string
	for _, e := range endings[l] {
		if root, ok := strings.CutSuffix(word, e[0]); ok && len(root) >= minPart {
			forms = append(forms, root+e[1])
		}
	}
	if l != analysis.German {
		return forms
	}
	if plain := withoutParticle(word); plain != "" {
		forms = append(append(forms, plain), baseForms(plain, l)...)
	}
	return forms
}

// withoutParticle returns a German verb without the "ge" or "zu" of its participle or infinitive, or "".
func withoutParticle(word string) string {
	if rest, ok := strings.CutPrefix(word, "ge"); ok && len(rest) > minPart {
		return rest
	}
	for _, prefix := range separable {
		rest, ok := strings.CutPrefix(word, prefix)
		if !ok || len(rest) < minPart+2 {
			continue
		}
		if verb, ok := strings.CutPrefix(rest, "ge"); ok {
			return prefix + verb
		}
		if verb, ok := strings.CutPrefix(rest, "zu"); ok {
			return prefix + verb
		}
	}
	return ""
}
