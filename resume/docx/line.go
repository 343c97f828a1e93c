package docx

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"freelancer-matching/resume"
)

const (
	wideGap   = 4 // spaces that somebody typed to set two texts apart
	maxLinks  = 2000
	maxTarget = 2048 // bytes of an address
)

// line is a line with the links on it, which do not know its index yet.
type line struct {
	resume.Line
	links []resume.Link
}

// lineBuilder puts one line together from pieces of text.
type lineBuilder struct {
	text    []byte
	spaces  int
	tab     bool
	letters int
	bold    int
	sizes   [4]struct{ halfPoints, letters int } // the first few of the line
	words   []int                                // where white space of more than one space is
	links   []resume.Link
}

// write adds text: white space becomes single spaces and tabs, marks without width and unnamed glyphs go.
func (b *lineBuilder) write(text string, f runFormat) int {
	written := 0
	for _, r := range text {
		switch {
		case r == '\t':
			b.tab = true
		case unicode.IsSpace(r) || unicode.Is(unicode.Co, r): // glyphs for private use are icons between texts
			b.spaces++
		case isWidthless(r):
		default:
			b.gap()
			b.text = utf8.AppendRune(b.text, r)
			b.count(f)
			written++
		}
	}
	return written
}

// isWidthless tells marks that are not seen: of direction, of places to break, of byte order. Joiners stay, which shape letters.
func isWidthless(r rune) bool {
	switch r {
	case '\u00AD', '\u200B', '\u200E', '\u200F', '\u2060', '\uFEFF', '\uFFFC':
		return true
	}
	return '\u202A' <= r && r <= '\u202E' || '\u2066' <= r && r <= '\u2069'
}

// gap writes the white space before the next character.
func (b *lineBuilder) gap() {
	if len(b.text) > 0 {
		if b.tab || b.spaces > 1 {
			b.words = append(b.words, len(b.text))
		}
		if b.tab || b.spaces >= wideGap {
			b.text = append(b.text, '\t')
		} else if b.spaces > 0 {
			b.text = append(b.text, ' ')
		}
	}
	b.tab, b.spaces = false, 0
}

func (b *lineBuilder) count(f runFormat) {
	b.letters++
	if f.bold == yes {
		b.bold++
	}
	for i := range b.sizes {
		if s := &b.sizes[i]; s.letters == 0 || s.halfPoints == f.halfPoints {
			s.halfPoints = f.halfPoints
			s.letters++
			break
		}
	}
}

// size is that of most characters, in points.
func (b *lineBuilder) size() float64 {
	most := b.sizes[0]
	for _, s := range b.sizes {
		if s.letters > most.letters {
			most = s
		}
	}
	return float64(most.halfPoints) / 2
}

// line is the line as it stands; false: there is nothing on it.
func (b *lineBuilder) line() (line, bool) {
	text, bullet := cutBullet(b.joined())
	if text == "" && len(b.links) == 0 {
		return line{}, false
	}
	return line{
		Line:  resume.Line{Text: text, Size: b.size(), Bold: b.bold*2 > b.letters, Bullet: bullet},
		links: b.links,
	}, text != ""
}

// joined is the text, in words where somebody spaced out its letters: E X P E R I E N C E.
func (b *lineBuilder) joined() string {
	const fewest = 4 // letters of a word that is spaced out
	letters := bytes.Fields(b.text)
	if len(letters) < fewest {
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
		case slices.Contains(b.words, i):
			words = append(words, ' ')
		}
	}
	return string(words)
}

// cutBullet takes a mark off the begin of an entry that somebody typed.
func cutBullet(text string) (rest string, bullet bool) {
	mark, size := utf8.DecodeRuneInString(text)
	rest = text[size:]
	if rest == "" && (strings.ContainsRune(sureBullets, mark) || mark == '*') {
		return "", false
	}
	switch {
	case strings.ContainsRune(sureBullets, mark):
	case strings.ContainsRune("-–—*·+>", mark) && (strings.HasPrefix(rest, " ") || strings.HasPrefix(rest, "\t")):
	case mark == 'o' && strings.HasPrefix(rest, "\t"): // Courier's bullet of the second level
	default:
		return text, false
	}
	return strings.TrimLeft(rest, " \t"), true
}

// sureBullets are marks that begin no text.
const sureBullets = "•●▪■◦○‣⁃∙➢➤►▸▶❖◆◇✓✔☑□"

// symbol is the text for a w:sym element: a glyph of a symbol font by its code.
func symbol(font string, code rune) string {
	if code < 0xE000 || code > 0xF8FF {
		return string(code)
	}
	switch low := code & 0xFF; {
	case strings.HasPrefix(font, "Wingdings") && strings.ContainsRune("\x6C\x6E\x71\x75\x76\x77\x9F\xA7\xA8\xD8\xFC\xFE", low),
		low == 0xB7:
		return "•"
	case font == "Symbol" && low == 0x2D:
		return "–"
	}
	return " "
}

// position is where the next text begins.
func (b *lineBuilder) position() int { return len(b.text) }
