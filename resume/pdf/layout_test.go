package pdf

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/internal/matching"
	"freelancer-matching/resume"
)

// set places glyphs of half an em from left to right, in the order they stand; a space is a gap of 0.3 em.
func set(x, baseline float64, text string) []glyph {
	const size = 10
	var glyphs []glyph
	for _, c := range text {
		if c == ' ' {
			x += 0.3 * size
			continue
		}
		width := 0.5 * size
		if spaceless(string(c)) {
			width = size
		}
		glyphs = append(glyphs, glyph{
			text: string(c), box: box{x, baseline - 2, x + width, baseline + 8}, baseline: baseline, size: size, link: -1,
			unmapped: unreadable(c),
		})
		x += width
	}
	return glyphs
}

// read lays out one page of glyphs.
func read(tb testing.TB, glyphs []glyph) resume.Document {
	tb.Helper()
	d, err := layOut(tb.Context(), file{pages: []page{{box: box{0, 0, 600, 800}, glyphs: glyphs}}, count: 1})
	if err != nil && !errors.Is(err, errNoText) {
		tb.Fatal(err)
	}
	return d
}

func reversed(text string) string {
	runes := []rune(text)
	slices.Reverse(runes)
	return string(runes)
}

func TestLayOut_Scripts(t *testing.T) {
	tests := []struct{ name, shown, want string }{
		{"latin", "plain words", "plain words"},
		{"a ligature", "oﬃce ﬁles", "office files"},
		{"signs that only look alike are kept", "C++ ½ m² ™", "C++ ½ m² ™"},
		{"wide letters", "ＡＢＣ１２", "ABC12"},
		{"a radical", "⼯作经验", "工作经验"},
		{"a radical of the supplement", "⻓期", "长期"},
		{"chinese beside latin has no space", "使用Go开发", "使用Go开发"},
		{"an accent apart", "Cafe\u0301", "Café"},
		{"hebrew", reversed("שלום עולם"), "שלום עולם"},
		{"hebrew with a number", reversed("בשנת") + " 2019 " + reversed("עבדתי"), "עבדתי 2019 בשנת"},
		{"hebrew in a latin line", "I say " + reversed("שלום עולם") + " to all of you", "I say שלום עולם to all of you"},
		{"latin in a hebrew line", reversed("מהנדס תוכנה") + " Go SQL " + reversed("אני כותב קוד"), "אני כותב קוד Go SQL מהנדס תוכנה"},
		{"a hebrew time", reversed("היום") + " – 2019 , " + reversed("חברה"), "חברה , 2019 – היום"},
		{"hebrew dates", "2021 – 2019 " + reversed("חברה"), "חברה 2019 – 2021"},
		{"a number of several parts in a hebrew line", "+49 30 1234 " + reversed("טלפון"), "טלפון +49 30 1234"},
		{"arabic forms", reversed("ﻣﺮﺣﺒﺎ"), "مرحبا"},
		{"an icon before a text", "\uf095 0123", "0123"},
		{"icons between texts", "\uf095 0123 \uf0e0 me@example.com", "0123\tme@example.com"},
		{"a bullet of an office program", "\uf0b7 entry", "entry"},
		{"a line of a letter", "-", "-"},
		{"a number is no entry", "+ 49 30", "+ 49 30"},
		{"a word that is a mark elsewhere", "o mejor", "o mejor"},
		{"a date range is no entry", "2019 - 2021", "2019 - 2021"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := read(t, set(50, 700, test.shown))
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

func TestLayOut_UnmappedGlyphs(t *testing.T) {
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
			if diff := cmp.Diff(test.want, read(t, set(50, 700, test.shown)).Warnings); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Two copies that make a letter look bold are one.
func TestLayOut_DoubledLetters(t *testing.T) {
	glyphs := append(set(50, 700, "bold"), set(50.3, 700, "bold")...)
	if got := read(t, glyphs).Lines[0].Text; got != "bold" {
		t.Errorf("the text is %q, want %q", got, "bold")
	}
}

// A file tells where spaces are in the order of reading: between a glyph and the next one of the file, which is left of it.
func TestLayOut_SpacesFromRightToLeft(t *testing.T) {
	const text = "שלום עולם טוב"
	var glyphs []glyph
	x, space := 500.0, false
	for _, c := range text {
		if c == ' ' {
			x, space = x-0.5, true // hardly to be seen
			continue
		}
		g := set(x-5, 700, string(c))[0]
		g.space, g.at = space, len(glyphs)
		glyphs = append(glyphs, g)
		x, space = x-5, false
	}
	if got := read(t, glyphs).Lines[0].Text; got != text {
		t.Errorf("the text is %q, want %q", got, text)
	}
}

func TestLigature(t *testing.T) {
	tests := []struct{ name, before, next, want string }{
		{"latin", "f", "i", "fi"},
		{"lam with alef, turned around", "ا", "ل", "لا"},
		{"lam with alef, in order", "ل", "ا", "لا"},
		{"a mark stays behind its letter", "ب", "\u064e", "ب\u064e"},
	}
	for _, test := range tests {
		if got := ligature(test.before, test.next); got != test.want {
			t.Errorf("%s: %q and %q are %q, want %q", test.name, test.before, test.next, got, test.want)
		}
	}
}

// lettersOf are the letters of a document, sorted.
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

// Wherever words stand, each of their letters is in one line, and only there.
func TestLayOut_LosesNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var glyphs []glyph
		var want []rune
		for range random.IntN(120) {
			word := make([]byte, 1+random.IntN(9))
			for i := range word {
				word[i] = 'a' + byte(random.IntN(14)) // without o, which may be a mark
			}
			// On a grid coarse enough that no letter lies on its copy.
			glyphs = append(glyphs, set(float64(random.IntN(9)*60), float64(20+random.IntN(90)*7), string(word))...)
		}
		slices.SortStableFunc(glyphs, func(a, b glyph) int { return strings.Compare(a.text, b.text) })
		glyphs = slices.CompactFunc(glyphs, func(a, b glyph) bool { return a.text == b.text && a.box == b.box })
		random.Shuffle(len(glyphs), func(i, j int) { glyphs[i], glyphs[j] = glyphs[j], glyphs[i] })
		seen := map[box]map[string]bool{}
		unique := glyphs[:0]
		for _, g := range glyphs {
			if seen[g.box] == nil {
				seen[g.box] = map[string]bool{}
			}
			if !seen[g.box][g.text] {
				seen[g.box][g.text] = true
				unique = append(unique, g)
				want = append(want, []rune(g.text)...)
			}
		}
		slices.Sort(want)
		if diff := cmp.Diff(string(want), lettersOf(read(t, unique).Lines)); diff != "" {
			t.Fatal(diff)
		}
	}
}

// Whatever the boxes are, the layout ends, and its lines are well-formed.
func FuzzLayOut(f *testing.F) {
	f.Add([]byte("\x10\x20Aword and 1\x30\x21\x7fmore"))
	f.Add([]byte("\x10\x20\x41\x10\x21\x41\x50\x20\x42\x50\x21\x42\x51\x22\x42"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var glyphs []glyph
		for ; len(data) >= 4; data = data[4:] {
			x, y := float64(data[0])*2.3, float64(data[1])*3.1
			size := 1 + float64(data[2]%32)
			glyphs = append(glyphs, glyph{
				text: string(rune(data[3])), box: box{x, y, x + size/2, y + size}, baseline: y, size: size, link: -1,
				angle: int(data[2]/64) * 90, space: data[2]&32 != 0, unmapped: unreadable(rune(data[3])),
			})
		}
		for _, l := range read(t, glyphs).Lines {
			if l.Text == "" || !utf8.ValidString(l.Text) || strings.TrimSpace(l.Text) != l.Text || strings.ContainsAny(l.Text, "\n\r") {
				t.Errorf("the line %q", l.Text)
			}
		}
	})
}

// Whatever a file says, it is read or refused with a code.
func FuzzRead(f *testing.F) {
	e := engineWith(f, Options{Workers: 2})
	f.Add(newCanvas().lines(50, 700, main10[:2]...).bytes())
	f.Add(newCanvas().link(50, 690, 100, 710, "https://example.org").lines(50, 700, "a link").bytes())
	f.Add(newCanvas().draw("q 600 0 0 800 0 0 cm /I Do Q 3 Tr").lines(50, 700, "scanned").bytes())
	f.Add(onePage("<< /Length 5 >>\nstream\n/X Do\nendstream"))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := e.Read(t.Context(), data)
		if err != nil {
			if code := matching.CodeOf(err); !slices.Contains(refusals(), code) {
				t.Errorf("the code is %q: %v", code, err)
			}
			return
		}
		for _, l := range d.Lines {
			if l.Text == "" || !utf8.ValidString(l.Text) || l.Page < 1 || l.Size < 0 || l.Gap < 0 {
				t.Errorf("the line %+v", l)
			}
		}
		for _, l := range d.Links {
			if l.Line < -1 || l.Line >= len(d.Lines) || l.URL == "" {
				t.Errorf("the link %+v", l)
			}
		}
	})
}
