// Package flow assembles the lines of documents whose text flows: paragraphs, list items and tables in the order of the
// file, without positions on a page. The readers of such formats share it.
package flow

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/freelancer-matching/service/resume"
)

const (
	wideGap   = 4    // spaces that count as a tab
	maxTarget = 2048 // size of an address, in bytes
)

// A Look is how characters look.
type Look struct {
	Bold       bool
	HalfPoints int // size of the font; 0 if unknown
}

// A Line is a line with its links, whose Line is not set yet.
type Line struct {
	resume.Line
	Links []resume.Link
}

// A LineBuilder assembles one line from pieces of text.
type LineBuilder struct {
	text    []byte
	spaces  int  // since the last character
	tab     bool // since the last character
	letters int
	bold    int                                  // letters
	sizes   [4]struct{ halfPoints, letters int } // the first few sizes of the line
	gaps    []int                                // where the line has more than one space
	links   []resume.Link
}

// Write adds text and returns the number of its visible characters. It collapses white space, and drops zero-width
// characters and private-use glyphs.
func (b *LineBuilder) Write(text string, look Look) int {
	written := 0
	for _, r := range text {
		switch {
		case r == '\t':
			b.tab = true
		case unicode.IsSpace(r) || unicode.Is(unicode.Co, r): // private-use glyphs are icons between texts
			b.spaces++
		case isZeroWidth(r):
		default:
			b.writeGap()
			b.text = utf8.AppendRune(b.text, r)
			b.count(look)
			written++
		}
	}
	return written
}

// isZeroWidth reports whether a character is an invisible mark of direction, line breaks or byte order. Joiners are
// not, because they shape letters.
func isZeroWidth(r rune) bool {
	switch r {
	case '\u00AD', '\u200B', '\u200E', '\u200F', '\u2060', '\uFEFF', '\uFFFC':
		return true
	}
	return '\u202A' <= r && r <= '\u202E' || '\u2066' <= r && r <= '\u2069'
}

// writeGap writes the white space before the next character.
func (b *LineBuilder) writeGap() {
	if len(b.text) > 0 {
		if b.tab || b.spaces > 1 {
			b.gaps = append(b.gaps, len(b.text))
		}
		if b.tab || b.spaces >= wideGap {
			b.text = append(b.text, '\t')
		} else if b.spaces > 0 {
			b.text = append(b.text, ' ')
		}
	}
	b.tab, b.spaces = false, 0
}

func (b *LineBuilder) count(look Look) {
	b.letters++
	if look.Bold {
		b.bold++
	}
	for i := range b.sizes {
		if s := &b.sizes[i]; s.letters == 0 || s.halfPoints == look.HalfPoints {
			s.halfPoints = look.HalfPoints
			s.letters++
			break
		}
	}
}

// size returns the size of most characters, in points.
func (b *LineBuilder) size() float64 {
	most := b.sizes[0]
	for _, s := range b.sizes {
		if s.letters > most.letters {
			most = s
		}
	}
	return float64(most.halfPoints) / 2
}

// Line returns the line and whether it has text. A line without text may have links.
func (b *LineBuilder) Line() (Line, bool) {
	text, bullet := CutBullet(b.joinSpacedLetters())
	if text == "" && len(b.links) == 0 {
		return Line{}, false
	}
	return Line{
		Line:  resume.Line{Text: text, Size: b.size(), Bold: b.bold*2 > b.letters, Bullet: bullet},
		Links: b.links,
	}, text != ""
}

// joinSpacedLetters returns the text. If all its letters are separated by spaces, as in E X P E R I E N C E, it joins
// them into words.
func (b *LineBuilder) joinSpacedLetters() string {
	const minLetters = 4
	letters := bytes.Fields(b.text)
	if len(letters) < minLetters {
		return string(b.text)
	}

	for _, l := range letters {
		if r, size := utf8.DecodeRune(l); size < len(l) || !unicode.IsUpper(r) && r != '&' {
			return string(b.text)
		}
	}

	var words []byte
	for i, c := range b.text {
		switch {
		case c != ' ' && c != '\t':
			words = append(words, c)
		case slices.Contains(b.gaps, i):
			words = append(words, ' ')
		}
	}

	return string(words)
}

// CutBullet removes a typed bullet from the start of a list item.
func CutBullet(text string) (rest string, bullet bool) {
	first, size := utf8.DecodeRuneInString(text)
	rest = text[size:]
	if rest == "" && (strings.ContainsRune(sureBullets, first) || first == '*') {
		return "", false
	}
	switch {
	case strings.ContainsRune(sureBullets, first):
	case strings.ContainsRune("-–—*·+>", first) && (strings.HasPrefix(rest, " ") || strings.HasPrefix(rest, "\t")):
	case first == 'o' && strings.HasPrefix(rest, "\t"): // second-level bullets in the font Courier
	default:
		return text, false
	}
	return strings.TrimLeft(rest, " \t"), true
}

// sureBullets never start a text without a bullet.
const sureBullets = "•●▪■◦○‣⁃∙➢➤►▸▶❖◆◇✓✔☑□"

// Position returns where the next text starts, for AddLink.
func (b *LineBuilder) Position() int { return len(b.text) }

// AddLink adds a link on the text from start on, and reports whether the address is usable.
func (b *LineBuilder) AddLink(address string, start int) bool {
	address = strings.TrimSpace(address)
	if address == "" || len(address) > maxTarget {
		return false
	}
	b.links = append(b.links, resume.Link{
		URL: address, Text: strings.TrimSpace(string(b.text[min(start, len(b.text)):])),
	})
	return true
}
