package layout

import (
	"math"

	"github.com/freelancer-matching/service/resume"
)

// A Box is a rectangle on a page, in points. y grows upward.
type Box struct{ Left, Bottom, Right, Top float64 }

// Width returns the width of the box. It is negative if the sides are in the wrong order.
func (b Box) Width() float64 { return b.Right - b.Left }

// Height returns the height of the box. It is negative if the sides are in the wrong order.
func (b Box) Height() float64 { return b.Top - b.Bottom }

// Area returns the area of the box, or 0 if its sides are in the wrong order.
func (b Box) Area() float64 { return max(b.Width(), 0) * max(b.Height(), 0) }

// Contains reports whether a point is in the box or on its edge.
func (b Box) Contains(x, y float64) bool {
	return b.Left <= x && x <= b.Right && b.Bottom <= y && y <= b.Top
}

// Center returns the center of the box.
func (b Box) Center() (x, y float64) { return (b.Left + b.Right) / 2, (b.Bottom + b.Top) / 2 }

// Union returns the box around both boxes.
func (b Box) Union(c Box) Box {
	return Box{min(b.Left, c.Left), min(b.Bottom, c.Bottom), max(b.Right, c.Right), max(b.Top, c.Top)}
}

// furthest is the largest accepted coordinate, in points. Files may contain any number, even NaN.
const furthest = 1e5

// Sane reports whether the coordinates are numbers, in order, and near enough to a page.
func (b Box) Sane() bool {
	return b.Left >= -furthest && b.Bottom >= -furthest && b.Right <= furthest && b.Top <= furthest &&
		b.Left <= b.Right && b.Bottom <= b.Top
}

// Turned returns the box that encloses b after its page is turned clockwise.
func (b Box) Turned(degrees int) Box {
	if degrees == 0 {
		return b
	}
	x1, y1 := Turn(b.Left, b.Bottom, degrees)
	x2, y2 := Turn(b.Right, b.Bottom, degrees)
	x3, y3 := Turn(b.Left, b.Top, degrees)
	x4, y4 := Turn(b.Right, b.Top, degrees)
	return Box{min(x1, x2, x3, x4), min(y1, y2, y3, y4), max(x1, x2, x3, x4), max(y1, y2, y3, y4)}
}

// Turn returns the place of a point after the page is turned clockwise around its origin.
func Turn(x, y float64, degrees int) (turnedX, turnedY float64) {
	sin, cos := math.Sincos(float64(degrees) * math.Pi / 180)
	return x*cos + y*sin, y*cos - x*sin
}

// A Glyph is a shape on a page. It shows one character, or several if it is a ligature.
type Glyph struct {
	Text string
	Box
	Baseline float64
	Size     float64 // of the font as displayed, in points
	Angle    int     // of the baseline, counterclockwise in degrees from 0 to 359
	Bold     bool
	Symbol   bool // its font has pictures in place of letters
	Space    bool // the file has a space before it
	Guess    bool // pdfium adds a space before it, by the widths of the font
	Unmapped bool // the file doesn't identify its character
	At       int  // position in the file
	Link     int  // index into the links of its page; -1 if none
	Visibility
}

// Visibility is whether a reader can see text, and if not, why.
type Visibility uint8

// Kinds of visibility.
const (
	Visible   Visibility = iota
	Invisible            // by its render mode, like recognized text over a scan
	Hidden               // by its size, place or color
)

// A File is what a PDF file shows.
type File struct {
	Pages     []Page
	Count     int  // of pages, including those beyond the limit
	Damaged   bool // some pages could not be read
	Truncated bool // the end of the file is missing
}

// Sane reports whether the places and the size of the glyph are numbers, and near enough to a page.
func (g Glyph) Sane() bool {
	return math.Abs(g.Baseline) < furthest && g.Size < furthest && g.Box.Sane() // false for NaN
}

// A Page is what was read of one page.
type Page struct {
	Box
	Glyphs []Glyph
	Images []Box
	Links  []Hyperlink

	Rotation   int  // by which readers turn it clockwise, in degrees: 0, 90, 180 or 270
	Recognized bool // its text was recognized in its picture
}

// place returns the place of a box as readers see it. The box is on the page turned clockwise by an angle, as
// linesOfPage turns it for text with this angle.
func (p *Page) place(b Box, angle int) resume.Place {
	shown := p.Turned(p.Rotation)
	b = b.Turned(p.Rotation - angle)
	tenths := func(x float64) float64 { return math.Round(10*x) / 10 }

	return resume.Place{
		X: tenths(b.Left - shown.Left), Y: tenths(shown.Top - b.Top), Width: tenths(b.Width()), Height: tenths(b.Height()),
	}
}

// A Hyperlink is an area of a page that links to an address.
type Hyperlink struct {
	Box
	URL string
}

// fewGlyphs is the number of characters that a scanner or camera may add to a picture.
const fewGlyphs = 40

// scannedShare is the share of a page that pictures must cover for the page to be a scan.
const scannedShare = 0.5

// dropHidden removes the glyphs that a reader cannot see and reports whether there were any. On a scanned page,
// invisible text is the recognized text of the scan and is kept, unless the page also has much visible text.
func (p *Page) dropHidden() (dropped bool) {
	count := map[Visibility]int{}
	for _, g := range p.Glyphs {
		count[g.Visibility]++
	}
	recognized := p.scanned() && count[Visible] < count[Invisible]/2
	kept := p.Glyphs[:0]
	for _, g := range p.Glyphs {
		keptInvisible := g.Visibility == Invisible && recognized
		if g.Visibility == Visible || keptInvisible {
			kept = append(kept, g)
		}
	}
	dropped = len(kept) < len(p.Glyphs)
	p.Glyphs = kept
	return dropped
}

// scanned reports whether pictures cover most of the page.
func (p *Page) scanned() bool {
	var covered float64
	for _, b := range p.Images {
		b = Box{max(b.Left, p.Left), max(b.Bottom, p.Bottom), min(b.Right, p.Right), min(b.Top, p.Top)}
		covered += b.Area()
	}
	return covered > scannedShare*p.Area()
}

// isScan reports whether the page is a scan, apart from a few characters.
func (p *Page) isScan() bool { return len(p.Glyphs) < fewGlyphs && p.scanned() }

// IsPicture reports whether the page is a picture, apart from a few characters. Text may also be drawn as paths.
func (p *Page) IsPicture() bool { return len(p.Glyphs) == 0 || p.isScan() }
