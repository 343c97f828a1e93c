package docx

import (
	"math"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/resume/zipxml"
)

// A toggle is a property that is set, cleared or inherited.
type toggle int8

const (
	inherit toggle = iota
	yes
	no
)

func toggleOf(e zipxml.Element) toggle {
	if on(e) {
		return yes
	}
	return no
}

// A paint is a color of text or of its background.
type paint int32

// Paints other than RGB colors. An RGB color has the bit opaque set.
const (
	unset   paint = 0
	auto    paint = -1 // chosen by Word to be legible
	unknown paint = -2 // from a theme, a pattern or a picture
	opaque  paint = 1 << 24
	white         = opaque | 0xFFFFFF
)

// paintOf parses a color of an attribute: RRGGBB, auto or a name.
func paintOf(value string) paint {
	value = strings.TrimPrefix(value, "#")
	if rgb, err := strconv.ParseUint(value, 16, 24); err == nil && len(value) == 6 {
		return opaque | paint(rgb)
	}
	switch value {
	case "white":
		return white
	case "", "auto", "none":
		return auto
	default:
		return unknown
	}
}

// similar reports whether two colors are hard to distinguish.
func similar(a, b paint) bool {
	const maxDifference = 16 // of 255, in each channel
	for shift := 0; shift < 24; shift += 8 {
		if math.Abs(float64(a>>shift&0xFF)-float64(b>>shift&0xFF)) > maxDifference {
			return false
		}
	}
	return true
}

// shading returns the background color of a w:shd element, or unset if it has none.
func shading(e zipxml.Element) paint {
	switch pattern := e.Attr("val"); pattern {
	case "clear", "nil", "":
		if fill := paintOf(e.Attr("fill")); fill != auto {
			return fill
		}
		return unset
	case "solid":
		if color := paintOf(e.Attr("color")); color != auto {
			return color
		}
		return unknown
	default:
		return unknown
	}
}

// A runFormat decides how characters look.
type runFormat struct {
	style      string
	halfPoints int // size of the font; 0 if inherited
	bold       toggle
	vanish     toggle // hidden text
	color      paint
	fill       paint // background
}

// over returns base with the properties that f sets.
func (f runFormat) over(base runFormat) runFormat {
	if f.halfPoints != 0 {
		base.halfPoints = f.halfPoints
	}
	if f.bold != inherit {
		base.bold = f.bold
	}
	if f.vanish != inherit {
		base.vanish = f.vanish
	}
	if f.color != unset {
		base.color = f.color
	}
	if f.fill != unset {
		base.fill = f.fill
	}
	return base
}

// on returns the value of an on/off element. Without a value, it is on.
func on(e zipxml.Element) bool {
	switch e.Attr("val") {
	case "0", "false", "off", "none":
		return false
	}
	return true
}

// parseRun reads a w:rPr element.
func parseRun(s *zipxml.Scanner) (runFormat, error) {
	var f runFormat
	err := s.Children(func(e zipxml.Element) error {
		switch e.Name {
		case "w:rStyle":
			f.style = e.Attr("val")
		case "w:sz":
			f.halfPoints = number(e.Attr("val"), 2)
		case "w:b":
			f.bold = toggleOf(e)
		case "w:vanish":
			f.vanish = toggleOf(e)
		case "w:color":
			f.color = paintOf(e.Attr("val"))
		case "w:shd":
			f.fill = shading(e)
		case "w:highlight":
			// "none" must not hide a shading that was read before.
			if name := e.Attr("val"); name != "none" {
				f.fill = paintOf(name)
			}
		}

		return nil
	})

	return f, err
}

// A paragraphFormat decides how a paragraph looks.
type paragraphFormat struct {
	style         string
	outline       int // level of a heading from 1; 10 if none, 0 if inherited
	list          string
	level         string
	before, after int    // space in twips, plus one; 0 if inherited
	contextual    toggle // no space between paragraphs of the same style
	fill          paint  // background
}

// over returns base with the properties that f sets, and with the style of f.
func (f paragraphFormat) over(base paragraphFormat) paragraphFormat {
	if f.outline != 0 {
		base.outline = f.outline
	}

	if f.list != "" {
		base.list = f.list
	}

	if f.level != "" {
		base.level = f.level
	}

	if f.before != 0 {
		base.before = f.before
	}

	if f.after != 0 {
		base.after = f.after
	}

	if f.contextual != inherit {
		base.contextual = f.contextual
	}

	if f.fill != unset {
		base.fill = f.fill
	}

	// The name of the style isn't inherited: contextual spacing compares the paragraphs' own styles.
	base.style = f.style

	return base
}

const twips = 20 // in a point

// parseParagraph reads a w:pPr element. It ignores the previous format that a tracked change records.
func parseParagraph(s *zipxml.Scanner) (paragraphFormat, error) {
	var f paragraphFormat
	err := s.Children(func(e zipxml.Element) error {
		switch e.Name {
		case "w:pStyle":
			f.style = e.Attr("val")
		case "w:outlineLvl":
			// The file counts levels from 0, and 9 is body text. Here, 0 is unset, so every level is one higher.
			f.outline = min(max(number(e.Attr("val"), 1), 0), 9) + 1
		case "w:numPr":
			return s.Children(func(e zipxml.Element) error {
				switch e.Name {
				case "w:numId":
					f.list = e.Attr("val")
				case "w:ilvl":
					f.level = e.Attr("val")
				}

				return nil
			})

		case "w:spacing":
			// Distances are one higher as well, so that an explicit zero overrides that of the style.
			if before := e.Attr("before"); before != "" {
				f.before = max(number(before, twips), 0) + 1
			}
			if after := e.Attr("after"); after != "" {
				f.after = max(number(after, twips), 0) + 1
			}

		case "w:contextualSpacing":
			f.contextual = toggleOf(e)
		case "w:shd":
			f.fill = shading(e)
		}

		return nil
	})

	return f, err
}

// number parses a measure of an attribute. Strict documents may use points instead; perPoint converts them.
func number(text string, perPoint float64) int {
	scale := 1.0
	if points, ok := strings.CutSuffix(text, "pt"); ok {
		text = points
		scale = perPoint
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(math.Abs(n) < 1e9) {
		return 0
	}
	return int(n * scale)
}

// symbol returns the text for a w:sym element, which selects a glyph of a symbol font by its code.
func symbol(font string, code rune) string {
	if code < 0xE000 || code > 0xF8FF {
		return string(code)
	}
	const wingdingsBullets = "\u006C\u006E\u0071\u0075\u0076\u0077\u009F\u00A7\u00A8\u00D8\u00FC\u00FE"
	switch low := code & 0xFF; {
	case low == 0xB7, strings.HasPrefix(font, "Wingdings") && strings.ContainsRune(wingdingsBullets, low):
		return "•"
	case font == "Symbol" && low == 0x2D:
		return "–"
	}
	return " "
}
