// Package charset decodes text files whose encoding is declared, or not.
package charset

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	encodings "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// Decode returns the text of a file in UTF-8. A byte order mark decides; then valid UTF-8 is UTF-8, because text in
// another encoding practically never is valid; then the declared encoding counts, a name of IANA or WHATWG, or "" for
// none; then the encoding in which the text looks most like words. lost reports whether some bytes have no meaning in
// the encoding.
func Decode(file []byte, declared string) (text string, lost bool) {
	switch {
	case bytes.HasPrefix(file, []byte("\xEF\xBB\xBF")):
		text = strings.ToValidUTF8(string(file[3:]), replacement)
	case bytes.HasPrefix(file, []byte{0xFF, 0xFE, 0, 0}), bytes.HasPrefix(file, []byte{0, 0, 0xFE, 0xFF}):
		text = decode(file, utf32.UTF32(utf32.BigEndian, utf32.UseBOM))
	case bytes.HasPrefix(file, []byte{0xFF, 0xFE}), bytes.HasPrefix(file, []byte{0xFE, 0xFF}):
		text = decode(file, encodings.UTF16(encodings.BigEndian, encodings.UseBOM))
	case IsWide(file, 1):
		text = decode(file, encodings.UTF16(encodings.LittleEndian, encodings.IgnoreBOM))
	case IsWide(file, 0):
		text = decode(file, encodings.UTF16(encodings.BigEndian, encodings.IgnoreBOM))
	case utf8.Valid(file):
		text = string(file)
	default:
		e := named(declared)
		if e == nil {
			e = likely(file)
		}
		text = decode(file, e)
	}

	return text, strings.Contains(text, replacement)
}

const replacement = "\uFFFD"

// decode never fails: these decoders replace what has no meaning by U+FFFD.
func decode(file []byte, e encoding.Encoding) string {
	text, err := e.NewDecoder().Bytes(file)
	if err != nil {
		return strings.ToValidUTF8(string(file), replacement)
	}
	return string(text)
}

// named returns the encoding with a name, or nil if the name is unknown or wrong: the file is not valid UTF-8, and not
// UTF-16 either.
func named(name string) encoding.Encoding {
	if name == "" {
		return nil
	}
	e, err := htmlindex.Get(strings.TrimSpace(name))
	if err != nil {
		if e, err = ianaindex.IANA.Encoding(name); err != nil {
			return nil
		}
	}
	if e == nil || e == encodings.UTF8 || e == encoding.Replacement {
		return nil
	}
	if canonical, err := htmlindex.Name(e); err == nil && strings.HasPrefix(canonical, "utf-") {
		return nil
	}
	return e
}

// IsWide reports whether the start of a file is UTF-16 without a byte order mark: text whose even (0) or odd (1) bytes
// are zero nearly everywhere, and the other ones nowhere.
func IsWide(file []byte, zeros int) bool {
	const sample, minimum = 512, 8
	file = file[:min(len(file), sample)&^1]
	if len(file) < minimum {
		return false
	}
	zero := 0
	for i := 0; i < len(file); i += 2 {
		if file[i+1-zeros] == 0 {
			return false
		}
		if file[i+zeros] == 0 {
			zero++
		}
	}
	return zero*10 >= len(file)/2*9
}

// likely returns the encoding in which a text looks most like words. Windows-1252, the most frequent one, wins ties.
func likely(file []byte) encoding.Encoding {
	const sample = 64 << 10
	file = file[:min(len(file), sample)]
	best := encoding.Encoding(charmap.Windows1252)
	most := -1 << 62
	for _, e := range []encoding.Encoding{
		charmap.Windows1252, charmap.Windows1250, charmap.Windows1251, charmap.KOI8R, charmap.Windows1253,
		charmap.Windows1254, charmap.Windows1255, charmap.Windows1256,
		japanese.ShiftJIS, japanese.EUCJP, simplifiedchinese.GB18030, traditionalchinese.Big5, korean.EUCKR,
	} {
		text := decode(file, e)
		// Text in Japanese or Korean always has characters that Chinese lacks.
		switch e {
		case japanese.ShiftJIS, japanese.EUCJP:
			if !has(text, unicode.Hiragana) && !has(text, unicode.Katakana) {
				continue
			}

		case korean.EUCKR:
			if !has(text, unicode.Hangul) {
				continue
			}
		}

		if s := score(text); s > most {
			best = e
			most = s
		}
	}

	return best
}

