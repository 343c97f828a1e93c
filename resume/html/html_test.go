package html_test

import (
	"os"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/flow"
	"github.com/freelancer-matching/service/resume/html"
	"github.com/freelancer-matching/service/resume/resumetest"
)

func reader() *html.Reader { return html.New(flow.DefaultLimits()) }

// The files were written by LibreOffice; see testdata/README.md.
func TestRead_LibreOffice(t *testing.T) {
	for _, name := range []string{"resume", "columns"} {
		t.Run(name, func(t *testing.T) {
			resumetest.Golden(t, reader(), "testdata/"+name+".html", "testdata/"+name+".golden")
		})
	}
}

func TestRead(t *testing.T) {
	const hidden = "Ada\nwarning hidden_text"
	long := strings.Repeat("<p>x", 8)
	for _, test := range []struct{ name, page, want string }{
		{"paragraphs", "<html><body><p>Ada\n Example<p>Data<br>Engineer</p>Berlin", "Ada Example\nData\nEngineer\nBerlin"},
		{"inline elements", "<p><i>A</i><b>d</b>a <span>x</span>\n<span> y</span>", "Ada x y"},
		{"headings", "<h1>Ada</h1><div><h3>Jobs</h3>text</div>", "h1 Ada\nh3 Jobs\ntext"},
		{"bold", "<p><b>Bold</b><p><span style='font-weight: 700'>Bold</span><p>Not", "bold Bold\nbold Bold\nNot"},
		{"lists", "<ul><li>Go<li><p>SQL</p><p>more</p></li></ul><ol><li>One</ol>Text", "* Go\n* SQL\nmore\n* One\nText"},
		{"entities", "<p>R&amp;D &eacute; &#8364; a&nbsp;b", "R&D é € a b"},
		{"table", "<table><tr><th>2019<td>Engineer<tr><td>2020<td>Lead</table>x", "2019 | Engineer\n2020 | Lead\nx"},
		{
			"sidebar", "<table><tr><td width=30%>" + long + "<td width=70%>" + long + "</table>",
			strings.Repeat("x\n", 8) + strings.TrimSpace(strings.Repeat("sidebar x\n", 8)),
		},
		{"aside", "<aside><p>Go</aside><main>Ada</main>", "Ada\nsidebar Go"},
		{"flex row", `<div style="display:flex"><b>Engineer</b><span>2019</span></div>x`, "bold Engineer | 2019\nx"},
		{"flex row of the style sheet", "<style>.row{display:flex} @media print{.row{display:none}}</style>" +
			`<div class="a row"><div>Engineer</div><div>2019</div></div>`, "Engineer | 2019"},
		{"flex column", `<div style="display:flex;flex-direction:column"><p>a</p><p>b</p></div>`, "a\nb"},
		{"float", `<p><span style="float:right">2019</span>Engineer`, "2019 | Engineer"},
		{"preformatted", "<pre>Acme      2019\n  Engineer</pre>", "Acme | 2019\nEngineer"},
		{"scripts and styles", "<title>T</title><script>var a='<p>x'</script><style>p{}</style>Ada<noscript>n</noscript>" +
			"<textarea>t</textarea><svg><title>i</title></svg><template><p>x</template><!-- c -->", "Ada"},
		{"hidden attribute", "Ada<p hidden>secret</p>", hidden},
		{"display none", "Ada<div style='display: none !important'><p style='display:block'>secret</div>", hidden},
		{"display none by class", "<style>/* { */ p, .x { display:none }</style>Ada<span class='y x'>secret</span>", hidden},
		{"display none by id, at the end", "Ada<span id=x>secret</span><style>#x{display:none}</style>", hidden},
		{"visibility", "Ada<div style=visibility:hidden>secret</div>", hidden},
		{"opacity", "Ada<div style='opacity:0'>secret</div>", hidden},
		{"white text", "Ada<font color=#fffffe>secret</font>", hidden},
		{"text of one pixel", "Ada<span style='font-size:1px'>secret</span>", hidden},
		{"outside the page", "Ada<span style='position:absolute;left:-9999px'>secret</span>", hidden},
		{"box of one pixel", "Ada<span style='width:1px;height:1px;overflow:hidden'>secret</span>", hidden},
		{"white on dark", "<div style='background:#203040'><p style='color:#fff'>Ada", "Ada"},
		{"white on a picture", "<div style='background-image:url(x.png)'><p style='color:#fff'>Ada", "Ada"},
		{"rule with ancestors", "<style>.print .job{display:none} .cv .job{font-weight:bold}</style>" +
			"<p class=job>Ada", "bold Ada"},
		{"broken tags", "<p>Ada</div></b></td> <b>Go<p>SQL</b></p></html>x", "Ada Go\nSQL\nx"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := resumetest.ReadBrief(t, reader(), []byte(test.page)); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestRead_Charset(t *testing.T) {
	for name, page := range map[string]string{
		"UTF-8":       "<p>Zoë Müller",
		"declared":    "<meta charset='iso-8859-15'><p>Zo\xEB M\xFCller",
		"declaration": `<?xml version="1.0" encoding="windows-1252"?><html><p>Zo` + "\xEB M\xFCller",
		"wrong":       "<meta charset=utf-8><p>Zo\xEB M\xFCller",
		"UTF-16":      "\xFF\xFEZ\x00o\x00\xEB\x00 \x00M\x00\xFC\x00l\x00l\x00e\x00r\x00",
	} {
		if got := resumetest.ReadBrief(t, reader(), []byte(page)); got != "Zoë Müller" {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

func TestRead_Links(t *testing.T) {
	d, err := reader().Read(t.Context(), []byte(`<p>Ada, <a href="https://example.org">my <b>site</b></a>, `+
		`<a href="#top">top</a> <a href="JavaScript:x">js</a><a href="mailto:ada@example.org"></a>`))
	if err != nil {
		t.Fatal(err)
	}
	want := []resume.Link{{URL: "https://example.org", Text: "my site"}, {URL: "mailto:ada@example.org"}}
	if len(d.Links) != len(want) || d.Links[0] != want[0] || d.Links[1] != want[1] {
		t.Errorf("got %+v, want %+v", d.Links, want)
	}
}

func TestRead_Errors(t *testing.T) {
	for _, test := range []struct {
		name, page string
		want       matching.Code
	}{
		{"empty", "", resume.CodeNoText},
		{"no text", "<html><img src=x><script>x</script>", resume.CodeNoText},
		{"hidden text only", "<p hidden>x", resume.CodeNoText},
		{"deep nesting", strings.Repeat("<div>", 1_000_000), resume.CodeTooComplex},
		{"nested tables", strings.Repeat("<table><tr><td>", 500_000), resume.CodeTooComplex},
		{"many tags", strings.Repeat("<br>", 2_000_000), resume.CodeTooComplex},
		{"many paragraphs", strings.Repeat("<p>x", 200_000), resume.CodeTooComplex},
		{"many characters", "<p>" + strings.Repeat("word ", 1_000_000), resume.CodeTooComplex},
		{"large file", strings.Repeat("x", 10<<20+1), resume.CodeTooComplex},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := reader().Read(t.Context(), []byte(test.page)); matching.CodeOf(err) != test.want {
				t.Errorf("got %v, want code %s", err, test.want)
			}
		})
	}

	resumetest.Canceled(t, reader(), []byte(strings.Repeat("<br>", 10_000)))
}

// Each of these takes quadratic time or memory in a parser that isn't careful.
func TestRead_Expensive(t *testing.T) {
	for name, page := range map[string]string{
		"attributes":          "<p" + strings.Repeat(" a", 1_000_000) + ">Ada",
		"huge attribute":      "<p title='" + strings.Repeat("x", 9<<20) + "'>Ada",
		"unclosed formatting": strings.Repeat("<b a=1><i>", 100) + strings.Repeat("<p>", 50_000) + "Ada",
		"unmatched ends":      strings.Repeat("<i>", 200) + strings.Repeat("</b>", 100_000) + "Ada",
		"style rules": "<style>" + strings.Repeat(".a{color:red}", 100_000) + "</style>" +
			strings.Repeat("<p class=a>", 20_000) + "Ada",
		"unclosed styles": strings.Repeat("<style><", 1_000_000),
		"open comment":    "Ada<!--" + strings.Repeat("-", 9<<20),
	} {
		t.Run(name, func(t *testing.T) { resumetest.Check(t, reader(), []byte(page)) })
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"testdata/resume.html", "testdata/columns.html"} {
		page, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(page)
	}
	f.Add([]byte("<style>.a{display:flex;font:bold 0/1 x}</style><div class=a>x<table><td>y<a href=b:c><li>z</a></div>"))
	f.Add([]byte("<pre>a\n\tb</pre><aside><tr><p>x</td><h9><h1 style='font-size:1e9em'>y"))
	f.Fuzz(func(t *testing.T, page []byte) { resumetest.Check(t, reader(), page) })
}
