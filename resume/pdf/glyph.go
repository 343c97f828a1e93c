package pdf

import "math"

// box is a rectangle on a page, in points. y grows upwards.
type box struct{ left, bottom, right, top float64 }

func (b box) width() float64  { return b.right - b.left }
func (b box) height() float64 { return b.top - b.bottom }
func (b box) area() float64   { return max(b.width(), 0) * max(b.height(), 0) }

func (b box) contains(x, y float64) bool {
	return b.left <= x && x <= b.right && b.bottom <= y && y <= b.top
}

func (b box) center() (x, y float64) { return (b.left + b.right) / 2, (b.bottom + b.top) / 2 }

func (b box) union(c box) box {
	return box{min(b.left, c.left), min(b.bottom, c.bottom), max(b.right, c.right), max(b.top, c.top)}
}

// furthest is how far from the origin of a page anything may be, in points. Files may say any number, or none.
const furthest = 1e5

// sane tells whether the sides are numbers in the order and the range of pages.
func (b box) sane() bool {
	return b.left >= -furthest && b.bottom >= -furthest && b.right <= furthest && b.top <= furthest &&
		b.left <= b.right && b.bottom <= b.top
}

// turned is the box that encloses b after its page is turned clockwise.
func (b box) turned(degrees int) box {
	if degrees == 0 {
		return b
	}
	x1, y1 := turn(b.left, b.bottom, degrees)
	x2, y2 := turn(b.right, b.bottom, degrees)
	x3, y3 := turn(b.left, b.top, degrees)
	x4, y4 := turn(b.right, b.top, degrees)
	return box{min(x1, x2, x3, x4), min(y1, y2, y3, y4), max(x1, x2, x3, x4), max(y1, y2, y3, y4)}
}

// turn is where a point comes to lie when the page is turned clockwise around its origin.
func turn(x, y float64, degrees int) (turnedX, turnedY float64) {
	sin, cos := math.Sincos(float64(degrees) * math.Pi / 180)
	return x*cos + y*sin, y*cos - x*sin
}

// glyph is what one character code of a page shows: usually one character, more for a ligature.
type glyph struct {
	text string
	box
	baseline float64
	size     float64 // of the font as it is shown, in points
	angle    int     // of the writing, counter-clockwise in degrees from 0 to 359
	bold     bool
	symbol   bool  // of a font of pictures, whose letters mean nothing
	space    bool  // the file has a space before it
	guess    bool  // pdfium thinks so, which knows the widths of the font better and the layout worse
	unmapped bool  // the file does not say which character it is
	at       int   // place in the order of the file
	link     int   // index into the links of its page, -1: none
	hide     cause // why nobody sees it
}

// cause is why text is not seen.
type cause uint8

const (
	visible   cause = iota
	invisible       // by its render mode, as the text that character recognition lays over a scan
	hidden          // by its size, place or colour
)

// page is what was read of one page.
type page struct {
	box
	glyphs []glyph
	images []box
	links  []hyperlink
}

// hyperlink is an area that leads to an address.
type hyperlink struct {
	box
	url string
}

// minimumSize is the size up to which text cannot be read, in points.
const minimumSize = 2

// recognised is the share of a page that its pictures cover, from which invisible text is what was recognised in a scan.
const recognised = 0.5

// reveal drops the glyphs that nobody sees, and tells whether there were any. The invisible text over a scanned page is
// what people see on it, unless the page has much text of its own.
func (p *page) reveal() (dropped bool) {
	count := map[cause]int{}
	for _, g := range p.glyphs {
		count[g.hide]++
	}
	scan := p.scanned() && count[visible] < count[invisible]/2
	kept := p.glyphs[:0]
	for _, g := range p.glyphs {
		if g.hide == visible || (g.hide == invisible && scan) {
			kept = append(kept, g)
		}
	}
	dropped = len(kept) < len(p.glyphs)
	p.glyphs = kept
	return dropped
}

// scanned tells whether pictures cover the page.
func (p *page) scanned() bool {
	var covered float64
	for _, b := range p.images {
		b = box{max(b.left, p.left), max(b.bottom, p.bottom), min(b.right, p.right), min(b.top, p.top)}
		covered += b.area()
	}
	return covered > recognised*p.area()
}
