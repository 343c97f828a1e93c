package pdf

import (
	"math"
	"slices"

	"github.com/freelancer-matching/service/resume/pdf/layout"
)

// A color has red, green and blue from 0 to 1.
type color [3]float64

// luminance returns the brightness from 0 to 1 (ITU-R BT.709).
func (c color) luminance() float64 { return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] }

// like reports whether text of color c is invisible on color d.
func (c color) like(d color) bool {
	const maxDistance, maxContrast = 0.15, 0.06
	distance := math.Abs(c[0]-d[0]) + math.Abs(c[1]-d[1]) + math.Abs(c[2]-d[2])
	return distance < maxDistance && math.Abs(c.luminance()-d.luminance()) < maxContrast
}

// A paint is a painted area of a page.
type paint struct {
	layout.Box
	order int // of painting
	color color
	known bool // the color; it is unknown for pictures and gradients
	solid bool // a rectangle, whose color fills the box
}

// paints are the painted areas of a page in the order of painting.
type paints []paint

// conceal reports whether text of a color at a point is invisible on the areas painted before it. If their color is
// uncertain, the text counts as visible, because losing text is worse than keeping it.
func (p paints) conceal(text color, x, y float64, order int) bool {
	concealed := text.like(color{1, 1, 1})
	for _, under := range p {
		if under.order >= order {
			break
		}
		if !under.Contains(x, y) {
			continue
		}
		same := under.known && text.like(under.color)
		concealed = same && (concealed || under.solid)
	}
	return concealed
}

// outline reports whether a shape about as high as text of a size, other than a rectangle, is painted at a point. Some
// programs draw letters as shapes and put invisible text over them.
func (p paints) outline(x, y, size float64) bool {
	const minHeight, maxHeight = 0.3, 1.7
	return slices.ContainsFunc(p, func(shape paint) bool {
		return shape.known && !shape.solid && shape.Contains(x, y) &&
			shape.Height() > minHeight*size && shape.Height() < maxHeight*size
	})
}
