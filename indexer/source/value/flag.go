package value

import (
	"strings"
	"unicode"

	"freelancer-matching/internal/matching"
)

const remarkNotFlag = "neither yes nor no"

// Flag parses a yes or no, in particular to whether somebody is available: "yes", "1", "Available now", "full-time" and
// "30+ hrs/week" are yes, "no", "0", "Not available" and "busy" are no.
func Flag(s string) (flag matching.Optional[bool], remark string) {
	if Unknown(s) {
		return flag, ""
	}
	text := strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return r == '-' || r == '_' || unicode.IsSpace(r)
	}), " ")
	switch trimmed := strings.Trim(text, ".!"); {
	case wordSets["yes"][trimmed]:
		return matching.Some(true), ""
	case wordSets["no"][trimmed]:
		return matching.Some(false), ""
	}
	if n, rest, ok := number(text); ok && n > 0 {
		unit := strings.NewReplacer(" per ", "/", " a ", "/", " ", "").Replace(rest)
		if wordSets["weekly hours"][unit] {
			return matching.Some(true), ""
		}
	}
	return flag, remarkNotFlag
}
