package pdf

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// newWord holds glyphs from left to right.
func newWord(glyphs []glyph) word {
	first := glyphs[0]
	w := word{box: first.box, baseline: first.baseline, size: first.size, link: first.link, icon: true}
	bold := 0
	for _, g := range glyphs {
		w.box = w.union(g.box)
		w.size = max(w.size, g.size)
		w.rtl = w.rtl || rightToLeft(g.text)
		if g.bold {
			bold++
		}
		if w.link < 0 {
			w.link = g.link
		}
		if !meaningless(g) {
			w.icon = false
		}
	}
	w.bold = 2*bold > len(glyphs)
	w.bullet = len(glyphs) == 1 && first.symbol || len(glyphs) == 1 && privateBullet(first.text)
	var text strings.Builder
	for _, g := range logical(glyphs, w.rtl) {
		if !meaningless(g) {
			text.WriteString(g.text)
		}
	}
	w.text = normal(text.String())
	return w
}

// meaningless tells whether the text of a glyph says nothing to a reader.
func meaningless(g glyph) bool {
	return g.unmapped || g.symbol && g.text < "\u2000"
}

// logical is the order in which glyphs that stand from left to right are read. Numbers are read from left to right in
// either direction.
func logical(glyphs []glyph, rtl bool) []glyph {
	if !rtl {
		return glyphs
	}
	glyphs = slices.Clone(glyphs)
	slices.Reverse(glyphs)
	reverseRuns(glyphs, func(i int) bool { return !rightToLeft(glyphs[i].text) && !neutral(glyphs[i].text) })
	return glyphs
}

// logicalWords is the order in which the words of a line are read.
func logicalWords(words []word) []word {
	right, left := 0, 0
	for _, w := range words {
		switch {
		case w.rtl:
			right++
		case strings.ContainsFunc(w.text, unicode.IsLetter): // numbers have the direction of what is around them
			left++
		}
	}
	if right == 0 {
		return words
	}
	words = slices.Clone(words)
	if right >= left {
		slices.Reverse(words)
		ends := signs(words)
		reverseRuns(words, func(i int) bool { return !words[i].rtl && !ends[i] })
	} else {
		reverseRuns(words, func(i int) bool { return words[i].rtl })
	}
	return words
}

// signs tells of each word whether it is a sign that goes from right to left in such a line: it has no word of letters
// beside it that does not. A date comes before the dash and the one that follows it.
func signs(words []word) []bool {
	of := make([]bool, len(words))
	for i, w := range words {
		left, right := i > 0 && !words[i-1].rtl, i+1 < len(words) && !words[i+1].rtl
		within := left && right && (letter(words[i-1].text) || letter(words[i+1].text))
		of[i] = neutral(w.text) && !within
	}
	return of
}

// reverseRuns reverses each run of elements that belong, by their index.
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

func rightToLeft(text string) bool {
	for _, c := range text {
		if c >= 0x0590 && unicode.In(c, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana) && !unicode.IsDigit(c) {
			return true
		}
	}
	return false
}

// neutral tells whether a text has neither letters nor digits.
func neutral(text string) bool {
	return strings.IndexFunc(text, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }) < 0
}

// normal is a text in normal form, with what stands for the same letters taken apart: ligatures, presentation forms,
// radicals and characters as wide as Chinese ones. Other compatible characters (™, ², ½, …) are left as they are.
func normal(text string) string {
	if ascii(text) {
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
			// marks of direction and of no width
		default:
			b.WriteRune(c)
		}
	}
	return norm.NFC.String(b.String())
}

func ascii(text string) bool {
	return strings.IndexFunc(text, func(c rune) bool { return c >= 0x80 }) < 0
}

// ideograph is the character that looks like a radical of the CJK supplement, which fonts take for it (Unicode's
// EquivalentUnifiedIdeograph, of the simplified forms that are characters of their own).
func ideograph(radical rune) rune {
	const radicals, characters = "⻄⻅⻆⻉⻋⻓⻔⻘⻙⻚⻛⻜⻝⻢⻣⻤⻥⻦⻧⻨⻩⻬⻮⻰⺟⺠⻁⻒⻗⻑", "西见角贝车长门青韦页风飞食马骨鬼鱼鸟卤麦黄齐齿龙母民虎镸雨長"
	at := slices.Index([]rune(radicals), radical)
	if at < 0 {
		return radical
	}
	return []rune(characters)[at]
}

// Marks of lists. The strong ones are nothing else, and may touch the text; the weak ones stand alone.
const (
	strongMarks = "•‣◦▪▫●○■□◆◇❖➢➤►▶➔✓✔✦❑⁃∙◾◼❯"
	weakMarks   = "-–—*·o>»→§+~"
)

// isMark tells whether a word is the mark of a list's entry.
func isMark(text string) bool {
	runes := []rune(text)
	return len(runes) == 1 && (strings.ContainsRune(strongMarks, runes[0]) || strings.ContainsRune(weakMarks, runes[0]))
}

// privateBullet tells whether a character of the private use area is a mark in the fonts Symbol and Wingdings, as office
// programs write it.
func privateBullet(text string) bool {
	const marks = "\uf0b7\uf0a7\uf0d8\uf0fc\uf076\uf071\uf06e\uf06c\uf0a8\uf0e0\uf09f"
	return text != "" && strings.Contains(marks, text)
}

// unmark drops the mark before the text of a list's entry, and icons before any text.
func unmark(words []word) (rest []word, bullet bool) {
	for rest = words; len(rest) > 1 && !bullet && (rest[0].icon || rest[0].bullet || marks(rest[0], rest[1])); rest = rest[1:] {
		bullet = rest[0].bullet || !rest[0].icon
	}
	if c := []rune(rest[0].text); !bullet && len(c) > 1 && strings.ContainsRune(strongMarks, c[0]) {
		rest = slices.Clone(rest)
		rest[0].text = string(c[1:])
		return rest, true
	}
	return rest, bullet
}

// marks tells whether a word is the mark of an entry that begins with the next one. In some languages o is a word too, and
// a plus is a part of numbers.
func marks(mark, next word) bool {
	switch mark.text {
	case "o":
		return next.left-mark.right > looseGap*mark.size
	case "+":
		return !startsNumber(next.text)
	}
	return isMark(mark.text)
}

func startsNumber(text string) bool {
	return text != "" && (text[0] >= '0' && text[0] <= '9' || text[0] == '(')
}
