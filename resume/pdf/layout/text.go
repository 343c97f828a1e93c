package layout

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// newWord returns the word that the glyphs form from left to right.
func newWord(glyphs []Glyph) word {
	first := glyphs[0]
	w := word{Box: first.Box, baseline: first.Baseline, size: first.Size, link: first.Link, icon: true}
	bold := 0
	for _, g := range glyphs {
		w.Box = w.Union(g.Box)
		w.size = max(w.size, g.Size)
		w.rtl = w.rtl || IsRightToLeft(g.Text)

		if g.Bold {
			bold++
		}

		if w.link < 0 {
			w.link = g.Link
		}

		if !meaningless(g) {
			w.icon = false
		}
	}

	w.bold = 2*bold > len(glyphs)
	w.bullet = len(glyphs) == 1 && (first.Symbol || isPrivateBullet(first.Text))
	var text strings.Builder
	for _, g := range readingOrder(glyphs, w.rtl) {
		if !meaningless(g) {
			text.WriteString(g.Text)
		}
	}

	w.text = normalize(text.String())
	return w
}

// meaningless reports whether a glyph has no text that means anything to a reader.
func meaningless(g Glyph) bool {
	return g.Unmapped || g.Symbol && g.Text < "\u2000"
}

// readingOrder returns glyphs in the order in which they are read, given their order from left to right. Numbers are
// read from left to right in both writing directions.
func readingOrder(glyphs []Glyph, rtl bool) []Glyph {
	if !rtl {
		return glyphs
	}
	glyphs = slices.Clone(glyphs)
	slices.Reverse(glyphs)
	reverseRuns(glyphs, func(i int) bool { return !IsRightToLeft(glyphs[i].Text) && !isNeutral(glyphs[i].Text) })
	return glyphs
}

// wordsInReadingOrder returns the words of a line in the order in which they are read, given their order from left to
// right.
func wordsInReadingOrder(words []word) []word {
	rightToLeft := 0
	leftToRight := 0
	for _, w := range words {
		switch {
		case w.rtl:
			rightToLeft++
		case strings.ContainsFunc(w.text, unicode.IsLetter): // numbers follow the direction of the words around them
			leftToRight++
		}
	}

	if rightToLeft == 0 {
		return words
	}

	words = slices.Clone(words)
	if rightToLeft >= leftToRight {
		slices.Reverse(words)
		separators := findSeparators(words)
		reverseRuns(words, func(i int) bool { return !words[i].rtl && !separators[i] })
	} else {
		reverseRuns(words, func(i int) bool { return words[i].rtl })
	}

	return words
}

// findSeparators reports for each word of a right-to-left line whether it is a sign that follows the direction of the
// line, like the dash between two dates. A sign within left-to-right words doesn't.
func findSeparators(words []word) []bool {
	separators := make([]bool, len(words))
	for i, w := range words {
		withinLeftToRight := i > 0 && i+1 < len(words) && !words[i-1].rtl && !words[i+1].rtl &&
			(letter(words[i-1].text) || letter(words[i+1].text))
		separators[i] = isNeutral(w.text) && !withinLeftToRight
	}
	return separators
}

// reverseRuns reverses each run of elements for whose index belongs returns true.
func reverseRuns[E any](list []E, belongs func(i int) bool) {
	for i := 0; i < len(list); {
		n := 0
		for i+n < len(list) && belongs(i+n) {
			n++
		}
		slices.Reverse(list[i : i+n])
		i += max(n, 1)
	}
}

// IsRightToLeft reports whether a text has a letter of a right-to-left script.
func IsRightToLeft(text string) bool {
	return strings.ContainsFunc(text, func(c rune) bool {
		return c >= 0x0590 && !unicode.IsDigit(c) &&
			unicode.In(c, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana)
	})
}

// isNeutral reports whether a text has neither letters nor digits.
func isNeutral(text string) bool {
	return !strings.ContainsFunc(text, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) })
}

