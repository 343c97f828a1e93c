package sanitize

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// A cleaned text has no invisible characters, and cleaning it again changes nothing: nobody can prepare a text for its
// cleaning.
func FuzzClean(f *testing.F) {
	f.Add("Cafe\u0301 \U000e0041\u202e")
	f.Add("\ufdfa\u1100\u1161\u11a8\u200b\u0301")
	f.Add(strings.Repeat("\u0301", 100) + "\u3164\u0334")
	f.Add("\xff\xfe\r\r\n\ufb03")
	f.Fuzz(func(t *testing.T, text string) {
		got := Clean(text)
		if !utf8.ValidString(got) {
			t.Errorf("got %q, which is not UTF-8", got)
		}

		for _, r := range got {
			if r != '\n' && r != '\t' &&
				unicode.In(r, unicode.Cc, unicode.Variation_Selector, unicode.Bidi_Control, unicode.Co) {
				t.Errorf("%U is left in %q", r, text)
			}
		}

		if again := Clean(got); again != got {
			t.Errorf("%q becomes %q, and that becomes %q", text, got, again)
		}
	})
}
