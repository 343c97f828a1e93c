package fields

import (
	"slices"
	"strings"
	"unicode"
)

// This file cuts off what people write around the name of a skill: how well they know it, and for how long.

// withoutLead returns a text without words that introduce skills: "Over five years of experience with".
func (r *listReader) withoutLead(text string) (rest string, ok bool) {
	for lead := range r.words.skillLeads {
		if wide(lead) && strings.HasPrefix(text, lead) { // no space follows
			rest, _ := r.withoutLead(text[len(lead):])
			return rest, true
		}
	}
	const maxLead = 9 // words
	words := wordRanges(text, maxLead, func(r rune) bool { return r != ' ' && r != '\t' })
	for i := len(words) - 1; i > 0; i-- {
		for n := min(4, i+1); n > 0; n-- {
			from := words[i-n+1].start
			if r.words.skillLeads[key(text[from:words[i].end])] && !strings.ContainsFunc(text[:from], listSign) {
				return strings.TrimSpace(text[words[i].end:]), true
			}
		}
	}
	return text, false
}

// ratingSigns draw how well a skill is known.
const ratingSigns = "●○◉◯■□▪▫★☆⬤◆◇▮▯█░▒▓•◐◑◔◕*"

// isRating reports whether a text says only how well or how long a skill is known: "expert", "3+ years", "4/5", "80 %".
func (r *listReader) isRating(text string) bool {
	words := wordRanges(text, 12, func(r rune) bool { return letterOrMark(r) || unicode.IsDigit(r) })
	if len(words) == 0 {
		return strings.TrimSpace(text) != ""
	}
	for i := 0; i < len(words); {
		n := min(5, len(words)-i)
		for ; n > 0; n-- {
			k := key(text[words[i].start:words[i+n-1].end])
			if r.words.levels[k] || r.words.native[k] || r.words.skillLevels[k] || isTime(r.words, k) {
				break
			}
		}
		if n == 0 {
			return false
		}
		i += n
	}
	return len(words) < 12
}

// isTime reports whether a word is a number or a unit of time, or both: "3", "years", "5y".
func isTime(d *dictionary, word string) bool {
	unit := strings.TrimLeft(word, "0123456789")
	if unit == "" {
		return true
	}
	return d.timeUnits[unit] || len(unit) > 2 && d.timeUnits[strings.TrimSuffix(unit, "s")]
}

// withoutRating returns an item without what follows the name of its skill and says how well it is known.
func (r *listReader) withoutRating(item string) string {
	for range 3 {
		before := item
		item = strings.TrimSpace(strings.TrimRight(strings.TrimSpace(item), ratingSigns+" "))
		if outside, inside, ok := cutBrackets(item); ok && outside != "" && r.isRating(inside) {
			item = outside
		}

		for _, sign := range []string{" – ", " — ", " - ", ":", "–", "="} {
			if i := strings.LastIndex(item, sign); i > 0 && r.isRating(item[i+len(sign):]) && item[i+len(sign):] != "" {
				item = strings.TrimSpace(item[:i])
			}
		}

		words := wordRanges(item, 12, func(r rune) bool { return r != ' ' })
		for n := min(4, len(words)-1); n > 0; n-- {
			at := words[len(words)-n].start
			if r.rates(item[at:]) && (hasDigit(item[at:]) || r.knownName(item[:at]) || !firstIsLower(item[at:])) {
				item = strings.TrimSpace(item[:at])
				break
			}
		}

		if item == before {
			break
		}
	}

	return item
}

// rates reports whether the last words of an item are a rating although no sign is before them. A number alone is a
// version, and "basic" may be part of a name.
func (r *listReader) rates(tail string) bool {
	if !r.isRating(tail) {
		return false
	}
	k := key(tail)
	digits := strings.TrimLeft(tail, "0123456789. ")
	switch {
	case r.words.skillLevels[k], r.words.levels[k] && strings.Contains(k, " "):
		return true
	case !hasDigit(tail):
		return false
	case strings.HasPrefix(digits, "%"):
		return true
	case strings.HasPrefix(digits, "/"):
		scale := strings.TrimSpace(digits[1:])
		return slices.Contains([]string{"4", "5", "6", "10", "100"}, scale)
	default:
		return strings.ContainsFunc(k, unicode.IsLetter)
	}
}
