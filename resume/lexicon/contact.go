package lexicon

import (
	"strings"

	"github.com/freelancer-matching/service/resume/wording"
)

// DivideLabels puts a wide gap before each label within a text, so that the value before it ends there: "Address: Leeds
// Phone: 7654321".
func (d *contactWords) DivideLabels(text string) string {
	if strings.Count(text, ":") < 2 {
		return text
	}
	words := strings.Split(text, " ")
	for i := len(words) - 1; i > 0; i-- {
		if strings.HasSuffix(words[i], ":") && d.Labels[wording.Key(words[i])] != "" {
			if d.Labels[wording.Key(words[i-1]+" "+words[i])] != "" && i > 1 {
				i--
			}
			words[i] = "\t" + words[i]
		}
	}
	return strings.Join(words, " ")
}

// IsPersonalFact reports whether a key is a personal fact as a whole, such as "married" or "2 children".
func (d *contactWords) IsPersonalFact(key string) bool {
	words := strings.Fields(key)
	for i, word := range words {
		if wording.CountDigits(word) == len(word) {
			words[i] = "0"
		}
	}
	return d.facts[strings.Join(words, " ")]
}

// IsStreet reports whether a text is a street with its number, such as "12 Elm Street", "10 rue du Moulin" and
// "Kurweg 154". A postal code and a town may follow.
func (d *contactWords) IsStreet(text string) bool {
	const maxWords, maxNumber = 6, 5 // of a street, and characters of a number
	text, _, _ = strings.Cut(text, ",")
	words := strings.Fields(wording.Key(text))
	if len(words) < 2 || len(words) > maxWords {
		return false
	}

	// A house may have a letter: "5b".
	isNumber := func(word string) bool {
		digits := wording.CountDigits(word)
		return digits > 0 && len(word)-digits < 2 && len(word) <= maxNumber && wording.HasDigit(word[:1])
	}

	last := words[len(words)-1]
	numberFirst := isNumber(words[0]) && (d.streetsOf.Has(words[1]) || d.streets.Has(last))
	numberLast := isNumber(last) && (d.streetsOf.Has(words[0]) || d.streets.Has(words[len(words)-2]))
	return numberFirst || numberLast
}

// Label returns what a text is a label of. Labels in scripts without spaces may have some: "氏 名".
func (d *contactWords) Label(text string) string {
	k := wording.Key(text)
	if wording.Wide(k) {
		if compact := strings.ReplaceAll(k, " ", ""); d.Labels[k] == "" {
			if d.Furigana[compact] {
				return "furigana"
			}
			return d.Labels[compact]
		}
	}
	return d.Labels[k]
}
