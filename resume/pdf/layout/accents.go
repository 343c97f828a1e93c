package layout

import (
	"math"
	"unicode/utf8"
)

// combining returns the combining form of an accent that has a width of its own, such as ´ and ¨, or 0 for other text.
func combining(accent string) rune {
	const (
		spacing   = "`´¨^ˆ~˜¯ˉ˘˙°˚˝ˇ¸˛"
		combining = "\u0300\u0301\u0308\u0302\u0302\u0303\u0303\u0304\u0304\u0306\u0307\u030a\u030a\u030b\u030c\u0327\u0328"
	)
	marks := []rune(combining)
	n := 0
	for _, c := range spacing {
		if accent == string(c) {
			return marks[n]
		}
		n++
	}
	return 0
}

// combineAccents replaces an accent that is drawn over the letter next to it in the file, as LaTeX does with its old
// fonts, by one accented letter.
func combineAccents(glyphs []Glyph) []Glyph {
	combined := glyphs[:0:0]
	for i := 0; i < len(glyphs); i++ {
		g := glyphs[i]
		if first, size := utf8.DecodeRuneInString(g.Text); size < len(g.Text) { // both have the same place and width
			if mark := combining(string(first)); mark != 0 && letter(g.Text[size:]) {
				g.Text = accented(g.Text[size:], mark)
			}
		}

		// The letter may follow its accent in the file or precede it. The following letter is tried first, as LaTeX
		// draws the accent first.
		if mark := combining(g.Text); mark != 0 {
			if i+1 < len(glyphs) && g.over(glyphs[i+1]) {
				next := glyphs[i+1]
				next.Text = accented(next.Text, mark)
				next.Space = g.Space
				next.Guess = g.Guess
				combined = append(combined, next)
				i++
				continue
			}

			if n := len(combined); n > 0 && g.over(combined[n-1]) {
				combined[n-1].Text = accented(combined[n-1].Text, mark)
				continue
			}
		}

		combined = append(combined, g)
	}

	return combined
}

// over reports whether an accent is over or under the middle of a letter.
func (g Glyph) over(letterBelow Glyph) bool {
	const maxShift, maxRise = 0.3, 0.5 // heights of the font
	x, _ := g.Center()
	middle, _ := letterBelow.Center()
	return letter(letterBelow.Text) && utf8.RuneCountInString(letterBelow.Text) == 1 &&
		math.Abs(x-middle) <= maxShift*letterBelow.Size &&
		math.Abs(g.Baseline-letterBelow.Baseline) <= maxRise*letterBelow.Size
}

// accented returns a letter with an accent. A letter that was drawn without its dot gets its usual form.
func accented(letter string, mark rune) string {
	switch letter {
	case "ı":
		letter = "i"
	case "ȷ":
		letter = "j"
	}
	return letter + string(mark)
}
