package value

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"

	"freelancer-matching/internal/matching"
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
	if rest, ok := cutWord(text, "less than"); ok {
		_, after, isNumber := number(rest)
		if !isNumber {
			after, isNumber = cutWord(rest, "one") // "less than a year"
		}

		unit, after := timeUnit(after)
		isUnit := unit > 0 && after == ""
		if isNumber && isUnit {
			return matching.Some(0.0), remarkYearsRange
		}
		return years, remarkNotYears
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

	// Months may follow years, as in "2 years 6 months", but nothing follows months.
	unit, rest := timeUnit(rest)
	n *= unit
	after, _ := cutWord(rest, "and")
	if more, after, ok := number(after); ok && unit == 1 {
		var smallerUnit float64
		smallerUnit, rest = timeUnit(after)
		n += more * smallerUnit
	}

	switch {
	case unit == 0 || rest != "":
		return years, remarkNotYears
	case n > maxYears:
		return years, remarkYearsOutOfRange
	}

	return matching.Some(n), remark
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
	i := 0
numeral:
	for i < len(text) {
		switch c := text[i]; {
		case isDigit(c):
			i++
			continue
		case i > 0 && (c == '.' || c == ',' || c == '\'') && i+1 < len(text) && isDigit(text[i+1]):
			i++
			continue
		case i > 0 && c == ' ' && isGroup(text[i+1:]):
			i += len(" 000")
			continue
		case i > 0 && (c == 'e' || c == 'E'):
			return i + exponentSize(text[i:])
		case i > 0 && c >= utf8.RuneSelf:
			for _, separator := range thousandsSeparators {
				if rest, ok := strings.CutPrefix(text[i:], separator); ok && isGroup(rest) {
					i += len(separator)
					continue numeral
				}
			}
		}

		break
	}

	return i
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
	point := strings.LastIndexByte(numeral, '.')
	comma := strings.LastIndexByte(numeral, ',')
	decimal, thousands := ".", ","

	// A single comma separates thousands only before three digits and after one to three, of which the first isn't 0.
	isThousands := comma > 0 && comma <= 3 && len(numeral)-comma-1 == 3 && numeral[0] != '0'
	switch {
	case comma < 0 && strings.Count(numeral, ".") > 1:
		decimal, thousands = "", "."
	case point >= 0 && comma > point:
		decimal, thousands = ",", "."
	case point < 0 && strings.Count(numeral, ",") == 1 && !isThousands:
		decimal, thousands = ",", "."
	case point < 0:
		decimal = ""
	}

	// What remains must be groups of three, or it is no number: 1.23.45 may be a date or a version.
	whole := numeral
	fraction := ""

	if decimal != "" {
		whole, fraction, _ = strings.Cut(numeral, decimal)
	}
	groups := strings.Split(whole, thousands)
	for i, group := range groups[1:] {
		last := i == len(groups)-2
		isIndian := len(group) == 2 && !last // India writes 1,00,000
		if len(group) != 3 && !isIndian {
			return "", false
		}
	}

	isFirstTooLong := len(groups) > 1 && len(groups[0]) > 3
	if isFirstTooLong || strings.ContainsAny(fraction, ".,") {
		return "", false
	}

	return strings.Join(groups, "") + "." + fraction, true
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
