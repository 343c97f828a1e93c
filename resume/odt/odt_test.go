package odt_test

import (
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/flow"
	"github.com/freelancer-matching/service/resume/odt"
	"github.com/freelancer-matching/service/resume/resumetest"
)

func reader() *odt.Reader { return odt.New(flow.DefaultLimits()) }

// The files were written by LibreOffice; see testdata/README.md.
func TestRead_LibreOffice(t *testing.T) {
	for _, name := range []string{"resume", "columns"} {
		t.Run(name, func(t *testing.T) {
			resumetest.Golden(t, reader(), "testdata/"+name+".odt", "testdata/"+name+".golden")
		})
	}
}

const spaces = ` xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"` +
	` xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"` +
	` xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"` +
	` xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"` +
	` xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"` +
	` xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"`

// parts returns the parts of a document with the given styles and content.
func parts(styles, content string) map[string]string {
	return map[string]string{
		"mimetype": "application/vnd.oasis.opendocument.text",
		"content.xml": `<office:document-content` + spaces + `><office:automatic-styles>` + styles +
			`</office:automatic-styles><office:body><office:text>` + content + `</office:text></office:body>` +
			`</office:document-content>`,
	}
}

// with returns the parts with another one.
func with(p map[string]string, name, content string) map[string]string {
	p = maps.Clone(p)
	p[name] = content
	return p
}

func styled(family, name, properties string) string {
	return fmt.Sprintf(`<style:style style:family="%s" style:name="%s">%s</style:style>`, family, name, properties)
}