func has(text string, table *unicode.RangeTable) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r < 0xFF00 && unicode.Is(table, r) })
}

// score rates how much a text looks like words: by the classes of neighboring characters, for those that are not ASCII.
func score(text string) int {
	total := 0
	var before rune
	for i, r := range text {
		if r >= utf8.RuneSelf {
			after, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
			total += scoreRune(before, r, after)
		}
		before = r
	}
	return total
}

// The points of a character that is not ASCII, for each of its bytes in a legacy encoding.
const (
	impossible = -20 // no text has it
	odd        = -4  // words don't have it there
	common     = 2
)

func scoreRune(before, r, after rune) int {
	inWord := unicode.IsLetter(before) && unicode.IsLetter(after)
	switch {
	case r == utf8.RuneError, unicode.IsControl(r), unicode.Is(unicode.Co, r):
		return impossible
	case unicode.In(r, unicode.Hiragana, unicode.Katakana) && r < 0xFF00:
		return 3 * common
	case unicode.Is(unicode.Hangul, r):
		if unicode.Is(unicode.Han, before) || unicode.Is(unicode.Han, after) {
			return odd
		}
		return 2*common + 1

	case unicode.Is(unicode.Han, r):
		if r >= 0x20000 || 0x3400 <= r && r < 0x4E00 { // rare ideographs
			return odd
		}
		return 2 * common

	case 0xFF61 <= r && r <= 0xFF9F: // half-width Katakana, single bytes of Shift JIS
		return odd
	case 0x3000 <= r && r <= 0x303F, 0xFF01 <= r && r <= 0xFF60:
		return 2 * common
	case unicode.IsLetter(r), unicode.IsMark(r):
		if unicode.IsUpper(r) && unicode.IsLower(before) || otherScript(before, r) || otherScript(after, r) {
			return odd
		}
		return scriptPoints(r)

	case inWord:
		return odd
	default:
		return 0
	}
}

// scriptPoints returns the points of a letter. Cyrillic and Greek consonants count less than vowels, which are rare
// in other text that is read as Cyrillic or Greek. Rare accented letters of Latin count against it.
func scriptPoints(r rune) int {
	const accented = "ÀÁÂÃÄÅÆÇÈÉÊËÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿ" +
		"œŒšŠžŽąęłśżźćńőűěčřůťďňľĄĘŁŚŻŹĆŃŐŰĚČŘŮğışİŞĞțșăĂȚȘ"
	switch {
	case strings.ContainsRune("ΐΰ", r):
		return odd
	case strings.ContainsRune("аеёиоуыэюяіїєАЕЁИОУЫЭЮЯІЇЄαεηιουωάέήίόύώΑΕΗΙΟΥΩΆΈΉΊΌΎΏ", r):
		return common + 1
	case unicode.In(r, unicode.Cyrillic, unicode.Greek):
		return common - 1
	}
	if r < 0x250 && !strings.ContainsRune(accented, r) {
		return -1
	}
	return common
}

// otherScript reports whether two neighbors are letters of different alphabets, as in no word.
func otherScript(a, b rune) bool {
	if !unicode.IsLetter(a) {
		return false
	}
	for _, table := range []*unicode.RangeTable{
		unicode.Latin, unicode.Cyrillic, unicode.Greek, unicode.Hebrew, unicode.Arabic,
	} {
		if unicode.Is(table, a) != unicode.Is(table, b) {
			return true
		}
	}
	return false
}
