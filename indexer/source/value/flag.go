package value

import (
	"strings"
	"unicode"

	"freelancer-matching/internal/matching"
)

const remarkNotFlag = "not a yes or no"

// Flag is a yes or no, in particular to whether somebody is available: "yes", "1", "Available now", "full-time" and
// "30+ hrs/week" are yes, "no", "0", "Not available" and "busy" are no.
func Flag(s string) (flag matching.Optional[bool], remark string) {
	if Unknown(s) {
		return flag, ""
	}
	words := strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return r == '-' || r == '_' || unicode.IsSpace(r)
	}), " ")
	switch strings.Trim(words, ".!") {
	case "true", "t", "yes", "y", "1", "1.0", "on", "available", "available now", "is available", "now", "immediately",
		"immediate", "asap", "open", "open to work", "open to offers", "full time", "part time", "as needed", "hourly",
		"freelance", "more than 30 hrs/week", "less than 30 hrs/week", "as needed open to offers":
		return matching.Some(true), ""
	case "false", "f", "no", "n", "0", "0.0", "off", "unavailable", "not available", "not available now", "not currently available",
		"currently unavailable", "busy", "booked", "fully booked", "away", "on vacation", "on holiday", "not looking",
		"not open", "not open to work", "closed":
		return matching.Some(false), ""
	}
	if n, rest, ok := number(words); ok && n > 0 && isWeeklyHours(rest) {
		return matching.Some(true), ""
	}
	return flag, remarkNotFlag
}

// isWeeklyHours reports whether s is a unit of hours a week.
func isWeeklyHours(s string) bool {
	switch strings.NewReplacer(" per ", "/", " a ", "/", " ", "").Replace(s) {
	case "hours/week", "hrs/week", "h/week", "hrs/wk", "hours/wk", "hoursweekly":
		return true
	}
	return false
}
