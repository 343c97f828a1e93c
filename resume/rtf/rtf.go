// Package rtf reads Rich Text Format (1.9.1), as Word, LibreOffice, Google Docs and macOS write it. It reads a file in
// one pass and keeps nothing but the text, so pictures and embedded files cost nothing.
package rtf

import (
	"bytes"
	"context"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/flow"
)

// A Reader reads RTF files within its limits. It is safe for concurrent use.
type Reader struct{ limits flow.Limits }

var _ resume.Reader = (*Reader)(nil)

// New returns a Reader. All limits must be set.
func New(limits flow.Limits) *Reader { return &Reader{limits: limits} }

// Read implements resume.Reader. If a damaged document has some readable text, Read returns that text with
// resume.WarnTruncated.
func (r *Reader) Read(ctx context.Context, file []byte) (resume.Document, error) {
	if err := r.limits.CheckSize(file); err != nil {
		return resume.Document{}, err
	}
	file = bytes.TrimLeft(bytes.TrimPrefix(file, []byte("\uFEFF")), " \t\r\n")
	if !bytes.HasPrefix(file, []byte(`{\rtf`)) {
		return resume.Document{}, flow.Corrupt("The file is not in Rich Text Format.", nil)
	}
	d := &document{
		builder: flow.NewBuilder(r.limits), lexer: lexer{file}, depth: r.limits.Depth, page: western,
		fonts: map[int]font{}, styles: map[int]style{},
	}
	d.group.plain()
	if err := d.read(ctx); err != nil {
		return resume.Document{}, err
	}
	return d.builder.Document()
}

// A font is an entry of the font table.
type font struct {
	charset int
	page    int // code page; 0 if the charset decides
}

// A style is an entry of the style sheet.
type style struct {
	heading int
	name    []byte
}

// A destination is what the text of a group is for.
type destination uint8

const (
	visible destination = iota
	skipped
	fontTable
	colorTable
	styleSheet
	fieldCode
	parent // text is skipped, but groups inside may be visible
)

// A group is the state that a closing brace restores.
type group struct {
	to        destination
	character character
	paragraph paragraph
	fallbacks int    // characters after \u that stand for it in old programs
	close     func() // at the end of the group; nil for nothing
	starred   bool   // it started with \*
	fresh     bool   // nothing but its start was read
}

// character is how characters look.
type character struct {
	look       flow.Look
	hidden     bool
	deleted    bool // by a tracked change
	font       int
	color      int // index into the color table; 0 is automatic
	background int
}

// paragraph is how paragraphs look.
type paragraph struct {
	style   int
	outline int // level from 1; 0 if unset
	bullet  bool
	before  int // space above, in twips
	inTable bool
	level   int // of nested tables, from 1
	shading int // index into the color table
}

// plain resets the look of characters.
func (g *group) plain() {
	const defaultSize = 24 // half-points
	g.character = character{look: flow.Look{HalfPoints: defaultSize}}
	g.fallbacks = 1
}

// A document is the file being read.
type document struct {
	builder *flow.Builder
	lexer   lexer
	depth   int // limit of nested groups

	group  group
	outer  []group
	page   int // code page of the file
	fonts  map[int]font
	colors []flow.Color
	rgb    [3]uint8 // of the color table's next entry
	styles map[int]style
	entry  int // font or style being defined
	part   resume.Part

	pending   []byte // bytes of text that were not decoded yet, because characters may have several
	surrogate rune   // the first half of a pair
	skip      int    // fallback characters to skip
	code      []byte // of the innermost field
	tables    []table
	shaded    bool  // a cell of the row has a background
	edges     []int // right edges of the row's cells, in twips
}

// A table is an open level of nested tables.
type table struct {
	inCell bool
	cell   int // index in the row
}

