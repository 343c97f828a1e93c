package value

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"

	"github.com/freelancer-matching/service/internal/matching"
)

// Remarks on counts and years.
const (
	remarkNotCount        = "not a number of finished projects"
	remarkNotYears        = "not a number of years"
	remarkYearsOutOfRange = "out of range: 0 to 70 years are accepted"
	remarkYearsRange      = "a range of years; the lower end is used"
)

const (
	maxCount = 1_000_000_000
	maxYears = 70
)

// Count parses a number of things, as in "1,234", "1.2K+", "8 hourly jobs", "over 100" and "No fixed price jobs".
func Count(cell string) (count matching.Optional[int], remark string) {
	if n, ok := smallNumber(cell); ok {
		return matching.Some(n), ""
	}
	cell = strings.TrimSpace(cell)
	if Unknown(cell) {
		return count, ""
	}

	if !isPlain(cell) {
		cell = fold(cell) // otherwise the M of a million would be lost
	}

	if rest, ok := cutWord(cell, "no projects"); ok && isWords(rest) {
		return matching.Some(0), ""
	}
	cell, _ = cutWord(cell, "more than")
	n, rest, ok := number(strings.TrimPrefix(cell, "("))
	rest = strings.TrimSuffix(rest, ")")
	isUnit := isWords(rest) && !isStars(rest)
	if !ok || !isUnit {
		return count, remarkNotCount
	}

	isCount := n == math.Trunc(n) && n <= maxCount
	if !isCount {
		return count, remarkNotCount
	}

	return matching.Some(int(n)), ""
}

// smallNumber parses up to nine digits, which are most cells with numbers.
func smallNumber(s string) (n int, ok bool) {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, s != "" && len(s) <= 9
}

// Years parses a length of time in years, as in "5", "5+ yrs", "6 months", "2 years 6 months" and "less than 1 year".
// Of a range, it returns the lower end, which is certain.
func Years(text string) (years matching.Optional[float64], remark string) {
	if n, ok := smallNumber(text); ok && n <= maxYears {
		return matching.Some(float64(n)), ""
	}
	text = strings.TrimSpace(text)
	if Unknown(text) {
		return years, ""
	}

	text = fold(text)
	if limit, ok := cutWord(text, "less than"); ok {
		if !isTimeLimit(limit) {
			return years, remarkNotYears
		}
		return matching.Some(0.0), remarkYearsRange
	}

	text, _ = cutWord(text, "more than")
	n, rest, ok := number(text)
	if !ok {
		return years, remarkNotYears
	}

	if after, ok := cutWord(rest, "range"); ok {
		if high, after, ok := number(after); ok {
			n = min(n, high)
			rest = after
			remark = remarkYearsRange
		}
	}

	unit, rest := timeUnit(rest)
	n *= unit

	// Months may follow years, as in "2 years 6 months", but nothing follows months.
	after, _ := cutWord(rest, "and")
	if months, after, ok := number(after); ok && unit == 1 {
		var monthUnit float64
		monthUnit, rest = timeUnit(after)
		n += months * monthUnit
	}

	switch {
	case unit == 0 || rest != "":
		return years, remarkNotYears
	case n > maxYears:
		return years, remarkYearsOutOfRange
	}

	return matching.Some(n), remark
}

// isTimeLimit reports whether a folded text is a length of time, such as "6 months" and "a year".
func isTimeLimit(text string) bool {
	_, rest, ok := number(text)
	if !ok {
		rest, ok = cutWord(text, "one")
	}
	unit, rest := timeUnit(rest)
	return ok && unit > 0 && rest == ""
}

// firstStartYear is the first year in which an experience may have begun.
const firstStartYear = 1950

// StartYear parses the year in which an experience began, as in "since 2009" and "seit 2009".
func StartYear(text string) (year int, ok bool) {
	rest, ok := cutWord(fold(strings.TrimSpace(text)), "since")
	if !ok || len(rest) != len("2009") {
		return 0, false
	}
	year, ok = smallNumber(rest)
	return year, ok && year >= firstStartYear
}

// timeUnit cuts a unit of time off the start of a folded text, and a filler such as "of experience". It returns the
// unit in years: 1 if s has none, and 0 if s begins with another word.
func timeUnit(s string) (years float64, rest string) {
	text := strings.TrimLeft(s, "+ ")
	end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
	if end < 0 {
		end = len(text)
	}
	rest = strings.TrimLeft(text[end:], ".+ ")
	if after, ok := cutWord(rest, "experience"); ok {
		rest = strings.TrimLeft(after, ".")
	}
	switch unit := text[:end]; {
	case unit == "", words["year"].has(unit):
		return 1, rest
	case words["month"].has(unit):
		return 1.0 / 12, rest
	}
	return 0, rest
}

// number parses the number at the start of a text. It accepts a decimal point or comma, thousands separated by comma,
// point, apostrophe or space, exponents, the suffixes K, M and B, and a plus sign for "at least". The rest has no white
// space around it.
func number(text string) (n float64, rest string, ok bool) {
	if text != "" && text[0] == fullWidthByte {
		text = width.Narrow.String(text)
	}
	end := numeralEnd(text)
	if end == 0 {
		return 0, text, false
	}

	numeral := text[:end]
	n, err := strconv.ParseFloat(numeral, 64)
	if err != nil || strings.IndexByte(numeral, ',') >= 0 {
		plain, ok := plainNumeral(numeral)
		if !ok {
			return 0, text, false
		}
		if n, err = strconv.ParseFloat(plain, 64); err != nil {
			return 0, text, false
		}
	}

	n, rest = scale(n, text[end:])
	return n, strings.TrimSpace(strings.TrimPrefix(rest, "+")), true
}

