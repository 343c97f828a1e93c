package docx

import (
	"strings"

	"freelancer-matching/resume"
)

// paragraph is a paragraph while it is read.
type paragraph struct {
	format paragraphFormat
	run    runFormat // of its runs, before their own
	text   lineBuilder
	lines  []line // before the last line break
	boxes  []line // of text boxes beside it
}

func (s *story) readParagraph() error {
	s.paragraphs++
	if most := s.document.archive.limits.Paragraphs; s.paragraphs > most {
		return tooComplex("the document has more than %d paragraphs", most)
	}
	outer, run := s.paragraph, s.run
	s.paragraph, s.run = s.newParagraph(paragraphFormat{}), runFormat{}
	err := s.children(func(e element) error {
		if e.name != "w:pPr" {
			return s.node(e)
		}
		direct, err := parseParagraph(s.scanner)
		s.paragraph.format, s.paragraph.run = s.styles.ofParagraph(direct)
		return err
	})
	s.breakLine()
	s.endParagraph()
	s.paragraph, s.run = outer, run
	return err
}

func (s *story) newParagraph(direct paragraphFormat) *paragraph {
	p := &paragraph{}
	p.format, p.run = s.styles.ofParagraph(direct)
	return p
}

// breakLine ends a line of the paragraph.
func (s *story) breakLine() {
	p := s.paragraph
	if p == nil {
		return
	}
	l, ok := p.text.line()
	switch {
	case ok:
		p.lines = append(p.lines, l)
	default:
		s.loose = append(s.loose, l.links...)
	}
	p.text = lineBuilder{}
}

// endParagraph gives the lines of the paragraph what it says of them, and passes them on.
func (s *story) endParagraph() {
	p := s.paragraph
	for i := range p.lines {
		l := &p.lines[i]
		l.Part = s.part
		if p.format.outline <= 9 {
			l.Heading = p.format.outline
		}
		if i > 0 {
			continue
		}
		if l.Heading == 0 && s.numbering.marks(p.format.list, p.format.level) {
			l.Bullet = true
		}
		l.Gap = float64(s.empty)
		if p.format.contextual != yes || p.format.style != s.above.style {
			l.Gap += float64(max(p.format.before-1, s.above.after-1, 0)) / twips / max(l.Size, 1)
		}
	}
	if len(p.lines) > 0 {
		s.empty, s.above = 0, p.format
	} else {
		s.empty++
	}
	s.lines = append(append(s.lines, p.lines...), p.boxes...)
}

// readRun reads characters of one format.
func (s *story) readRun() error {
	outer := s.run
	defer func() { s.run = outer }()
	s.run = runFormat{}
	return s.children(func(e element) (err error) {
		if e.name != "w:rPr" {
			return s.node(e)
		}
		s.run, err = parseRun(s.scanner)
		return err
	})
}

func (s *story) readText(e element) error {
	text, err := s.text()
	if e.name == "w:t" && e.attr("space") != "preserve" {
		text = strings.Trim(text, " \t\r\n")
	}
	s.write(strings.NewReplacer("\t", " ").Replace(text))
	if most := s.document.archive.limits.Characters; s.characters > most {
		return tooComplex("the document has more than %d characters", most)
	}
	return err
}

// write adds text to the line, if a reader of the document can see it.
func (s *story) write(text string) {
	p := s.paragraph
	if p == nil || s.inInstruction() || s.placeholder && s.styles.isPlaceholder(s.run.style) {
		return
	}
	f := s.styles.ofRun(s.run, p.run)
	if s.unseen(f) {
		s.hidden = s.hidden || strings.TrimSpace(text) != ""
		return
	}
	s.characters += p.text.write(text, f)
}

// unseen tells text that nobody sees: hidden by its format, too small, or of the colour of what it stands on. Where that
// is not known, text is taken to be seen.
func (s *story) unseen(f runFormat) bool {
	if s.concealed || f.vanish == yes || f.halfPoints <= tiny {
		return true
	}
	ground := s.ground
	for _, nearer := range []paint{s.paragraph.format.fill, f.fill} {
		if nearer != unset {
			ground = nearer
		}
	}
	if ground == unset || ground == auto {
		if s.painted {
			return false
		}
		ground = white
	}
	return f.color > 0 && ground > 0 && near(f.color, ground)
}

// field is a field of Word, from its begin to its end: an instruction, and after it the result.
type field struct {
	code   strings.Builder // the begin of the instruction
	result bool
	link   int // where its text begins on the line; -1: it is not a link
	holder *paragraph
}

const (
	maxFields = 64 // nested
	maxCode   = 4096
)

func (s *story) fieldChar(kind string) {
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
		f.result, f.holder = true, s.paragraph
		if s.paragraph != nil {
			f.link = s.paragraph.text.position()
		}
	case "end":
		s.fields = s.fields[:len(s.fields)-1]
		if f.result {
			if f.holder != s.paragraph {
				f.link = 0
			}
			s.link(target(f.code.String()), f.link)
		}
	}
}

// instruction reads a piece of a field's instruction.
func (s *story) instruction() error {
	text, err := s.text()
	if len(s.fields) > 0 {
		if f := s.fields[len(s.fields)-1]; f.code.Len()+len(text) <= maxCode {
			f.code.WriteString(text)
		}
	}
	return err
}

// inInstruction tells the results of fields that an instruction uses. Text right in an instruction is none: its field
// was never ended.
func (s *story) inInstruction() bool {
	for i := 0; i < len(s.fields)-1; i++ {
		if !s.fields[i].result {
			return true
		}
	}
	return false
}

// target is the address that the instruction of a field links to, "" where it does not: HYPERLINK "https://example.org" \o "tip".
func target(instruction string) string {
	rest, ok := strings.CutPrefix(strings.TrimSpace(instruction), "HYPERLINK")
	if !ok {
		return ""
	}
	rest = strings.TrimSpace(rest)
	if quoted, ok := strings.CutPrefix(rest, `"`); ok {
		address, _, _ := strings.Cut(quoted, `"`)
		return address
	}
	if address, _, _ := strings.Cut(rest, " "); !strings.HasPrefix(address, `\`) {
		return address
	}
	return ""
}

// linked reads content that links to an address; "": to a place in the document.
func (s *story) linked(address string, read func() error) error {
	holder, begin := s.paragraph, 0
	if holder != nil {
		begin = holder.text.position()
	}
	err := read()
	if s.paragraph == holder {
		s.link(address, begin)
	}
	return err
}

// link adds the link on the text of the line from begin.
func (s *story) link(address string, begin int) {
	address = strings.TrimSpace(address)
	if address == "" || len(address) > maxTarget || s.links >= maxLinks || s.paragraph == nil {
		return
	}
	s.links++
	b := &s.paragraph.text
	b.links = append(b.links, resume.Link{URL: address, Text: strings.TrimSpace(string(b.text[min(begin, len(b.text)):]))})
}
