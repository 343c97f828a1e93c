// Package repair undoes what programs did to the cells of a table: Excel's formulas that keep a text from becoming a
// number, and UTF-8 that was decoded as Windows-1252 and saved again.
package repair

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// The remarks about cells.
const (
	RemarkDecoded = "UTF-8 that another program decoded as Windows-1252; repaired"
	RemarkDamaged = "looks like UTF-8 that another program decoded as Windows-1252, and can't be repaired; export the " +
		"file again with the encoding UTF-8"
)

// maxDecodings is how often a text may have been decoded wrongly: "ÃƒÂ©" is an é that was decoded twice.
const maxDecodings = 3

// Cell returns the text that a cell had before programs changed it. The remark says what a person should know about it;
// it is empty if nothing is in doubt.
func Cell(cell string) (text, remark string) {
	text = withoutFormula(cell)
	if !mayBeDecoded(text) {
		return text, ""
	}

	repaired := text
	for range maxDecodings {
		before, ok := undecoded(repaired)
		if !ok {
			break
		}
		repaired = before
	}

	switch {
	case repaired != text:
		return repaired, RemarkDecoded
	case hasDecodedLetter(text):
		return text, RemarkDamaged
	}

	return text, ""
}

// withoutFormula returns the text in a cell such as ="00123" or '00123. Programs write them so that Excel keeps the
// zeros.
func withoutFormula(cell string) string {
	trimmed := strings.TrimSpace(cell)
	if inner, ok := strings.CutPrefix(trimmed, `="`); ok {
		if inner, ok = strings.CutSuffix(inner, `"`); ok && !hasLoneQuote(inner) {
			return strings.ReplaceAll(inner, `""`, `"`)
		}
	}

	// An apostrophe also begins names such as 't Hooft.
	if digits, ok := strings.CutPrefix(trimmed, "'"); ok && digits != "" && strings.Trim(digits, "0123456789") == "" {
		return digits
	}

	return cell
}

// hasLoneQuote reports whether a text has a quote that isn't doubled, as in the formula ="a"&"b".
func hasLoneQuote(s string) bool { return strings.Contains(strings.ReplaceAll(s, `""`, ""), `"`) }

// mayBeDecoded reports whether a cell has a letter from Â to ô, which are what the first bytes of UTF-8 become. It is
// cheap, because almost every cell has none.
func mayBeDecoded(s string) bool { return strings.IndexByte(s, firstByteOfLetters) >= 0 }

// firstByteOfLetters begins the letters from À to ÿ in UTF-8.
const firstByteOfLetters = 0xc3

// undecoded returns the text whose UTF-8, decoded as Windows-1252, is s. It reports whether there is one.
func undecoded(s string) (string, bool) {
	text := make([]byte, 0, len(s))
	for _, r := range s {
		b, ok := byteOf(r)
		if !ok {
			return "", false
		}
		text = append(text, b)
	}

	isText := len(text) < len(s) && utf8.Valid(text)
	if !isText || !hasUsualLetters(string(text)) {
		return "", false
	}

	return string(text), true
}

// byteOf returns the byte that Windows-1252 decodes to a character. Some programs decode the five bytes that
// Windows-1252 leaves out as control characters.
func byteOf(r rune) (byte, bool) {
	if b, ok := charmap.Windows1252.EncodeRune(r); ok {
		return b, true
	}
	return byte(r), r >= 0x80 && r < 0xa0
}

// hasUsualLetters reports whether a text has none of the rare letters that capitals before a punctuation mark become,
// such as "É…", which as bytes is a turned V.
func hasUsualLetters(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= 0x180 && r < 0x370 })
}

// hasDecodedLetter reports whether a text has an Ã or Â and a character that no language writes after it, such as "Ã¼".
func hasDecodedLetter(s string) bool {
	previous := ' '
	for _, r := range s {
		isFirstByte := previous == 'Ã' || previous == 'Â'
		isSecondByte := r >= 0x80 && r < 0xc0 && r != 0xa0 // a space may follow Ã
		if isFirstByte && isSecondByte {
			return true
		}
		previous = r
	}
	return false
}

// Bytes returns the text of a cell like Cell. Almost every cell costs nothing.
func Bytes(cell []byte) []byte {
	mayBeFormula := len(cell) > 1 && (cell[0] == '=' || cell[0] == '\'' || cell[0] == ' ')
	if !mayBeFormula && bytes.IndexByte(cell, firstByteOfLetters) < 0 {
		return cell
	}
	text, _ := Cell(string(cell))
	return []byte(text)
}

// A Row repairs the cells of one row after the other. The zero Row is ready to use.
type Row struct{ repaired []string }

// Repair returns the cells of a row, which it doesn't change. The result is valid until the next call. It calls warn
// with each cell that it has a remark about.
func (r *Row) Repair(cells []string, warn func(column int, cell, remark string)) []string {
	result := cells
	for i, cell := range cells {
		text, remark := Cell(cell)
		if remark != "" {
			warn(i, cell, remark)
		}
		if text == cell {
			continue
		}

		// Readers own their cells, and dead letters show them as they were.
		isFirst := &result[0] == &cells[0]
		if isFirst {
			r.repaired = append(r.repaired[:0], cells...)
			result = r.repaired
		}
		result[i] = text
	}
	return result
}
