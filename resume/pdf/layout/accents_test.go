package layout

import "testing"

func TestDocument_Accents(t *testing.T) {
	// drawn returns a word in which accents are drawn over the letter after them.
	drawn := func(text string, rise float64) []Glyph {
		var glyphs []Glyph
		x := 50.0
		for _, c := range text {
			g := glyphsOf(x, 700, string(c))[0]
			if combining(g.Text) != 0 {
				g.Baseline += rise
			} else {
				x += g.Width()
			}

			glyphs = append(glyphs, g)
		}

		return glyphs
	}

	tests := []struct {
		name, shown string
		rise        float64
		want        string
	}{
		{"before the letter", "zw¨olfcaf´e", 0, "zwölfcafé"},
		{"raised over a capital", "T¨UV", 3, "TÜV"},
		{"over a dotless i", "na¨ıve", 0, "naïve"},
		{"cedilla", "Fran¸cois", 0, "François"},
	}
	for _, test := range tests {
		if got := layOutPage(t, drawn(test.shown, test.rise)).Lines[0].Text; got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}

	oneBox := glyphsOf(50, 700, "o")
	oneBox[0].Text = "¨o"
	if got := layOutPage(t, oneBox).Lines[0].Text; got != "ö" {
		t.Errorf("accent as wide as its letter: got %q", got)
	}

	if got := layOutPage(t, glyphsOf(50, 700, "a ~ b")).Lines[0].Text; got != "a ~ b" {
		t.Errorf("a sign between letters: got %q", got)
	}
}
