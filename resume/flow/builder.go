package flow

import (
	"context"
	"strings"

	"github.com/freelancer-matching/service/resume"
)

const (
	maxTinyHalfPoints = 4 // the largest illegible size
	maxLinks          = 2000
	checkEvery        = 512 // calls of Step between checks of the context
)

// A Paragraph is how a paragraph looks.
type Paragraph struct {
	Part    resume.Part
	Heading int     // level from 1; 0 if it is not a heading
	Bullet  bool    // a list item
	Gap     float64 // above it, in points, beyond usual line spacing
}

// A Builder assembles a document from paragraphs, list items and table cells in the order of the file. Calls may come
// in any order: a call that doesn't fit, such as the end of a cell that was never started, does nothing. The first
// exceeded limit ends the reading; Step reports it. A Builder is not safe for concurrent use.
type Builder struct {
	limits Limits
	text   Text

	frames     []frame // the document, and the cell or box of each open level
	steps      int
	paragraphs int
	characters int
	links      int
	err        error
}

// A frame is the document, or a table cell or box with lines of its own.
type frame struct {
	lines  []Line
	width  int
	open   bool // a paragraph is open
	style  Paragraph
	first  bool // the next line is the paragraph's first
	empty  int  // paragraphs without text since the last line
	line   LineBuilder
	link   string
	linkAt int    // position of the link's text on the line
	row    *Row   // of a table in this frame
	boxes  []Line // of boxes in the open paragraph, which follow it
	isBox  bool
}

// NewBuilder returns a Builder for one document.
func NewBuilder(limits Limits) *Builder { return &Builder{limits: limits, frames: make([]frame, 1)} }

// Step counts a tag, text or control word. It returns the error of an exceeded limit, or of ctx.
func (b *Builder) Step(ctx context.Context) error {
	b.steps++
	if b.steps > b.limits.Tokens {
		b.fail("The document has more than %d tags and texts.", b.limits.Tokens)
	}
	if b.err == nil && b.steps%checkEvery == 0 {
		b.err = ctx.Err()
	}
	return b.err
}

// Err returns the error of an exceeded limit.
func (b *Builder) Err() error { return b.err }

// Damaged records damage to a part of the file.
func (b *Builder) Damaged(err error) { b.text.Damage = err }

// Lost records that the file doesn't identify some of its characters.
func (b *Builder) Lost() { b.text.Lost = true }

func (b *Builder) fail(format string, limit int) {
	if b.err == nil {
		b.err = TooComplex(format, limit)
	}
}

func (b *Builder) top() *frame { return &b.frames[len(b.frames)-1] }

// StartParagraph ends the open paragraph and starts another one.
func (b *Builder) StartParagraph(p Paragraph) {
	b.EndParagraph()
	if b.paragraphs++; b.paragraphs > b.limits.Paragraphs {
		b.fail("The document has more than %d paragraphs.", b.limits.Paragraphs)
		return
	}
	f := b.top()
	f.open = true
	f.first = true
	f.style = p
}

// InParagraph reports whether a paragraph is open.
func (b *Builder) InParagraph() bool { return b.top().open }

// EndParagraph ends the open paragraph.
func (b *Builder) EndParagraph() {
	f := b.top()
	if !f.open {
		return
	}
	b.Break()
	if f.first {
		f.empty++
	}
	f.lines = append(f.lines, f.boxes...)
	f.boxes = nil
	f.open = false
}

// Write adds visible text. Text outside a paragraph starts one.
func (b *Builder) Write(text string, look Look) {
	if b.err != nil || text == "" {
		return
	}
	f := b.top()
	if !f.open {
		if strings.TrimSpace(text) == "" {
			return
		}
		b.StartParagraph(Paragraph{Part: f.style.Part})
		f = b.top()
	}
	b.characters += f.line.Write(text, look)
	if b.characters > b.limits.Characters {
		b.fail("The document has more than %d characters.", b.limits.Characters)
	}
}

// WriteHidden leaves out text that a reader of the document can't see.
func (b *Builder) WriteHidden(text string) {
	b.text.Hidden = b.text.Hidden || strings.TrimSpace(text) != ""
}

// Tiny reports whether text of a size is illegible. Unknown sizes are not.
func Tiny(halfPoints int) bool { return 0 < halfPoints && halfPoints <= maxTinyHalfPoints }

