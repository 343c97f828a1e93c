package value

import (
	"math"
	"strconv"
	"strings"
	"unicode"

	"freelancer-matching/internal/matching"
)

// Remarks on counts and years.
const (
	remarkNotCount    = "not a count of finished projects"
	remarkNotYears    = "not a number of years"
	remarkYearsRange  = "years out of range: 0 to 70 are credible"
	remarkRangeOfYear = "a range of years: its lower end is used"
)

const (
	maxCount = 1_000_000_000
	maxYears = 70
)

// Count is how many, as in "1,234", "1.2K+", "8 hourly jobs" and "No fixed price jobs".
func Count(s string) (count matching.Optional[int], remark string) {
	s = strings.TrimSpace(s)
	if Unknown(s) {
		return count, ""
	}
	if rest, ok := cutWord(s, "no"); ok && isWords(rest) {
		return matching.Some(0), ""
	}
	n, rest, ok := number(strings.TrimPrefix(s, "("))
	rest = strings.TrimSuffix(rest, ")")
	if !ok || !isWords(rest) || isStars(rest) || n != math.Trunc(n) || n > maxCount {
		return count, remarkNotCount
	}
	return matching.Some(int(n)), ""
}

// Years is a length of time in years, as in "5", "5+ yrs", "6 months", "2 years 6 months" and "less than 1 year". Of
// a range it is the lower end, which is what the person has for certain.
func Years(s string) (years matching.Optional[float64], remark string) {
	s = strings.TrimSpace(s)
	if Unknown(s) {
		return years, ""
	}
	for _, prefix := range []string{"less than", "under", "<"} {
		if rest, ok := cutFold(s, prefix); ok {
			if _, rest, ok := number(strings.TrimSpace(rest)); ok && timeUnit(&rest) > 0 && rest == "" {
				return matching.Some(0.0), remarkRangeOfYear
			}
			return years, remarkNotYears
		}
	}
	for _, prefix := range []string{"more than", "over", "at least", ">"} {
		if rest, ok := cutFold(s, prefix); ok {
			s = strings.TrimSpace(rest)
			break
		}
	}
	n, rest, ok := number(s)
	if !ok {
		return years, remarkNotYears
	}
	if high, after, ok := rangeEnd(rest); ok {
		n, rest, remark = min(n, high), after, remarkRangeOfYear
	}
	unit := timeUnit(&rest)
	n *= unit
	if more, after, ok := number(strings.TrimSpace(strings.TrimPrefix(rest, "and"))); ok && unit == 1 {
		rest = after
		n += more * timeUnit(&rest)
	}
	switch {
	case unit == 0 || rest != "":
		return years, remarkNotYears
	case n > maxYears:
		return years, remarkYearsRange
	}
	return matching.Some(n), remark
}

// timeUnit cuts a unit of time off the start of s and returns it in years: a year where there is none, 0 where there
// is another word.
func timeUnit(s *string) float64 {
	text := strings.ToLower(strings.TrimLeft(*s, "+ "))
	end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
	if end < 0 {
		end = len(text)
	}
	rest := strings.TrimLeft(text[end:], ".+ ")
	for _, filler := range []string{"of experience", "experience", "exp"} {
		if after, ok := strings.CutPrefix(rest, filler); ok {
			rest = strings.TrimLeft(after, ".")
			break
		}
	}
	*s = rest
	switch text[:end] {
	case "", "y", "yr", "yrs", "year", "years":
		return 1
	case "m", "mo", "mos", "mon", "month", "months":
		return 1.0 / 12
	}
	return 0
}

// number reads the number at the start of s: decimal point or comma, thousands separated by comma, point, apostrophe
// or space, exponents, the suffixes K, M and B, and a plus sign for "at least". The rest has no white space around it.
func number(s string) (n float64, rest string, ok bool) {
	end := numeralEnd(s)
	if end == 0 {
		return 0, s, false
	}
	numeral := s[:end]
	n, err := strconv.ParseFloat(numeral, 64)
	if err != nil || strings.IndexByte(numeral, ',') >= 0 {
		plain, ok := plainNumeral(numeral)
		if !ok {
			return 0, s, false
		}
		if n, err = strconv.ParseFloat(plain, 64); err != nil {
			return 0, s, false
		}
	}
	rest = s[end:]
	n, rest = suffix(n, rest)
	return n, strings.TrimSpace(strings.TrimPrefix(rest, "+")), true
}