// normalize returns the text in NFC, with ligatures, presentation forms, radicals and full-width characters replaced by
// the letters they represent. Other compatibility characters (™, ², ½, …) are kept.
func normalize(text string) string {
	if !strings.ContainsFunc(text, func(c rune) bool { return c >= 0x80 }) {
		return text
	}
	var b strings.Builder
	for _, c := range text {
		switch {
		case c >= 0xfb00 && c <= 0xfdff, c >= 0xfe70 && c <= 0xfefc, c >= 0x2f00 && c <= 0x2fdf,
			c >= 0xf900 && c <= 0xfaff, c >= 0xff10 && c <= 0xff5a, c >= 0xff66 && c <= 0xffdc:
			b.WriteString(norm.NFKC.String(string(c)))
		case c >= 0x2e80 && c <= 0x2ef3:
			b.WriteRune(ideograph(c))
		case c >= 0x200b && c <= 0x200f, c >= 0x202a && c <= 0x202e, c >= 0x2060 && c <= 0x2069:
			// zero-width characters and direction marks are dropped
		default:
			b.WriteRune(c)
		}
	}
	return norm.NFC.String(b.String())
}

// ideograph returns the character that looks like a radical of the CJK supplement. Some fonts confuse the two. The
// pairs come from Unicode's EquivalentUnifiedIdeograph, limited to radicals whose simplified form is a character.
func ideograph(radical rune) rune {
	const (
		radicals   = "⻄⻅⻆⻉⻋⻓⻔⻘⻙⻚⻛⻜⻝⻢⻣⻤⻥⻦⻧⻨⻩⻬⻮⻰⺟⺠⻁⻒⻗⻑"
		characters = "西见角贝车长门青韦页风飞食马骨鬼鱼鸟卤麦黄齐齿龙母民虎镸雨長"
	)
	i := slices.Index([]rune(radicals), radical)
	if i < 0 {
		return radical
	}
	return []rune(characters)[i]
}

// Bullets of lists. A strong bullet has no other meaning and may touch the text. A weak one is separated by a space.
const (
	strongBullets = "•‣◦▪▫●○■□◆◇❖➢➤►▶➔✓✔✦❑⁃∙◾◼❯"
	weakBullets   = "-–—*·o>»→§+~"
)

// isBullet reports whether a word may be the bullet of a list item.
func isBullet(text string) bool {
	runes := []rune(text)
	return len(runes) == 1 && strings.ContainsRune(strongBullets+weakBullets, runes[0])
}

// isPrivateBullet reports whether a character of the private use area is a bullet in the fonts Symbol and Wingdings, as
// office programs write it.
func isPrivateBullet(text string) bool {
	const bullets = "\uf0b7\uf0a7\uf0d8\uf0fc\uf076\uf071\uf06e\uf06c\uf0a8\uf0e0\uf09f"
	return text != "" && strings.Contains(bullets, text)
}

// trimBullet removes the bullet before the text of a list item, and icons before any text.
func trimBullet(words []word) (rest []word, bullet bool) {
	rest = words
	for len(rest) > 1 && !bullet {
		first := rest[0]
		isMark := first.icon || first.bullet || isBulletBefore(first, rest[1])
		if !isMark {
			break
		}
		bullet = first.bullet || !first.icon
		rest = rest[1:]
	}
	text := []rune(rest[0].text)
	touchesText := len(text) > 1 && strings.ContainsRune(strongBullets, text[0])
	if touchesText && !bullet {
		rest = slices.Clone(rest)
		rest[0].text = string(text[1:])
		return rest, true
	}
	return rest, bullet
}

// isBulletBefore reports whether a word is the bullet of an item that starts with the next word. "o" is also a word in
// some languages, and "+" is also a part of phone numbers.
func isBulletBefore(w, next word) bool {
	switch w.text {
	case "o":
		return next.Left-w.Right > looseGap*w.size
	case "+":
		return !startsNumber(next.text)
	}
	return isBullet(w.text)
}

func startsNumber(text string) bool {
	return text != "" && (text[0] >= '0' && text[0] <= '9' || text[0] == '(')
}

// isCapitals reports whether a text has letters with case, all of them capitals.
func isCapitals(text string) bool {
	return strings.ContainsFunc(text, unicode.IsUpper) && !strings.ContainsFunc(text, unicode.IsLower)
}
