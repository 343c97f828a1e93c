package skills

import (
	"slices"
	"strings"
	"unicode"

	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/wording"
)

// This file cuts off what people write around the name of a skill: how well they know it, and for how long.

// withoutLead returns a text without words that introduce skills: "Over five years of experience with".
func (r *listReader) withoutLead(text string) (rest string, ok bool) {
	for lead := range r.words.SkillLeads {
		if wording.Wide(lead) && strings.HasPrefix(text, lead) { // no space follows
			rest, _ := r.withoutLead(text[len(lead):])
			return rest, true
		}
	}
	const maxLead = 9 // words
	words := wording.WordRanges(text, maxLead, func(r rune) bool { return r != ' ' && r != '\t' })
	for i := len(words) - 1; i > 0; i-- {
		for n := min(4, i+1); n > 0; n-- {
			from := words[i-n+1].Start
			if r.words.SkillLeads[wording.Key(text[from:words[i].End])] && !strings.ContainsFunc(text[:from], wording.ListSign) {
				return strings.TrimSpace(text[words[i].End:]), true
			}
		}
	}
	return text, false
}

// ratingSigns draw how well a skill is known.
const ratingSigns = "●○◉◯■□▪▫★☆⬤◆◇▮▯█░▒▓•◐◑◔◕*"

// isRating reports whether a text says only how well or how long a skill is known: "expert", "3+ years", "4/5", "80 %".
func (r *listReader) isRating(text string) bool {
	words := wording.WordRanges(text, 12, func(r rune) bool { return wording.LetterOrMark(r) || unicode.IsDigit(r) })
	if len(words) == 0 {
		return strings.TrimSpace(text) != ""
	}
	for i := 0; i < len(words); {
		n := min(5, len(words)-i)
		for ; n > 0; n-- {
			k := wording.Key(text[words[i].Start:words[i+n-1].End])
			level := r.words.Levels[k] || r.words.Native[k] || r.words.SkillLevels[k]
			if level || isTime(r.words, k) {
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
func isTime(d *lexicon.Lexicon, word string) bool {
	unit := strings.TrimLeft(word, "0123456789")
	if unit == "" {
		return true
	}
	return d.TimeUnits[unit] || len(unit) > 2 && d.TimeUnits[strings.TrimSuffix(unit, "s")]
}

// withoutRating returns an item without what follows the name of its skill and says how well it is known.
func (r *listReader) withoutRating(item string) string {
	// Levels and lengths of time come together: "Go (expert) – 5 years ●●●●".
	for range 3 {
		before := item
		item = strings.TrimSpace(strings.TrimRight(strings.TrimSpace(item), ratingSigns+" "))
		outside, inside, ok := cutBrackets(item)
		ratingInside := ok && outside != "" && r.isRating(inside)
		if ratingInside {
			item = outside
		}

		for _, sign := range []string{" – ", " — ", " - ", ":", "–", "="} {
			i := strings.LastIndex(item, sign)
			if i <= 0 {
				continue
			}

			after := item[i+len(sign):]
			if after != "" && r.isRating(after) {
				item = strings.TrimSpace(item[:i])
			}
		}

		// Without a sign before it, only a number or a known name tells a rating from a part of the name.
		words := wording.WordRanges(item, 12, func(r rune) bool { return r != ' ' })
		for n := min(4, len(words)-1); n > 0; n-- {
			at := words[len(words)-n].Start
			name, tail := item[:at], item[at:]
			if !r.rates(tail) {
				continue
			}

			ordinaryWords := wording.FirstIsLower(tail) && !wording.HasDigit(tail)
			if !ordinaryWords || r.knownName(name) {
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
	k := wording.Key(tail)
	digits := strings.TrimLeft(tail, "0123456789. ")
	switch {
	case r.words.SkillLevels[k], r.words.Levels[k] && strings.Contains(k, " "):
		return true
	case !wording.HasDigit(tail):
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
