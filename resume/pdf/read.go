package pdf

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// limits are what a document may cost.
type limits struct {
	pages      int
	characters int // of the document
	objects    int // of the document: paths, pictures, texts, forms
	links      int // of one page; further ones are not read
	depth      int // of forms in forms; deeper ones are not looked into
}

// errLimit is that a document is beyond a limit.
var errLimit = errors.New("beyond the limits")

// Failures to open a document, as FPDF_GetLastError tells them (fpdfview.h).
const (
	failurePassword = 4
	failureSecurity = 5
)

var (
	errEncrypted = errors.New("needs a password")
	errCorrupt   = errors.New("cannot be opened")
	errNoText    = errors.New("no text")
)

// Types of page objects (fpdf_edit.h).
const (
	pathObject    = 2
	imageObject   = 3
	shadingObject = 4
	formObject    = 5
)

// Render modes of text (PDF 32000-1, table 106).
const (
	modeStroke     = 1
	modeFillStroke = 2
	modeInvisible  = 3
	modeStrokeClip = 5
	modeClip       = 7
)

// A document reads one document in a sandbox.
type document struct {
	*sandbox
	limits limits
	handle uint64

	characters, objects int // read so far
	fonts               map[uint64]font
}

// font is a font of a document.
type font struct{ bold, symbol bool }

// A file is what a PDF file shows.
type file struct {
	pages     []page
	count     int  // of pages, including those beyond the limit
	damaged   bool // some pages could not be read
	truncated bool // the end of the file is missing
}

// read interprets a file. The sandbox must be new.
func (s *sandbox) read(data []byte, limits limits) (file, error) {
	d := &document{sandbox: s, limits: limits, fonts: map[uint64]font{}}
	f, err := d.open(data)
	f.truncated = truncated(data)
	if s.err != nil { // pdfium aborts when its memory is exhausted
		return f, errors.Join(errLimit, s.err)
	}
	return f, err
}

// open loads the document and reads its pages.
func (d *document) open(data []byte) (file, error) {
	start := d.put(data)
	if start == 0 {
		return file{}, errLimit
	}
	d.handle = d.call(loadDocument, uint64(start), uint64(len(data)), 0)
	if d.handle != 0 {
		return d.pages()
	}
	switch d.call(lastError) {
	case failurePassword, failureSecurity:
		return file{}, errEncrypted
	}
	return file{}, errCorrupt
}

// pages reads the pages up to the limit.
func (d *document) pages() (file, error) {
	f := file{count: d.integer(countPages, d.handle)}
	if f.count <= 0 {
		return f, errCorrupt
	}
	for i := range min(f.count, d.limits.pages) {
		handle := d.call(loadPage, d.handle, uint64(i))
		if d.err != nil {
			return f, d.err
		}
		if handle == 0 {
			f.damaged = true
			continue
		}
		p, err := d.page(handle)
		d.call(closePage, handle)
		if err == nil {
			err = d.err
		}
		if err != nil {
			return f, fmt.Errorf("page %d: %w", i+1, err)
		}
		f.pages = append(f.pages, p)
	}
	if len(f.pages) == 0 {
		return f, errCorrupt
	}
	return f, nil
}

// page reads one page.
func (d *document) page(handle uint64) (page, error) {
	p := page{box: box{0, 0, 612, 792}} // US letter, which pdfium too takes where a page does not tell
	if d.call(pageBox, handle, d.out(0)) != 0 {
		if b := (box{d.float(0), d.float(3), d.float(2), d.float(1)}); b.sane() && b.area() > 0 {
			p.box = b
		}
	}
	s := scene{document: d, order: map[uint64]int{}}
	if err := s.look(handle, countObjects, objectAt, identity, 0); err != nil {
		return p, err
	}
	p.images = s.images
	p.links = d.pageLinks(handle)
	text := d.call(loadText, handle)
	if text == 0 {
		return p, d.err
	}
	glyphs, err := d.glyphs(text, &p, &s)
	d.call(closeText, text)
	p.glyphs = glyphs
	return p, err
}

// pageLinks are the areas of a page that lead to an address on the web.
func (d *document) pageLinks(page uint64) []hyperlink {
	const position, link = 0, 1
	const uriAction = 3 // PDFACTION_URI (fpdf_doc.h)
	d.module.Memory().WriteUint64Le(uint32(d.out(position)), 0)
	var links []hyperlink
	for range d.limits.links {
		if d.call(nextLink, page, d.out(position), d.out(link)) == 0 {
			break
		}
		handle := uint64(d.uintAt(link))
		action := d.call(linkAction, handle)
		if action == 0 || d.call(actionType, action) != uriAction {
			continue
		}
		if d.call(linkRectangle, handle, d.out(2)) == 0 {
			continue
		}
		area := box{d.float(4), d.float(7), d.float(6), d.float(5)}
		if area.bottom > area.top {
			area.bottom, area.top = area.top, area.bottom
		}
		const first, most = 4, 2048
		d.call(actionURI, d.handle, action, d.out(first), most)
		if url := strings.ToValidUTF8(strings.TrimSpace(d.text(first, most)), ""); url != "" && area.sane() {
			links = append(links, hyperlink{area, url})
		}
	}
	return links
}