// Break ends a line of the open paragraph.
func (b *Builder) Break() {
	f := b.top()
	if !f.open {
		return
	}

	// A link continues on the next line, where it gets an entry of its own.
	link := f.link
	b.EndLink()
	l, ok := f.line.Line()
	f.line = LineBuilder{}

	if link != "" {
		f.link = link
		f.linkAt = 0
	}

	if !ok {
		// A link without text, as around a picture, still has a target.
		b.text.Links = append(b.text.Links, l.Links...)
		return
	}

	l.Part = f.style.Part
	l.Heading = f.style.Heading

	// Only the first line of a paragraph has the bullet and the space above.
	if f.first {
		l.Bullet = l.Bullet || f.style.Bullet && l.Heading == 0
		size := l.Size
		if size == 0 {
			size = 10
		}

		l.Gap = float64(f.empty) + max(f.style.Gap, 0)/size
		f.first = false
	}

	f.empty = 0
	f.lines = append(f.lines, l)
}

// StartLink starts the text of a link.
func (b *Builder) StartLink(address string) {
	b.EndLink()
	f := b.top()
	f.link, f.linkAt = address, f.line.Position()
}

// EndLink ends the text of a link.
func (b *Builder) EndLink() {
	f := b.top()
	if f.link != "" && b.links < maxLinks && f.line.AddLink(f.link, f.linkAt) {
		b.links++
	}
	f.link = ""
}

// StartRow ends the open paragraph and starts a row of a table.
func (b *Builder) StartRow() {
	b.EndRow()
	b.top().row = &Row{}
}

// EndRow ends a row and adds its lines.
func (b *Builder) EndRow() {
	b.EndParagraph()
	f := b.top()
	if f.row == nil {
		return
	}
	f.lines = append(f.lines, f.row.Lines()...)
	f.row, f.empty = nil, 0
}

// StartCell ends the open paragraph and starts a cell of the open row. Width is 0 if unknown.
func (b *Builder) StartCell(width int) {
	b.EndParagraph()
	b.push(frame{width: width})
}

// EndCell ends the innermost cell.
func (b *Builder) EndCell() {
	if b.top().isBox {
		return
	}
	lines, ok := b.pop()
	if !ok {
		return
	}
	if outer := b.top(); outer.row != nil {
		outer.row.Cells = append(outer.row.Cells, lines)
	} else {
		outer.lines = append(outer.lines, lines.Lines...)
	}
}

// StartBox starts a box: text beside the open paragraph, or between two paragraphs, that has lines of its own.
func (b *Builder) StartBox() { b.push(frame{isBox: true}) }

// EndBox ends the innermost box. A box of one or two lines is a banner, which comes before its paragraph; a longer one
// and a note follow it.
func (b *Builder) EndBox(note bool) {
	if !b.top().isBox {
		return
	}
	lines, ok := b.pop()
	const bannerLines = 2
	if outer := b.top(); ok && outer.open && (note || len(lines.Lines) > bannerLines) {
		outer.boxes = append(outer.boxes, lines.Lines...)
	} else if ok {
		outer.lines = append(outer.lines, lines.Lines...)
	}
}

// push opens a frame.
func (b *Builder) push(f frame) {
	if len(b.frames) > b.limits.Depth {
		b.fail("The document nests more than %d cells.", b.limits.Depth)
		return
	}
	f.style.Part = b.top().style.Part
	b.frames = append(b.frames, f)
}

// pop ends the innermost frame and returns its lines. It reports whether there was one.
func (b *Builder) pop() (c Cell, ok bool) {
	if len(b.frames) == 1 {
		return Cell{}, false
	}
	b.EndRow()
	f := *b.top()
	b.frames = b.frames[:len(b.frames)-1]
	if outer := b.top(); len(f.lines) > 0 {
		outer.empty = 0
	}
	return Cell{Width: f.width, Lines: f.lines}, true
}

// Depth returns the number of open cells and boxes.
func (b *Builder) Depth() int { return len(b.frames) - 1 }

// Document ends everything that is open. It returns the document, or the reason why there is none.
func (b *Builder) Document() (resume.Document, error) {
	if b.err != nil {
		return resume.Document{}, b.err
	}
	for len(b.frames) > 1 {
		b.EndBox(false)
		b.EndCell()
	}
	b.EndRow()
	b.text.Lines = b.frames[0].lines
	return b.text.Document()
}
