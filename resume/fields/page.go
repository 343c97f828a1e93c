package fields

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"freelancer-matching/resume"
)

// Limits on what is read. A resume of 50 pages stays far below them.
const (
	maxLines   = 20_000
	maxBytes   = 256 << 10 // of text in all lines
	maxEntries = 200       // of one list
)

// A line is a cleaned line of the document.
type line struct {
	resume.Line
	text  string   // cleaned; cells are separated by tabs
	cells []string // of text
	key   string   // of text, "" for lines too long to be anything but running text
	caps  bool     // all capitals
	index int      // in the document
}

// A style is what makes lines look alike.
type style struct {
	size int // in half points
	bold bool
	caps bool
}

func (l *line) style() style { return style{int(math.Round(2 * l.Size)), l.Bold, l.caps} }

// A page holds the lines of a whole document, and how its running text looks.
type page struct {
	lines []line
	body  style // of most of the text
	flat  bool  // all lines look alike
}

// bounded returns the beginning of a document, within the limits on lines and text. cut reports whether it left
// anything out.
func bounded(doc resume.Document) (begin resume.Document, cut bool) {
	left := maxBytes
	lines := min(len(doc.Lines), maxLines)
	for i, l := range doc.Lines[:lines] {
		left -= len(l.Text)
		if left < 0 {
			lines = i + 1
			begin.Lines = slices.Clone(doc.Lines[:lines])
			begin.Lines[i].Text = strings.ToValidUTF8(l.Text[:len(l.Text)+left], "")
			break
		}
	}
	if begin.Lines == nil {
		begin.Lines = doc.Lines[:lines]
	}
	begin.Pages = doc.Pages
	begin.Links = doc.Links
	begin.Warnings = doc.Warnings
	return begin, left < 0 || lines < len(doc.Lines)
}

// newPage returns the cleaned lines of a document.
func newPage(doc *resume.Document) *page {
	p := &page{}
	for i, l := range doc.Lines {
		c := line{Line: l, index: i, text: clean(l.Text)}
		if rest, ok := cutBullet(c.text); ok {
			c.text = rest
			c.Bullet = true
		}

		if c.text == "" {
			continue
		}

		for cell := range strings.SplitSeq(c.text, "\t") {
			if cell = strings.TrimSpace(cell); cell != "" {
				c.cells = append(c.cells, cell)
			}
		}

		c.caps = capitals(c.text)
		if utf8.RuneCountInString(c.text) <= 2*maxHeader {
			c.key = key(c.text)
		}
		p.lines = append(p.lines, c)
	}

	p.measure()
	return p
}

// measure finds the style of most of the text. The first style wins a tie.
func (p *page) measure() {
	weights := make(map[style]int)
	total, most := 0, 0
	for i := range p.lines {
		s := p.lines[i].style()
		s.caps = false
		weights[s] += len(p.lines[i].text)
		total += len(p.lines[i].text)
	}
	for i := range p.lines {
		s := p.lines[i].style()
		s.caps = false
		if weights[s] > most {
			p.body = s
			most = weights[s]
		}
	}
	p.flat = len(weights) < 2 || total-most < total/100
}

// distinct reports whether a line stands out from running text.
func (p *page) distinct(l *line) bool {
	return l.Heading > 0 || l.caps || l.Bold && !p.body.bold || 2*l.Size > float64(p.body.size)+.9
}

// clean returns text with compatibility forms replaced (ligatures, full-width punctuation, the radicals some fonts have
// for Chinese characters), icons and invisible characters dropped, and single spaces.
func clean(text string) string {
	if !isASCII(text) {
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
	if next, _ := utf8.DecodeRuneInString(rest); wideRune(next) {
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
