package docx

import (
	"strings"

	"github.com/freelancer-matching/service/resume/flow"
	"github.com/freelancer-matching/service/resume/zipxml"
)

// A paragraph is the paragraph being read.
type paragraph struct {
	format paragraphFormat
	run    runFormat // inherited by its runs
	text   flow.LineBuilder
	lines  []flow.Line // complete ones
	boxes  []flow.Line // of text boxes beside the paragraph
}

func (s *story) readParagraph() error {
	s.paragraphs++
	if limit := s.limits.Paragraphs; s.paragraphs > limit {
		return flow.TooComplex("The document has more than %d paragraphs.", limit)
	}

	// Text between paragraphs belongs to none and is dropped, so the state before this one is restored at its end.
	outer := s.paragraph
	outerRun := s.run
	s.paragraph = &paragraph{}
	s.run = runFormat{}
	s.paragraph.format, s.paragraph.run = s.styles.ofParagraph(paragraphFormat{})
	err := s.Children(func(e zipxml.Element) error {
		if e.Name != "w:pPr" {
			return s.readElement(e)
		}
		direct, err := parseParagraph(s.Scanner)
		s.paragraph.format, s.paragraph.run = s.styles.ofParagraph(direct)
		return err
	})

	s.breakLine()
	s.endParagraph()
	s.paragraph = outer
	s.run = outerRun

	return err
}

// breakLine ends a line of the paragraph. Links without text on the line become loose.
func (s *story) breakLine() {
	p := s.paragraph
	if p == nil {
		return
	}
	if l, ok := p.text.Line(); ok {
		p.lines = append(p.lines, l)
	} else {
		s.looseLinks = append(s.looseLinks, l.Links...)
	}
	p.text = flow.LineBuilder{}
}

// endParagraph sets the properties of the paragraph's lines and adds them to the story.
func (s *story) endParagraph() {
	p := s.paragraph
	for i := range p.lines {
		l := &p.lines[i]
		l.Part = s.part

		// Level 10 is body text, which overrides the level of a heading style.
		if p.format.outline <= 9 {
			l.Heading = p.format.outline
		}

		// Only the first line has the bullet and the space above. Later ones follow a line break.
		if i > 0 {
			continue
		}

		if l.Heading == 0 && s.numbering.hasBullet(p.format.list, p.format.level) {
			l.Bullet = true
		}

		l.Gap = float64(s.emptyAbove)

		// Contextual spacing drops the space between paragraphs of the same style. Otherwise, the larger distance
		// counts.
		if p.format.contextual != yes || p.format.style != s.above.style {
			space := max(p.format.before-1, s.above.after-1, 0)
			l.Gap += float64(space) / twips / max(l.Size, 1)
		}
	}

	if len(p.lines) > 0 {
		s.emptyAbove = 0
		s.above = p.format
	} else {
		s.emptyAbove++
	}

	s.lines = append(append(s.lines, p.lines...), p.boxes...)
}

// readRun reads a run: text in one format.
func (s *story) readRun() error {
	outer := s.run
	defer func() { s.run = outer }()
	s.run = runFormat{}
	return s.Children(func(e zipxml.Element) (err error) {
		if e.Name != "w:rPr" {
			return s.readElement(e)
		}
		s.run, err = parseRun(s.Scanner)
		return err
	})
}

// readTextOf reads the text of an element. White space at its ends counts only if the element preserves it.
func (s *story) readTextOf(e zipxml.Element) error {
	text, err := s.Text()
	if e.Name == "w:t" && e.Attr("space") != "preserve" {
		text = strings.Trim(text, " \t\r\n")
	}
	s.write(strings.ReplaceAll(text, "\t", " "))
	if limit := s.limits.Characters; s.characters > limit {
		return flow.TooComplex("The document has more than %d characters.", limit)
	}
	return err
}

// write adds text to the line if it is visible.
func (s *story) write(text string) {
	p := s.paragraph
	if p == nil || s.placeholder {
		return
	}
	if s.inInstruction() {
		return
	}

	f := s.styles.ofRun(s.run, p.run)
	if s.isHidden(f) {
		s.hidden = s.hidden || strings.TrimSpace(text) != ""
		return
	}
	s.characters += p.text.Write(text, flow.Look{Bold: f.bold == yes, HalfPoints: f.halfPoints})
}

// isHidden reports whether text of a format is invisible: hidden by its format, too small, or of the color of its
// background. If the background is unknown, the text counts as visible.
func (s *story) isHidden(f runFormat) bool {
	isHiddenItself := f.vanish == yes || f.halfPoints <= maxTinySize
	if isHiddenItself || s.concealed {
		return true
	}

	background := s.background
	for _, fill := range []paint{s.paragraph.format.fill, f.fill} { // the last one is on top
		if fill != unset {
			background = fill
		}
	}
	if background == unset || background == auto {
		if s.painted {
			return false
		}
		background = white
	}
	return f.color > 0 && background > 0 && similar(f.color, background)
}

// A field is a field of Word: an instruction followed by its result.
type field struct {
	instruction strings.Builder // the start of it
	inResult    bool
	paragraph   *paragraph // in which the result starts
	linkStart   int        // position of the result on its line
}

const (
	maxFields      = 64   // nested in each other
	maxInstruction = 4096 // bytes
)

// readFieldChar starts a field, its result, or its end.
func (s *story) readFieldChar(kind string) {
	if kind == "begin" && len(s.fields) < maxFields {
		s.fields = append(s.fields, &field{})
		return
	}

	if len(s.fields) == 0 {
		return
	}

	f := s.fields[len(s.fields)-1]
	switch kind {
	case "separate":
		f.inResult = true
		f.paragraph = s.paragraph
		if s.paragraph != nil {
			f.linkStart = s.paragraph.text.Position()
		}

	case "end":
		s.fields = s.fields[:len(s.fields)-1]
		if f.inResult {
			// The result may span paragraphs. Its link then covers the last one from the start.
			if f.paragraph != s.paragraph {
				f.linkStart = 0
			}
			s.addLink(flow.LinkTarget(f.instruction.String()), f.linkStart)
		}
	}
}

// readInstruction reads a piece of a field's instruction.
func (s *story) readInstruction() error {
	text, err := s.Text()
	if len(s.fields) > 0 {
		if f := s.fields[len(s.fields)-1]; f.instruction.Len()+len(text) <= maxInstruction {
			f.instruction.WriteString(text)
		}
	}
	return err
}

// inInstruction reports whether the current text is the result of a field within the instruction of another one. Text
// directly in the instruction of the innermost field doesn't count: that field was never ended.
func (s *story) inInstruction() bool {
	for i := range len(s.fields) - 1 {
		if !s.fields[i].inResult {
			return true
		}
	}
	return false
}

// readLink reads the content of a link to an address, which is "" for links within the document.
func (s *story) readLink(address string) error {
	paragraph := s.paragraph
	start := 0
	if paragraph != nil {
		start = paragraph.text.Position()
	}
	err := s.Children(s.readElement)
	if s.paragraph == paragraph {
		s.addLink(address, start)
	}
	return err
}

// addLink adds a link on the text of the line from start on.
func (s *story) addLink(address string, start int) {
	if s.links >= maxLinks || s.paragraph == nil {
		return
	}
	if s.paragraph.text.AddLink(address, start) {
		s.links++
	}
}
