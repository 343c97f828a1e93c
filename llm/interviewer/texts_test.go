package interviewer

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestQuotable_FindsQuotations(t *testing.T) {
	const source = "I “moved”\n  the Ｃache to Redis\u200b, and ﬁles to S3 – it’s 40 % faster. Café, Ｇｏ 日本語のテスト回答です。"
	tests := []struct{ name, quotation, want string }{
		{"verbatim", "and ﬁles to S3", "and ﬁles to S3"},
		{"in NFKC", "and files to S3", "and ﬁles to S3"},
		{"on one line", `I "moved" the Cache`, "I “moved”\n  the Ｃache"},
		{"without invisible characters", "Redis, and files", "Redis\u200b, and ﬁles"},
		{"other punctuation", "S3 - it's 40 % faster", "S3 – it’s 40 % faster"},
		{"another case", "IT'S 40 % FASTER", "it’s 40 % faster"},
		{"in quotation marks", `"…the cache to redis…"`, "the Ｃache to Redis"},
		{"decomposed", "40 % faster. Cafe\u0301", "40 % faster. Café"},
		{"without spaces", "日本語のテスト回答", "日本語のテスト回答"},
		{"other words", "I moved the cache", ""},
		{"a gap", "I “moved” … to Redis", ""},
		{"too short", "to S3", ""},
		{"nothing", " . ", ""},
	}

	q := newQuotable(source)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, ok := q.find(test.quotation)
			if got != test.want || ok != (test.want != "") {
				t.Errorf("got %q, %t, want %q", got, ok, test.want)
			}
		})
	}

	redacted := newQuotable("At night I called Ana Example (+49 170 1234567) and we moved the cache. Ana agreed.")
	for quotation, want := range map[string]string{
		"I called [name] [name] ([number]) and we moved": "I called Ana Example (+49 170 1234567) and we moved",
		"moved the cache. [name]":                        "moved the cache.",
		"(+49 [name] agreed":                             "(+49 170 1234567) and we moved the cache. Ana agreed",
		"and we moved [name] I called":                   "",
		"[name] [name] [number]":                         "",
	} {
		if got, ok := redacted.find(quotation); got != want || ok != (want != "") {
			t.Errorf("%q: got %q, %t, want %q", quotation, got, ok, want)
		}
	}

	if got, ok := newQuotable("Yes.").find("yes"); got != "Yes" || !ok {
		t.Errorf("got %q, %t for the whole of a short answer", got, ok)
	}
}

// A quotation that is found occurs in the source, and every source quotes itself.
func FuzzQuotable(f *testing.F) {
	f.Add("I “moved” the cache\n to Ｒedis\u200b", "moved\" the cache")
	f.Add("\xffe\u0301\u0301 \U000e0041ﷺ abcdefgh", "abcdefgh")
	f.Add("İstanbul ǅ ﬁnal", "i\u0307stanbul")
	f.Fuzz(func(t *testing.T, source, quotation string) {
		q := newQuotable(source)
		if got, ok := q.find(quotation); ok && (got == "" || !strings.Contains(source, got)) {
			t.Errorf("%q is not in %q", got, source)
		}
		if utf8.ValidString(source) && countLetters(q.plain) >= minQuotation {
			if _, ok := q.find(source); !ok {
				t.Errorf("%q is not found in itself", source)
			}
		}
	})
}

func TestTrigrams_IsSimilar(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"How do you find a slow query?", "How do you find a slow query in PostgreSQL?", true},
		{"How do you find a slow query?", "how do you find slow queries", true},
		{"¿Cómo encuentras una consulta lenta en producción?", "¿Cómo encuentras consultas lentas en producción?", true},
		{"遅いクエリをどうやって見つけますか", "遅いクエリをどうやって探しますか", true},
		{"How do you find a slow query?", "How do you decide where state lives?", false},
		{"When did you last delete code?", "When did you last add an index?", false},
		{"遅いクエリをどうやって見つけますか", "状態をどこに置くかをどう決めますか", false},
		{"", "How do you find a slow query?", false},
	}
	for _, test := range tests {
		if got := trigramsOf(test.a).isSimilar(trigramsOf(test.b)); got != test.want {
			t.Errorf("%q and %q: got %t, want %t", test.a, test.b, got, test.want)
		}
	}
}

func TestCheckLeaks(t *testing.T) {
	forbidden := wordRuns("You mark one answer of a structured interview, by a rubric.")
	tests := []struct {
		text string
		leak bool
	}{
		{"You explain how HTTP/2 and https differ, and why Node.js helps.", false},
		{"You mark one answer of a structured thing.", false},
		{"They said: you MARK one answer, of a structured interview!", true},
		{"See https://example.com.", true},
		{"See WWW.example.com", true},
		{"Write to a.b@example.com.", true},
		{"The decorator @app.route and user@host are fine.", false},
	}
	for _, test := range tests {
		if err := checkLeaks(test.text, forbidden); (err != nil) != test.leak {
			t.Errorf("%q: got %v, want an error: %t", test.text, err, test.leak)
		}
	}
}