// thousandsSeparators are the spaces and the apostrophe beside those of ASCII that separate thousands.
var thousandsSeparators = []string{"\u00a0", "\u2009", "\u202f", "’"}

// fullWidthByte is the first byte of digits in full width, as Chinese and Japanese keyboards type them.
const fullWidthByte = 0xef

// numeralEnd returns the length of the digits and separators at the start of a text. A separator belongs to them only
// between two digits, and a space only before a group of three.
func numeralEnd(text string) int {
	end := 0
	for end < len(text) {
		if isDigit(text[end]) {
			end++
			continue
		}

		if end == 0 {
			return 0
		}
		if c := text[end]; c == 'e' || c == 'E' {
			return end + exponentSize(text[end:])
		}

		size := separatorSize(text[end:])
		if size == 0 {
			return end
		}
		end += size
	}

	return end
}

// separatorSize returns the length of the decimal sign or separator of thousands with which text begins, or 0 if no
// digits follow it.
func separatorSize(text string) int {
	switch c := text[0]; {
	case c == '.', c == ',', c == '\'':
		if len(text) > 1 && isDigit(text[1]) {
			return 1
		}

	// Two numbers may stand side by side, so a space must have a whole group of thousands behind it.
	case c == ' ':
		if isGroup(text[1:]) {
			return 1
		}

	case c >= utf8.RuneSelf:
		for _, separator := range thousandsSeparators {
			if rest, ok := strings.CutPrefix(text, separator); ok && isGroup(rest) {
				return len(separator)
			}
		}
	}

	return 0
}

// exponentSize returns the length of the exponent at the start of s, which begins with an e, or 0 if that is no
// exponent.
func exponentSize(s string) int {
	sign := 1
	hasSign := len(s) > 1 && (s[1] == '+' || s[1] == '-')
	if hasSign {
		sign = 2
	}
	i := sign
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	if i == sign {
		return 0
	}
	return i
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isGroup reports whether s starts with exactly three digits.
func isGroup(s string) bool {
	return len(s) >= 3 && isDigit(s[0]) && isDigit(s[1]) && isDigit(s[2]) && (len(s) == 3 || !isDigit(s[3]))
}

// withoutSpaces removes the separators of thousands that can't be a decimal sign.
var withoutSpaces = strings.NewReplacer(" ", "", "'", "", "’", "", "\u00a0", "", "\u2009", "", "\u202f", "")

// plainNumeral rewrites a numeral with a decimal point and without separators between the thousands. A single comma
// before exactly three digits separates thousands. A single point never does, because programs write decimal points.
func plainNumeral(numeral string) (string, bool) {
	numeral = withoutSpaces.Replace(numeral)
	decimal, thousands := separatorsOf(numeral)

	whole := numeral
	fraction := ""
	if decimal != "" {
		whole, fraction, _ = strings.Cut(numeral, decimal)
	}
	if strings.ContainsAny(fraction, ".,") {
		return "", false
	}

	// What remains must be groups of three, or it is no number: 1.23.45 may be a date or a version.
	groups := strings.Split(whole, thousands)
	if len(groups) > 1 && len(groups[0]) > 3 {
		return "", false
	}
	for i, group := range groups[1:] {
		isLast := i == len(groups)-2
		isIndian := len(group) == 2 && !isLast // India writes 1,00,000
		if len(group) != 3 && !isIndian {
			return "", false
		}
	}

	return strings.Join(groups, "") + "." + fraction, true
}

// separatorsOf returns the decimal sign of a numeral, or "" if it has none, and the sign that separates its thousands.
func separatorsOf(numeral string) (decimal, thousands string) {
	point := strings.LastIndexByte(numeral, '.')
	comma := strings.LastIndexByte(numeral, ',')

	switch {
	case comma < 0 && strings.Count(numeral, ".") > 1: // 1.200.000
		return "", "."
	case comma < 0: // 1200.5
		return ".", ","
	case point >= 0 && comma > point: // 1.200,5
		return ",", "."
	case point >= 0: // 1,200.5
		return ".", ","
	case strings.Count(numeral, ",") > 1: // 1,200,000
		return "", ","
	}

	// A single comma separates thousands only before three digits and after one to three, of which the first isn't 0.
	isThousands := comma > 0 && comma <= 3 && len(numeral)-comma-1 == 3 && numeral[0] != '0'
	if isThousands {
		return "", ","
	}
	return ",", "."
}

// scale applies a K, M or B that directly follows a number.
func scale(n float64, s string) (scaled float64, rest string) {
	startsWord := len(s) > 1 && unicode.IsLetter(rune(s[1]))
	if s == "" || startsWord {
		return n, s
	}

	switch s[0] {
	case 'k', 'K':
		return round(n * 1e3), s[1:]
	case 'M':
		return round(n * 1e6), s[1:]
	case 'B':
		return round(n * 1e9), s[1:]
	}
	return n, s
}

// isShortened reports whether a text begins with a K, M or B that scale applies.
func isShortened(s string) bool {
	_, rest := scale(1, s)
	return len(rest) < len(s)
}

// round removes the noise of binary fractions, so that 1.2 × 1000 is 1200.
func round(n float64) float64 { return math.Round(n*1e6) / 1e6 }

// isWords reports whether s has only letters and spaces.
func isWords(s string) bool {
	for _, r := range s {
		if !unicode.IsLetter(r) && r != ' ' {
			return false
		}
	}
	return true
}

func isStars(s string) bool { return words["star"].has(fold(s)) }
