package layout

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxDate is the length of the longest time range, in characters.
const maxDate = 36

// isDate reports whether a text is a date or a time range, in any language: it has a year, and beside numbers and signs
// little more than a month for each year, or a word for the present.
func isDate(text string) bool {
	const maxShort, maxLong = 3, 12 // characters of a word like "de", and of a month
	n := years(text)
	if n == 0 || utf8.RuneCountInString(text) > maxDate {
		return false
	}

	long := 0
	joined := strings.ContainsFunc(text, isDash)
	for word := range strings.FieldsFuncSeq(text, func(c rune) bool { return !unicode.IsLetter(c) }) {
		switch length := utf8.RuneCountInString(word); {
		case length > maxLong:
			return false
		case length <= maxShort && !startsWithCapital(word):
			joined = true
		default:
			long++
		}
	}

	// A range may have a month for each year and a word for the present, so one long word more is allowed.
	if joined {
		n++
	}

	return long <= n
}

func startsWithCapital(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(first)
}

// years counts the years in a text: numbers of four digits from 1900 to 2099.
func years(text string) int {
	n := 0
	for number := range strings.FieldsFuncSeq(text, func(c rune) bool { return !unicode.IsDigit(c) }) {
		if utf8.RuneCountInString(number) != 4 {
			continue
		}

		// The century of digits in other scripts isn't checked.
		inCentury := number[0] > '9' || number[:2] == "19" || number[:2] == "20"
		if inCentury {
			n++
		}
	}
	return n
}

const dashes = "-–—−~〜～"

// continuesDate reports whether a text continues the date on the line above it: "2019 –" and "2021", "Jan 2019" and
// "– Mar 2021", or "Jan" and "2019 – Mar 2021".
func continuesDate(above, text string) bool {
	above = strings.TrimSpace(above)
	text = strings.TrimSpace(text)
	if above == "" || text == "" {
		return false
	}

	hasYear := years(above)+years(text) > 0
	if !hasYear || !strings.ContainsFunc(above+text, isDash) {
		return false
	}

	last, _ := utf8.DecodeLastRuneInString(above)
	const maxMonth = 10
	if !strings.ContainsFunc(above, func(c rune) bool { return !unicode.IsLetter(c) && c != '.' }) {
		return utf8.RuneCountInString(above) <= maxMonth && !isCapitals(above) && text[0] <= '9' &&
			strings.ContainsFunc(text, unicode.IsLetter) && isDate(text)
	}
	open := years(above) < 2 && strings.ContainsFunc(above, isDash) && !strings.ContainsFunc(text, isDash)
	return isDash(last) || startsWithDash(text) || open && isDate(text) && len(text) <= 8
}

func isDash(c rune) bool { return strings.ContainsRune(dashes, c) }

func startsWithDash(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return isDash(first)
}

func isDashAlone(text string) bool {
	return utf8.RuneCountInString(text) == 1 && startsWithDash(text)
}
