package docx_test

import (
	"archive/zip"
	"bytes"
	"maps"
	"slices"
	"testing"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/docx"
	"github.com/freelancer-matching/service/resume/flow"
)

// Namespaces that the parts of tests declare.
const (
	spaces = ` xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"` +
		` xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"` +
		` xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"` +
		` xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"` +
		` xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"` +
		` xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"` +
		` xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"` +
		` xmlns:v="urn:schemas-microsoft-com:vml"`
	relationTypes = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	declaration   = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`
)

// parts are the parts of a document by name.
type parts map[string]string

// bodyOf returns a document with the content of w:body.
func bodyOf(content string) parts {
	return parts{
		"[Content_Types].xml": declaration + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
			`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
			`<Override PartName="/word/document.xml" ContentType=` +
			`"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
		"_rels/.rels":       relations(relation("rId1", "officeDocument", "word/document.xml")),
		"word/document.xml": declaration + `<w:document` + spaces + `><w:body>` + content + `</w:body></w:document>`,
	}
}

// with returns the document with a part added or replaced.
func (p parts) with(name, content string) parts {
	p = maps.Clone(p)
	p[name] = content
	return p
}

// styled returns the document with the content of w:styles.
func (p parts) styled(content string) parts {
	return p.with("word/styles.xml", `<w:styles`+spaces+`>`+content+`</w:styles>`).
		with("word/_rels/document.xml.rels", relations(relation("s", "styles", "styles.xml")))
}

// file returns the zip archive of the parts.
func (p parts) file(tb testing.TB) []byte {
	tb.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(p)) {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(p[name]))
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func relations(list string) string {
	const namespace = "http://schemas.openxmlformats.org/package/2006/relationships"
	return `<Relationships xmlns="` + namespace + `">` + list + `</Relationships>`
}

func relation(id, kind, target string) string {
	return `<Relationship Id="` + id + `" Type="` + relationTypes + kind + `" Target="` + target + `"/>`
}

func external(id, target string) string {
	return `<Relationship Id="` + id + `" Type="` + relationTypes + `hyperlink" Target="` + target +
		`" TargetMode="External"/>`
}

// p returns a paragraph of runs.
func p(runs string) string { return `<w:p>` + runs + `</w:p>` }

// t returns a run with text.
func t(text string) string { return `<w:r><w:t xml:space="preserve">` + text + `</w:t></w:r>` }

// formatted returns a run with text and the content of w:rPr.
func formatted(format, text string) string {
	return `<w:r><w:rPr>` + format + `</w:rPr><w:t xml:space="preserve">` + text + `</w:t></w:r>`
}

// cells returns a table with one row of cells.
func cells(contents ...string) string {
	row := ""
	for _, c := range contents {
		row += `<w:tc>` + c + `</w:tc>`
	}
	return `<w:tbl><w:tr>` + row + `</w:tr></w:tbl>`
}

// box returns a drawing with a text box. properties is the content of its wps:spPr.
func box(anchor, properties, content string) string {
	return `<w:r><w:drawing><wp:anchor ` + anchor + `><wp:extent cx="900000" cy="900000"/><a:graphic><a:graphicData>` +
		`<wps:wsp><wps:spPr>` + properties + `</wps:spPr><wps:txbx><w:txbxContent>` + content +
		`</w:txbxContent></wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing></w:r>`
}

// picture returns a run with a picture in the line of text.
func picture() string {
	return `<w:r><w:drawing><wp:inline><wp:extent cx="170000" cy="170000"/><a:graphic><a:graphicData><pic:pic/>` +
		`</a:graphicData></a:graphic></wp:inline></w:drawing></w:r>`
}

func read(tb testing.TB, file []byte) (resume.Document, error) {
	tb.Helper()
	return reader().Read(tb.Context(), file)
}

// mustRead reads a file that must be readable.
func mustRead(tb testing.TB, file []byte) resume.Document {
	tb.Helper()
	d, err := read(tb, file)
	if err != nil {
		tb.Fatal(err)
	}
	return d
}

func texts(d resume.Document) []string {
	var all []string
	for _, l := range d.Lines {
		all = append(all, l.Text)
	}
	return all
}

func reader() *docx.Reader { return docx.New(flow.DefaultLimits()) }
