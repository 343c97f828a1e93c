package docx

import (
	"strconv"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/flow"
	"github.com/freelancer-matching/service/resume/zipxml"
)

const (
	maxTinySize = 4 // the largest illegible size, in half-points
	maxLinks    = 2000
)

// A row is a row of a table.
type row struct {
	flow.Row
	omitted bool // deleted or hidden
}

// A story reads one part with paragraphs: the body, a header, the notes.
type story struct {
	*document
	*zipxml.Scanner
	rels relationships
	part resume.Part

	lines       []flow.Line // of the current cell, text box or part
	paragraph   *paragraph
	run         runFormat       // set by the current run itself
	row         *row            // nil outside tables
	fields      []*field        // open ones
	background  paint           // of text, set by tables and shapes
	behind      bool            // inside a drawing that may be behind text
	concealed   bool            // inside an invisible shape
	placeholder bool            // inside a form field that is not filled in
	emptyAbove  int             // paragraphs since the last line
	above       paragraphFormat // of the last paragraph with a line
}

// readStory reads a part with paragraphs as far as possible.
func (d *document) readStory(part string, rels relationships, where resume.Part) error {
	scan, err := d.archive.Scan(part)
	if err != nil {
		return d.tolerate(err)
	}
	defer scan.Close()
	s := &story{document: d, Scanner: scan, rels: rels, part: where}
	err = s.Children(s.readElement)
	d.lines = append(d.lines, s.lines...)
	return d.tolerate(err)
}

// readElement reads an element anywhere in the part. It reads the children of elements that only group others.
func (s *story) readElement(e zipxml.Element) error {
	switch e.Name {
	case "w:p":
		return s.readParagraph()
	case "w:r":
		return s.readRun()
	case "w:t", "m:t":
		return s.readTextOf(e)
	case "w:tbl":
		return s.readTable()
	case "w:tr":
		return s.readRow()
	case "w:tc":
		return s.readCell()
	case "w:tab", "w:ptab":
		s.write("\t")
	case "w:br", "w:cr":
		s.breakLine()
	case "w:noBreakHyphen":
		s.write("-")
	case "w:sym":
		code, err := strconv.ParseUint(e.Attr("char"), 16, 16)
		if err == nil {
			s.write(symbol(e.Attr("font"), rune(code)))
		}

	case "w:hyperlink":
		return s.readLink(s.rels.address(e.Attr("id")))
	case "w:fldSimple":
		return s.readLink(flow.LinkTarget(e.Attr("instr")))
	case "w:fldChar":
		s.readFieldChar(e.Attr("fldCharType"))
	case "w:instrText":
		return s.readInstruction()
	case "a:hlinkClick":
		if s.paragraph != nil {
			s.addLink(s.rels.address(e.Attr("id")), s.paragraph.text.Position())
		}

	case "w:sdt":
		return s.readContentControl()
	case "w:footnote", "w:endnote":
		if e.Attr("type") != "" && e.Attr("type") != "normal" { // a separator line
			return nil
		}
		return s.Children(s.readElement)

	case "w:background":
		if color := paintOf(e.Attr("color")); color > 0 {
			s.background = color
		}
		return s.Children(s.readElement)

	case "mc:AlternateContent":
		return s.readAlternatives()
	case "wp:anchor", "wp:inline":
		return s.readDrawing(e)
	case "wps:wsp":
		return s.readShape()
	case "v:shape", "v:rect", "v:roundrect", "v:oval", "v:group":
		return s.readVML(e)
	case "v:textpath":
		if s.part == resume.Body { // elsewhere it is a watermark
			s.breakLine()
			s.write(e.Attr("string"))
			s.breakLine()
		}

	case "w:txbxContent":
		return s.readTextBox()
	case "w:del", "w:moveFrom", "w:delText", "w:delInstrText", // deleted text of tracked changes
		"w:rPr", "w:pPr", "w:sectPr", "w:tblGrid", "w:rt", "w:ffData", "mc:Fallback": // no text, or read elsewhere
	default:
		return s.Children(s.readElement)
	}

	return nil
}

// readNested reads content with its own lines, like a table cell, and returns them.
func (s *story) readNested(read func() error) ([]flow.Line, error) {
	// The whole state is restored afterwards, so that nothing inside a cell changes the text around it.
	outer := *s
	s.lines = nil
	s.paragraph = nil
	s.row = nil
	s.fields = nil
	s.run = runFormat{}
	s.above = paragraphFormat{}
	s.emptyAbove = 0
	err := read()
	lines := s.lines
	*s = outer
	return lines, err
}

// readContentControl reads the content of a form field.
func (s *story) readContentControl() error {
	outer := s.placeholder
	defer func() { s.placeholder = outer }()
	return s.Children(func(e zipxml.Element) error {
		if e.Name != "w:sdtPr" {
			return s.readElement(e)
		}
		return s.Children(func(e zipxml.Element) error {
			if e.Name == "w:showingPlcHdr" {
				s.placeholder = on(e)
			}
			return nil
		})
	})
}

// readTable reads a table. The colors of its style are unknown.
func (s *story) readTable() error {
	// Tables nest, and cells of the outer table follow the inner one.
	outer := s.row
	background := s.background
	defer func() { s.row, s.background = outer, background }()

	s.row = nil
	return s.Children(func(e zipxml.Element) error {
		if e.Name != "w:tblPr" {
			return s.readElement(e)
		}

		return s.Children(func(e zipxml.Element) error {
			switch e.Name {
			case "w:tblStyle":
				s.background = unknown
			case "w:shd":
				if fill := shading(e); fill != unset {
					s.background = fill
				}
			}

			return nil
		})
	})
}

func (s *story) readRow() error {
	outer := s.row
	s.row = &row{}
	err := s.Children(func(e zipxml.Element) error {
		if e.Name != "w:trPr" {
			return s.readElement(e)
		}

		return s.Children(func(e zipxml.Element) error {
			switch {
			// Both rows are left out, but only the hidden one earns a warning: a deleted row is a tracked change.
			case e.Name == "w:hidden" && on(e):
				s.row.omitted = true
				s.hidden = true
			case e.Name == "w:del":
				s.row.omitted = true
			}

			return nil
		})
	})

	lines := s.row.Lines()
	s.row = outer
	s.lines = append(s.lines, lines...)

	return err
}

func (s *story) readCell() error {
	if s.row == nil || s.row.omitted {
		return nil
	}

	var c flow.Cell
	var err error
	deleted := false
	row := s.row
	background := s.background
	c.Lines, err = s.readNested(func() error {
		return s.Children(func(e zipxml.Element) error {
			if e.Name != "w:tcPr" {
				return s.readElement(e)
			}

			return s.Children(func(e zipxml.Element) error {
				switch e.Name {
				case "w:tcW":
					c.Width = number(e.Attr("w"), twips)
				case "w:shd":
					if fill := shading(e); fill != unset {
						s.background = fill
					}

				case "w:cellDel":
					deleted = true
				}

				return nil
			})
		})
	})

	s.background = background
	if !deleted {
		row.Cells = append(row.Cells, c)
	}

	return err
}
