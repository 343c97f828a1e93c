package value

import (
	"strings"
	"unicode"

	"github.com/freelancer-matching/service/internal/matching"
)

// Remarks on answers to yes-or-no questions.
const (
	remarkNotFlag   = "neither yes nor no"
	remarkLaterFlag = "available from a date; whether that is now is unknown"
)

// maxFlag is the length in bytes of the longest answer.
const maxFlag = 200

// Flag parses a yes or no, in particular to whether somebody is available: "yes", "1", "Available now", "full-time",
// "part-time, 20h/week" and "30+ hrs/week" are yes, "no", "0", "Not available" and "busy" are no. An answer of several
// parts must have the same answer in each. With a date, it is unknown whether the person is available now.
func Flag(cell string) (flag matching.Optional[bool], remark string) {
	if answer, ok := shortAnswer(cell); ok {
		return matching.Some(answer), ""
	}
	if Unknown(cell) {
		return flag, ""
	}
	if len(cell) > maxFlag {
		return flag, remarkNotFlag
	}

	text := strings.Join(strings.FieldsFunc(fold(cell), func(r rune) bool {
		return r == '-' || r == '_' || unicode.IsSpace(r)
	}), " ")
	if answer, ok := answerOf(text); ok {
		return matching.Some(answer), ""
	}
	if startsWithDate(text) {
		return flag, remarkLaterFlag
	}

	// A whole answer comes before its parts, because some have such signs, as in "30+ hrs/week".
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",;|()[]•·&+", r) })
	for i, part := range parts {
		answer, ok := answerOf(part)
		switch {
		case startsWithDate(strings.TrimSpace(part)):
			return matching.Optional[bool]{}, remarkLaterFlag
		case !ok, i > 0 && answer != flag.Value:
			return matching.Optional[bool]{}, remarkNotFlag
		}

		flag = matching.Some(answer)
	}

	if !flag.Known {
		remark = remarkNotFlag
	}

	return flag, remark
}

// shortAnswer finds the answers that almost all cells have, without cleaning them.
func shortAnswer(s string) (answer, ok bool) {
	switch s {
	case "true", "True", "TRUE", "1", "yes", "Yes":
		return true, true
	case "false", "False", "FALSE", "0", "no", "No":
		return false, true
	}
	return false, false
}

// answerOf finds an answer in the lists of words, or reads it from weekly hours, with or without words before them.
func answerOf(text string) (answer, ok bool) {
	text = strings.Trim(text, " .!:*–—")
	switch {
	case words["yes"].has(text):
		return true, true
	case words["no"].has(text):
		return false, true
	}

	digit := strings.IndexAny(text, "0123456789")
	if digit < 0 {
		return false, false
	}
	before := strings.Trim(text[:digit], " :–—(~")
	if rest, ok := cutWord(before, "more than"); ok {
		before = rest
	}

	n, rest, ok := number(text[digit:])
	rest, _ = cutWord(rest, "range")
	if _, after, isRange := number(rest); isRange { // "20-30 hrs/week", whose hyphen is a space now
		rest = after
	}

	return true, ok && n > 0 && isWeeklyHours(rest) && (before == "" || words["yes"].has(before))
}

// isWeeklyHours reports whether a text is a unit such as "hrs/week", "hours per week" or "Std. pro Woche".
func isWeeklyHours(s string) bool {
	hasHour := false
	hasWeek := false
	for s != "" {
		var word string
		word, s = cutToken(s)
		switch {
		case words["week"].has(word) && (hasHour || words["hour"].has(word)):
			hasWeek = true
			hasHour = true
		case words["hour"].has(word):
			hasHour = true
		case !words["amount filler"].has(word):
			return false
		}
	}
	return hasHour && hasWeek
}

// startsWithDate reports whether a folded text is a date, or words such as "from" and "unavailable until" and a text
// with a digit.
func startsWithDate(text string) bool {
	if rest, _, ok := cutDateWords(text); ok {
		return strings.ContainsAny(rest, "0123456789")
	}
	digits := 0
	for i := range len(text) {
		switch c := text[i]; {
		case isDigit(c):
			digits++
		case strings.IndexByte(" ./:", c) < 0:
			return false
		}
	}
	return digits >= 6
}
