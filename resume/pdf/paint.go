package pdf

import "math"

// color is red, green and blue from 0 to 1.
type color [3]float64

// luminance is how bright it is, from 0 to 1 (ITU-R BT.709).
func (c color) luminance() float64 { return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] }

// like tells whether nobody sees c on d.
func (c color) like(d color) bool {
	const hue, light = 0.15, 0.06
	distance := math.Abs(c[0]-d[0]) + math.Abs(c[1]-d[1]) + math.Abs(c[2]-d[2])
	return distance < hue && math.Abs(c.luminance()-d.luminance()) < light
}

// paint is an area that something painted before the text may stand under.
type paint struct {
	box
	order int   // of painting
	color color // not known of pictures and gradients
	known bool
	solid bool // a rectangle: its color is all over the box
}

// paints are the painted areas of a page in the order of painting.
type paints []paint

// conceal tells whether text of a color, painted at a point after order paintings, cannot be told from what is under it.
// Where what is under it is not known for sure, it is taken to be seen: to lose text is worse than to keep it.
func (p paints) conceal(text color, x, y float64, order int) bool {
	alike := text.like(color{1, 1, 1})
	for _, under := range p {
		if under.order >= order {
			break
		}
		if !under.contains(x, y) {
			continue
		}
		same := under.known && text.like(under.color)
		if under.solid {
			alike = same
		} else {
			alike = alike && same
		}
	}
	return alike
}

// outline tells whether something that is no rectangle, and about as high as text of a size, is painted at a point:
// letters drawn as shapes, over which some programs lay their text without color.
func (p paints) outline(x, y, size float64) bool {
	const low, high = 0.3, 1.7
	for _, shape := range p {
		if shape.known && !shape.solid && shape.contains(x, y) &&
			shape.height() > low*size && shape.height() < high*size {
			return true
		}
	}
	return false
}
