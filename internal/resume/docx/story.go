package docx

import (
	"strconv"
	"strings"

	"freelancer-matching/internal/resume"
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
	case "wp:anchor", "wp:inline", "wps:wsp":
		return s.shape(e)
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

// textBox reads the text of a shape. A box of one or two lines is a banner, and stands above the paragraph that holds it; a
// longer one stands beside, and follows it.
func (s *story) textBox() error {
	lines, err := s.nested(func() error { return s.children(s.node) })
	const banner = 2
	switch {
	case s.paragraph == nil || len(lines) <= banner:
		s.lines = append(s.lines, lines...)
	default:
		s.paragraph.boxes = append(s.paragraph.boxes, lines...)
	}
	return err
}

// alternatives reads the first choice that holds text, else the fallback: Word writes text boxes twice.
func (s *story) alternatives() error {
	begin := s.characters
	hidden := false
	return s.children(func(e element) error {
		if e.name != "mc:Choice" && e.name != "mc:Fallback" || s.characters > begin || hidden {
			return nil
		}
		before := s.hidden
		s.hidden = false
		err := s.children(s.node)
		hidden = s.hidden
		s.hidden = s.hidden || before
		return err
	})
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

// shape reads a drawing of today. What is drawn may be what white text stands on.
func (s *story) shape(e element) error {
	ground, concealed := s.ground, s.concealed
	defer func() { s.ground, s.concealed = ground, concealed }()
	if e.attr("behindDoc") == "1" || e.attr("behindDoc") == "true" {
		s.painted = true
	}
	return s.children(func(e element) error {
		switch e.name {
		case "wp:extent":
			const point = 12700 // EMU
			width, height := e.attr("cx"), e.attr("cy")
			if width != "" && height != "" && number(width, point) <= 2*point && number(height, point) <= 2*point {
				s.concealed = true
			}
		case "wp:docPr":
			if hidden := e.attr("hidden"); hidden == "1" || hidden == "true" {
				s.concealed = true
			}
		case "wps:spPr":
			return s.children(func(e element) error {
				switch e.name {
				case "a:noFill":
					s.ground = ground
				case "a:solidFill", "a:gradFill", "a:blipFill", "a:pattFill", "a:grpFill":
					s.ground, s.painted = unknown, true
				}
				return nil
			})
		case "wps:style":
			return s.children(func(e element) error {
				if e.name == "a:fillRef" && e.attr("idx") != "0" {
					s.ground, s.painted = unknown, true
				}
				return nil
			})
		}
		return s.node(e)
	})
}

// oldShape reads a drawing in the language of Word 97 to 2007.
func (s *story) oldShape(e element) error {
	ground, concealed := s.ground, s.concealed
	defer func() { s.ground, s.concealed = ground, concealed }()
	style := strings.ReplaceAll(e.attr("style"), " ", "")
	if strings.Contains(style, "visibility:hidden") {
		s.concealed = true
	}
	if fill := e.attr("fillcolor"); fill != "" && paintOf(strings.Fields(fill + " ")[0]) != white || strings.Contains(style, "z-index:-") {
		s.ground, s.painted = unknown, true
	}
	return s.children(s.node)
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
