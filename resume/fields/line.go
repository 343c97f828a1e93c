package fields

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"freelancer-matching/resume"
)

// The limits of what is read. Readers have limits of their own, far below where these would hurt.
const (
	maxLines   = 20_000
	maxText    = 4_000 // bytes of a description or a summary
	maxHeading = 60    // runes
	maxHeader  = 140   // runes of a line in the header of an entry
	maxEntries = 200   // of one list
)

// line is a line of the document, cleaned.
type line struct {
	resume.Line
	text  string   // without compatibility forms and icons; cells are apart by tabs
	cells []string // of text
	key   string   // of text
	caps  bool     // all capitals
	index int      // in the document
}

// style is what makes a line look different from others.
type style struct {
	size int // half points
	bold bool
	caps bool
}

func (l *line) style() style { return style{int(math.Round(2 * l.Size)), l.Bold, l.caps} }

// page is what sections, names and entries are read from: the lines of a document and how its running text looks.
type page struct {
	lines []line
	body  style
	flat  bool // all lines look alike, so that looks tell nothing
}

func newPage(doc *resume.Document) *page {
	p := &page{}
	for i, l := range doc.Lines[:min(len(doc.Lines), maxLines)] {
		c := line{Line: l, index: i, text: clean(l.Text)}
		if rest, ok := bullet(c.text); ok {
			c.text, c.Bullet = rest, true
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

// measure finds the style of most of the text.
func (p *page) measure() {
	weights := make(map[style]int)
	total := 0
	for i := range p.lines {
		s := p.lines[i].style()
		s.caps = false
		weights[s] += len(p.lines[i].text)
		total += len(p.lines[i].text)
	}
	most := 0
	for i := range p.lines { // in order, so that ties have one answer
		s := p.lines[i].style()
		s.caps = false
		if weights[s] > most {
			p.body, most = s, weights[s]
		}
	}
	p.flat = len(weights) < 2 || total-most < total/100
}

// distinct reports whether a line looks like more than running text.
func (p *page) distinct(l *line) bool {
	return l.Heading > 0 || l.caps || l.Bold && !p.body.bold || 2*l.Size > float64(p.body.size)+.9
}

// clean is text in the form in which it is read: compatibility forms replaced (ligatures, the radicals that some fonts
// have for characters), icons and invisible characters dropped, spaces single.
func clean(text string) string {
	if !isASCII(text) {
		text = norm.NFKC.String(text)
	}
	var b strings.Builder
	b.Grow(len(text))
	gap := byte(0)
	for _, r := range text {
		switch {
		case r == '\t':
			gap = '\t'
			continue
		case r == 0xad:
			r = '-'
		case unicode.IsSpace(r) || unicode.IsControl(r):
			if gap == 0 {
				gap = ' '
			}
			continue
		case r == utf8.RuneError, unicode.In(r, unicode.Co, unicode.Cf):
			continue
		case r >= 0x2600 && unicode.Is(unicode.So, r) && r != '℃': // ☎ ✉ 📍
			continue
		}
		if gap != 0 && b.Len() > 0 {
			b.WriteByte(gap)
		}
		gap = 0
		b.WriteRune(r)
	}
	return withoutGlyph(b.String())
}

// withoutGlyph drops a single Latin letter in front of a character: an icon of a font that has them in place of letters.
func withoutGlyph(text string) string {
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

// bullet takes the mark off an entry of a list, for readers that left it there.
func bullet(text string) (rest string, ok bool) {
	r, size := utf8.DecodeRuneInString(text)
	switch r {
	case '•', '●', '▪', '■', '◦', '○', '◆', '◇', '‣', '⁃', '∙', '·', '➢', '▸', '►', '✓', '❖', '\uf0b7', '*', '-', '–':
	default:
		return text, false
	}
	rest = text[size:]
	if (r == '*' || r == '-' || r == '–' || r == '·') && !strings.HasPrefix(rest, " ") && !strings.HasPrefix(rest, "\t") {
		return text, false
	}
	return strings.TrimSpace(rest), true
}

// capitals reports whether text has letters with case, two or more, and all are capitals.
func capitals(text string) bool {
	upper := 0
	for _, r := range text {
		if unicode.IsLower(r) {
			return false
		}
		if unicode.IsUpper(r) {
			upper++
		}
	}
	return upper > 1
}

// sentence reports whether a line reads as running text and not as a name, a title or a date.
func sentence(text string) bool {
	words := strings.Count(text, " ") + 1
	if utf8.RuneCountInString(text) > maxHeader || words > 16 {
		return true
	}
	first, _ := utf8.DecodeRuneInString(text)
	if unicode.IsLower(first) && words > 3 {
		return true
	}
	if wide(text) {
		return strings.ContainsAny(text, "。；") || utf8.RuneCountInString(text) > 45
	}
	last := text[len(text)-1]
	if last == '.' && words > 5 && !abbreviated(text) || last == ';' {
		return true
	}
	lower := 0
	for word := range strings.FieldsSeq(text) {
		if r, _ := utf8.DecodeRuneInString(word); unicode.IsLower(r) {
			lower++
		}
	}
	return words > 7 && 2*lower > words
}

// abbreviated reports whether a text ends with an abbreviation as names have them: "S.A.", "Inc.".
func abbreviated(text string) bool {
	word := strings.TrimSuffix(text[strings.LastIndexByte(text, ' ')+1:], ".")
	first, _ := utf8.DecodeRuneInString(word)
	return strings.Contains(word, ".") || unicode.IsUpper(first) && len(word) < 6
}

// join appends the text of a line to running text: to a word that a hyphen divides, behind a space, or on a new line
// where the line is an entry of a list.
func join(b *strings.Builder, text string, newLine bool) {
	if b.Len() >= maxText {
		return
	}
	text = strings.ReplaceAll(text, "\t", " ")
	have := b.String()
	switch first, _ := utf8.DecodeRuneInString(text); {
	case have == "":
	case newLine:
		b.WriteByte('\n')
	case strings.HasSuffix(have, "-") && unicode.IsLower(first) && !strings.HasSuffix(have, " -"):
		b.Reset()
		b.WriteString(have[:len(have)-1])
	case wideEnd(have) && wideRune(first):
	default:
		b.WriteByte(' ')
	}
	b.WriteString(cut(text, maxText-b.Len()))
}

func wideEnd(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return wideRune(r)
}

// cut is text of at most size bytes, whole characters.
func cut(text string, size int) string {
	if len(text) <= size {
		return text
	}
	for size = max(size, 0); size > 0 && !utf8.RuneStart(text[size]); size-- {
	}
	return text[:size]
}
