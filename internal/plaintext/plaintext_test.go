package plaintext

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestOf(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"plain text", "Logo design.\nA bakery, 2 rounds", "Logo design.\nA bakery, 2 rounds"},
		{"comparisons", "a < b and c > d, <5 years, 3<4, x <y and z> w", "a < b and c > d, <5 years, 3<4, x <y and z> w"},
		{
			"generics",
			"List<String> and Promise<Object>, Map<String, List<B>>",
			"List<String> and Promise<Object>, Map<String, List<B>>",
		},
		{"mentioned elements", "Draw on <canvas>, play <video>", "Draw on <canvas>, play <video>"},
		{"names with signs", "C++, C#, F#, .NET, R&D, Q&A, AT&T, notepad++", "C++, C#, F#, .NET, R&D, Q&A, AT&T, " +
			"notepad++"},
		{"snake case", "my_table.first_name, __init__, 2*3, a * b, 5 * 4", "my_table.first_name, init, 2*3, a * b, 5 * 4"},
		{"unknown entities", "a&reg=1; R&D; &regular; &unknown; &;", "a&reg=1; R&D; &regular; &unknown; &;"},

		{"paragraphs", "<p>Logo</p><p>A bakery</p>", "Logo\nA bakery"},
		{"attributes", `<div class="a > b" style='x'>Logo</div>`, "Logo"},
		{"capitals and unclosed", "<P ALIGN=center>Logo<BR>Bakery", "Logo\nBakery"},
		{"inline in a word", "<b>R</b>eact and <i>Vue</i>.js", "React and Vue.js"},
		{"adjacent chips", "<span>React</span><span>Vue</span>", "React Vue"},
		{"table", "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc"},
		{"list", "<ul>\n  <li>Go</li>\n  <li>SQL</li>\n</ul>", "Go\nSQL"},
		{"script and style", "<style>p{}</style>Logo<script>if (a<b) alert('</p>')</script> design<br>", "Logo design"},
		{"comment", "Logo <!-- <p>hidden</p> --> design", "Logo design"},
		{"generics in HTML", "<p>Java: List<String></p>", "Java: List<String>"},
		{"escaped tags in HTML", "<p>The &lt;b&gt; tag and List&lt;String&gt;</p>", "The <b> tag and List<String>"},
		{"escaped HTML", "&lt;p&gt;Logo &amp;amp; web&lt;/p&gt;", "Logo & web"},
		{"entities", "Caf&eacute;&nbsp;&amp; bar &#39;s&#x2019; &lt;5 years", "Café & bar 's’ <5 years"},
		{"cut tag", "<p>Logo</p> for a bakery <div cla", "Logo\nfor a bakery <div cla"},
		{"cut comment", "<p>Logo</p><!-- for a bakery", "Logo\n<!-- for a bakery"},
		{"cut script", "<p>Logo</p><script>for a bakery", "Logo\nfor a bakery"},

		{"headings and emphasis", "# **Logo** design ##\n## _A_ *bakery*, ~~old~~", "Logo design ##\nA bakery, old"},
		{"setext heading", "Logo\n====\nA bakery\n---", "Logo\nA bakery"},
		{"bullets", "* a\n- b\n+ c\n• d\n– e\n> f\n- [x] g", "a\nb\nc\nd\ne\nf\ng"},
		{"numbers of a list", "1. a\n2) b", "a\nb"},
		{"one number", "1. FC Cologne website", "1. FC Cologne website"},
		{"emoji", "🚀 Logo\n✅ A bakery ❤️\n👩‍💻 Developer", "Logo\nA bakery ❤\nDeveloper"},
		{"links", "[Site](https://example.com/x) and ![logo](a.png) and [no] (x)", "Site and logo and [no] (x)"},
		{"code", "`go test`\n```go\nx\n```", "go test\nx"},
		{"escapes", `C\# and a\_b \- c:\new`, `C# and a_b - c:\new`},
		{"table of Markdown", "| a | b |\n|---|:-:|\n| c | d |", "a | b\nc | d"},
		{"signs that begin words", "#1 expert\n.NET\n$500\n-5 degrees\n+49 30", "#1 expert\n.NET\n$500\n-5 " +
			"degrees\n+49 30"},

		{"spaces", "  Logo \t  design\u00a0for\u2009a\u3000bakery  ", "Logo design for a bakery"},
		{"invisible", "\ufeffLo\u200bgo de\u00adsi\u2060gn\u200d \u202ebakery\u0000", "Logo design bakery"},
		{"line breaks", "a\r\nb\rc\u2028d\u0085e\vf", "a\nb\nc\nd\ne\nf"},
		{"empty lines", "a\n\n\n \n\u00a0\nb\n\n", "a\n\nb"},
		{"invalid UTF-8", "web\xffdesign", "web\xffdesign"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := Of(test.text); got != test.want {
				t.Errorf("Of(%q)\n got %q\nwant %q", test.text, got, test.want)
			}
		})
	}
}

// Letters and digits of plain text always survive, and the result is never longer than the text.
func FuzzOf(f *testing.F) {
	for _, seed := range []string{
		"<p>a</p>", "<!--", "<script>", "a < b", "&lt;p&gt;", "[a](b)", "# **b**", "```", "<a b='", "&amp;amp;lt;", "]]>",
		"<![CDATA[x]]>", "<plaintext>x</p>", "<textarea><b>x</textarea>", "</", "<?php echo ?>", "\\", "1. ",
	} {
		f.Add(seed)
	}

	f.Fuzz(func(t *testing.T, text string) {
		got := Of(text)
		if plain(text) && lines(text) != text {
			t.Errorf("%q is not plain: %q", text, lines(text))
		}

		if len(got) > len(text)+2 {
			t.Errorf("%q became longer: %q", text, got)
		}

		if utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Errorf("%q became invalid: %q", text, got)
		}

		for _, line := range strings.Split(got, "\n") {
			if strings.TrimSpace(line) != line {
				t.Errorf("%q has spaces around the line %q", text, line)
			}
		}
	})
}

func BenchmarkOf(b *testing.B) {
	brief := strings.Repeat("We need a developer for our online shop – React, Node.js & PostgreSQL.\n* It has "+
		"to be fast.\n", 15)
	for name, text := range map[string]string{
		"plain": brief,
		"HTML":  "<p>" + strings.ReplaceAll(brief, "\n", "</p>\n<p>") + "</p>",
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				Of(text)
			}
		})
	}
}

// The time per byte must be the same for hostile texts of any length.
func BenchmarkOf_Hostile(b *testing.B) {
	for _, unit := range []string{
		"<", "<a", "<!--", "<p ", "</p", "<p>", "&", "&amp", "&amp;lt;", "[", "![", "[](", "`", "*a", "\\", "\n", "- ",
		"<script>", "<script><!--", "<b></b>", "<textarea>", "<svg><title>", "<a b=\"", "1. \n", "<!DOCTYPE", "<![CDATA[",
	} {
		for _, size := range []int{10_000, 100_000} {
			text := "<br>" + strings.Repeat(unit, size/len(unit))
			b.Run(fmt.Sprintf("%q/%d", unit, size), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					Of(text)
				}
			})
		}
	}
}
