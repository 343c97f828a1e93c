package source

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// charset decodes bytes of a file whose encoding is not declared. Valid UTF-8 is UTF-8; text in another encoding
// practically never is valid. Anything else is Windows-1252, the superset of Latin-1 that spreadsheets write, unless
// the file is known to be UTF-8. Then the bytes are damaged, and the invalid ones are dropped.
type charset struct {
	isDecided bool
	isLegacy  bool // Windows-1252
}

// newCharset decides by the beginning of a file, unless it is all ASCII.
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

// text returns b as valid UTF-8.
func (c *charset) text(b []byte) string { return string(c.utf8(b)) }

// utf8 returns b as valid UTF-8: b itself if it is valid already.
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
