package hostile

import (
	"bytes"
	"fmt"
	"strings"
)

// objects returns a PDF file of the given objects, which are numbered from 1. The first is the catalog. The trailer
// gets the further entries in trailer.
func objects(trailer string, list ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n%\xE2\xE3\xCF\xD3\n")
	offsets := make([]int, len(list))
	for i, object := range list {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(list)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n",
		len(list)+1, trailer, start)
	return b.Bytes()
}

func stream(dictionary string, content []byte) string {
	return fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", dictionary, len(content), content)
}

const helvetica = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"

// onePage returns a page with the given content, a font called F, and further objects as forms called X0, X1 and so on.
func onePage(content string, more ...string) []byte {
	var forms strings.Builder
	for i := range more {
		fmt.Fprintf(&forms, "/X%d %d 0 R ", i, i+6)
	}
	return objects("", append([]string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> " +
			"/XObject << " + forms.String() + ">> >> >>",
		content, helvetica,
	}, more...)...)
}

// pages returns a document of n pages with a word each.
func pages(n int) []byte {
	var kids strings.Builder
	text := stream("", []byte("BT /F 12 Tf 72 700 Td (Page) Tj ET"))
	list := []string{"<< /Type /Catalog /Pages 2 0 R >>", "", helvetica, text}
	for range n {
		fmt.Fprintf(&kids, "%d 0 R ", len(list)+1)
		list = append(list, "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "+
			"/Resources << /Font << /F 3 0 R >> >> >>")
	}
	list[1] = fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", kids.String(), n)
	return objects("", list...)
}

// flateTwice returns a page with 256 MB that were compressed twice.
func flateTwice() []byte {
	return onePage(stream("/Filter [/FlateDecode /FlateDecode]", deflate(deflate(bytes.Repeat([]byte(" "), 256<<20)))))
}

// imageBomb returns an image of 60,000 by 60,000 pixels.
func imageBomb() []byte {
	return onePage(stream("", []byte("500 0 0 500 0 0 cm /X0 Do")),
		stream("/Type /XObject /Subtype /Image /Width 60000 /Height 60000 /ColorSpace /DeviceRGB /BitsPerComponent 8 "+
			"/Filter /FlateDecode", deflate(make([]byte, 50<<20))))
}

// formCycle returns a page with two forms that draw each other.
func formCycle() []byte {
	form := func(draws string) string {
		return stream("/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X0 6 0 R /X1 7 0 R >> >>",
			[]byte(draws))
	}
	return onePage(stream("", []byte("/X0 Do")), form("/X1 Do /X1 Do"), form("/X0 Do /X0 Do"))
}

// formTree returns a page with twelve forms, each of which draws the next ten times: 10^11 words from a few bytes.
func formTree() []byte {
	const depth = 12
	forms := make([]string, depth)
	for i := range forms {
		draws := "BT /F 9 Tf 9 9 Td (word) Tj ET"
		if i < depth-1 {
			draws = strings.Repeat(fmt.Sprintf("/X%d Do ", i+1), 10)
		}
		forms[i] = stream(fmt.Sprintf("/Type /XObject /Subtype /Form /BBox [0 0 99 99] "+
			"/Resources << /Font << /F 5 0 R >> /XObject << /X%d %d 0 R >> >>", i+1, i+7), []byte(draws))
	}
	return onePage(stream("", []byte("/X0 Do")), forms...)
}

// pageCycle returns a document whose page tree is its own child.
func pageCycle() []byte {
	return objects("", "<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 /Parent 2 0 R >>")
}

// xrefLoop returns a document whose cross-reference table names itself as the previous one.
func xrefLoop() []byte {
	file := onePage(stream("", []byte("BT /F 12 Tf 72 700 Td (Loop) Tj ET")))
	at := bytes.LastIndex(file, []byte("xref\n0 "))
	return bytes.Replace(file, []byte("/Root 1 0 R"), fmt.Appendf(nil, "/Root 1 0 R /Prev %d", at), 1)
}

// noToUnicode returns a page in a font of two-byte glyph numbers that nothing maps to characters.
func noToUnicode() []byte {
	file := onePage(stream("", []byte("BT /F 12 Tf 72 700 Td <"+strings.Repeat("00110022", 200)+"> Tj ET")))
	font := "<< /Type /Font /Subtype /Type0 /BaseFont /Unknown /Encoding /Identity-H " +
		"/DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 " +
		"/BaseFont /Unknown /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>] >>"
	// The offsets of the objects behind the font are wrong now. Readers repair that.
	return bytes.Replace(file, []byte(helvetica), []byte(font), 1)
}

// encryptedUnknown returns a document that is encrypted with an unknown algorithm.
func encryptedUnknown() []byte { return protected("/Filter /Unknown /V 99 /R 99 /Length 256") }

// encryptedPDF returns a document with a password, for the standard handler with RC4.
func encryptedPDF() []byte { return protected("/Filter /Standard /V 1 /R 2") }

func protected(encryption string) []byte {
	check := strings.Repeat("2A", 32)
	return objects("/Encrypt << "+encryption+" /O <"+check+"> /U <"+check+"> /P -1 >> /ID [<2A> <2A>]",
		"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>")
}
