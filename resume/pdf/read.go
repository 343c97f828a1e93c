package pdf

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/resume/pdf/layout"
)

// minimumSize is the size up to which text is illegible, in points.
const minimumSize = 2

// limits bound the work on one document.
type limits struct {
	pages      int
	characters int // of the document
	objects    int // of the document: paths, pictures, texts, forms
	links      int // of one page; further ones are ignored
	depth      int // of nested forms; deeper ones are ignored
}

// Codes of FPDF_GetLastError (fpdfview.h).
const (
	failurePassword = 4
	failureSecurity = 5
)

// Reasons why a document cannot be read.
var (
	errLimit     = errors.New("limit exceeded")
	errEncrypted = errors.New("password required")
	errCorrupt   = errors.New("damaged document")
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

	visit func(*document, uint64, *layout.Page) error // called for each page; nil for nothing

	characters, objects int // read so far
	fonts               map[uint64]font
}

// A font is a font of a document.
type font struct {
	bold   bool
	symbol bool // it has pictures in place of letters
}

// read interprets a file and calls visit for each page, unless it is nil. The sandbox must be new.
func (s *sandbox) read(
	data []byte, visit func(*document, uint64, *layout.Page) error, limits limits,
) (layout.File, error) {
	d := &document{sandbox: s, limits: limits, visit: visit, fonts: map[uint64]font{}}
	f, err := d.open(data)
	f.Truncated = truncated(data)
	if s.err != nil { // pdfium aborts when its memory is exhausted
		return f, errors.Join(errLimit, s.err)
	}
	return f, err
}

// open loads the document and reads its pages.
func (d *document) open(data []byte) (layout.File, error) {
	start := d.put(data)
	if start == 0 {
		return layout.File{}, errLimit
	}
	d.handle = d.call(loadDocument, uint64(start), uint64(len(data)), 0)
	if d.handle != 0 {
		return d.pages()
	}
	switch d.call(lastError) {
	case failurePassword, failureSecurity:
		return layout.File{}, errEncrypted
	}
	return layout.File{}, errCorrupt
}

// truncated reports whether the end of a file is missing: its end marker, or the table that the last lines point to.
func truncated(data []byte) bool {
	const within = 1024 // bytes in which readers look for the marker (PDF 32000-1, annex H, note 18)
	tail := data[max(0, len(data)-within):]
	if !bytes.Contains(tail, []byte("%%EOF")) {
		return true
	}
	at := bytes.LastIndex(tail, []byte("startxref"))
	if at < 0 {
		return true
	}
	fields := bytes.Fields(tail[at+len("startxref"):])
	if len(fields) == 0 {
		return true
	}
	offset, err := strconv.Atoi(string(fields[0]))
	return err != nil || offset > len(data)
}

// pages reads the pages, up to the limit.
func (d *document) pages() (layout.File, error) {
	f := layout.File{Count: d.integer(countPages, d.handle)}
	if f.Count <= 0 {
		return f, errCorrupt
	}

	for i := range min(f.Count, d.limits.pages) {
		handle := d.loadPage(i)
		if d.err != nil {
			return f, d.err
		}

		if handle == 0 {
			f.Damaged = true
			continue
		}

		p, err := d.page(handle)
		if err == nil && d.visit != nil {
			err = d.visit(d, handle, &p)
		}

		// A page that could not be read is closed too. The visit needs it open, so it comes first.
		d.call(closePage, handle)

		if err == nil {
			err = d.err
		}

		if err != nil {
			return f, fmt.Errorf("page %d: %w", i+1, err)
		}

		f.Pages = append(f.Pages, p)
	}

	if len(f.Pages) == 0 {
		return f, errCorrupt
	}

	return f, nil
}

// loadPage loads the i-th page, or returns 0. The appearance of form fields becomes part of the page.
func (d *document) loadPage(i int) uint64 {
	const display, flattened = 0, 1 // FLAT_NORMALDISPLAY, FLATTEN_SUCCESS (fpdf_flatten.h)
	handle := d.call(loadPage, d.handle, uint64(i))
	if handle == 0 || d.call(formType, d.handle) == 0 {
		return handle
	}
	if d.integer(flattenPage, handle, display) != flattened {
		return handle
	}
	d.call(closePage, handle)
	return d.call(loadPage, d.handle, uint64(i))
}

// page reads one page.
func (d *document) page(handle uint64) (layout.Page, error) {
	p := layout.Page{Box: layout.Box{Left: 0, Bottom: 0, Right: 612, Top: 792}} // US letter, pdfium's default too
	if d.call(pageBox, handle, d.out(0)) != 0 {
		b := layout.Box{Left: d.float(0), Bottom: d.float(3), Right: d.float(2), Top: d.float(1)}
		if b.Sane() && b.Area() > 0 {
			p.Box = b
		}
	}

	const quarter = 90 // degrees
	p.Rotation = quarter * d.integer(pageRotation, handle)

	objects := objectReader{document: d, order: map[uint64]int{}}
	if err := objects.read(handle, countObjects, objectAt, identity, 0); err != nil {
		return p, err
	}

	p.Images = objects.images
	p.Links = d.pageLinks(handle)
	text := d.call(loadText, handle)
	if text == 0 {
		return p, d.err
	}

	var err error
	p.Glyphs, err = d.glyphs(text, &p, &objects)
	d.call(closeText, text)

	return p, err
}