func TestRead(t *testing.T) {
	const textProperties = `<style:text-properties %s/>`
	properties := func(attributes string) string { return styled("text", "T", fmt.Sprintf(textProperties, attributes)) }
	const hidden = "Ada\nwarning hidden_text"
	p := func(s string) string { return "<text:p>" + s + "</text:p>" }
	span := func(s string) string { return `<text:span text:style-name="T">` + s + `</text:span>` }
	cell := func(s string) string { return "<table:table-cell>" + s + "</table:table-cell>" }
	for _, test := range []struct{ name, styles, content, want string }{
		{
			"paragraphs", "", p("Ada\n  Example ") + p(`a<text:s text:c="2"/>b<text:line-break/>c<text:tab/>d`) + p(""),
			"Ada Example\na b\nc | d",
		},
		{"headings", styled("paragraph", "H", "") + `<style:style style:family="paragraph" style:name="O" ` +
			`style:default-outline-level="2"/>`, `<text:h text:outline-level="1">One</text:h>` +
			`<text:p text:style-name="O">Two</text:p>`, "h1 One\nh2 Two"},
		{
			"bold", properties(`fo:font-weight="bold"`), p(span("Bold")) + p(span("B")+" plain text"),
			"bold Bold\nB plain text",
		},
		{"inherited styles", properties(`fo:font-weight="700"`) + `<style:style style:family="text" style:name="U" ` +
			`style:parent-style-name="T"/>`, p(`<text:span text:style-name="U">Bold</text:span>`), "bold Bold"},
		{"lists", "", `<text:list><text:list-item>` + p("Go") + p("more") + `<text:list><text:list-item>` + p("SQL") +
			`</text:list-item></text:list></text:list-item></text:list>` + p("Text"), "* Go\nmore\n* SQL\nText"},
		{"table", "", `<table:table><table:table-row>` + cell(p("2019")) + cell(p("Engineer")) +
			`</table:table-row></table:table>` + p("x"), "2019 | Engineer\nx"},
		{
			"text box", "", p(`<draw:frame><draw:text-box>` + p("1") + p("2") + p("3") + `</draw:text-box></draw:frame>Ada`),
			"Ada\n1\n2\n3",
		},
		{"note", "", p(`Ada<text:note><text:note-citation>1</text:note-citation><text:note-body>` + p("Note") +
			`</text:note-body></text:note> Example`), "Ada Example\nNote"},
		{"changes and comments", "", `<text:tracked-changes>` + p("gone") + `</text:tracked-changes>` +
			p(`Ada<office:annotation>`+p("comment")+`</office:annotation>`), "Ada"},
		{"hidden text", properties(`text:display="none"`), p("Ada" + span("secret")), hidden},
		{"hidden section", "", p("Ada") + `<text:section text:display="none">` + p("secret") + `</text:section>`, hidden},
		{"white text", properties(`fo:color="#ffffff"`), p("Ada" + span("secret")), hidden},
		{"tiny text", properties(`fo:font-size="1pt"`), p("Ada" + span("secret")), hidden},
		{"white on dark", properties(`fo:color="#ffffff" fo:background-color="#000000"`), p(span("Ada")), "Ada"},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := resumetest.Zip(t, parts(test.styles, test.content))
			if got := resumetest.ReadBrief(t, reader(), file); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestRead_HeadersAndLinks(t *testing.T) {
	pages := `<office:document-styles` + spaces + `><office:master-styles><style:master-page>` +
		`<style:header><text:p>Head</text:p></style:header><style:footer><text:p>Foot</text:p></style:footer>` +
		`<style:footer-left style:display="false"><text:p>no</text:p></style:footer-left>` +
		`</style:master-page></office:master-styles></office:document-styles>`
	content := `<text:p>Ada, <text:a xlink:href="https://example.org">site</text:a>.</text:p>`
	d, err := reader().Read(t.Context(), resumetest.Zip(t, with(parts("", content), "styles.xml", pages)))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := resumetest.Brief(d), "header Head\nAda, site.\nfooter Foot"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if want := (resume.Link{URL: "https://example.org", Text: "site", Line: 1}); len(d.Links) != 1 || d.Links[0] != want {
		t.Errorf("got %+v, want %+v", d.Links, want)
	}
}

func TestRead_Errors(t *testing.T) {
	small := parts("", "<text:p>x</text:p>")
	noContent := maps.Clone(small)
	delete(noContent, "content.xml")
	cycle := `<style:style style:family="text" style:name="a" style:parent-style-name="b"/>` +
		`<style:style style:family="text" style:name="b" style:parent-style-name="a"/>`
	entities := `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>`
	for _, test := range []struct {
		name  string
		parts map[string]string
		want  matching.Code
	}{
		{"no content", noContent, resume.CodeCorrupt},
		{"no XML", with(small, "content.xml", "x"), resume.CodeCorrupt},
		{"no text", parts("", "<text:p/>"), resume.CodeNoText},
		{"encrypted", with(small, "META-INF/manifest.xml", `<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:`+
			`manifest:1.0"><m:file-entry><m:encryption-data/></m:file-entry></m:manifest>`), resume.CodeEncrypted},
		{"entities", with(small, "content.xml", entities+small["content.xml"]), resume.CodeCorrupt},
		{"bomb", parts("", strings.Repeat(" ", 50<<20)), resume.CodeTooComplex},
		{
			"deep tables", parts("", strings.Repeat("<table:table><table:table-row><table:table-cell>", 100_000)),
			resume.CodeTooComplex,
		},
		{"many paragraphs", parts("", strings.Repeat("<text:p>x</text:p>", 50_000)), resume.CodeTooComplex},
		{"many styles", parts(manyStyles(20_000), "<text:p>x</text:p>"), resume.CodeTooComplex},
		{"styles based on each other", parts(cycle, `<text:p><text:span text:style-name="a">x</text:span></text:p>`), ""},
		{"many repetitions", parts("", strings.Repeat(`<text:p>x<text:s text:c="2000000000"/></text:p>`+
			`<table:table-column table:number-columns-repeated="2000000000"/>`, 9)), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := reader().Read(t.Context(), resumetest.Zip(t, test.parts))
			if matching.CodeOf(err) != test.want {
				t.Errorf("got %v, want code %s", err, test.want)
			}
		})
	}

	cut := strings.TrimSuffix(parts("", "<text:p>Ada</text:p>")["content.xml"], "</office:document-content>")
	cutOff := resumetest.Zip(t, with(small, "content.xml", cut))
	if got := resumetest.ReadBrief(t, reader(), cutOff); got != "Ada\nwarning truncated" {
		t.Errorf("cut off: got %q", got)
	}

	resumetest.Canceled(t, reader(), resumetest.Zip(t, small))
}

func manyStyles(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `<style:style style:name="s%d"/>`, i)
	}
	return b.String()
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"testdata/resume.odt", "testdata/columns.odt"} {
		file, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file []byte) { resumetest.Check(t, reader(), file) })
}

// FuzzRead_Content lets the fuzzer write XML, which it can hardly do inside an archive.
func FuzzRead_Content(f *testing.F) {
	f.Add(styled("text", "T", `<style:text-properties fo:font-size="90%"/>`), `<text:p>a<text:span text:style-name="T">b`+
		`</text:span><draw:frame><draw:text-box><text:p>c</text:p></draw:text-box></draw:frame></text:p>`)
	f.Add("", `<table:table><table:table-row><table:table-cell/>`+
		`<table:covered-table-cell/></table:table-row></table:table>`)
	f.Fuzz(func(t *testing.T, styles, content string) {
		resumetest.Check(t, reader(), resumetest.Zip(t, parts(styles, content)))
	})
}
