package page

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/wording"
)

// ParagraphGap is the largest gap above a line within a paragraph, in the unit of resume.Line.Gap.
const ParagraphGap = .3

// WithCells returns a line with other cells.
func WithCells(l *Line, cells []string) *Line {
	other := *l
	other.Cells, other.Text = cells, strings.Join(cells, "\t")
	other.Key = wording.Key(other.Text)
	return &other
}

// HeaderShape reports whether a line may be part of the header of an entry.
func HeaderShape(l *Line) bool {
	runningText := wording.Sentence(l.Text) || utf8.RuneCountInString(l.Text) > wording.MaxHeader
	link := strings.Contains(l.Text, "://") && strings.Contains(l.Text, " ")
	if l.Bullet || runningText || link || strings.HasSuffix(l.Text, ":") {
		return false
	}
	first, _ := utf8.DecodeRuneInString(l.Text)
	return unicode.IsLetter(first) || unicode.IsDigit(first) || strings.ContainsRune("(\"'“„«「", first)
}

// Wrapped reports whether a line continues the text of the line before it.
func Wrapped(p *Page, before, l *Line) bool {
	if l.Gap > ParagraphGap || p.Distinct(l) && !p.Distinct(before) || lexicon.WebAddress(l.Text) != "" {
		return false
	}
	runningText := before.Bullet || wording.Sentence(before.Text)
	unfinished := utf8.RuneCountInString(before.Text) > 60 && !strings.HasSuffix(before.Text, ".")
	return wording.FirstIsLower(l.Text) || runningText && unfinished
}

// Describe joins the lines below a header. It leaves out web addresses, which belong to companies.
func Describe(lines []*Line) string {
	var b strings.Builder
	for i, l := range lines {
		if l.Bullet || lexicon.WebAddress(l.Text) == "" {
			wording.JoinLine(&b, l.Text, l.Bullet || i > 0 && l.Gap > .5)
		}
	}
	return b.String()
}

// StartsParagraph reports whether there is a gap above a line.
func (l *Line) StartsParagraph() bool { return l.Gap > .5 }

// A Line is a cleaned line of the document.
type Line struct {
	resume.Line
	Text  string   // cleaned; cells are separated by tabs
	Cells []string // of text
	Key   string   // of text, "" for lines too long to be anything but running text
	Caps  bool     // all capitals
	Index int      // in the document
}

// A Style is what makes lines look alike.
type Style struct {
	Size int // in half points
	Bold bool
	Caps bool
}

// Style returns the style of a line, its size rounded to half points.
func (l *Line) Style() Style { return Style{int(math.Round(2 * l.Size)), l.Bold, l.Caps} }

// Clean returns text with compatibility forms replaced (ligatures, full-width punctuation, the radicals some fonts have
// for Chinese characters), icons and invisible characters dropped, and single spaces.
func Clean(text string) string {
	if !wording.IsASCII(text) {
		text = norm.NFKC.String(composeAccents(repaired(text)))
	}

	text = strings.Map(func(r rune) rune {
		switch {
		case r == 0xad: // soft hyphen
			return '-'
		case r != '\t' && unicode.IsControl(r):
			return ' '
		case r == utf8.RuneError, unicode.In(r, unicode.Co, unicode.Cf),
			r >= 0x2600 && unicode.Is(unicode.So, r) && r != '℃': // ☎ ✉ 📍
			return -1
		default:
			return r
		}
	}, text)

	var cells []string
	for cell := range strings.SplitSeq(text, "\t") {
		if words := strings.Fields(cell); len(words) > 0 {
			cells = append(cells, strings.Join(words, " "))
		}
	}

	return withoutIcon(strings.Join(cells, "\t"))
}

// withoutIcon drops a single Latin letter before a Chinese or Japanese character. Some icon fonts assign their icons to
// such letters.
func withoutIcon(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if first < 0x80 || first > 0x24f || !unicode.IsLetter(first) {
		return text
	}
	rest := strings.TrimLeft(text[size:], " \t")
	if next, _ := utf8.DecodeRuneInString(rest); wording.WideRune(next) {
		return rest
	}
	return text
}

// cutBullet removes the bullet of a list item. Some readers leave it in the text.
func cutBullet(text string) (rest string, ok bool) {
	r, size := utf8.DecodeRuneInString(text)
	rest = text[size:]
	switch r {
	case '•', '●', '▪', '■', '◦', '○', '◆', '◇', '‣', '⁃', '∙', '➢', '▸', '►', '✓', '❖', '\uf0b7':
		ok = true
	case '*', '-', '–', '·':
		ok = strings.HasPrefix(rest, " ") || strings.HasPrefix(rest, "\t")
	}
	if !ok {
		return text, false
	}
	return strings.TrimSpace(rest), true
}

// WithText returns a copy of a line with another text.
func (l *Line) WithText(text string) *Line {
	changed := *l
	changed.Text, changed.Cells, changed.Key = text, strings.Split(text, "\t"), wording.Key(text)
	return &changed
}

// Prominence orders styles: larger letters come before capitals, and capitals before bold ones.
func (s Style) Prominence() int {
	n := 4 * s.Size
	if s.Caps {
		n += 2
	}
	if s.Bold {
		n++
	}
	return n
}