// numeralEnd is the length of the digits and separators at the start of s. A separator belongs to them only between
// two digits, and a space only before a group of three.
func numeralEnd(s string) int {
	i := 0
	for i < len(s) {
		switch c := s[i]; {
		case isDigit(c):
			i++
			continue
		case i > 0 && (c == '.' || c == ',' || c == '\'') && i+1 < len(s) && isDigit(s[i+1]):
			i++
			continue
		case i > 0 && c == ' ' && isGroup(s[i+1:]):
			i += len(" 000")
			continue
		case i > 0 && (c == 'e' || c == 'E'):
			return i + exponentSize(s[i:])
		}
		break
	}
	return i
}

// exponentSize is the length of the exponent at the start of s, which begins with an e; 0 when it is none.
func exponentSize(s string) int {
	sign := 1
	if len(s) > 1 && (s[1] == '+' || s[1] == '-') {
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

// plainNumeral is a numeral with a decimal point and nothing between the thousands. A lone comma before exactly three
// digits separates thousands; a lone point never does, because programs write numbers with a point.
func plainNumeral(s string) (string, bool) {
	s = strings.NewReplacer(" ", "", "'", "").Replace(s)
	point, comma := strings.LastIndexByte(s, '.'), strings.LastIndexByte(s, ',')
	decimal, thousands := ".", ","
	switch {
	case comma < 0 && strings.Count(s, ".") > 1:
		decimal, thousands = "", "."
	case point >= 0 && comma > point:
		decimal, thousands = ",", "."
	case point < 0 && strings.Count(s, ",") == 1 && (len(s)-comma-1 != 3 || comma == 0 || s[0] == '0' || comma > 3):
		decimal, thousands = ",", "."
	case point < 0:
		decimal = ""
	}
	whole, fraction := s, ""
	if decimal != "" {
		whole, fraction, _ = strings.Cut(s, decimal)
	}
	groups := strings.Split(whole, thousands)
	for i, group := range groups[1:] {
		last := i == len(groups)-2
		if len(group) != 3 && (last || len(group) != 2) { // India writes 1,00,000
			return "", false
		}
	}
	if strings.ContainsAny(fraction, ".,") || len(groups) > 1 && len(groups[0]) > 3 {
		return "", false
	}
	return strings.Join(groups, "") + "." + fraction, true
}

// suffix applies a K, M or B that stands directly behind a number.
func suffix(n float64, rest string) (scaled float64, after string) {
	if rest == "" || len(rest) > 1 && unicode.IsLetter(rune(rest[1])) {
		return n, rest
	}
	switch rest[0] {
	case 'k', 'K':
		return round(n * 1e3), rest[1:]
	case 'M':
		return round(n * 1e6), rest[1:]
	case 'B':
		return round(n * 1e9), rest[1:]
	}
	return n, rest
}

// round takes the noise of binary fractions off, so that 1.2 × 1000 is 1200.
func round(n float64) float64 { return math.Round(n*1e6) / 1e6 }

// rangeEnd reads the other end of a range, as in "-15", "– 15" and "to 15".
func rangeEnd(s string) (high float64, rest string, ok bool) {
	after, ok := cutRange(s)
	if !ok {
		return 0, s, false
	}
	if high, rest, ok = number(after); !ok {
		return 0, s, false
	}
	return high, rest, true
}

func cutRange(s string) (rest string, ok bool) {
	for _, sign := range []string{"-", "–", "—", "to "} {
		if rest, ok = cutFold(s, sign); ok {
			return strings.TrimSpace(rest), true
		}
	}
	return s, false
}

// cutFold is strings.CutPrefix without regard to the case of ASCII letters.
func cutFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

// cutWord cuts a whole word off the start of s.
func cutWord(s, word string) (string, bool) {
	rest, ok := cutFold(s, word)
	if !ok || rest != "" && rest[0] != ' ' {
		return s, false
	}
	return strings.TrimSpace(rest), true
}

// isWords reports whether s has nothing but letters and spaces.
func isWords(s string) bool {
	for _, r := range s {
		if !unicode.IsLetter(r) && r != ' ' {
			return false
		}
	}
	return true
}

func isStars(s string) bool { return strings.EqualFold(s, "star") || strings.EqualFold(s, "stars") }
