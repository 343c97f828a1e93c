package docx_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/resume"
)

func TestRead_Text(tt *testing.T) {
	for _, test := range []struct {
		name, body string
		want       []string
	}{
		{"runs of a paragraph are joined", p(t("Ada ") + t("Example")), []string{"Ada Example"}},
		{"empty paragraphs are ignored", p("") + p(t(" ")) + p(t("x")), []string{"x"}},
		{"white space is collapsed", p(t("a   b") + t(" ") + t("  c\n d")), []string{"a b c d"}},
		{"many spaces are a tab", p(t("Engineer          2019")), []string{"Engineer\t2019"}},
		{"outer white space counts only if preserved", p(`<w:r><w:t> a </w:t></w:r>` + t(" b")), []string{"a b"}},
		{
			"tabs",
			p(t("Engineer") + `<w:r><w:tab/><w:tab/></w:r>` + t("2019") + `<w:r><w:ptab/></w:r>`),
			[]string{"Engineer\t2019"},
		},
		{
			"breaks end lines",
			p(t("a") + `<w:r><w:br/></w:r>` + t("b") + `<w:r><w:cr/></w:r>` + t("c")),
			[]string{"a", "b", "c"},
		},
		{
			"hyphens",
			p(t("co") + `<w:r><w:noBreakHyphen/></w:r>` + t("op") + `<w:r><w:softHyphen/></w:r>` + t("er")),
			[]string{"co-oper"},
		},
		{"zero-width marks are removed", p(t("a\u200bb\u00adc\ufeff\u202ad")), []string{"abcd"}},
		{"joiners that shape letters are kept", p(t("می\u200cخواهم")), []string{"می\u200cخواهم"}},
		{"icons are spaces", p(t("\uf0e0a@example.org\uf095123")), []string{"a@example.org 123"}},
		{
			"spaced letters are joined into words",
			p(t("W O R K  &amp;   E X P E R I") + t(" E N C E")),
			[]string{"WORK & EXPERIENCE"},
		},
		{
			"other single letters are kept apart",
			p(t("A B C")) + p(t("a b c d")) + p(t("R C Go C++")),
			[]string{"A B C", "a b c d", "R C Go C++"},
		},
		{"symbols", p(`<w:r><w:sym w:font="Arial" w:char="00E9"/></w:r>` + t("t")), []string{"ét"}},
		{"bullet symbol", p(`<w:r><w:sym w:font="Wingdings" w:char="F0A7"/></w:r>` + t(" entry")), []string{"entry"}},
		{
			"deleted and moved text is left out",
			p(t("Senior ") + `<w:del w:id="1"><w:r><w:delText>Junior </w:delText></w:r></w:del>` +
				`<w:ins w:id="2">` + t("Go ") + `</w:ins><w:moveFrom w:id="3">` + t("Rust ") + `</w:moveFrom>` +
				`<w:moveTo w:id="4">` + t("Engineer") + `</w:moveTo>`),
			[]string{"Senior Go Engineer"},
		},
		{
			"results of fields are text",
			p(`<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>DATE \@ "yyyy"</w:instrText></w:r>` +
				`<w:r><w:fldChar w:fldCharType="separate"/></w:r>` + t("2020") + `<w:r><w:fldChar w:fldCharType="end"/></w:r>` +
				`<w:fldSimple w:instr="PAGE">` + t("–7") + `</w:fldSimple>`),
			[]string{"2020–7"},
		},
		{
			"results of fields within instructions are ignored",
			p(`<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>IF </w:instrText></w:r>` +
				`<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>X</w:instrText></w:r>` +
				`<w:r><w:fldChar w:fldCharType="separate"/></w:r>` + t("inner") + `<w:r><w:fldChar w:fldCharType="end"/></w:r>` +
				`<w:r><w:fldChar w:fldCharType="separate"/></w:r>` + t("outer") + `<w:r><w:fldChar w:fldCharType="end"/></w:r>`),
			[]string{"outer"},
		},
		{
			"a field without an end",
			p(`<w:r><w:fldChar w:fldCharType="begin"/></w:r>`+t("a")) + p(t("b")),
			[]string{"a", "b"},
		},
		{
			"empty form fields are left out",
			p(`<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>` +
				formatted(`<w:rStyle w:val="PlaceholderText"/>`, "Click here to enter text.") + `</w:sdtContent></w:sdt>` +
				`<w:sdt><w:sdtPr/><w:sdtContent>` + t("Ada") + `</w:sdtContent></w:sdt>`),
			[]string{"Ada"},
		},
		{
			"prompts are left out in any style",
			p(`<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>`+t("List skill here")+`</w:sdtContent></w:sdt>`+
				`<w:sdt><w:sdtPr><w:showingPlcHdr w:val="0"/></w:sdtPr><w:sdtContent>`+t("Welding")+`</w:sdtContent></w:sdt>`) +
				`<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>` + p(t("[Job title]")) + `</w:sdtContent></w:sdt>`,
			[]string{"Welding"},
		},
		{
			"pictures between texts separate them",
			p(t("+49 30 5550 1182") + picture() + t("ada@example.org") + picture() + t("Sukuta")),
			[]string{"+49 30 5550 1182\tada@example.org\tSukuta"},
		},
		{
			"a picture beside a space and at the ends of a line",
			p(picture() + t("Leeds") + picture()),
			[]string{"Leeds"},
		},
		{
			"formats replaced by tracked changes are ignored",
			p(`<w:pPr><w:pPrChange><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:pPrChange></w:pPr>` +
				formatted(`<w:rPrChange><w:rPr><w:vanish/></w:rPr></w:rPrChange>`, "seen")),
			[]string{"seen"},
		},
		{
			"ruby annotations are left out",
			p(`<w:r><w:ruby><w:rt>` + t("とうきょう") + `</w:rt><w:rubyBase>` + t("東京") + `</w:rubyBase></w:ruby></w:r>`),
			[]string{"東京"},
		},
		{
			"smart tags and custom XML are read",
			`<w:customXml>` + p(`<w:smartTag>`+t("x")+`</w:smartTag>`) + `</w:customXml>`,
			[]string{"x"},
		},
		{
			"text box with a fallback",
			p(`<w:r><mc:AlternateContent><mc:Choice Requires="wps">` + box("", "", p(t("box"))) + `</mc:Choice>` +
				`<mc:Fallback><w:pict><v:shape><v:textbox><w:txbxContent>` + p(t("box")) + `</w:txbxContent></v:textbox>` +
				`</v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r>` + t("text")),
			[]string{"box", "text"},
		},
		{
			"fallback of a choice without text",
			p(`<w:r><mc:AlternateContent><mc:Choice Requires="c14"><w:drawing/></mc:Choice>` +
				`<mc:Fallback><w:pict><v:shape><v:textbox><w:txbxContent>` + p(t("box")) + `</w:txbxContent></v:textbox>` +
				`</v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r>`),
			[]string{"box"},
		},
		{"a banner precedes its paragraph", p(t("text") + box("", "", p(t("HEADING")))), []string{"HEADING", "text"}},
		{
			"a longer box follows its paragraph",
			p(box("", "", p(t("1"))+p(t("2"))+p(t("3"))) + t("name")),
			[]string{"name", "1", "2", "3"},
		},
	} {
		tt.Run(test.name, func(tt *testing.T) {
			d := mustRead(tt, bodyOf(test.body).file(tt))
			if diff := cmp.Diff(test.want, texts(d)); diff != "" {
				tt.Errorf("lines (-want +got):\n%s", diff)
			}

			if len(d.Warnings) > 0 {
				tt.Errorf("got warnings %v, want none", d.Warnings)
			}
		})
	}
}

