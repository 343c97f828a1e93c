package layout

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/resume"
)

// glyphsOf places the characters of a text from left to right. Each is half an em wide. A space is a gap of 0.3 em.
func glyphsOf(x, baseline float64, text string) []Glyph {
	const size = 10
	var glyphs []Glyph
	for _, c := range text {
		if c == ' ' {
			x += 0.3 * size
			continue
		}
		width := 0.5 * size
		if spaceless(string(c)) {
			width = size
		}
		glyphs = append(glyphs, Glyph{
			Text: string(c), Box: Box{x, baseline - 2, x + width, baseline + 8}, Baseline: baseline, Size: size,
			Link: -1, Unmapped: isUnmapped(c),
		})
		x += width
	}
	return glyphs
}

// isUnmapped reports whether a character has no meaning of its own: it is for control, for private use, or a
// replacement.
func isUnmapped(c rune) bool { return c == '\ufffd' || unicode.In(c, unicode.Cc, unicode.Co) }

// layOutPage lays out a page of glyphs.
func layOutPage(tb testing.TB, glyphs []Glyph) resume.Document {
	tb.Helper()
	d, err := Document(tb.Context(), File{Pages: []Page{{Box: Box{0, 0, 600, 800}, Glyphs: glyphs}}, Count: 1})
	if err != nil && !errors.Is(err, ErrNoText) {
		tb.Fatal(err)
	}
	return d
}

func reversed(text string) string {
	runes := []rune(text)
	slices.Reverse(runes)
	return string(runes)
}

