package value

import (
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	tests := []struct{ name, cell, want string }{
		{"plain", "Web developer", "Web developer"},
		{"white space", "  Web \t developer\u00a0 ", "Web developer"},
		{"paragraphs", "One\r\n\r\n\r\n\r\nTwo\n three ", "One\n\nTwo\nthree"},
		{"styled letters", "𝑫𝒂𝒕𝒂 𝐄𝐧𝐭𝐫𝐲 Ｗｅｂ ℝ ﬁne", "Data Entry Web R fine"},
		{"symbols with a meaning", "Acme™ 5 m² ½ №1 ①", "Acme™ 5 m² ½ №1 ①"},
		{"combining accent", "Jose\u0301", "José"},
		{"zero width", "Py\u200bthon\ufeff \u202eabc\u2069", "Python abc"},
		{"control characters", "a\x00b\x07c", "abc"},
		{"hidden tags", "ok\U000E0041\U000E0042", "ok"},
		{"invalid UTF-8", "caf\xe9 ok\xff", "caf ok"},
		{"lost letters", "Mu\ufffdoz \ufffdukasz Jos\ufffd \ufffd\ufffd ok", "Mu\ufffdoz \ufffdukasz Jos\ufffd ok"},
		{"tags", "<p>Hello <b>World</b></p><p>Bye<br/>now</p>", "Hello World\n\nBye\nnow"},
		{"attributes", `<a href="https://example.com">site</a>`, "site"},
		{"script", "a<script>alert('x < y')</script>b", "a\n\nb"},
		{"comment", "a<!-- hidden -->b", "ab"},
		{"entities", "R&amp;D &lt;fast&gt; &#39;x&#39; caf&eacute;", "R&D <fast> 'x' café"},
		{"escaped twice", "Copy &amp;amp; Paste", "Copy & Paste"},
		{"escaped tags", "&lt;b&gt;bold&lt;/b&gt;", "bold"},
		{"not tags", "a<b, List<String>, I <3 code, x < y > z", "a<b, List<String>, I <3 code, x < y > z"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got, cut := Text(test.cell, 1000); got != test.want || cut {
				t.Errorf("Text(%q) = %q, %t, want %q", test.cell, got, cut, test.want)
			}
		})
	}
}

func TestLine_JoinsLines(t *testing.T) {
	if got, _ := Line("<p>One</p>\n\n Two\u2028Three", 100); got != "One Two Three" {
		t.Errorf("got %q", got)
	}
}

func TestLine_Limit(t *testing.T) {
	tests := []struct {
		cell, want string
		limit      int
		cut        bool
	}{
		{"abc", "abc", 3, false},
		{"abcd", "abc", 3, true},
		{"ab cd", "ab", 3, true},
		{"ééé", "ééé", 3, false},
		{"éééé", "ééé", 3, true},
		{"😀😀", "😀", 1, true},
	}
	for _, test := range tests {
		if got, cut := Line(test.cell, test.limit); got != test.want || cut != test.cut {
			t.Errorf("Line(%q, %d) = %q, %t, want %q, %t", test.cell, test.limit, got, cut, test.want, test.cut)
		}
	}
}

func TestUnknown(t *testing.T) {
	for _, cell := range []string{"", " ", "N/A", "n/a", "-", "—", "null", "None", "NaN", "unknown", "#N/A", "NA"} {
		if !Unknown(cell) {
			t.Errorf("Unknown(%q) = false", cell)
		}
	}
	for _, cell := range []string{"0", "Na", "no", "0%", "Nadia", "not available", strings.Repeat(" ", 20) + "x"} {
		if Unknown(cell) {
			t.Errorf("Unknown(%q) = true", cell)
		}
	}
}
