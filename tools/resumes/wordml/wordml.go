// Package wordml writes DOCX files. Its functions return the elements of WordprocessingML (ECMA-376 part 1) that the
// layouts of resumes are made of.
package wordml

import (
	"archive/zip"
	"cmp"
	"embed"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder never fails
	return b.String()
}

// Run returns text in one format. Tabs in it become tab stops.
func Run(properties, text string) string {
	inner := strings.ReplaceAll(escape(text), "&#x9;", `</w:t><w:tab/><w:t xml:space="preserve">`)
	return `<w:r><w:rPr>` + properties + `</w:rPr><w:t xml:space="preserve">` + inner + `</w:t></w:r>`
}

// Paragraph returns a paragraph.
func Paragraph(properties string, runs ...string) string {
	return `<w:p><w:pPr>` + properties + `</w:pPr>` + strings.Join(runs, "") + `</w:p>`
}

// Styled returns a paragraph in one of the styles in parts/styles.xml.
func Styled(style, text string) string {
	return Paragraph(`<w:pStyle w:val="`+style+`"/>`, Run("", text))
}

// Plain returns a paragraph without a format.
func Plain(text string) string { return Paragraph("", Run("", text)) }

// Bold returns a bold paragraph.
func Bold(text string) string { return Paragraph("", Run("<w:b/>", text)) }

// Bullet returns a list item.
func Bullet(text string) string {
	return Paragraph(`<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>`, Run("", text))
}

// Row returns a row of a table. A cell is the paragraphs in it. Widths are in twentieths of a point.
func Row(widths []int, cells ...string) string {
	var b strings.Builder
	b.WriteString(`<w:tr>`)
	for i, cell := range cells {
		fmt.Fprintf(&b, `<w:tc><w:tcPr><w:tcW w:w="%d" w:type="dxa"/></w:tcPr>%s</w:tc>`, widths[i], cell)
	}
	return b.String() + `</w:tr>`
}

// Table returns a table of columns with the given widths, in twentieths of a point.
func Table(widths []int, rows ...string) string {
	var b strings.Builder
	b.WriteString(`<w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/><w:tblLayout w:type="fixed"/></w:tblPr><w:tblGrid>`)
	for _, w := range widths {
		fmt.Fprintf(&b, `<w:gridCol w:w="%d"/>`, w)
	}
	return b.String() + `</w:tblGrid>` + strings.Join(rows, "") + `</w:tbl>`
}

// TextBox returns a box in the left margin, as Word writes it: a drawing, and the same in VML for programs before 2010.
func TextBox(heightPoints int, content string) string {
	const emu = 12700 // per point
	return Paragraph("", fmt.Sprintf(`<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing>`+
		`<wp:anchor distT="0" distB="0" distL="0" distR="0" simplePos="0" relativeHeight="2" behindDoc="0" locked="0" `+
		`layoutInCell="1" allowOverlap="1">`+
		`<wp:simplePos x="0" y="0"/><wp:positionH relativeFrom="page"><wp:posOffset>%d</wp:posOffset></wp:positionH>`+
		`<wp:positionV relativeFrom="page"><wp:posOffset>%d</wp:posOffset></wp:positionV>`+
		`<wp:extent cx="%d" cy="%d"/><wp:wrapSquare wrapText="bothSides"/><wp:docPr id="1" name="Box 1"/>`+
		`<a:graphic><a:graphicData uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape">`+
		`<wps:wsp><wps:cNvSpPr txBox="1"/><wps:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="%[3]d" cy="%[4]d"/></a:xfrm>`+
		`<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></wps:spPr><wps:txbx><w:txbxContent>%[5]s</w:txbxContent>`+
		`</wps:txbx><wps:bodyPr/></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing></mc:Choice>`+
		`<mc:Fallback><w:pict><v:shape style="position:absolute;width:150pt;height:%[6]dpt"><v:textbox>`+
		`<w:txbxContent>%[5]s</w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r>`,
		30*emu, 60*emu, 150*emu, heightPoints*emu, content, heightPoints))
}

// A File is the content of a DOCX file. Header and footer may be empty.
type File struct {
	Body, Header, Footer string
	Section              string // further properties of the only section
	links                []string
}

// Link returns a run whose target is the next link of the file.
func (f *File) Link(url string) string {
	f.links = append(f.links, "https://"+url)
	text := Run(`<w:u w:val="single"/>`, url)
	return fmt.Sprintf(`<w:hyperlink r:id="link%d">%s</w:hyperlink>`, len(f.links), text)
}

const (
	xmlHead    = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	namespaces = ` xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"` +
		` xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"` +
		` xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"` +
		` xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"` +
		` xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"` +
		` xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"` +
		` xmlns:v="urn:schemas-microsoft-com:vml" mc:Ignorable=""`
	relations = `http://schemas.openxmlformats.org/officeDocument/2006/relationships/`
)

// wordParts holds the parts of a DOCX file that are the same for everybody.
//
//go:embed parts/*.xml
var wordParts embed.FS

// wordPart returns one of wordParts without its line ends, which are for people only.
func wordPart(name string) string {
	content, err := wordParts.ReadFile("parts/" + name + ".xml")
	if err != nil {
		panic(err) // it is embedded
	}
	return strings.ReplaceAll(string(content), "\n", "")
}

// Write writes the file. The same content gives the same bytes.
func (f *File) Write(w io.Writer) error {
	var rels, references strings.Builder
	for _, part := range []string{"styles", "numbering", "header", "footer"} {
		fmt.Fprintf(&rels, `<Relationship Id="%s" Type="%s%[1]s" Target="%[1]s.xml"/>`, part, relations)
	}

	for i, link := range f.links {
		fmt.Fprintf(&rels, `<Relationship Id="link%d" Type="%shyperlink" Target="%s" TargetMode="External"/>`,
			i+1, relations, escape(link))
	}

	for _, part := range []string{"header", "footer"} {
		fmt.Fprintf(&references, `<w:%sReference w:type="default" r:id="%[1]s"/>`, part)
	}

	body := f.Body + `<w:sectPr>` + references.String() + `<w:pgSz w:w="11906" w:h="16838"/>` +
		`<w:pgMar w:top="1000" w:right="1000" w:bottom="1000" w:left="1000" w:header="500" w:footer="500" w:gutter="0"/>` +
		f.Section + `</w:sectPr>`

	// Create writes no modification time, so the same content gives the same bytes.
	archive := zip.NewWriter(w)
	for _, part := range []struct{ name, content string }{
		{"[Content_Types].xml", wordPart("content_types")},
		{"_rels/.rels", wordPart("relationships")},
		{"word/document.xml", `<w:document` + namespaces + `><w:body>` + body + `</w:body></w:document>`},
		{"word/_rels/document.xml.rels", `<Relationships ` +
			`xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + rels.String() + `</Relationships>`},
		{"word/styles.xml", wordPart("styles")},
		{"word/numbering.xml", wordPart("numbering")},
		{"word/header.xml", `<w:hdr` + namespaces + `>` + cmp.Or(f.Header, "<w:p/>") + `</w:hdr>`},
		{"word/footer.xml", `<w:ftr` + namespaces + `>` + cmp.Or(f.Footer, "<w:p/>") + `</w:ftr>`},
	} {
		entry, err := archive.Create(part.name)
		if err != nil {
			return fmt.Errorf("write %s: %w", part.name, err)
		}
		if _, err := io.WriteString(entry, xmlHead+part.content); err != nil {
			return fmt.Errorf("write %s: %w", part.name, err)
		}
	}

	return archive.Close()
}
