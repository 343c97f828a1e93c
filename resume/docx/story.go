package docx

import (
	"strconv"

	"freelancer-matching/resume"
)

// maxTinySize is the largest illegible size, in half-points.
const maxTinySize = 4

// A story reads one part with paragraphs: the body, a header, the notes.
type story struct {
	*document
	*scanner
	rels relationships
	part resume.Part

	lines       []line // of the current cell, text box or part
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
	scan, err := d.archive.open(part)
	if err != nil {
		return d.tolerate(err)
	}
	defer scan.close()
	s := &story{document: d, scanner: scan, rels: rels, part: where}
	err = s.children(s.readElement)
	d.lines = append(d.lines, s.lines...)
	return d.tolerate(err)
}

// readElement reads an element anywhere in the part. It reads the children of elements that only group others.
func (s *story) readElement(e element) error {
	switch e.name {
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
		code, err := strconv.ParseUint(e.attr("char"), 16, 16)
		if err == nil {
			s.write(symbol(e.attr("font"), rune(code)))
		}
	case "w:hyperlink":
		return s.readLink(s.rels.address(e.attr("id")))
	case "w:fldSimple":
		return s.readLink(linkTarget(e.attr("instr")))
	case "w:fldChar":
		s.readFieldChar(e.attr("fldCharType"))
	case "w:instrText":
		return s.readInstruction()
	case "a:hlinkClick":
		if s.paragraph != nil {
			s.addLink(s.rels.address(e.attr("id")), s.paragraph.text.position())
		}
	case "w:sdt":
		return s.readContentControl()
	case "w:footnote", "w:endnote":
		if e.attr("type") != "" && e.attr("type") != "normal" { // a separator line
			return nil
		}
		return s.children(s.readElement)
	case "w:background":
		if color := paintOf(e.attr("color")); color > 0 {
			s.background = color
		}
		return s.children(s.readElement)
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
			s.write(e.attr("string"))
			s.breakLine()
		}
	case "w:txbxContent":
		return s.readTextBox()
	case "w:del", "w:moveFrom", "w:delText", "w:delInstrText", // deleted text of tracked changes
		"w:rPr", "w:pPr", "w:sectPr", "w:tblGrid", "w:rt", "w:ffData", "mc:Fallback": // no text, or read elsewhere
	default:
		return s.children(s.readElement)
	}
	return nil
}

// readNested reads content with its own lines, like a table cell, and returns them.
func (s *story) readNested(read func() error) ([]line, error) {
	outer := *s
	s.lines, s.paragraph, s.row, s.fields = nil, nil, nil, nil
	s.run, s.above, s.emptyAbove = runFormat{}, paragraphFormat{}, 0
	err := read()
	lines := s.lines
	*s = outer
	return lines, err
}

// readContentControl reads the content of a form field.
func (s *story) readContentControl() error {
	outer := s.placeholder
	defer func() { s.placeholder = outer }()
	return s.children(func(e element) error {
		if e.name != "w:sdtPr" {
			return s.readElement(e)
		}
		return s.children(func(e element) error {
			if e.name == "w:showingPlcHdr" {
				s.placeholder = e.on()
			}
			return nil
		})
	})
}

// readTable reads a table. The colors of its style are unknown.
func (s *story) readTable() error {
	outer, background := s.row, s.background
	defer func() { s.row, s.background = outer, background }()
	s.row = nil
	return s.children(func(e element) error {
		if e.name != "w:tblPr" {
			return s.readElement(e)
		}
		return s.children(func(e element) error {
			switch e.name {
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
	err := s.children(func(e element) error {
		if e.name != "w:trPr" {
			return s.readElement(e)
		}
		return s.children(func(e element) error {
			switch {
			case e.name == "w:hidden" && e.on():
				s.row.omitted, s.hidden = true, true
			case e.name == "w:del":
				s.row.omitted = true
			}
			return nil
		})
	})
	lines := s.row.lines()
	s.row = outer
	s.lines = append(s.lines, lines...)
	return err
}

func (s *story) readCell() error {
	if s.row == nil || s.row.omitted {
		return nil
	}
	var c cell
	var err error
	deleted, row, background := false, s.row, s.background
	c.lines, err = s.readNested(func() error {
		return s.children(func(e element) error {
			if e.name != "w:tcPr" {
				return s.readElement(e)
			}
			return s.children(func(e element) error {
				switch e.name {
				case "w:tcW":
					c.width = number(e.attr("w"), twips)
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
		row.cells = append(row.cells, c)
	}
	return err
}
