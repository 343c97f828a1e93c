package pdf

import "math"

// A box is a rectangle on a page, in points. y grows upward.
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

// furthest is the largest accepted coordinate, in points. Files may contain any number, even NaN.
const furthest = 1e5

// sane reports whether the coordinates are numbers, in order, and near enough to a page.
func (b box) sane() bool {
	return b.left >= -furthest && b.bottom >= -furthest && b.right <= furthest && b.top <= furthest &&
		b.left <= b.right && b.bottom <= b.top
}

// turned returns the box that encloses b after its page is turned clockwise.
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

// turn returns the place of a point after the page is turned clockwise around its origin.
func turn(x, y float64, degrees int) (turnedX, turnedY float64) {
	sin, cos := math.Sincos(float64(degrees) * math.Pi / 180)
	return x*cos + y*sin, y*cos - x*sin
}

// A glyph is a shape on a page. It shows one character, or several if it is a ligature.
type glyph struct {
	text string
	box
	baseline float64
	size     float64 // of the font as displayed, in points
	angle    int     // of the baseline, counterclockwise in degrees from 0 to 359
	bold     bool
	symbol   bool // its font has pictures in place of letters
	space    bool // the file has a space before it
	guess    bool // pdfium adds a space before it, by the widths of the font
	unmapped bool // the file doesn't identify its character
	at       int  // position in the file
	link     int  // index into the links of its page; -1 if none
	visibility
}

// visibility is whether a reader can see text, and if not, why.
type visibility uint8

const (
	visible   visibility = iota
	invisible            // by its render mode, like recognized text over a scan
	hidden               // by its size, place or color
)

// A page is what was read of one page.
type page struct {
	box
	glyphs []glyph
	images []box
	links  []hyperlink

	recognized bool // its text was recognized in its picture
}

// A hyperlink is an area of a page that links to an address.
type hyperlink struct {
	box
	url string
}

// minimumSize is the size up to which text is illegible, in points.
const minimumSize = 2

// scannedShare is the share of a page that pictures must cover for the page to be a scan.
const scannedShare = 0.5

// dropHidden removes the glyphs that a reader cannot see and reports whether there were any. On a scanned page,
// invisible text is the recognized text of the scan and is kept, unless the page also has much visible text.
func (p *page) dropHidden() (dropped bool) {
	count := map[visibility]int{}
	for _, g := range p.glyphs {
		count[g.visibility]++
	}
	recognized := p.scanned() && count[visible] < count[invisible]/2
	kept := p.glyphs[:0]
	for _, g := range p.glyphs {
		if g.visibility == visible || g.visibility == invisible && recognized {
			kept = append(kept, g)
		}
	}
	dropped = len(kept) < len(p.glyphs)
	p.glyphs = kept
	return dropped
}

// scanned reports whether pictures cover most of the page.
func (p *page) scanned() bool {
	var covered float64
	for _, b := range p.images {
		b = box{max(b.left, p.left), max(b.bottom, p.bottom), min(b.right, p.right), min(b.top, p.top)}
		covered += b.area()
	}
	return covered > scannedShare*p.area()
}
