package rtf_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/flow"
	"github.com/freelancer-matching/service/resume/resumetest"
	"github.com/freelancer-matching/service/resume/rtf"
)

func reader() *rtf.Reader { return rtf.New(flow.DefaultLimits()) }

// The files were written by LibreOffice; see testdata/README.md.
func TestRead_LibreOffice(t *testing.T) {
	for _, name := range []string{"resume", "columns"} {
		t.Run(name, func(t *testing.T) {
			resumetest.Golden(t, reader(), "testdata/"+name+".rtf", "testdata/"+name+".golden")
		})
	}
}

func TestRead(t *testing.T) {
	for _, test := range []struct{ name, body, want string }{
		{"paragraphs", `Ada\par Data\line Engineer\par\pard\b Bold\b0\par`, "Ada\nData\nEngineer\nbold Bold"},
		{"escapes", `\{a\}\~b\\ \emdash\endash \bullet\par`, `{a} b\ —–•`},
		{"Western Europe", `M\'fcller \'80\par`, "Müller €"},
		{"code page of the file", `\ansicpg1251\'cc\'ee\'f1\'ea\'e2\'e0\par`, "Москва"},
		{"code page of a font", `{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset204 B;}{\f2\fcharset128 C;}}` +
			`\f0 \'e9 \f1\'cc\'ee \f2\'93\'8c\'8b\'9e\par`, "é Мо 東京"},
		{"Unicode with fallbacks", `\u252?ber \uc2\u8364EU\uc0\u9731 x{\uc3\u228abc}\par`, "über €☃xä"},
		{"surrogates", `\u-10179?\u-8704?\par`, "😀"},
		{"fallback in hexadecimal", `Z\u252\'fcrich\par`, "Zürich"},
		{"raw bytes", "Z\xFCrich\\par", "Zürich"},
		{"line ends of the file", "A\r\nd\na\\par", "Ada"},
		{"headings by style", `{\stylesheet{\s1\outlinelevel0 Title A;}{\s2 heading 2;}{\s3 Normal;}}` +
			`\pard\s1 One\par\pard\s2 Two\par\pard\s3 Three\par\pard\outlinelevel2 Four\par`, "h1 One\nh2 Two\nThree\nh3 Four"},
		{"bullets", `\pard{\listtext\'b7\tab}Go\par{\pntext\'b7\tab}\pard SQL\par\pard Text\par`, "* Go\nSQL\nText"},
		{"list by number", `\pard\ls1 Go\par\pard\ls0 Text\par`, "* Go\nText"},
		{"symbol font", `{\fonttbl{\f3\fcharset2 Symbol;}}{\f3\'b7\tab}Go\par{\f3\u-3913?} SQL\par`, "* Go\n* SQL"},
		{"table", `\trowd\cellx1000\cellx5000\intbl 2019\cell Engineer\cell\row\pard After\par`, "2019 | Engineer\nAfter"},
		{"table without \\row", `\intbl a\cell b\cell\pard After\par`, "a | b\nAfter"},
		{"nested table", `\intbl\itap1 Top\par\itap2 a\nestcell b\nestcell{\*\nesttableprops\trowd\nestrow}` +
			`{\nonesttables\par}\itap1 Low\cell\row\pard`, "Top\na | b\nLow"},
		{"link", `{\field{\*\fldinst{HYPERLINK "https://example.org"}}{\fldrslt{my site}}}\par`, "my site"},
		{"header and footer", `{\header Page head\par}{\footer Foot\par}Body\par`, "header Page head\nBody\nfooter Foot"},
		{"footnote", `Degree{\footnote With honors\par} 2018\par Next\par`, "Degree 2018\nWith honors\nNext"},
		{
			"text box", `Ada{\shp{\*\shpinst{\sp{\sn dx}{\sv 9}}{\shptxt One\par Two\par Three\par}}{\shprslt copy\par}}\par`,
			"Ada\nOne\nTwo\nThree",
		},
		{"hidden text", `Ada{\v secret}\par`, "Ada\nwarning hidden_text"},
		{
			"white text", `{\colortbl;\red255\green255\blue255;\red0\green0\blue0;}Ada{\cf1 secret}{\cf1\chcbpat2 seen}\par`,
			"Adaseen\nwarning hidden_text",
		},
		{"tiny text", `Ada{\fs2 secret}\par`, "Ada\nwarning hidden_text"},
		{"white on a shaded cell", `{\colortbl;\red255\green255\blue255;}\trowd\clcbpat2\cellx9\intbl` +
			`\cf1 seen\cell\row`, "seen"},
		{"deleted text", `Ada{\deleted gone}\par`, "Ada"},
		{"ignored groups", `{\info{\author X}}{\pict 0102}{\*\unknown x}{\object{\*\objdata 00}{\result seen}}\par`, "seen"},
		{"alternatives", `{\upr{old}{\*\ud{new}}}\par`, "new"},
		{"binary data", "a{\\pict\\bin5 }}{{\\}b\\par", "ab"},
		{
			"several levels of fields", `{\field{\*\fldinst HYPERLINK "x:y"}{\fldrslt a` +
				`{\field{\*\fldinst PAGE}{\fldrslt 1}}}}\par`,
			"a1",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := resumetest.ReadBrief(t, reader(), []byte(`{\rtf1\ansi `+test.body+`}`)); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestRead_Links(t *testing.T) {
	d, err := reader().Read(t.Context(), []byte(
		`{\rtf1 Ada, {\field{\*\fldinst HYPERLINK "https://example.org"}{\fldrslt site}}.\par}`))
	want := resume.Link{URL: "https://example.org", Text: "site"}
	if err != nil || len(d.Links) != 1 || d.Links[0] != want {
		t.Errorf("got %+v and %v, want %+v", d.Links, err, want)
	}
}

func TestRead_Errors(t *testing.T) {
	for _, test := range []struct {
		name, file string
		want       matching.Code
	}{
		{"empty", "", resume.CodeCorrupt},
		{"other text", "Ada", resume.CodeCorrupt},
		{"no text", `{\rtf1\par}`, resume.CodeNoText},
		{"pictures only", `{\rtf1{\pict 00}}`, resume.CodeNoText},
		{"hidden text only", `{\rtf1\v x}`, resume.CodeNoText},
		{"cut off", `{\rtf1{\pict`, resume.CodeCorrupt},
		{"deep nesting", `{\rtf1` + strings.Repeat("{", 1_000_000), resume.CodeTooComplex},
		{"many control words", `{\rtf1` + strings.Repeat(`\b`, 2_000_000), resume.CodeTooComplex},
		{"many paragraphs", `{\rtf1` + strings.Repeat(`\par`, 100_000), resume.CodeTooComplex},
		{"many characters", `{\rtf1 ` + strings.Repeat("word ", 500_000), resume.CodeTooComplex},
		{"nested cells", `{\rtf1` + strings.Repeat(`\intbl\itap99999 x\nestcell`, 100_000), resume.CodeTooComplex},
		{"nested boxes", `{\rtf1` + strings.Repeat(`{\footnote x`, 400), resume.CodeTooComplex},
		{"large file", `{\rtf1 x` + strings.Repeat(" ", 10<<20), resume.CodeTooComplex},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := reader().Read(t.Context(), []byte(test.file)); matching.CodeOf(err) != test.want {
				t.Errorf("got %v, want code %s", err, test.want)
			}
		})
	}

	if got := resumetest.ReadBrief(t, reader(), []byte(`{\rtf1 Ada\par Eng`)); got != "Ada\nEng\nwarning truncated" {
		t.Errorf("cut off: got %q", got)
	}
	resumetest.Canceled(t, reader(), []byte(`{\rtf1 `+strings.Repeat(`\b`, 10_000)+`}`))
}

// Word stores pictures in hexadecimal, in one group of megabytes.
func TestRead_LargePicture(t *testing.T) {
	file := fmt.Sprintf(`{\rtf1 Ada{\pict %s}\par}`, strings.Repeat("0123456789abcdef\n", 500_000))
	if got := resumetest.ReadBrief(t, reader(), []byte(file)); got != "Ada" {
		t.Errorf("got %q", got)
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"testdata/resume.rtf", "testdata/columns.rtf"} {
		file, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(file[len(`{\rtf1`):]))
	}
	f.Add(`\intbl\itap3 a\nestcell{\footnote b\cell}\row{\field{\*\fldinst HYPERLINK "x"}{\fldrslt y\par`)
	f.Add(`\u-10179?\u55357\uc9\bin99 \'zz{\upr{a}{\*\ud\shptxt`)
	f.Fuzz(func(t *testing.T, body string) { resumetest.Check(t, reader(), []byte(`{\rtf1`+body)) })
}
