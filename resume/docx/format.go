package docx

import (
	"math"
	"strconv"
	"strings"
)

// toggle is a property that may be set, cleared, or left to what is beneath.
type toggle int8

const (
	inherit toggle = iota
	yes
	no
)

func toggleOf(e element) toggle {
	if e.on() {
		return yes
	}
	return no
}

// paint is a colour: of text, or of what lies behind it.
type paint int32

// The paints that are no colour. An RGB value is stored with the bit opaque.
const (
	unset   paint = 0
	auto    paint = -1 // chosen by Word so that it can be read
	unknown paint = -2 // by a theme, a pattern or a picture
	opaque  paint = 1 << 24
	white         = opaque | 0xFFFFFF
)

// paintOf is a colour as attributes give it: RRGGBB, auto, or a name.
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

// near tells whether two colours can hardly be told apart.
func near(a, b paint) bool {
	const most = 16 // of 255, in every channel
	for shift := 0; shift < 24; shift += 8 {
		if math.Abs(float64(a>>shift&0xFF)-float64(b>>shift&0xFF)) > most {
			return false
		}
	}
	return true
}

// shading is the paint behind text that a w:shd element gives; unset: none.
func shading(e element) paint {
	switch pattern := e.attr("val"); pattern {
	case "clear", "nil", "":
		if fill := paintOf(e.attr("fill")); fill != auto {
			return fill
		}
		return unset
	case "solid":
		if color := paintOf(e.attr("color")); color != auto {
			return color
		}
		return unknown
	default:
		return unknown
	}
}

// runFormat is what decides how characters look.
type runFormat struct {
	style      string
	halfPoints int // 0: inherited
	bold       toggle
	vanish     toggle
	color      paint
	fill       paint
}

// over is f where it says something, else base.
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

// parseRun reads a w:rPr.
func parseRun(s *scanner) (runFormat, error) {
	var f runFormat
	err := s.children(func(e element) error {
		switch e.name {
		case "w:rStyle":
			f.style = e.attr("val")
		case "w:sz":
			f.halfPoints = number(e.attr("val"), 2)
		case "w:b":
			f.bold = toggleOf(e)
		case "w:vanish":
			f.vanish = toggleOf(e)
		case "w:color":
			f.color = paintOf(e.attr("val"))
		case "w:shd":
			f.fill = shading(e)
		case "w:highlight":
			if name := e.attr("val"); name != "none" {
				f.fill = paintOf(name)
			}
		}
		return nil
	})
	return f, err
}

// paragraphFormat is what decides how a paragraph looks.
type paragraphFormat struct {
	style         string
	outline       int // level of a heading from 1, 10: none; 0: inherited
	list          string
	level         string
	before, after int    // twips, plus one; 0: inherited
	contextual    toggle // no space to a neighbour of the same style
	fill          paint
}

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
	base.style = f.style
	return base
}

const twips = 20 // in a point

// parseParagraph reads a w:pPr. What a tracked change says of the paragraph before it is left out.
func parseParagraph(s *scanner) (paragraphFormat, error) {
	var f paragraphFormat
	err := s.children(func(e element) error {
		switch e.name {
		case "w:pStyle":
			f.style = e.attr("val")
		case "w:outlineLvl":
			f.outline = min(max(number(e.attr("val"), 1), 0), 9) + 1
		case "w:numPr":
			return s.children(func(e element) error {
				switch e.name {
				case "w:numId":
					f.list = e.attr("val")
				case "w:ilvl":
					f.level = e.attr("val")
				}
				return nil
			})
		case "w:spacing":
			if before := e.attr("before"); before != "" {
				f.before = max(number(before, twips), 0) + 1
			}
			if after := e.attr("after"); after != "" {
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

// number is a measure as attributes give it. Strict documents may write points instead, of which one has so many.
func number(text string, perPoint float64) int {
	scale := 1.0
	if points, ok := strings.CutSuffix(text, "pt"); ok {
		text, scale = points, perPoint
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(math.Abs(n) < 1e9) {
		return 0
	}
	return int(n * scale)
}
