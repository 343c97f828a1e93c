package docx

import "strings"

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

// frame reads a drawing with its place on the page.
func (s *story) frame(e element) error {
	concealed, behind := s.concealed, s.behind
	defer func() { s.concealed, s.behind = concealed, behind }()
	under := e.attr("behindDoc") == "1" || e.attr("behindDoc") == "true"
	s.behind = e.name == "wp:anchor"
	err := s.children(func(e element) error {
		switch e.name {
		case "wp:wrapSquare", "wp:wrapTight", "wp:wrapThrough", "wp:wrapTopAndBottom":
			s.behind = false // text flows around it
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
		}
		return s.node(e)
	})
	s.painted = s.painted || under && s.behind
	return err
}

// shape reads a shape with what is in it.
func (s *story) shape() error {
	ground, filled := s.ground, false
	defer func() { s.ground = ground }()
	return s.children(func(e element) error {
		switch e.name {
		case "wps:spPr":
			return s.children(func(e element) (err error) {
				fill := unknown
				switch e.name {
				case "a:noFill":
					filled = true // by the decision that it is not
					return nil
				case "a:solidFill":
					fill, err = s.solidFill()
				case "a:gradFill", "a:blipFill", "a:pattFill", "a:grpFill":
				default:
					return nil
				}
				filled = true
				s.paint(fill)
				return err
			})
		case "wps:style":
			return s.children(func(e element) error {
				if e.name == "a:fillRef" && e.attr("idx") != "0" && !filled {
					s.paint(unknown)
				}
				return nil
			})
		}
		return s.node(e)
	})
}

// solidFill is the paint that a:solidFill gives.
func (s *story) solidFill() (paint, error) {
	fill := unknown
	err := s.children(func(e element) error {
		switch val := e.attr("val"); {
		case e.name == "a:srgbClr":
			fill = paintOf(val)
		case e.name == "a:schemeClr" && (val == "bg1" || val == "lt1"):
			fill = white
		}
		return nil
	})
	return fill, err
}

// paint fills the shape that is being read. White paint hides white text as a page does.
func (s *story) paint(fill paint) {
	s.ground = fill
	s.painted = s.painted || s.behind && (fill < 0 || !near(fill, white))
}

// oldShape reads a drawing in the language of Word 97 to 2007.
func (s *story) oldShape(e element) error {
	ground, concealed, behind := s.ground, s.concealed, s.behind
	defer func() { s.ground, s.concealed, s.behind = ground, concealed, behind }()
	style := strings.ReplaceAll(e.attr("style"), " ", "")
	s.behind = strings.Contains(style, "position:absolute")
	if strings.Contains(style, "visibility:hidden") {
		s.concealed = true
	}
	if fill, _, _ := strings.Cut(e.attr("fillcolor"), " "); fill != "" && e.attr("filled") != "f" {
		s.paint(paintOf(fill))
	}
	return s.children(s.node)
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
