package source

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// charset turns bytes into text where a file does not say how it is encoded. What is valid UTF-8 is UTF-8: text of
// another encoding practically never is. Anything else is Windows-1252, the superset of Latin-1 that spreadsheets
// write, unless the file has shown to be in UTF-8; then the bytes are damaged, and what cannot be read is left out.
type charset struct {
	isDecided bool
	isLegacy  bool
}

// newCharset decides by the head of a file, if that has anything but ASCII.
func newCharset(head []byte) *charset {
	valid, invalid := 0, 0
	for len(head) > 0 {
		r, size := utf8.DecodeRune(head)
		switch {
		case r == utf8.RuneError && size == 1:
			if utf8.FullRune(head) { // otherwise the head ends within a character
				invalid++
			}
		case size > 1:
			valid++
		}
		head = head[size:]
	}
	return &charset{isDecided: valid+invalid > 0, isLegacy: invalid > valid}
}

// text is b as text; it is valid UTF-8.
func (c *charset) text(b []byte) string { return string(c.utf8(b)) }

// utf8 is b in UTF-8: b itself where it is already.
func (c *charset) utf8(b []byte) []byte {
	if utf8.Valid(b) {
		if !c.isDecided && utf8.RuneCount(b) < len(b) {
			c.isDecided = true
		}
		return b
	}
	if !c.isDecided {
		c.isDecided, c.isLegacy = true, true
	}
	if !c.isLegacy {
		return bytes.ToValidUTF8(b, nil)
	}
	text := make([]byte, 0, len(b)+len(b)/8)
	for _, legacy := range b {
		text = utf8.AppendRune(text, charmap.Windows1252.DecodeByte(legacy))
	}
	return text
}