// read interprets the file.
func (d *document) read(ctx context.Context) error {
	for {
		if err := d.builder.Step(ctx); err != nil {
			return err
		}

		t := d.lexer.next()

		// Any other token may change the font, and with it the encoding of the bytes that follow.
		if t.kind != text {
			d.flush()
		}

		switch t.kind {
		case groupStart:
			if len(d.outer) >= d.depth {
				return flow.TooComplex("The document nests more than %d groups.", d.depth)
			}
			d.outer = append(d.outer, d.group)
			d.group.close = nil
			d.group.starred = false
			d.group.fresh = true
			d.skip = 0
			continue

		case groupEnd:
			d.endGroup()
			if len(d.outer) == 0 {
				return nil
			}

		case control:
			d.control(t)
		case text:
			d.text(t)
		case end:
			// A file that was cut off still has all text up to there.
			if len(d.outer) > 0 {
				d.builder.Damaged(errUnfinished)
			}
			for len(d.outer) > 0 {
				d.endGroup()
			}
			return nil
		}

		// The destination follows \*, so a group that starts with it is still fresh.
		if t.kind != control || t.word != "*" {
			d.group.fresh = false
		}
	}
}

// endGroup restores the state before the group.
func (d *document) endGroup() {
	if d.group.close != nil {
		d.group.close()
	}
	d.skip = 0
	if n := len(d.outer); n > 0 {
		inner := &d.group
		bullet := inner.to == skipped && inner.paragraph.bullet
		d.group = d.outer[n-1]
		d.outer = d.outer[:n-1]
		if bullet { // its group comes before the text of its paragraph
			d.group.paragraph.bullet = true
		}
	}
}

// text handles bytes of text.
func (d *document) text(t token) {
	b := t.bytes
	for d.skip > 0 && len(b) > 0 {
		b = b[1:]
		d.skip--
	}

	switch d.group.to {
	case visible:
		d.pending = append(d.pending, b...)
	case fontTable, skipped, parent:
	case colorTable:
		for range bytes.Count(b, []byte(";")) {
			d.colors = append(d.colors, flow.RGB(d.rgb[0], d.rgb[1], d.rgb[2]))
			d.rgb = [3]uint8{}
		}

	case styleSheet:
		// The name ends at a semicolon and may arrive in several tokens.
		s := d.styles[d.entry]
		if len(s.name) < 100 && len(d.styles) < 10_000 {
			s.name = append(s.name, b...)
			if name, _, found := bytes.Cut(s.name, []byte(";")); found && s.heading == 0 {
				s.heading = flow.HeadingLevel(string(name))
			}
			d.styles[d.entry] = s
		}

	case fieldCode:
		if len(d.code)+len(b) <= 4096 {
			d.code = append(d.code, b...)
		}
	}
}

// flush decodes pending text and writes it.
func (d *document) flush() {
	if len(d.pending) == 0 {
		return
	}
	f := d.fonts[d.group.character.font]
	page := d.page
	if f.page != 0 {
		page = f.page
	} else if p := pageOfCharset(f.charset); p != 0 {
		page = p
	}
	var decoded string
	if f.charset == symbolCharset {
		decoded = symbols(d.pending)
	} else if text, err := encodingOf(page).NewDecoder().Bytes(d.pending); err == nil {
		decoded = string(text)
	}
	d.pending = d.pending[:0]
	d.write(decoded)
}

// write adds text if it is visible.
func (d *document) write(text string) {
	c := &d.group.character
	if d.group.to != visible || c.deleted || text == "" {
		return
	}
	if c.hidden || flow.Tiny(c.look.HalfPoints) || flow.Invisible(d.color(c.color), d.background()) {
		d.builder.WriteHidden(text)
		return
	}
	if !d.builder.InParagraph() {
		d.startParagraph()
	}
	d.builder.Write(text, c.look)
}

func (d *document) color(index int) flow.Color {
	if 0 < index && index < len(d.colors) {
		return d.colors[index]
	}
	return 0
}

// background returns the color behind the text, or 0 if it is unknown.
func (d *document) background() flow.Color {
	for _, index := range []int{d.group.character.background, d.group.paragraph.shading} {
		if index > 0 {
			return d.color(index)
		}
	}
	if d.shaded && d.group.paragraph.inTable {
		return 0
	}
	return flow.White
}
