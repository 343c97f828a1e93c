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

	pieces := cutGlued(text)
	borders := len(pieces) - 1
	known := 0
	at := 0

	for _, piece := range pieces {
		if knownNameAt(text, at) == len(piece) {
			known++
		}
		at += len(piece)
	}

	hasOnlyKnown := known == len(pieces)
	isCompound := known == 0 && !strings.Contains(text, " ")
	isList := hasOnlyKnown || borders >= 3 || borders == 2 && !isCompound
	if !isList {
		return []string{text}
	}

	return pieces
}

// cutGlued cuts a text where names meet within words: around known names, and before a capital after a small letter.
func cutGlued(text string) (pieces []string) {
	start := 0
	cut := func(at int) {
		pieces = append(pieces, text[start:at])
		start = at
	}

	for i := 0; i < len(text); {
		size := knownNameAt(text, i)
		continuesPiece := i > start

		switch {
		case size == 0:
			if continuesPiece && startsCapitalized(text, i) {
				cut(i)
			}
			_, width := utf8.DecodeRuneInString(text[i:])
			i += width

		case continuesPiece && !isNameByte(text[i-1]):
			// In "Adobe PhotoShop" and "Web (ReactJS", the known name is part of a longer one.
			i += size

		default:
			if continuesPiece {
				cut(i)
			}
			i += size
			if i < len(text) && isNameByte(text[i]) {
				cut(i)
			}
		}
	}

	if start < len(text) {
		cut(len(text))
	}

	return pieces
}

// startsCapitalized reports whether a capital at text[i] follows a small letter.
func startsCapitalized(text string, i int) bool {
	letter, _ := utf8.DecodeRuneInString(text[i:])
	previous, _ := utf8.DecodeLastRuneInString(text[:i])
	return unicode.IsUpper(letter) && unicode.IsLower(previous)
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
