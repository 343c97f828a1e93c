package odt

import (
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/flow"
	"github.com/freelancer-matching/service/resume/zipxml"
)

// maxRepeated limits the spaces or columns that one element stands for.
const maxRepeated = 100

// A story reads the content of the document, a header or a footer.
type story struct {
	*document
	*zipxml.Scanner
	part resume.Part

	look       style
	inText     bool       // inside a paragraph
	bullet     bool       // the next paragraph starts a list item
	background flow.Color // of the current cell or box; 0 if it has none of its own
	columns    []float64  // widths of the current table, in points
	column     int        // the next one of the current row
}

func (s *story) readChildren() error {
	return s.Mixed(s.readElement, func(text []byte) {
		if s.inText {
			s.write(collapse(string(text)))
		}
	})
}

// collapse replaces white space by single spaces, as the format demands.
func collapse(text string) string {
	fields := strings.Join(strings.Fields(text), " ")
	switch {
	case text == "" || fields == text:
		return text
	case fields == "":
		return " "
	}
	if strings.IndexByte(" \t\r\n", text[0]) >= 0 {
		fields = " " + fields
	}
	if strings.IndexByte(" \t\r\n", text[len(text)-1]) >= 0 {
		fields += " "
	}
	return fields
}

// readElement reads an element anywhere in the content. It reads the children of elements that only group others.
func (s *story) readElement(e zipxml.Element) error {
	if err := s.builder.Err(); err != nil {
		return err
	}

	switch e.Name {
	case "text:p", "text:h":
		return s.readParagraph(e)
	case "text:span":
		return s.readStyled("text", e.Attr("style-name"))
	case "text:a":
		s.builder.StartLink(e.Attr("href"))
		err := s.readChildren()
		s.builder.EndLink()
		return err

	case "text:s":
		s.write(strings.Repeat(" ", repeated(e, "c")))
	case "text:tab":
		s.write("\t")
	case "text:line-break":
		s.builder.Break()
	case "text:list-item":
		// The bullet goes to the first paragraph. An outer item may still wait for its own after an inner list.
		outer := s.bullet
		s.bullet = true
		err := s.readChildren()
		s.bullet = outer
		return err

	case "table:table":
		return s.readTable()
	case "table:table-column":
		width := s.styles.apply(style{}, "table-column", e.Attr("style-name")).width
		for range repeated(e, "number-columns-repeated") {
			s.columns = append(s.columns, width)
		}

	case "table:table-row":
		s.column = 0
		s.builder.StartRow()
		err := s.readChildren()
		s.builder.EndRow()
		return err

	case "table:covered-table-cell":
		s.column++
	case "table:table-cell":
		return s.readCell(e)
	case "draw:text-box", "draw:custom-shape", "draw:rect", "draw:ellipse", "text:note-body":
		note := e.Name == "text:note-body"
		return s.readNested(s.background, s.builder.StartBox, func() { s.builder.EndBox(note) })
	case "draw:frame":
		// The color is behind the box in the frame, which may have none of its own.
		background := s.background
		if fill := s.styles.apply(style{}, "graphic", e.Attr("style-name")).background; fill != 0 {
			s.background = fill
		}
		err := s.readChildren()
		s.background = background
		return err

	case "text:hidden-text":
		s.builder.WriteHidden(e.Attr("string-value"))
	case "text:hidden-paragraph":
		// This element is inside the paragraph that it hides. The look ends with that paragraph.
		if e.Attr("is-hidden") == "true" {
			s.look.hidden = yes
		}

	case "text:section":
		// The text isn't read, but the builder must know that there is some.
		if e.Attr("display") == "none" {
			s.builder.WriteHidden("section")
			return nil
		}
		return s.readChildren()

	// A reader doesn't see these in the text: text:tracked-changes, for example, holds what was deleted.
	case "office:annotation", "office:annotation-end", "text:tracked-changes", "text:note-citation", "text:ruby-text",
		"office:forms", "office:scripts", "text:sequence-decls", "text:variable-decls", "text:user-field-decls",
		"draw:image", "draw:object", "draw:object-ole", "draw:plugin", "?:title", "?:desc":
	default:
		return s.readChildren()
	}

	return nil
}

func repeated(e zipxml.Element, attribute string) int {
	n, err := strconv.Atoi(e.Attr(attribute))
	if err != nil {
		return 1
	}
	return min(max(n, 1), maxRepeated)
}

func (s *story) readParagraph(e zipxml.Element) error {
	outer := *s
	s.look = s.styles.paragraph(e.Attr("style-name"))
	s.inText = true
	p := flow.Paragraph{Part: s.part, Heading: s.look.heading, Bullet: s.bullet, Gap: s.look.before}
	if level, err := strconv.Atoi(e.Attr("outline-level")); e.Name == "text:h" && err == nil {
		p.Heading = level
	}
	p.Heading = min(max(p.Heading, 0), 9)
	s.builder.StartParagraph(p)
	err := s.readChildren()
	s.builder.EndParagraph()
	s.look = outer.look
	s.inText = outer.inText
	s.bullet = false // the item's other paragraphs have none
	return err
}

// readStyled reads text with a style of its own.
func (s *story) readStyled(family, name string) error {
	outer := s.look
	s.look = s.styles.apply(s.look, family, name)
	err := s.readChildren()
	s.look = outer
	return err
}

func (s *story) readTable() error {
	columns := s.columns
	column := s.column
	s.columns, s.column = nil, 0
	err := s.readChildren()
	s.columns = columns
	s.column = column
	return err
}

func (s *story) readCell(e zipxml.Element) error {
	width := 0.0
	for range repeated(e, "number-columns-spanned") {
		if s.column < len(s.columns) {
			width += s.columns[s.column]
		}
		s.column++
	}
	background := s.styles.apply(style{}, "table-cell", e.Attr("style-name")).background
	if background == 0 {
		background = s.background
	}
	return s.readNested(background, func() { s.builder.StartCell(int(width)) }, s.builder.EndCell)
}

// readNested reads content with lines of its own, between start and end.
func (s *story) readNested(background flow.Color, start, end func()) error {
	// A cell or box inherits nothing from the paragraph around it, and must not change what follows it.
	outer := *s
	s.look = style{}
	s.inText = false
	s.bullet = false
	s.background = background
	s.columns, s.column = nil, 0
	start()
	err := s.readChildren()
	end()
	s.look = outer.look
	s.inText = outer.inText
	s.bullet = outer.bullet
	s.background = outer.background
	s.columns = outer.columns
	s.column = outer.column
	return err
}

// write adds text if it is visible.
func (s *story) write(text string) {
	background := flow.White
	for _, fill := range []flow.Color{s.background, s.look.background} { // the last one is on top
		if fill != 0 {
			background = fill
		}
	}

	isIllegible := flow.Tiny(s.look.halfPoints) || flow.Invisible(s.look.color, background)
	if isIllegible || s.look.hidden == yes {
		s.builder.WriteHidden(text)
		return
	}
	s.builder.Write(text, flow.Look{Bold: s.look.bold == yes, HalfPoints: s.look.halfPoints})
}
