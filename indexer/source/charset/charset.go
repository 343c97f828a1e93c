// Package charset detects and decodes the encodings of text files.
package charset

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode/utf32"
)

// The reasons of warnings about the encoding of a cell.
const (
	RemarkNotUTF8 = "not UTF-8; the invalid bytes were read as Windows-1252"
	RemarkUTF8    = "UTF-8 in a file that is Windows-1252 elsewhere; read as UTF-8"
	RemarkLost    = "the text has U+FFFD, which stands for a character that another program lost"
	RemarkNUL     = "zero bytes were removed from the text"
)

// Decoder decodes the bytes of a file whose encoding is not declared. Valid UTF-8 is UTF-8; text in another encoding
// practically never is valid. Anything else is Windows-1252, the superset of Latin-1 that spreadsheets write. Cells are
// decoded one by one, because files that were put together from several sources have both.
type Decoder struct {
	IsLegacy bool // most of the file is Windows-1252
}

// Detect decides by the beginning of a file.
func Detect(head []byte) Decoder {
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
	return Decoder{IsLegacy: invalid > valid}
}

// Replacement is the Unicode character that stands for bytes that could not be decoded.
const Replacement = "\ufffd"

// IsClean reports whether b can be used as it is.
func (c Decoder) IsClean(b []byte) bool {
	hasOddBytes := bytes.IndexByte(b, 0) >= 0 || bytes.Contains(b, []byte(Replacement))
	if hasOddBytes || !utf8.Valid(b) {
		return false
	}
	return !c.IsLegacy || isASCII(b)
}

// Decode returns b as valid UTF-8 without zero bytes, and a remark if b may not say what its author wrote.
func (c Decoder) Decode(b []byte) (text []byte, remark string) {
	switch isValid := utf8.Valid(b); {
	case !isValid:
		b = decodeMixed(b, c.IsLegacy)
		if !c.IsLegacy {
			remark = RemarkNotUTF8
		}
	case c.IsLegacy && !isASCII(b):
		remark = RemarkUTF8
	}
	if bytes.IndexByte(b, 0) >= 0 {
		b = bytes.ReplaceAll(b, []byte{0}, nil)
		remark = RemarkNUL
	}
	if bytes.Contains(b, []byte(Replacement)) {
		remark = RemarkLost
	}
	return b, remark
}

// decodeMixed decodes Windows-1252. Unless isLegacy is set, it keeps the valid UTF-8 in b.
func decodeMixed(b []byte, isLegacy bool) []byte {
	text := make([]byte, 0, len(b)+len(b)/8)
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		isInvalid := r == utf8.RuneError && size == 1 // an encoded U+FFFD has three bytes
		if isLegacy || isInvalid {
			r = charmap.Windows1252.DecodeByte(b[0])
			size = 1
		}
		text = utf8.AppendRune(text, r)
		b = b[size:]
	}
	return text
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Named returns the encoding with a name of the WHATWG standard, such as iso-8859-2, or UTF-32.
func Named(name string) (encoding.Encoding, error) {
	switch strings.ToLower(name) {
	case "utf-32", "utf-32le":
		return utf32.UTF32(utf32.LittleEndian, utf32.UseBOM), nil
	case "utf-32be":
		return utf32.UTF32(utf32.BigEndian, utf32.UseBOM), nil
	}
	e, err := htmlindex.Get(name)
	if err != nil {
		return nil, fmt.Errorf("unknown encoding %q; use a name such as utf-8, windows-1252, iso-8859-2, windows-1250, "+
			"windows-1251, shift_jis, gbk or utf-16le", name)
	}
	return e, nil
}

// CheckLegacy returns an error if the beginning of a file is neither UTF-8 nor plausible as Windows-1252. Otherwise it
// returns the first word that is not ASCII.
func CheckLegacy(head []byte) (example string, err error) {
	words, doubtful := 0, 0
	first := ""
	for word := range bytes.FieldsFuncSeq(head, isSeparator) {
		if isASCII(word) || utf8.Valid(word) {
			continue
		}

		if words++; example == "" {
			example = string(decodeMixed(word, true))
		}

		if isDoubtful(word) {
			if doubtful++; first == "" {
				first = string(word)
			}
		}
	}

	if doubtful*10 <= words {
		return example, nil
	}
	readings := make([]string, 0, 4)
	for _, name := range []string{"windows-1252", "iso-8859-2", "windows-1250", "windows-1251"} {
		e, err := htmlindex.Get(name)
		if err != nil {
			return "", err
		}
		text, err := e.NewDecoder().String(first)
		if err != nil {
			return "", err
		}

		readings = append(readings, fmt.Sprintf("%q in %s", text, name))
	}

	return "", errors.New("the file is not UTF-8, and its encoding can't be detected with certainty; name it with " +
		"-encoding. The first doubtful word is " + strings.Join(readings, ", "))
}

// isSeparator reports whether a character can't be part of a word. Bytes that are not UTF-8 can.
func isSeparator(r rune) bool {
	return r < utf8.RuneSelf && !unicode.IsLetter(r)
}

// isDoubtful reports whether a word, read as Windows-1252, has a symbol where words have letters, or four letters in a
// row that are not ASCII, as text in another alphabet does.
func isDoubtful(word []byte) bool {
	foreign := 0
	for i, c := range word {
		r := charmap.Windows1252.DecodeByte(c)
		switch {
		case c < utf8.RuneSelf:
			foreign = 0
			continue
		case unicode.IsLetter(r):
			if foreign++; foreign == 4 {
				return true
			}
			continue
		}

		foreign = 0
		if !unicode.IsLetter(charmap.ISO8859_2.DecodeByte(c)) && !unicode.IsLetter(charmap.Windows1250.DecodeByte(c)) {
			continue // also a symbol in Central European text
		}
		isBefore := i+1 < len(word) && 'a' <= word[i+1] && word[i+1] <= 'z'
		beginsSentence := i == 0 && (c == '\xa1' || c == '\xbf') // ¡ and ¿ in Spanish
		if isBefore && !beginsSentence {
			return true
		}
	}

	return false
}
