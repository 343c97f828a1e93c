package docx

import (
	"strings"

	"github.com/freelancer-matching/service/resume/zipxml"
)

// readAlternatives reads the first alternative that contains text, because Word writes text boxes in two ways.
func (s *story) readAlternatives() error {
	start := s.characters
	foundHidden := false
	return s.Children(func(e zipxml.Element) error {
		isAlternative := e.Name == "mc:Choice" || e.Name == "mc:Fallback"
		hasFound := s.characters > start || foundHidden
		if hasFound || !isAlternative {
			return nil
		}

		hiddenBefore := s.hidden
		s.hidden = false
		err := s.Children(s.readElement)
		foundHidden = s.hidden
		s.hidden = s.hidden || hiddenBefore
		return err
	})
}

// readDrawing reads a drawing and its position.
func (s *story) readDrawing(e zipxml.Element) error {
	concealed := s.concealed
	behind := s.behind
	defer func() { s.concealed, s.behind = concealed, behind }()

	behindText := e.Attr("behindDoc") == "1" || e.Attr("behindDoc") == "true"
	s.behind = e.Name == "wp:anchor"
	err := s.Children(func(e zipxml.Element) error {
		switch e.Name {
		case "wp:wrapSquare", "wp:wrapTight", "wp:wrapThrough", "wp:wrapTopAndBottom":
			s.behind = false // text flows around it
		case "wp:extent":
			const point, minSize = 12700, 2 * 12700 // EMU
			width := e.Attr("cx")
			height := e.Attr("cy")
			hasSize := width != "" && height != ""
			isTiny := number(width, point) <= minSize && number(height, point) <= minSize
			if hasSize && isTiny {
				s.concealed = true
			}

		case "wp:docPr":
			if hidden := e.Attr("hidden"); hidden == "1" || hidden == "true" {
				s.concealed = true
			}

		case "a:graphic":
			return s.readGraphic()
		}

		return s.readElement(e)
	})

	s.painted = s.painted || behindText && s.behind
	return err
}

// readGraphic reads the content of a drawing. A picture in a line of text separates what is around it, as icons before
// contact details do.
func (s *story) readGraphic() error {
	return s.Children(func(e zipxml.Element) error {
		return s.Children(func(e zipxml.Element) error {
			if e.Name == "pic:pic" && !s.behind {
				s.write("\t")
			}
			return s.readElement(e)
		})
	})
}

// readShape reads a shape and its content.
func (s *story) readShape() error {
	background := s.background
	fillKnown := false
	defer func() { s.background = background }()

	return s.Children(func(e zipxml.Element) error {
		switch e.Name {
		case "wps:spPr":
			return s.Children(func(e zipxml.Element) (err error) {
				fill := unknown
				switch e.Name {
				case "a:noFill":
					fillKnown = true
					return nil
				case "a:solidFill":
					fill, err = s.readSolidFill()
				// These fills have no single color, so the fill stays unknown.
				case "a:gradFill", "a:blipFill", "a:pattFill", "a:grpFill":
				default:
					return nil
				}

				fillKnown = true
				s.fillShape(fill)
				return err
			})

		case "wps:style":
			return s.Children(func(e zipxml.Element) error {
				// The theme's fill counts only if the shape has none of its own, which comes first. Index 0 is no fill.
				isFill := e.Name == "a:fillRef" && e.Attr("idx") != "0"
				if isFill && !fillKnown {
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
	err := s.Children(func(e zipxml.Element) error {
		switch val := e.Attr("val"); {
		case e.Name == "a:srgbClr":
			fill = paintOf(val)
		case e.Name == "a:schemeClr" && (val == "bg1" || val == "lt1"):
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
func (s *story) readVML(e zipxml.Element) error {
	background := s.background
	concealed := s.concealed
	behind := s.behind
	defer func() { s.background, s.concealed, s.behind = background, concealed, behind }()
	style := strings.ReplaceAll(e.Attr("style"), " ", "")
	s.behind = strings.Contains(style, "position:absolute")
	if strings.Contains(style, "visibility:hidden") {
		s.concealed = true
	}
	if fill, _, _ := strings.Cut(e.Attr("fillcolor"), " "); fill != "" && e.Attr("filled") != "f" {
		s.fillShape(paintOf(fill))
	}
	return s.Children(s.readElement)
}

// readTextBox reads the text of a shape. A box of one or two lines is a banner, which comes before its paragraph. A
// longer box is beside the paragraph and comes after it.
func (s *story) readTextBox() error {
	lines, err := s.readNested(func() error { return s.Children(s.readElement) })
	const bannerLines = 2
	if s.paragraph == nil || len(lines) <= bannerLines {
		s.lines = append(s.lines, lines...)
	} else {
		s.paragraph.boxes = append(s.paragraph.boxes, lines...)
	}
	return err
}
