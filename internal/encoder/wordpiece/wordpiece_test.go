package wordpiece

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// The reference's tokens of longer texts are compared in package encoder, which has the real vocabulary.
func vocabulary() []string {
	return []string{
		"[PAD]", "[UNK]", "[CLS]", "[SEP]", "logo", "design", "##er", "##s", "un", "##want", "##ed", ",", ".", "[", "]",
		"se", "##p", "cafe", "中", "文", "a", "b", "ab", "#", "ὀ",
	}
}

func newTokenizer(tb testing.TB) *Tokenizer {
	tb.Helper()
	t, err := New(vocabulary())
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// pieces returns the tokens of a text as text.
func pieces(t *Tokenizer, text string, limit int) (string, bool) {
	tokens, truncated := t.Append(nil, text, limit)
	var all []string
	for _, token := range tokens {
		all = append(all, vocabulary()[token])
	}
	return strings.Join(all, " "), truncated
}

func TestAppend(t *testing.T) {
	tokenizer := newTokenizer(t)
	for text, want := range map[string]string{
		"":                          "",
		" \t\r\n ":                  "",
		"Logo designers":            "logo design ##er ##s",
		"UNWANTED,logo.":            "un ##want ##ed , logo .",
		"unwantedx logo":            "[UNK] logo",
		"Café CAFE\u0301":           "cafe cafe",
		"中文logo":                    "中 文 logo",
		"[SEP]":                     "[ se ##p ]",
		"##er":                      "# # [UNK]",
		"a\u200bb a\u00adb":         "ab ab",
		"a\x00b a\x07b a\ufffdb":    "ab ab ab",
		"a\xffb":                    "ab",
		"a\u00a0b a\u2028b":         "a b a b",
		"a\vb a\fb a\u0085b":        "ab ab ab",
		strings.Repeat("a", 101):    "[UNK]",
		strings.Repeat("a.", 2):     "a . a .",
		"\u0301":                    "",
		"Ὀ":                         "[UNK]", // the breathing mark is an accent
		"logo" + "\U000e0001" + "s": "logo ##s",
	} {
		got, truncated := pieces(tokenizer, text, 100)
		if want = strings.Join(slices.Concat([]string{"[CLS]"}, strings.Fields(want), []string{"[SEP]"}), " "); got != want ||
			truncated {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestAppend_SaysThatATextIsTooLong(t *testing.T) {
	tokenizer := newTokenizer(t)
	for _, test := range []struct {
		text      string
		limit     int
		want      string
		truncated bool
	}{
		{"logo logo", 4, "[CLS] logo logo [SEP]", false},
		{"logo logo ", 4, "[CLS] logo logo [SEP]", false},
		{"logo logo logo", 4, "[CLS] logo logo [SEP]", true},
		{"designers", 4, "[CLS] design ##er [SEP]", true},
		{"logo unwantedx", 4, "[CLS] logo [UNK] [SEP]", false},
		{strings.Repeat("logo ", 200_000), 3, "[CLS] logo [SEP]", true},
		{strings.Repeat("文", 300_000), 3, "[CLS] 文 [SEP]", true},
	} {
		if got, truncated := pieces(tokenizer, test.text, test.limit); got != test.want || truncated != test.truncated {
			t.Errorf("%.20q: got %q, truncated %v", test.text, got, truncated)
		}
	}
}

func TestNew_NeedsSpecialTokens(t *testing.T) {
	if _, err := New([]string{"[CLS]", "[SEP]", "a"}); err == nil {
		t.Error("a vocabulary without [UNK] was accepted")
	}
}

func FuzzAppend(f *testing.F) {
	for _, seed := range []string{
		"Logo designers", "\xff\xfe", "a\u0301\u0302", "中文", "\u1100\u1161\u11a8", strings.Repeat("x", 300), "[CLS]", "İ",
		"\U0001f469\u200d\U0001f4bb", strings.Repeat("\u0301", 50) + "a",
	} {
		f.Add(seed)
	}

	tokenizer := newTokenizer(f)
	f.Fuzz(func(t *testing.T, text string) {
		const limit = 16
		all, _ := tokenizer.Append(nil, text, 1<<30)
		some, truncated := tokenizer.Append(nil, text, limit)
		if len(some) > limit || truncated != (len(all) > limit) {
			t.Fatalf("%d of %d tokens, truncated %v", len(some), len(all), truncated)
		}
		if !slices.Equal(some[:len(some)-1], all[:len(some)-1]) {
			t.Fatalf("%v isn't the start of %v", some, all)
		}

		// What isn't UTF-8 leaves no trace.
		if again, _ := tokenizer.Append(nil, strings.ToValidUTF8(text, ""), 1<<30); !slices.Equal(again, all) {
			t.Fatalf("%v became %v without invalid bytes (valid: %v)", all, again, utf8.ValidString(text))
		}
	})
}
