package page

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/wording"
)

// Limits on what is read. A resume of 50 pages stays far below them.
const (
	MaxLines   = 20_000
	MaxBytes   = 256 << 10 // of text in all lines
	MaxEntries = 200       // of one list
)

// A Page holds the lines of a whole document, and how its running text looks.
type Page struct {
	Lines []Line
	Body  Style // of most of the text
	Flat  bool  // all lines look alike
}

// Bounded returns the beginning of a document, within the limits on lines and text. cut reports whether it left
// anything out.
func Bounded(doc resume.Document) (begin resume.Document, cut bool) {
	left := MaxBytes
	lines := min(len(doc.Lines), MaxLines)
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

// New returns the cleaned lines of a document.
func New(doc *resume.Document) *Page {
	p := &Page{}
	for i, l := range doc.Lines {
		c := Line{Line: l, Index: i, Text: Clean(l.Text)}
		if rest, ok := cutBullet(c.Text); ok {
			c.Text = rest
			c.Bullet = true
		}

		if c.Text == "" {
			continue
		}

		for cell := range strings.SplitSeq(c.Text, "\t") {
			if cell = strings.TrimSpace(cell); cell != "" {
				c.Cells = append(c.Cells, cell)
			}
		}

		c.Caps = wording.Capitals(c.Text)
		if utf8.RuneCountInString(c.Text) <= 2*wording.MaxHeader {
			c.Key = wording.Key(c.Text)
		}

		p.Lines = append(p.Lines, c)
	}

	p.measure()
	return p
}

// Document returns the lines as lines of a document, with their cleaned texts.
func (p *Page) Document() []resume.Line {
	lines := make([]resume.Line, len(p.Lines))
	for i := range p.Lines {
		lines[i] = p.Lines[i].Line
		lines[i].Text = p.Lines[i].Text
	}
	return lines
}

// measure finds the style of most of the text. The first style wins a tie.
func (p *Page) measure() {
	weights := make(map[Style]int)
	total, most := 0, 0
	for i := range p.Lines {
		s := p.Lines[i].Style()
		s.Caps = false
		weights[s] += len(p.Lines[i].Text)
		total += len(p.Lines[i].Text)
	}
	for i := range p.Lines {
		s := p.Lines[i].Style()
		s.Caps = false
		if weights[s] > most {
			p.Body = s
			most = weights[s]
		}
	}
	p.Flat = len(weights) < 2 || total-most < total/100
}

// Distinct reports whether a line stands out from running text.
func (p *Page) Distinct(l *Line) bool {
	return l.Heading > 0 || l.Caps || l.Bold && !p.Body.Bold || 2*l.Size > float64(p.Body.Size)+.9
}