func TestRead_Tables(tt *testing.T) {
	lines := func(texts string) string {
		var all strings.Builder
		for _, text := range strings.Split(texts, "|") {
			all.WriteString(p(t(text)))
		}
		return all.String()
	}

	wide := func(width, texts string) string {
		return `<w:tcPr><w:tcW w:w="` + width + `"/></w:tcPr>` + lines(texts)
	}
	for _, test := range []struct {
		name, body string
		want       []string
	}{
		{"a row of one-line cells is a line", cells(lines("Go"), p(""), lines("expert")), []string{"Go\texpert"}},
		{"larger cells are read one after the other", cells(lines("a|b"), lines("c|d|e")), []string{"a", "b", "c", "d", "e"}},
		{"a heading beside a larger cell", cells(lines("Experience"), lines("a|b")), []string{"Experience", "a", "b"}},
		{
			"a date before a larger cell joins its first line",
			cells(lines("2019–2021"), lines("Engineer|did things")),
			[]string{"2019–2021\tEngineer", "did things"},
		},
		{
			"a date or place after a larger cell joins its first line",
			cells(lines("Engineer|did things"), lines("2019–2021")),
			[]string{"Engineer\t2019–2021", "did things"},
		},
		{
			"a date range on two lines",
			cells(lines("Jan 2019 –|Dec 2021"), lines("Engineer|did things")),
			[]string{"Jan 2019 – Dec 2021\tEngineer", "did things"},
		},
		{
			"cells of equal height with dates are read across",
			cells(lines("Acme|Engineer"), lines("2019–2021|Berlin")),
			[]string{"Acme\t2019–2021", "Engineer\tBerlin"},
		},
		{"nested tables", cells(lines("Go|SQL"), cells(lines("x"), lines("y"))+p("")), []string{"Go", "SQL", "x\ty"}},
		{
			"a narrow column is a sidebar and comes last",
			cells(wide("30", "s1|s2|s3|s4|s5|s6|s7|s8"), wide("70", "1|2|3|4|5|6|7|8")) + p(t("9")),
			[]string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8"},
		},
		{
			"rows in controls, and deleted rows",
			`<w:tbl><w:sdt><w:sdtContent><w:tr><w:tc>` + lines("a") + `</w:tc></w:tr></w:sdtContent></w:sdt>` +
				`<w:tr><w:trPr><w:del w:id="1"/></w:trPr><w:tc>` + lines("b") + `</w:tc></w:tr></w:tbl>`,
			[]string{"a"},
		},
		{"a cell outside a row is ignored", `<w:tc>` + lines("a") + `</w:tc>` + lines("b"), []string{"b"}},
	} {
		tt.Run(test.name, func(tt *testing.T) {
			d := mustRead(tt, bodyOf(test.body).file(tt))
			if diff := cmp.Diff(test.want, texts(d)); diff != "" {
				tt.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRead_Formats(tt *testing.T) {
	body := p(`<w:pPr><w:pStyle w:val="berschrift1"/></w:pPr>`+t("Erfahrung")) +
		p(`<w:pPr><w:pStyle w:val="Eigene"/></w:pPr>`+t("Bildung")) +
		p(`<w:pPr><w:outlineLvl w:val="2"/></w:pPr>`+t("Level")) +
		p(`<w:pPr><w:pStyle w:val="berschrift1"/><w:outlineLvl w:val="9"/></w:pPr>`+t("None")) +
		p(`<w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr>`+t("entry")) +
		p(`<w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="2"/></w:numPr></w:pPr>`+t("continued")) +
		p(`<w:pPr><w:numPr><w:numId w:val="0"/></w:numPr></w:pPr>`+t("none")) +
		p("") +
		p(`<w:pPr><w:spacing w:before="240"/></w:pPr>`+formatted(`<w:b/><w:sz w:val="24"/>`, "large and bold")+t("x")) +
		p(formatted(`<w:rStyle w:val="Strong"/>`, "strong")+formatted(`<w:rStyle w:val="Strong"/><w:b w:val="0"/>`, "er"))

	file := bodyOf(body).
		with("word/styles.xml", `<w:styles`+spaces+`>`+
			`<w:docDefaults><w:rPrDefault><w:rPr><w:sz w:val="22"/></w:rPr></w:rPrDefault></w:docDefaults>`+
			`<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/>`+
			`<w:rPr><w:b/><w:sz w:val="32"/></w:rPr></w:style>`+
			`<w:style w:type="paragraph" w:styleId="Eigene"><w:name w:val="Eigene"/><w:basedOn w:val="berschrift1"/>`+
			`<w:rPr><w:b w:val="false"/></w:rPr></w:style>`+
			`<w:style w:type="character" w:styleId="Strong"><w:name w:val="Strong"/><w:rPr><w:b/></w:rPr></w:style>`+
			`</w:styles>`).
		with("word/numbering.xml", `<w:numbering`+spaces+`>`+
			`<w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>`+
			`</w:abstractNum>`+
			`<w:abstractNum w:abstractNumId="8"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val=" "/></w:lvl>`+
			`</w:abstractNum>`+
			`<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>`+
			`<w:num w:numId="2"><w:abstractNumId w:val="8"/></w:num></w:numbering>`).
		with("word/_rels/document.xml.rels", relations(
			relation("s", "styles", "styles.xml")+relation("n", "numbering", "/word/numbering.xml"))).
		file(tt)

	want := []resume.Line{
		{Text: "Erfahrung", Heading: 1, Bold: true, Size: 16},
		{Text: "Bildung", Heading: 1, Size: 16},
		{Text: "Level", Heading: 3, Size: 11},
		{Text: "None", Bold: true, Size: 16},
		{Text: "entry", Bullet: true, Size: 11},
		{Text: "continued", Size: 11},
		{Text: "none", Size: 11},
		{Text: "large and boldx", Bold: true, Size: 12, Gap: 2},
		{Text: "stronger", Bold: true, Size: 11},
	}
	if diff := cmp.Diff(want, mustRead(tt, file).Lines); diff != "" {
		tt.Errorf("lines (-want +got):\n%s", diff)
	}
}

func TestRead_Gaps(tt *testing.T) {
	const spacing = `<w:pStyle w:val="a"/><w:spacing w:before="100" w:after="200"/>` // 5 and 10 points
	spaced := `<w:pPr>` + spacing + `</w:pPr>`
	close := `<w:pPr>` + spacing + `<w:contextualSpacing/></w:pPr>`
	body := p(spaced+t("1")) + p(spaced+t("2")) + p(close+t("3")) + p(t("4")) + p("") + p("") + p(t("5"))
	var got []float64
	for _, l := range mustRead(tt, bodyOf(body).file(tt)).Lines {
		got = append(got, l.Gap)
	}
	if diff := cmp.Diff([]float64{.5, 1, 0, 1, 2}, got); diff != "" {
		tt.Errorf("gaps (-want +got):\n%s", diff)
	}
}

func TestRead_TypedBullets(tt *testing.T) {
	for text, want := range map[string]string{
		"• Go": "* Go", "- Go": "* Go", "▪Go": "* Go", "–\tGo": "* Go", "-Go": "-Go", "C - Go": "C - Go", "o Go": "o Go",
		"*": "", "•": "",
	} {
		got := ""
		for _, l := range mustRead(tt, bodyOf(p(t(text))+p(t("end"))).file(tt)).Lines {
			switch {
			case l.Text == "end":
			case l.Bullet:
				got += "* " + l.Text
			default:
				got += l.Text
			}
		}
		if got != want {
			tt.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestRead_SymbolBullets(tt *testing.T) {
	for code, want := range map[string]bool{"F06C": true, "F0A7": true, "F0FC": true, "F041": false} {
		symbol := `<w:r><w:sym w:font="Wingdings" w:char="` + code + `"/></w:r>`
		l := mustRead(tt, bodyOf(p(symbol+t(" item"))).file(tt)).Lines[0]
		if l.Text != "item" || l.Bullet != want {
			tt.Errorf("%s: got %q, bullet %t; want %q, bullet %t", code, l.Text, l.Bullet, "item", want)
		}
	}
}

func TestRead_Parts(tt *testing.T) {
	part := func(root, content string) string { return `<w:` + root + spaces + `>` + content + `</w:` + root + `>` }
	file := bodyOf(p(t("body")+`<w:r><w:footnoteReference w:id="2"/></w:r>`)).
		with("word/header1.xml", part("hdr", p(t("Ada Example"))+p(t("Page 1")))).
		with("word/header2.xml", part("hdr", p(t("Ada Example"))+p(t("Page 2")))).
		with("word/footer1.xml", part("ftr", p(t("footer")))).
		with("word/footnotes.xml", part("footnotes", `<w:footnote w:type="separator" w:id="0">`+p(t("line"))+`</w:footnote>`+
			`<w:footnote w:id="2">`+p(t("note"))+`</w:footnote>`)).
		with("word/comments.xml", part("comments", p(t("comment")))).
		with("word/_rels/document.xml.rels", relations(
			relation("f", "footer", "footer1.xml")+relation("a", "header", "header1.xml")+
				relation("b", "header", "header2.xml")+relation("c", "comments", "comments.xml")+
				relation("n", "footnotes", "footnotes.xml"))).file(tt)

	var got []string
	for _, l := range mustRead(tt, file).Lines {
		got = append(got, [...]string{"body: ", "sidebar: ", "header: ", "footer: "}[l.Part]+l.Text)
	}

	want := []string{
		"header: Ada Example", "header: Page 1", "header: Page 2", "body: body", "body: note", "footer: footer",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		tt.Errorf("lines (-want +got):\n%s", diff)
	}
}

func TestRead_Links(tt *testing.T) {
	file := bodyOf(p(t("Ada"))+
		p(t("See ")+`<w:hyperlink r:id="l">`+t("my code")+`</w:hyperlink>`+t(" or ")+
			`<w:hyperlink w:anchor="top">`+t("above")+`</w:hyperlink>`)+
		p(`<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> HYPERLINK "mailto:ada@</w:instrText></w:r>`+
			`<w:r><w:instrText>example.org" \o "x"</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>`+
			t("write")+`<w:r><w:fldChar w:fldCharType="end"/></w:r>`)+
		p(`<w:r><w:drawing><wp:inline><wp:docPr id="1"><a:hlinkClick r:id="i"/></wp:docPr></wp:inline></w:drawing></w:r>`)).
		with("word/_rels/document.xml.rels", relations(
			external("l", "https://example.org/code")+external("i", "https://example.org/icon"))).file(tt)
	want := []resume.Link{
		{URL: "https://example.org/code", Text: "my code", Line: 1},
		{URL: "mailto:ada@example.org", Text: "write", Line: 2},
		{URL: "https://example.org/icon", Line: -1},
	}
	if diff := cmp.Diff(want, mustRead(tt, file).Links); diff != "" {
		tt.Errorf("links (-want +got):\n%s", diff)
	}
}

func TestRead_HiddenText(tt *testing.T) {
	hidden := func(format string) string { return p(formatted(format, "stuffing")) }
	paleOn := func(shade string) string { return p(shade + formatted(`<w:color w:val="FFFFFF"/>`, "stuffing")) }
	dark := `<w:pPr><w:shd w:val="clear" w:fill="1F3864"/></w:pPr>`
	for _, test := range []struct {
		name, body string
		seen       bool
	}{
		{"w:vanish", hidden(`<w:vanish/>`), false},
		{"w:vanish switched off", hidden(`<w:vanish w:val="0"/>`), true},
		{"hidden by a style", hidden(`<w:rStyle w:val="Ghost"/>`), false},
		{"white", hidden(`<w:color w:val="FFFFFF"/>`), false},
		{"nearly white", hidden(`<w:color w:val="FDFDFE"/>`), false},
		{"light gray", hidden(`<w:color w:val="BFBFBF"/>`), true},
		{"one point", hidden(`<w:sz w:val="2"/>`), false},
		{"white on a dark paragraph", paleOn(dark), true},
		{"white on a white paragraph", paleOn(`<w:pPr><w:shd w:val="clear" w:fill="FFFFFF"/></w:pPr>`), false},
		{
			"black on black",
			p(formatted(`<w:color w:val="000000"/><w:shd w:val="clear" w:fill="000000"/>`, "stuffing")),
			false,
		},
		{"white on a highlight", hidden(`<w:color w:val="FFFFFF"/><w:highlight w:val="black"/>`), true},
		{"white in a dark cell", cells(`<w:tcPr><w:shd w:val="clear" w:fill="000080"/></w:tcPr>` + paleOn("")), true},
		{"white in a cell", cells(paleOn("")), false},
		{
			"white in a table with a style",
			`<w:tbl><w:tblPr><w:tblStyle w:val="x"/></w:tblPr><w:tr><w:tc>` + paleOn("") + `</w:tc></w:tr></w:tbl>`,
			true,
		},
		{"white in a filled box", p(box("", `<a:solidFill/>`, paleOn(""))), true},
		{"white in a white box", p(box("", `<a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill>`, paleOn(""))), false},
		{
			"white beside a white box",
			p(box("", `<a:solidFill><a:schemeClr val="bg1"/></a:solidFill>`, "")) + paleOn(""),
			false,
		},
		{"white near a dark box", p(box("", `<a:solidFill><a:srgbClr val="203040"/></a:solidFill>`, "")) + paleOn(""), true},
		{
			"white beside a dark box with text around it",
			p(strings.Replace(box("", `<a:solidFill/>`, ""), "<a:graphic>", `<wp:wrapSquare/><a:graphic>`, 1)) + paleOn(""),
			false,
		},
		{
			"white on a dark VML shape",
			p(`<w:r><w:pict><v:rect style="position:absolute;z-index:-1" fillcolor="#203040 [3]"/></w:pict></w:r>`) + paleOn(""),
			true,
		},
		{
			"white on a shape filled by its style",
			p(`<w:r><wps:wsp><wps:style><a:fillRef idx="1"/></wps:style><w:txbxContent>` + paleOn("") +
				`</w:txbxContent></wps:wsp></w:r>`),
			true,
		},
		{
			"white on a shape that overrides the fill of its style",
			p(`<w:r><wps:wsp><wps:spPr><a:noFill/></wps:spPr><wps:style><a:fillRef idx="1"/></wps:style><w:txbxContent>` +
				paleOn("") + `</w:txbxContent></wps:wsp></w:r>`),
			false,
		},
		{"white in an empty box", p(box("", `<a:noFill/>`, paleOn(""))), false},
		{
			"white on a picture behind the text",
			p(`<w:r><w:drawing><wp:anchor behindDoc="1"/></w:drawing></w:r>`) + paleOn(""),
			true,
		},
		{"white on a dark page", `<w:background w:color="101010"/>` + paleOn(""), true},
		{
			"in a hidden shape",
			p(`<w:r><w:pict><v:shape style="position:absolute; visibility: hidden"><v:textbox><w:txbxContent>` +
				p(t("stuffing")) + `</w:txbxContent></v:textbox></v:shape></w:pict></w:r>`),
			false,
		},
		{
			"in a shape of size zero",
			p(`<w:r><w:drawing><wp:anchor><wp:extent cx="0" cy="0"/><wps:txbx><w:txbxContent>` + p(t("stuffing")) +
				`</w:txbxContent></wps:txbx></wp:anchor></w:drawing></w:r>`),
			false,
		},
		{
			"in a hidden row",
			`<w:tbl><w:tr><w:trPr><w:hidden/></w:trPr><w:tc>` + p(t("stuffing")) + `</w:tc></w:tr></w:tbl>`,
			false,
		},
	} {
		tt.Run(test.name, func(tt *testing.T) {
			d := mustRead(tt, bodyOf(test.body+p(t("end"))).styled(
				`<w:style w:type="character" w:styleId="Ghost"><w:rPr><w:vanish/></w:rPr></w:style>`).file(tt))
			want := []string{"end"}
			warnings := []resume.Warning{resume.WarnHiddenText}
			if test.seen {
				want = []string{"stuffing", "end"}
				warnings = nil
			}

			if diff := cmp.Diff(want, texts(d)); diff != "" {
				tt.Errorf("lines (-want +got):\n%s", diff)
			}

			if diff := cmp.Diff(warnings, d.Warnings); diff != "" {
				tt.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRead_Dialects(tt *testing.T) {
	plain := bodyOf(p(`<w:pPr><w:outlineLvl w:val="0"/></w:pPr>` + t("Zoë 東京")))
	transitional := plain["word/document.xml"]
	const openXML, purl = "http://schemas.openxmlformats.org/", "http://purl.oclc.org/ooxml/"
	strict := strings.NewReplacer(openXML+"wordprocessingml/2006/main", purl+"wordprocessingml/main",
		openXML+"officeDocument/2006/relationships", purl+"officeDocument/relationships")
	otherPrefix := strings.NewReplacer("<w:", "<ns0:", "</w:", "</ns0:", " w:", " ns0:", "xmlns:w=", "xmlns:ns0=")
	defaultNamespace := strings.NewReplacer("<w:", "<", "</w:", "</", "xmlns:w=", "xmlns=",
		" w:val", ` xmlns:q="`+openXML+`wordprocessingml/2006/main" q:val`)
	utf16 := "\xFE\xFF"
	for _, r := range strings.Replace(transitional, "UTF-8", "UTF-16", 1) {
		utf16 += string([]byte{byte(r >> 8), byte(r)})
	}

	moved := plain.with("Report/Main.xml", transitional).
		with("_rels/.rels", relations(relation("x", "officeDocument", "/report/MAIN.xml")))
	delete(moved, "word/document.xml")
	noRelations := plain.with("a", "")
	delete(noRelations, "_rels/.rels")

	for name, file := range map[string]parts{
		"strict": plain.with("word/document.xml", strict.Replace(transitional)).
			with("_rels/.rels", strict.Replace(plain["_rels/.rels"])),
		"another prefix":        plain.with("word/document.xml", otherPrefix.Replace(transitional)),
		"default namespace":     plain.with("word/document.xml", defaultNamespace.Replace(transitional)),
		"byte order mark":       plain.with("word/document.xml", "\uFEFF"+transitional),
		"UTF-16":                plain.with("word/document.xml", utf16),
		"main part elsewhere":   moved,
		"without relationships": noRelations,
	} {
		tt.Run(name, func(tt *testing.T) {
			want := []resume.Line{{Text: "Zoë 東京", Heading: 1, Size: 10}}
			if diff := cmp.Diff(want, mustRead(tt, file.file(tt)).Lines); diff != "" {
				tt.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRead_DamagedDocuments(tt *testing.T) {
	file := bodyOf(p(t("first")) + cells(p(t("second")), p(t("third"))))
	whole := file["word/document.xml"]
	cut := whole[:strings.Index(whole, "third")+3]
	for name, document := range map[string]string{
		"missing end":        cut,
		"mismatched end tag": cut + "</w:r>",
		"unknown entity":     cut + "</w:t></w:r><w:r><w:t>&bomb;</w:t>",
	} {
		tt.Run(name, func(tt *testing.T) {
			d := mustRead(tt, file.with("word/document.xml", document).file(tt))
			if diff := cmp.Diff([]string{"first", "second\tthi"}, texts(d)); diff != "" {
				tt.Errorf("lines (-want +got):\n%s", diff)
			}

			if diff := cmp.Diff([]resume.Warning{resume.WarnTruncated}, d.Warnings); diff != "" {
				tt.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}

	tt.Run("damaged styles", func(tt *testing.T) {
		d := mustRead(tt, file.styled("<w:style></w:styles>").file(tt))
		if len(d.Lines) != 2 || len(d.Warnings) != 1 {
			tt.Errorf("%+v", d)
		}
	})
}

func TestRead_CanceledContext(tt *testing.T) {
	ctx, cancel := context.WithCancel(tt.Context())
	cancel()
	_, err := reader().Read(ctx, bodyOf(strings.Repeat(p(t("x")), 1000)).file(tt))
	if matching.CodeOf(err) != matching.CodeInternal || ctx.Err() == nil {
		tt.Errorf("got %v, want the error of the context", err)
	}
}

// Some programs keep the main part outside the folder word, and some leave out the relationships of the package.
func TestRead_MainPartElsewhere(tt *testing.T) {
	types := `<Types><Override PartName="/doc/Main.xml" ContentType="application/vnd.openxmlformats-officedocument` +
		`.wordprocessingml.document.main+xml"/></Types>`
	content := bodyOf(p(t("Ada")))["word/document.xml"]
	for name, file := range map[string]parts{
		"relationship": {"_rels/.rels": relations(relation("r", "officeDocument", "/doc/Main.xml"))},
		"content type": {"[Content_Types].xml": types},
		"wrong target": {
			"[Content_Types].xml": types, "_rels/.rels": relations(relation("r", "officeDocument", "gone")),
		},
		"damaged relations": {"[Content_Types].xml": types, "_rels/.rels": "<Relationships>"},
	} {
		file := file.with("doc/Main.xml", content).
			with("doc/_rels/Main.xml.rels", relations(relation("h", "header", "head.xml"))).
			with("doc/head.xml", `<w:hdr`+spaces+`>`+p(t("Head"))+`</w:hdr>`)
		if got, want := texts(mustRead(tt, file.file(tt))), []string{"Head", "Ada"}; !slices.Equal(got, want) {
			tt.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
