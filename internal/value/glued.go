package value

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// gluedNames are skill names that decide where a glued list is cut.
var gluedNames = itemsOf(load("names.txt"), "name")

// maxGlued is the length in bytes of the longest cell that may be a glued list.
const maxGlued = 4000

// splitGlued cuts names that were glued together. It returns the text alone if it is not clearly such a list. A list is
// clear if names meet within words three times, or twice with a space or a known name as well (otherwise it may be one
// compound, such as BookKeepingPro), or if it has known names only.
func splitGlued(text string) []string {
	if len(text) > maxGlued {
		return []string{text}
	}
	var pieces []string
	borders := 0
	unknown := 0
	start := 0

	for i := 0; i < len(text); {
		size := knownNameAt(text, i)
		if size > 0 {
			if start < i {
				if !isNameByte(text[i-1]) { // "Adobe PhotoShop", "Web (ReactJS": part of a longer name
					i += size
					continue
				}

				pieces = append(pieces, text[start:i])
				start = i
				unknown++
				borders++
			}

			i += size
			if i < len(text) && isNameByte(text[i]) {
				pieces = append(pieces, text[start:i])
				start = i
				borders++
			}

			continue
		}

		r, width := utf8.DecodeRuneInString(text[i:])
		if i > start && unicode.IsUpper(r) {
			if previous, _ := utf8.DecodeLastRuneInString(text[:i]); unicode.IsLower(previous) {
				pieces = append(pieces, text[start:i])
				start = i
				unknown++
				borders++
			}
		}

		i += width
	}

	if start < len(text) {
		pieces = append(pieces, text[start:])
		if knownNameAt(text, start) != len(text)-start {
			unknown++
		}
	}

	isList := unknown == 0 || borders >= 3 || borders == 2 && (unknown < len(pieces) || strings.IndexByte(text, ' ') >= 0)
	if !isList {
		return []string{text}
	}

	return pieces
}

// isNameByte reports whether a name can begin or end with a byte.
func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c) || c == '+' || c == '#' || c >= utf8.RuneSelf
}

// knownNameAt returns the length of the longest known name at s[i:] that does not continue as a longer word, or 0.
func knownNameAt(s string, i int) int {
	longest := 0
	for _, name := range gluedNames {
		if len(name) <= longest || !strings.HasPrefix(s[i:], name) {
			continue
		}
		rest := s[i+len(name):]
		next, _ := utf8.DecodeRuneInString(rest)
		continues := unicode.IsLower(next) || unicode.IsDigit(next)
		if !continues || startsLowerCaseName(rest) {
			longest = len(name)
		}
	}
	return longest
}

// startsLowerCaseName reports whether s begins with a known name such as iOS.
func startsLowerCaseName(s string) bool {
	for _, name := range gluedNames {
		if name[0] >= 'a' && strings.HasPrefix(s, name) {
			return true
		}
	}
	return false
}
