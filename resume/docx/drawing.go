package docx

import "strings"

// readAlternatives reads the first alternative that contains text, because Word writes text boxes in two ways.
func (s *story) readAlternatives() error {
	start := s.characters
	foundHidden := false
	return s.children(func(e element) error {
		if e.name != "mc:Choice" && e.name != "mc:Fallback" || s.characters > start || foundHidden {
			return nil
		}
		hiddenBefore := s.hidden
		s.hidden = false
		err := s.children(s.readElement)
		foundHidden = s.hidden
		s.hidden = s.hidden || hiddenBefore
		return err
	})
}

// readDrawing reads a drawing and its position.
func (s *story) readDrawing(e element) error {
	concealed, behind := s.concealed, s.behind
	defer func() { s.concealed, s.behind = concealed, behind }()
	behindText := e.attr("behindDoc") == "1" || e.attr("behindDoc") == "true"
	s.behind = e.name == "wp:anchor"
	err := s.children(func(e element) error {
		switch e.name {
		case "wp:wrapSquare", "wp:wrapTight", "wp:wrapThrough", "wp:wrapTopAndBottom":
			s.behind = false // text flows around it
		case "wp:extent":
			const point, minSize = 12700, 2 * 12700 // EMU
			width, height := e.attr("cx"), e.attr("cy")
			if width != "" && height != "" && number(width, point) <= minSize && number(height, point) <= minSize {
				s.concealed = true
			}
		case "wp:docPr":
			if hidden := e.attr("hidden"); hidden == "1" || hidden == "true" {
				s.concealed = true
			}
		}
		return s.readElement(e)
	})
	s.painted = s.painted || behindText && s.behind
	return err
}

// readShape reads a shape and its content.
func (s *story) readShape() error {
	background, fillKnown := s.background, false
	defer func() { s.background = background }()
	return s.children(func(e element) error {
		switch e.name {
		case "wps:spPr":
			return s.children(func(e element) (err error) {
				fill := unknown
				switch e.name {
				case "a:noFill":
					fillKnown = true
					return nil
				case "a:solidFill":
					fill, err = s.readSolidFill()
				case "a:gradFill", "a:blipFill", "a:pattFill", "a:grpFill":
				default:
					return nil
				}
				fillKnown = true
				s.fillShape(fill)
				return err
			})
		case "wps:style":
			return s.children(func(e element) error {
				if e.name == "a:fillRef" && e.attr("idx") != "0" && !fillKnown {
					s.fillShape(unknown)
				}
				return nil
			})
		}
		return s.readElement(e)
	})
}

// readSolidFill reads the color of an a:solidFill element.
func (s *story) readSolidFill() (paint, error) {
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

// fillShape sets the fill of the current shape. A white shape conceals white text like the page does, so it doesn't
// count as painted.
func (s *story) fillShape(fill paint) {
	s.background = fill
	s.painted = s.painted || s.behind && (fill < 0 || !similar(fill, white))
}

// readVML reads a shape in VML, which Word 97 to 2007 use.
func (s *story) readVML(e element) error {
	background, concealed, behind := s.background, s.concealed, s.behind
	defer func() { s.background, s.concealed, s.behind = background, concealed, behind }()
	style := strings.ReplaceAll(e.attr("style"), " ", "")
	s.behind = strings.Contains(style, "position:absolute")
	if strings.Contains(style, "visibility:hidden") {
		s.concealed = true
	}
	if fill, _, _ := strings.Cut(e.attr("fillcolor"), " "); fill != "" && e.attr("filled") != "f" {
		s.fillShape(paintOf(fill))
	}
	return s.children(s.readElement)
}

// readTextBox reads the text of a shape. A box of one or two lines is a banner, which comes before its paragraph. A
// longer box is beside the paragraph and comes after it.
func (s *story) readTextBox() error {
	lines, err := s.readNested(func() error { return s.children(s.readElement) })
	const bannerLines = 2
	if s.paragraph == nil || len(lines) <= bannerLines {
		s.lines = append(s.lines, lines...)
	} else {
		s.paragraph.boxes = append(s.paragraph.boxes, lines...)
	}
	return err
}
