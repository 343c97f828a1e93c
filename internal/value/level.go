package value

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// withoutLevel cuts off how well or how long somebody knows a skill, as in "Python (5 years)", "Python - 5 yrs",
// "Python: expert", "Python ★★★★☆" and "Python 90%". It keeps everything else, such as "Vue 3", "C++ (STL)" and "Office
// 365".
func withoutLevel(skill string) string {
	if !mayHaveLevel(skill) {
		return skill
	}
	if name := strings.TrimRight(skill, "★☆⭐🌟✩✰½\ufe0f "); len(name) < len(skill) {
		return orWhole(name, skill)
	}

	if open := strings.LastIndexByte(skill, '('); open > 0 && skill[len(skill)-1] == ')' {
		for part := range strings.SplitSeq(skill[open+1:len(skill)-1], ",") {
			if !isLevel(part, false) {
				return skill
			}
		}
		return orWhole(skill[:open], skill)
	}

	for _, separator := range []string{":", "=", " - ", " – ", " — "} {
		if i := strings.LastIndex(skill, separator); i > 0 && isLevel(skill[i+len(separator):], true) {
			return orWhole(skill[:i], skill)
		}
	}

	// "Python 90%" and "Python 5 years", but not "Tutoring 6-12 years".
	if i := strings.IndexAny(skill, "0123456789"); i > 1 && skill[i-1] == ' ' {
		level := skill[i:]
		endsInWord := strings.LastIndexByte(level, ' ') < len(level)-2 // of more than one letter
		isRange := strings.ContainsAny(level, "-–—")
		isYears := endsInWord && !isRange && isDuration(level)
		if isPercentage(level) || isYears {
			return orWhole(skill[:i], skill)
		}
	}

	return skill
}

// orWhole returns the name of a skill without its level, or the whole if nothing would be left.
func orWhole(name, whole string) string {
	name = strings.TrimRight(name, " :=-–—")
	if strings.IndexFunc(name, unicode.IsLetter) < 0 {
		return whole
	}
	return name
}

// mayHaveLevel reports whether a skill may have a level. It is a cheap test that most names of skills fail.
func mayHaveLevel(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case isDigit(c), c == '(', c == ':', c == '=', c == '%', c >= utf8.RuneSelf:
			return true
		case c == '-' && i > 0 && s[i-1] == ' ':
			return true
		}
	}
	return false
}

// isLevel reports whether a text says only how well or how long somebody knows a skill. Fractions such as 4/5 are
// grades if grades is set; elsewhere, they may be versions.
func isLevel(s string, grades bool) bool {
	s = strings.TrimSpace(s)
	if words["level"].has(fold(s)) {
		return true
	}
	if isPercentage(s) || isDuration(s) {
		return true
	}
	score, ok := ParseScore(s)
	return ok && score.Scale > 0 && (grades || !strings.Contains(s, "/"))
}

func isPercentage(s string) bool {
	n, rest, ok := number(s)
	return ok && n <= 100 && rest == "%"
}

// isDuration reports whether a text is a number of years or months with its unit.
func isDuration(s string) bool {
	if !strings.ContainsAny(s, "0123456789") || strings.IndexFunc(s, unicode.IsLetter) < 0 {
		return false
	}
	years, _ := Years(s)
	return years.Known
}
