package docx

import (
	"strconv"

	"freelancer-matching/resume"
)

// tiny is the largest size, in half-points, that nobody can read.
const tiny = 4

// story is one part with paragraphs while it is read: the body, a header, the notes.
type story struct {
	*document
	*scanner
	rels relationships
	part resume.Part

	lines       []line // of the cell, the text box or the part that is being read
	paragraph   *paragraph
	run         runFormat // direct
	row         *row      // nil outside of tables
	fields      []*field
	ground      paint           // behind text, by tables and shapes
	behind      bool            // inside a drawing that may lie behind text
	concealed   bool            // inside a shape that is not shown
	placeholder bool            // inside a form field that nobody filled in
	empty       int             // paragraphs since the last line
	above       paragraphFormat // of the last paragraph with a line
}

// story reads a part with paragraphs, as far as it goes.
func (d *document) story(part string, rels relationships, where resume.Part) error {
	scan, err := d.archive.open(part)
	if err != nil {
		return d.tolerate(err)
	}
	defer scan.close()
	s := &story{document: d, scanner: scan, rels: rels, part: where}
	err = s.children(s.node)
	d.lines = append(d.lines, s.lines...)
	return d.tolerate(err)
}

// node reads one element, wherever it stands. Elements that only group others are looked into.
func (s *story) node(e element) error {
	switch e.name {
	case "w:p":
		return s.readParagraph()
	case "w:r":
		return s.readRun()
	case "w:t", "m:t":
		return s.readText(e)
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
		return s.linked(s.rels.address(e.attr("id")), func() error { return s.children(s.node) })
	case "w:fldSimple":
		return s.linked(target(e.attr("instr")), func() error { return s.children(s.node) })
	case "w:fldChar":
		s.fieldChar(e.attr("fldCharType"))
	case "w:instrText":
		return s.instruction()
	case "a:hlinkClick":
		return s.linked(s.rels.address(e.attr("id")), func() error { return nil })
	case "w:sdt":
		return s.contentControl()
	case "w:footnote", "w:endnote":
		if e.attr("type") != "" && e.attr("type") != "normal" { // the lines above notes
			return nil
		}
		return s.children(s.node)
	case "w:background":
		if color := paintOf(e.attr("color")); color > 0 {
			s.ground = color
		}
		return s.children(s.node)
	case "mc:AlternateContent":
		return s.alternatives()
	case "wp:anchor", "wp:inline":
		return s.frame(e)
	case "wps:wsp":
		return s.shape()
	case "v:shape", "v:rect", "v:roundrect", "v:oval", "v:group":
		return s.oldShape(e)
	case "v:textpath":
		if s.part == resume.Body { // elsewhere it is a watermark
			s.breakLine()
			s.write(e.attr("string"))
			s.breakLine()
		}
	case "w:txbxContent":
		return s.textBox()
	case "w:del", "w:moveFrom", "w:delText", "w:delInstrText", // tracked changes: what is gone
		"w:rPr", "w:pPr", "w:sectPr", "w:tblGrid", "w:rt", "w:ffData", "mc:Fallback": // looked at elsewhere, or never
	default:
		return s.children(s.node)
	}
	return nil
}

// nested reads content with lines of its own, and returns them.
func (s *story) nested(read func() error) ([]line, error) {
	outer := *s
	s.lines, s.paragraph, s.row, s.fields, s.empty, s.above = nil, nil, nil, nil, 0, paragraphFormat{}
	s.run = runFormat{}
	err := read()
	lines := s.lines
	*s = outer
	return lines, err
}

// contentControl reads what somebody filled into a field of a form.
func (s *story) contentControl() error {
	outer := s.placeholder
	defer func() { s.placeholder = outer }()
	return s.children(func(e element) error {
		if e.name != "w:sdtPr" {
			return s.node(e)
		}
		return s.children(func(e element) error {
			if e.name == "w:showingPlcHdr" {
				s.placeholder = e.on()
			}
			return nil
		})
	})
}

// readTable reads a table. Its style may paint rows in colours that are not looked up.
func (s *story) readTable() error {
	outer, ground := s.row, s.ground
	defer func() { s.row, s.ground = outer, ground }()
	s.row = nil
	return s.children(func(e element) error {
		if e.name != "w:tblPr" {
			return s.node(e)
		}
		return s.children(func(e element) error {
			switch e.name {
			case "w:tblStyle":
				s.ground = unknown
			case "w:shd":
				if fill := shading(e); fill != unset {
					s.ground = fill
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
			return s.node(e)
		}
		return s.children(func(e element) error {
			switch {
			case e.name == "w:hidden" && e.on():
				s.row.skipped, s.hidden = true, true
			case e.name == "w:del":
				s.row.skipped = true
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
	if s.row == nil || s.row.skipped {
		return nil
	}
	var c cell
	var err error
	deleted, holder, ground := false, s.row, s.ground
	c.lines, err = s.nested(func() error {
		return s.children(func(e element) error {
			if e.name != "w:tcPr" {
				return s.node(e)
			}
			return s.children(func(e element) error {
				switch e.name {
				case "w:tcW":
					c.width = number(e.attr("w"), twips)
				case "w:shd":
					if fill := shading(e); fill != unset {
						s.ground = fill
					}
				case "w:cellDel":
					deleted = true
				}
				return nil
			})
		})
	})
	s.ground = ground
	if !deleted {
		holder.cells = append(holder.cells, c)
	}
	return err
}