// matrix is a, b, c, d, e and f of a transformation (PDF 32000-1, 8.3.3).
type matrix [6]float64

var identity = matrix{1, 0, 0, 1, 0, 0}

// times applies m first, and then n.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// apply is the box that encloses b transformed.
func (m matrix) apply(b box) box {
	var r box
	for i, corner := range [4][2]float64{{b.left, b.bottom}, {b.left, b.top}, {b.right, b.bottom}, {b.right, b.top}} {
		x := m[0]*corner[0] + m[2]*corner[1] + m[4]
		y := m[1]*corner[0] + m[3]*corner[1] + m[5]
		if c := (box{x, y, x, y}); i == 0 {
			r = c
		} else {
			r = r.union(c)
		}
	}
	return r
}

// scene is what is painted on a page besides text, and the order of it all.
type scene struct {
	*document
	paints paints
	images []box
	order  map[uint64]int // of the objects by their handles
}

// look goes through the objects of a page or a form.
func (s *scene) look(parent uint64, count, at function, m matrix, depth int) error {
	n := s.integer(count, parent)
	if s.objects += n; s.objects > s.limits.objects {
		return fmt.Errorf("%w: more than %d objects", errLimit, s.limits.objects)
	}
	for i := range n {
		handle := s.call(at, parent, uint64(i))
		s.order[handle] = len(s.order)
		var err error
		switch s.call(objectType, handle) {
		case pathObject:
			s.path(handle, m)
		case imageObject, shadingObject:
			s.picture(handle, m)
		case formObject:
			if depth < s.limits.depth {
				err = s.form(handle, m, depth)
			}
		}
		if err = errors.Join(err, s.err); err != nil {
			return err
		}
	}
	return nil
}

// bounds is the place of an object on the page.
func (s *scene) bounds(handle uint64, m matrix) (b box, ok bool) {
	if s.call(objectBounds, handle, s.out(0), s.out(1), s.out(2), s.out(3)) == 0 {
		return box{}, false
	}
	b = m.apply(box{s.floatAt(0), s.floatAt(1), s.floatAt(2), s.floatAt(3)})
	return b, b.sane()
}

// path notes an area that is filled.
func (s *scene) path(handle uint64, m matrix) {
	if s.call(pathMode, handle, s.out(0), s.out(1)) == 0 || s.uintAt(0) == 0 {
		return
	}
	fill, alpha := s.color(objectFill, handle)
	b, ok := s.bounds(handle, m)
	if !ok || alpha < 0.1 || b.height() < minimumSize || b.width() < minimumSize {
		return
	}
	const rectangle = 5 // segments, the closing one included
	solid := alpha > 0.9 && s.integer(countSegments, handle) <= rectangle
	s.paints = append(s.paints, paint{box: b, order: s.order[handle], color: fill, known: alpha > 0.9, solid: solid})
}

// color is the color of an object, and how opaque it is.
func (s *scene) color(f function, handle uint64) (c color, alpha float64) {
	if s.call(f, handle, s.out(0), s.out(1), s.out(2), s.out(3)) == 0 {
		return color{}, 1
	}
	const full = 255
	return color{float64(s.uintAt(0)) / full, float64(s.uintAt(1)) / full, float64(s.uintAt(2)) / full},
		float64(s.uintAt(3)) / full
}

// picture notes an image or a gradient.
func (s *scene) picture(handle uint64, m matrix) {
	b, ok := s.bounds(handle, m)
	if !ok {
		return
	}
	s.paints = append(s.paints, paint{box: b, order: s.order[handle]})
	if s.call(objectType, handle) == imageObject {
		s.images = append(s.images, b)
	}
}

// form looks into a form.
func (s *scene) form(handle uint64, m matrix, depth int) error {
	inner := m
	if s.call(objectMatrix, handle, s.out(0)) != 0 {
		inner = matrix{s.float(0), s.float(1), s.float(2), s.float(3), s.float(4), s.float(5)}.times(m)
	}
	for _, x := range inner {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
	}
	return s.look(handle, countFormObjects, formObjectAt, inner, depth+1)
}
