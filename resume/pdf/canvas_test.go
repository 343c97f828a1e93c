package pdf

import (
	"bytes"
	"fmt"
	"strings"
)

// A canvas builds small PDF files for tests, with text in standard fonts on pages of 600 by 800 points.
type canvas struct {
	pages  []*strings.Builder
	links  []string // annotations, of the first page
	rotate int
}

func newCanvas() *canvas { return (&canvas{}).page() }

func (c *canvas) page() *canvas {
	c.pages = append(c.pages, &strings.Builder{})
	return c
}

func (c *canvas) draw(format string, arguments ...any) *canvas {
	fmt.Fprintf(c.pages[len(c.pages)-1], format+"\n", arguments...)
	return c
}

// text adds a line of text in Helvetica. Sizes above 10 are bold.
func (c *canvas) text(x, y, size float64, text string) *canvas {
	font := "F1"
	if size > 10 {
		font = "F2"
	}
	text = strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(text)
	return c.draw("BT /%s %g Tf 1 0 0 1 %g %g Tm (%s) Tj ET", font, size, x, y, text)
}

// lines adds lines below each other.
func (c *canvas) lines(x, y float64, lines ...string) *canvas {
	for i, line := range lines {
		c.text(x, y-14*float64(i), 10, line)
	}
	return c
}

func (c *canvas) link(left, bottom, right, top float64, url string) *canvas {
	c.links = append(c.links, fmt.Sprintf(
		"<< /Type /Annot /Subtype /Link /Rect [%g %g %g %g] /A << /S /URI /URI (%s) >> >>", left, bottom, right, top, url))
	return c
}

// bytes returns the file.
func (c *canvas) bytes() []byte {
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>", "",
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
		"<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 " +
			"/Length 1 >>\nstream\n\x80\nendstream",
	}

	var kids []string
	for i, content := range c.pages {
		links := ""
		if i == 0 {
			links = strings.Join(c.links, " ")
		}
		kids = append(kids, fmt.Sprintf("%d 0 R", len(objects)+1))
		objects = append(objects,
			fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Rotate %d /Contents %d 0 R /Annots [%s] "+
				"/Resources << /Font << /F1 3 0 R /F2 4 0 R >> /XObject << /I 5 0 R >> >> >>", c.rotate, len(objects)+2, links),
			fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", content.Len(), content))
	}

	objects[1] = fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(kids, " "), len(kids))
	return assemble(objects)
}

// assemble returns a file of objects. The first one is its catalog.
func assemble(objects []string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	offsets := make([]int, len(objects))
	for i, object := range objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
	return b.Bytes()
}