// pageLinks returns the areas of a page that link to a web address.
func (d *document) pageLinks(page uint64) []layout.Hyperlink {
	const position, link = 0, 1
	const uriAction = 3 // PDFACTION_URI (fpdf_doc.h)
	d.module.Memory().WriteUint64Le(uint32(d.out(position)), 0)
	var links []layout.Hyperlink
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

		// Files may give the corners of the rectangle in any order.
		area := layout.Box{Left: d.float(4), Bottom: d.float(7), Right: d.float(6), Top: d.float(5)}
		if area.Bottom > area.Top {
			area.Bottom, area.Top = area.Top, area.Bottom
		}

		const uri, maxURI = 4, 2048
		d.call(actionURI, d.handle, action, d.out(uri), maxURI)

		if url := strings.ToValidUTF8(strings.TrimSpace(d.text(uri, maxURI)), ""); url != "" && area.Sane() {
			links = append(links, layout.Hyperlink{Box: area, URL: url})
		}
	}

	return links
}

// A matrix has the elements a, b, c, d, e and f of a transformation (PDF 32000-1, 8.3.3).
type matrix [6]float64

var identity = matrix{1, 0, 0, 1, 0, 0}

// times returns the transformation that applies m first and then n.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// apply returns the box that encloses the transformed box.
func (m matrix) apply(b layout.Box) layout.Box {
	corner := func(x, y float64) layout.Box {
		x, y = m[0]*x+m[2]*y+m[4], m[1]*x+m[3]*y+m[5]
		return layout.Box{Left: x, Bottom: y, Right: x, Top: y}
	}
	return corner(b.Left, b.Bottom).Union(corner(b.Left, b.Top)).
		Union(corner(b.Right, b.Bottom)).Union(corner(b.Right, b.Top))
}

// An objectReader reads what a page shows other than text, and the order of painting.
type objectReader struct {
	*document
	paints paints
	images []layout.Box
	order  map[uint64]int // of painting, by the handle of an object
}

// read reads the objects of a page or form. m transforms the coordinates of the parent into those of the page.
func (r *objectReader) read(parent uint64, count, at function, m matrix, depth int) error {
	// The limit covers the whole document, because a form may be drawn many times and contain other forms.
	n := r.integer(count, parent)
	if r.objects += n; r.objects > r.limits.objects {
		return fmt.Errorf("%w: more than %d objects", errLimit, r.limits.objects)
	}

	for i := range n {
		handle := r.call(at, parent, uint64(i))
		r.order[handle] = len(r.order)
		var err error

		switch r.call(objectType, handle) {
		case pathObject:
			r.addPath(handle, m)
		case imageObject:
			r.addPicture(handle, m, true)
		case shadingObject:
			r.addPicture(handle, m, false)
		case formObject:
			if depth < r.limits.depth {
				err = r.readForm(handle, m, depth)
			}
		}

		if err = errors.Join(err, r.err); err != nil {
			return err
		}
	}

	return nil
}

// bounds returns the place of an object on the page.
func (r *objectReader) bounds(handle uint64, m matrix) (b layout.Box, ok bool) {
	if r.call(objectBounds, handle, r.out(0), r.out(1), r.out(2), r.out(3)) == 0 {
		return layout.Box{}, false
	}
	b = m.apply(layout.Box{Left: r.floatAt(0), Bottom: r.floatAt(1), Right: r.floatAt(2), Top: r.floatAt(3)})
	return b, b.Sane()
}

const (
	minAlpha    = 0.1 // below it, paint is invisible
	opaqueAlpha = 0.9 // above it, paint hides what is under it
)

// addPath adds a filled area.
func (r *objectReader) addPath(handle uint64, m matrix) {
	if r.call(pathMode, handle, r.out(0), r.out(1)) == 0 || r.uintAt(0) == 0 {
		return
	}
	fill, alpha := r.color(objectFill, handle)
	b, ok := r.bounds(handle, m)
	if !ok || alpha < minAlpha {
		return
	}

	thin := b.Height() < minimumSize || b.Width() < minimumSize
	if thin {
		return
	}

	const rectangleSegments = 5 // including the closing one
	opaque := alpha > opaqueAlpha
	r.paints = append(r.paints, paint{
		Box: b, order: r.order[handle], color: fill, known: opaque,
		solid: opaque && r.integer(countSegments, handle) <= rectangleSegments,
	})
}

// color returns the color of an object and its opacity from 0 to 1. f selects the fill or the stroke.
func (r *objectReader) color(f function, handle uint64) (rgb color, alpha float64) {
	if r.call(f, handle, r.out(0), r.out(1), r.out(2), r.out(3)) == 0 {
		return color{}, 1
	}
	const full = 255
	return color{float64(r.uintAt(0)) / full, float64(r.uintAt(1)) / full, float64(r.uintAt(2)) / full},
		float64(r.uintAt(3)) / full
}

// addPicture adds an image or a gradient.
func (r *objectReader) addPicture(handle uint64, m matrix, isImage bool) {
	b, ok := r.bounds(handle, m)
	if !ok {
		return
	}
	r.paints = append(r.paints, paint{Box: b, order: r.order[handle]})
	if isImage {
		r.images = append(r.images, b)
	}
}

// readForm reads the objects of a form.
func (r *objectReader) readForm(handle uint64, m matrix, depth int) error {
	inner := m
	if r.call(objectMatrix, handle, r.out(0)) != 0 {
		inner = matrix{r.float(0), r.float(1), r.float(2), r.float(3), r.float(4), r.float(5)}.times(m)
	}
	for _, x := range inner {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
	}
	return r.read(handle, countFormObjects, formObjectAt, inner, depth+1)
}
