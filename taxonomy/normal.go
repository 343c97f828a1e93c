package taxonomy

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxKey is the maximum length of a label's key in bytes, because token boundaries are kept in 64 bits. Longer names
// are unknown.
const maxKey = 63

// The classes of characters.
const (
	classBreak byte = iota // ends a token; no label continues after it
	classWord              // part of a token
	classJoin              // ends a token; a label may continue after it
	classWide              // first byte of a non-ASCII character
)

// classes holds the class of every byte.
var classes = func() (table [256]byte) {
	for c := range table {
		switch b := byte(c); {
		case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', '0' <= b && b <= '9':
			table[c] = classWord
		case strings.IndexByte(" \t\n\r-_./&'+#", b) >= 0:
			table[c] = classJoin
		case b >= utf8.RuneSelf:
			table[c] = classWide
		}
	}
	return table
}()

// lower maps letters and digits to lower case, and every other byte to 0.
var lower = func() (table [256]byte) {
	for c, class := range classes {
		if class == classWord {
			table[c] = byte(unicode.ToLower(rune(c)))
		}
	}
	return table
}()

// Normalize returns the form in which names are compared: tokens in lower case without accents and compatibility forms,
// separated by single spaces. "C++", "C#" and ".NET" keep their signs. Normalize is idempotent.
func Normalize(name string) string {
	name = norm.NFKC.String(name)
	var b []byte
	for i := 0; i < len(name); {
		start := len(b)
		end := 0

		if start > 0 {
			b = append(b, ' ')
		}

		// The space is taken back if no token follows.
		before := len(b)
		b, end = appendToken(b, name, i)
		if len(b) == before {
			b = b[:start]
			_, size := classify(name, i)
			i += size
			continue
		}

		i = end
	}

	return string(b)
}

// Key returns the normalized name without spaces, so that "Node.js", "node js" and "NodeJS" have the same key.
func Key(name string) string { return strings.ReplaceAll(Normalize(name), " ", "") }

// appendKey appends the key of name to dst. Bit p of breaks is set if a token ends after p bytes of the key. ok is
// false if the key is empty or exceeds maxKey bytes; a key that is too long is incomplete.
func appendKey(dst []byte, name string) (key []byte, breaks uint64, ok bool) {
	base := len(dst)
	for i := 0; i < len(name); {
		before := len(dst)
		var end int
		dst, end = appendToken(dst, name, i)
		if len(dst) == before {
			_, size := classify(name, i)
			i += size
			continue
		}

		if len(dst)-base > maxKey {
			return dst, breaks, false
		}

		// A break before the first token would say nothing.
		if before > base {
			breaks |= 1 << (before - base)
		}

		i = end
	}

	return dst, breaks, len(dst) > base
}

// appendToken appends the normal form of the token that starts at text[i] and returns the offset after it. If no token
// starts there, it appends nothing.
func appendToken(dst []byte, text string, i int) (token []byte, end int) {
	before := len(dst)
	if text[i] == '.' {
		if !dotNet(text, i) {
			return dst, i
		}
		dst = append(dst, '.')
		i++
	}

	for i < len(text) {
		c := text[i]
		if l := lower[c]; l != 0 {
			dst = append(dst, l)
			i++
			continue
		}

		// An accent on its own begins no token, but may stand inside one.
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(text[i:])
			mayStand := len(dst) > before || !unicode.IsMark(r)
			if mayStand && wordRune(r) {
				dst = appendFolded(dst, r)
				i += size
				continue
			}
		}

		break
	}

	if len(dst) == before {
		return dst, i
	}

	// C++ and C# differ from C by their signs only.
	sign, n := signs(dst[before:], text[i:])

	return append(dst, sign...), i + n
}

// signs returns the signs that follow a token and belong to it, as in c++, c#, f#, notepad++ and "C #", and their
// length in rest.
func signs(token []byte, rest string) (sign string, n int) {
	letter := len(token) == 1 && 'a' <= token[0] && token[0] <= 'z'
	spaced := letter && strings.HasPrefix(rest, " ")
	if spaced {
		rest = rest[1:]
		n = 1
	}
	switch {
	case strings.HasPrefix(rest, "++"):
		sign = "++"
	case letter && strings.HasPrefix(rest, "#"):
		sign = "#"
	default:
		return "", 0
	}

	after := rest[len(sign):]
	beforeWord := spaced && startsWithWord(after)
	if beforeWord || letterFollows(after) {
		return "", 0
	}

	return sign, n + len(sign)
}

// letterFollows reports whether rest continues a word. A digit doesn't: after signs, it is a version.
func letterFollows(rest string) bool { return startsWithWord(rest) && rest[0] > '9' }

func startsWithWord(rest string) bool { return rest != "" && classes[rest[0]] == classWord }

// dotNet reports whether the dot at text[i] begins ".NET" rather than ending a word before "net".
func dotNet(text string, i int) bool {
	rest := text[i+1:]
	isNet := len(rest) >= 3 && rest[0]|0x20 == 'n' && rest[1]|0x20 == 'e' && rest[2]|0x20 == 't'
	if !isNet || startsWithWord(rest[3:]) {
		return false
	}
	if i == 0 {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	return !wordRune(before)
}

// classify returns the class and the length in bytes of the character at text[i].
func classify(text string, i int) (class byte, size int) {
	class = classes[text[i]]
	if class != classWide {
		return class, 1
	}
	r, size := utf8.DecodeRuneInString(text[i:])
	switch {
	case unicode.IsMark(r):
		return classBreak, size // a mark without a letter before it, as in emoji
	case wordRune(r):
		return classWord, size
	case r == '’' || r == '‐' || r == '‑' || unicode.Is(unicode.Zs, r):
		return classJoin, size
	default:
		return classBreak, size
	}
}

func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return classes[byte(r)] == classWord
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

// appendFolded appends the letters and digits that r decomposes into, in lower case and without accents.
func appendFolded(dst []byte, r rune) []byte {
	var char [utf8.UTFMax]byte
	var buf [64]byte
	for _, f := range string(norm.NFKD.AppendString(buf[:0], string(char[:utf8.EncodeRune(char[:], r)]))) {
		if wordRune(f) && !unicode.IsMark(f) {
			dst = utf8.AppendRune(dst, unicode.ToLower(f))
		}
	}
	return dst
}