func TestDocument_Scripts(t *testing.T) {
	tests := []struct{ name, shown, want string }{
		{"Latin", "plain words", "plain words"},
		{"ligatures", "oﬃce ﬁles", "office files"},
		{"other compatibility characters", "C++ ½ m² ™", "C++ ½ m² ™"},
		{"full-width letters", "ＡＢＣ１２", "ABC12"},
		{"radical", "⼯作经验", "工作经验"},
		{"radical of the CJK supplement", "⻓期", "长期"},
		{"Chinese beside Latin", "使用Go开发", "使用Go开发"},
		{"combining accent", "Cafe\u0301", "Café"},
		{"Hebrew", reversed("שלום עולם"), "שלום עולם"},
		{"Hebrew with a number", reversed("בשנת") + " 2019 " + reversed("עבדתי"), "עבדתי 2019 בשנת"},
		{"Hebrew in a Latin line", "I say " + reversed("שלום עולם") + " to all of you", "I say שלום עולם to all of you"},
		{
			"Latin in a Hebrew line",
			reversed("מהנדס תוכנה") + " Go SQL " + reversed("אני כותב קוד"), "אני כותב קוד Go SQL מהנדס תוכנה",
		},
		{"Hebrew time range", reversed("היום") + " – 2019 , " + reversed("חברה"), "חברה , 2019 – היום"},
		{"Hebrew dates", "2021 – 2019 " + reversed("חברה"), "חברה 2019 – 2021"},
		{"phone number in a Hebrew line", "+49 30 1234 " + reversed("טלפון"), "טלפון +49 30 1234"},
		{"Arabic presentation forms", reversed("ﻣﺮﺣﺒﺎ"), "مرحبا"},
		{"icon before a text", "\uf095 0123", "0123"},
		{"icons between texts", "\uf095 0123 \uf0e0 me@example.com", "0123\tme@example.com"},
		{"bullet of an office program", "\uf0b7 entry", "entry"},
		{"line with only a hyphen", "-", "-"},
		{"plus sign of a phone number", "+ 49 30", "+ 49 30"},
		{"word that is also a bullet", "o mejor", "o mejor"},
		{"date range", "2019 - 2021", "2019 - 2021"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := layOutPage(t, glyphsOf(50, 700, test.shown))
			var got []string
			for _, l := range d.Lines {
				got = append(got, l.Text)
			}

			if diff := cmp.Diff([]string{test.want}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Browsers place Arabic letters one by one. Dal and alef don't join the next letter, so a small space follows them.
func TestDocument_ArabicLettersApart(t *testing.T) {
	var glyphs []Glyph
	x := 300.0
	place := func(text string, gap float64, guess bool) {
		const size, width = 10, 5
		x -= gap * size
		glyphs = append(glyphs, Glyph{
			Text: text, Box: Box{x - width, 698, x, 708}, Baseline: 700, Size: size, Link: -1, At: len(glyphs), Guess: guess,
		})
		x -= width
	}
	for i, word := range []string{"مهندسة", "برمجيات"} {
		gap := .3
		afterDal := false
		for j, letter := range []rune(word) {
			if j > 0 {
				gap = 0
			}
			if afterDal {
				gap = .15
			}
			place(string(letter), gap, i > 0 && j == 0)
			afterDal = letter == 'د' || letter == 'ا'
		}
	}

	d := layOutPage(t, glyphs)
	if len(d.Lines) != 1 || d.Lines[0].Text != "مهندسة برمجيات" {
		t.Errorf("%+v", d.Lines)
	}
}

func TestDocument_UnmappedGlyphs(t *testing.T) {
	tests := []struct {
		name, shown string
		want        []resume.Warning
	}{
		{"icons", "\uf095 0123 4567 8910 \uf0e0 me@example.com is where to write to me", nil},
		{"letters of words", "wo\ufffdds wi\ufffdhout me\ufffdning", []resume.Warning{resume.WarnUnmappedGlyph}},
		{"all of it", "\ue001\ue002\ue003 \ue004\ue005 a", []resume.Warning{resume.WarnUnmappedGlyph}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, layOutPage(t, glyphsOf(50, 700, test.shown)).Warnings); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Two overlapping copies of a letter imitate bold type and count once.
func TestDocument_DoubledLetters(t *testing.T) {
	glyphs := append(glyphsOf(50, 700, "bold"), glyphsOf(50.3, 700, "bold")...)
	if got := layOutPage(t, glyphs).Lines[0].Text; got != "bold" {
		t.Errorf("got %q, want %q", got, "bold")
	}
}

// In right-to-left text, the file's space before a glyph is on its right.
func TestDocument_RightToLeftSpaces(t *testing.T) {
	const text = "שלום עולם טוב"
	var glyphs []Glyph
	x, space := 500.0, false
	for _, c := range text {
		if c == ' ' {
			// too narrow to count without the file's space
			x -= 0.5
			space = true
			continue
		}

		g := glyphsOf(x-5, 700, string(c))[0]
		g.Space, g.At = space, len(glyphs)
		glyphs = append(glyphs, g)
		x -= 5
		space = false
	}

	if got := layOutPage(t, glyphs).Lines[0].Text; got != text {
		t.Errorf("got %q, want %q", got, text)
	}
}

// lettersOf returns the letters of all lines, sorted.
func lettersOf(lines []resume.Line) string {
	var all []rune
	for _, l := range lines {
		for _, c := range l.Text {
			if c >= 'A' && c <= 'z' {
				all = append(all, c)
			}
		}
	}
	slices.Sort(all)
	return string(all)
}

// Whatever the places of words, each letter appears exactly once.
func TestDocument_KeepsEveryLetter(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var glyphs []Glyph
		var want []rune

		for range random.IntN(120) {
			word := make([]byte, 1+random.IntN(9))
			for i := range word {
				word[i] = 'a' + byte(random.IntN(14)) // without o, which may be a bullet
			}
			// The grid is coarse enough to keep copies of a letter apart.
			glyphs = append(glyphs, glyphsOf(float64(random.IntN(9)*60), float64(20+random.IntN(90)*7), string(word))...)
		}

		slices.SortStableFunc(glyphs, func(a, b Glyph) int { return strings.Compare(a.Text, b.Text) })
		glyphs = slices.CompactFunc(glyphs, func(a, b Glyph) bool { return a.Text == b.Text && a.Box == b.Box })
		random.Shuffle(len(glyphs), func(i, j int) { glyphs[i], glyphs[j] = glyphs[j], glyphs[i] })
		seen := map[Box]map[string]bool{}
		unique := glyphs[:0]
		for _, g := range glyphs {
			if seen[g.Box] == nil {
				seen[g.Box] = map[string]bool{}
			}

			if !seen[g.Box][g.Text] {
				seen[g.Box][g.Text] = true
				unique = append(unique, g)
				want = append(want, []rune(g.Text)...)
			}
		}

		slices.Sort(want)
		if diff := cmp.Diff(string(want), lettersOf(layOutPage(t, unique).Lines)); diff != "" {
			t.Fatal(diff)
		}
	}
}

// Whatever the places of glyphs, the layout ends and returns well-formed lines.
func FuzzDocument(f *testing.F) {
	f.Add([]byte("\x10\x20Aword and 1\x30\x21\x7fmore"))
	f.Add([]byte("\x10\x20\x41\x10\x21\x41\x50\x20\x42\x50\x21\x42\x51\x22\x42"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var glyphs []Glyph
		for ; len(data) >= 4; data = data[4:] {
			x := float64(data[0]) * 2.3
			y := float64(data[1]) * 3.1
			size := 1 + float64(data[2]%32)
			glyphs = append(glyphs, Glyph{
				Text: string(rune(data[3])), Box: Box{x, y, x + size/2, y + size}, Baseline: y, Size: size, Link: -1,
				Angle: int(data[2]/64) * 90, Space: data[2]&32 != 0, Unmapped: isUnmapped(rune(data[3])),
			})
		}

		for _, l := range layOutPage(t, glyphs).Lines {
			trimmed := strings.TrimSpace(l.Text) == l.Text
			if l.Text == "" || !trimmed || !utf8.ValidString(l.Text) || strings.ContainsAny(l.Text, "\n\r") {
				t.Errorf("malformed line %q", l.Text)
			}
			if !(l.Place.Width >= 0 && l.Place.Height > 0) {
				t.Errorf("line %q has no box: %+v", l.Text, l.Place)
			}
		}
	})
}
