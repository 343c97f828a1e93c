package fields

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nyaruka/phonenumbers"
)

// The digits that a number of a phone may have (E.164).
const (
	minDigits = 7
	maxDigits = 15
)

// findPhone is where the first number of a phone in a text starts and ends, 0 and 0 where there is none.
func findPhone(text string) (from, to int) {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c != '+' && c != '(' && (c < '0' || c > '9') {
			continue
		}
		end := phoneEnd(text, i)
		if end == i {
			continue
		}
		if n := digits(text[i:end]); n < minDigits || !alone(text, i, end) {
			i = end - 1
			continue
		}
		start := i
		// A postal code in front of the number: "94588 (555) 123-4567".
		if inner := strings.IndexAny(text[start+1:end], "+("); inner > 0 && text[start] != '(' && text[start] != '+' {
			if inside := start + 1 + inner; text[inside] == '+' || digits(text[start:end]) > 11 {
				start = inside
			}
		}
		if text[start] == '(' && start+1 < len(text) && !strings.Contains(text[start:end], ")") {
			start++
		}
		if n := digits(text[start:end]); n >= minDigits && n <= maxDigits {
			return start, end
		}
		i = end - 1
	}
	return 0, 0
}

// phoneEnd is the end of the digits, brackets and light punctuation from an offset.
func phoneEnd(text string, i int) int {
	end := i
	gap := 0
	for j := i; j < len(text); {
		r, size := utf8.DecodeRuneInString(text[j:])
		switch {
		case r >= '0' && r <= '9':
			end, gap = j+size, 0
		case r == '+' && j == i, strings.ContainsRune(" ().-–·/‑", r) && gap < 4:
			gap++
		case r == '+' && strings.TrimSpace(text[i:j]) == "(":
		case r == '+' && strings.ContainsAny(text[i:end], "0123456789"):
			if digits(text[i:end]) >= minDigits { // the next number
				return end
			}
		default:
			return end
		}
		j += size
	}
	return end
}

// alone reports whether digits are no part of a word or an address.
func alone(text string, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:from])
	behind, _ := utf8.DecodeRuneInString(text[to:])
	if from > 0 && (unicode.IsLetter(before) && !wideRune(before) || strings.ContainsRune("/=_#@&", before)) {
		return false
	}
	if next := strings.TrimLeft(text[to:], " -"); next != "" && strings.ContainsAny(next[:1], "Xx*") && !strings.HasPrefix(next, "x") {
		return false // masked
	}
	return to == len(text) || !unicode.IsLetter(behind) || wideRune(behind)
}

func digits(text string) int {
	n := 0
	for i := range len(text) {
		if text[i] >= '0' && text[i] <= '9' {
			n++
		}
	}
	return n
}

// phone is a number in international form, where it says its country itself or country (ISO 3166) is given, and as
// written otherwise.
func phone(number, country string) string {
	number = strings.Trim(number, " .-–·/")
	written := number
	if open := strings.Count(number, "("); open != strings.Count(number, ")") {
		written = strings.Trim(number, "()")
	}
	number = strings.NewReplacer("·", " ", "–", "-", "(0)", " ").Replace(written)
	if strings.HasPrefix(strings.TrimLeft(number, "( "), "00") {
		number = "+" + strings.TrimLeft(number, "( 0")
	}
	if country == "" && !strings.Contains(number, "+") {
		return written
	}
	parsed, err := phonenumbers.Parse(number, country)
	if err != nil || !phonenumbers.IsPossibleNumber(parsed) {
		return written
	}
	return phonenumbers.Format(parsed, phonenumbers.INTERNATIONAL)
}
