package value

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxUnknown is the length in bytes of the longest cell that may say nothing.
const maxUnknown = 63

// unknownFirst and unknownLast have, for each first and last byte of the words that say nothing, a set of bits: bit n
// is for words of n bytes. Almost every other cell fails these tests, which cost less than a lookup.
var unknownFirst, unknownLast = unknownBits(itemsOf(wordEntries, "unknown"))

func unknownBits(items []string) (first, last [256]uint64) {
	for _, item := range items {
		for _, word := range []string{item, strings.ToUpper(item), fold(item)} {
			first[word[0]] |= 1 << len(word)
			last[word[len(word)-1]] |= 1 << len(word)
		}
	}
	return first, last
}

// Unknown reports whether a cell says nothing: it is empty, or has a word such as "N/A" or "null".
func Unknown(s string) bool {
	s = strings.TrimSpace(s)
	if s == "" || s == "NA" { // "Na" can be a name
		return true
	}
	return len(s) <= maxUnknown && unknownFirst[s[0]]&unknownLast[s[len(s)-1]]&(1<<len(s)) != 0 &&
		words["unknown"].has(fold(s))
}

// Line cleans a text of one line: it removes markup and invisible characters, replaces styled letters such as 𝗗 by
// plain ones, reduces white space to single spaces, and cuts the text to limit characters. It reports whether it cut
// anything.
func Line(s string, limit int) (text string, cut bool) {
	if !isPlain(s) {
		s = clean(s, false)
	}
	return truncate(s, limit)
}

// Text cleans a text of several paragraphs as Line does, but keeps line breaks, with at most one empty line in a row.
func Text(s string, limit int) (text string, cut bool) {
	if !isPlain(s) {
		s = clean(s, true)
	}
	return truncate(s, limit)
}

// Truncate returns the first limit characters of s.
func Truncate(s string, limit int) string {
	s, _ = truncate(s, limit)
	return s
}

func truncate(s string, limit int) (string, bool) {
	if len(s) <= limit { // a character has at least one byte
		return s, false
	}
	n := 0
	for i := range s {
		if n == limit {
			return strings.TrimRightFunc(s[:i], unicode.IsSpace), true
		}
		n++
	}
	return s, false
}

// isPlain reports whether a text needs no cleaning. This is so for most cells, and makes cleaning cheap.
func isPlain(s string) bool {
	previous := byte(' ')
	for i := range len(s) {
		c := s[i]
		mayBeMarkup := c < ' ' || c >= 0x7f || c == '<' || c == '&'
		isDouble := c == ' ' && previous == ' '
		if mayBeMarkup || isDouble {
			return false
		}
		previous = c
	}
	return s == "" || previous != ' '
}

// clean removes markup and tidies a text until nothing changes: removing an invisible character may complete an entity.
// A clean text must stay the same when it is exported and loaded again, so what still looks like markup after a few
// rounds is hostile and loses its special characters.
func clean(s string, paragraphs bool) string {
	for range maxRounds {
		s = tidy(stripMarkup(s), paragraphs)
		if !strings.ContainsAny(s, "<&") || stripMarkup(s) == s {
			return s
		}
	}
	return tidy(strings.NewReplacer("<", " ", "&", " ").Replace(s), paragraphs)
}

// tidy removes invisible characters, replaces styled letters by plain ones and reduces white space.
func tidy(text string, paragraphs bool) string {
	var b strings.Builder
	b.Grow(len(text))
	hasSpace := false // before the next character
	lineBreaks := 0   // before the next character
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !isInWord(text, i), isInvisible(r):
			continue
		case r == '\n', r == '\u2028', r == '\u2029', r == '\u0085':
			lineBreaks++
			continue
		case unicode.IsSpace(r):
			hasSpace = true
			continue
		case unicode.IsControl(r):
			continue
		}

		// White space is written before the next character, so that none is left at either end.
		if b.Len() > 0 {
			switch {
			case paragraphs && lineBreaks > 0:
				b.WriteString("\n\n"[:min(lineBreaks, 2)])
			case hasSpace, lineBreaks > 0:
				b.WriteByte(' ')
			}
		}
		hasSpace = false
		lineBreaks = 0

		if isStyled(r) {
			b.WriteString(norm.NFKC.String(string(r)))
		} else {
			b.WriteRune(r)
		}
	}

	return norm.NFC.String(b.String())
}

// isInWord reports whether s has at i a replacement character that stands for a letter, as in "Mu\uFFFDoz", rather than
// for a broken symbol.
func isInWord(s string, i int) bool {
	rest, ok := strings.CutPrefix(s[i:], "\uFFFD")
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(rest)
	return ok && (unicode.IsLetter(before) || unicode.IsLetter(after))
}

// isInvisible reports whether a character shows nothing and only hides things or changes the direction of the text:
// zero-width characters, soft hyphens, direction marks and tags.
func isInvisible(r rune) bool {
	switch {
	case r < 0x80:
		return false
	case r == 0xAD, r == 0x61C, r == 0x180E, r == 0xFEFF:
		return true
	case r >= 0x200B && r <= 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2060 && r <= 0x206F:
		return true
	}
	return r >= 0xE0000 && r <= 0xE007F
}

// isStyled reports whether a character is a letter or digit used for its looks, as in 𝗗𝗮𝘁𝗮 𝗘𝗻𝘁𝗿𝘆 or Ｗｅｂ. Compatibility
// forms with a meaning of their own, such as ™, ² and ½, are not styled: NFKC would join them to their word.
func isStyled(r rune) bool {
	switch {
	case r < 0x2100:
		return false
	case r >= 0x1D400 && r <= 0x1D7FF: // mathematical alphanumerics
		return true
	case r >= 0xFF10 && r <= 0xFF19, r >= 0xFF21 && r <= 0xFF3A, r >= 0xFF41 && r <= 0xFF5A: // full width
		return true
	case r >= 0x24B6 && r <= 0x24E9, r >= 0x1F130 && r <= 0x1F149: // circled and squared letters
		return true
	case r >= 0xFB00 && r <= 0xFB06: // Latin ligatures
		return true
	}
	switch r {
	case 'ℂ', 'ℊ', 'ℋ', 'ℌ', 'ℍ', 'ℎ', 'ℐ', 'ℑ', 'ℒ', 'ℓ', 'ℕ', 'ℙ', 'ℚ', 'ℛ', 'ℜ', 'ℝ', 'ℤ', 'ℨ', 'ℬ', 'ℭ', 'ℯ', 'ℰ',
		'ℱ', 'ℳ', 'ℴ':
		return true // mathematical letters outside of their block
	}
	return false
}

// maxRounds limits how often unescaped text is searched for markup again. Scrapers escape twice, but not four times.
const maxRounds = 3

// stripMarkup removes HTML tags, comments, scripts and styles, and resolves entities.
func stripMarkup(s string) string {
	for range maxRounds {
		if !strings.ContainsAny(s, "<&") {
			break
		}
		clean := html.UnescapeString(stripTags(s))
		if clean == s {
			break
		}
		s = clean
	}
	return s
}

func stripTags(text string) string {
	var b strings.Builder
	for {
		start := strings.IndexByte(text, '<')
		if start < 0 {
			break
		}
		b.WriteString(text[:start])
		text = text[start:]
		size, isBlock := tag(text)
		if size == 0 {
			size = 1
			b.WriteByte('<')
		} else if isBlock {
			b.WriteByte('\n')
		}

		text = text[size:]
	}

	b.WriteString(text)
	return b.String()
}

// maxTag is the length in bytes of the longest tag or comment. A '<' without an end near it is a plain character.
const maxTag = 4096

// tag returns the size of the HTML tag at the start of a text, and whether it separates lines. The size is 0 without a
// tag. A tag must have the name of an HTML element, so that "a<b" and "Vec<T>" survive.
func tag(text string) (size int, isBlock bool) {
	if strings.HasPrefix(text, "<!--") {
		if end := strings.Index(text[:min(len(text), maxTag)], "-->"); end >= 0 {
			return end + len("-->"), false
		}
		return 0, false
	}

	name := strings.TrimPrefix(text[1:], "/")
	end := strings.IndexFunc(name, func(r rune) bool { return r > 'z' || !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if end <= 0 || end > len("blockquote") {
		return 0, false
	}
	if strings.IndexByte(" \t\r\n/>", name[end]) < 0 {
		return 0, false
	}

	name = strings.ToLower(name[:end])
	isBlock = words["block element"].has(name)
	isElement := isBlock || words["inline element"].has(name)
	if !isElement {
		return 0, false
	}

	// If another < comes before the end, this one is a plain character.
	end = strings.IndexAny(text[1:min(len(text), maxTag)], "<>") + 1
	if end == 0 || text[end] != '>' {
		return 0, false
	}
	size = end + len(">")

	// What a script or a style contains is no text, so it goes with its tag.
	isCode := name == "script" || name == "style"
	if isCode && text[1] != '/' {
		if end := strings.Index(strings.ToLower(text[size:min(len(text), size+maxTag)]), "</"+name); end >= 0 {
			return size + end, true
		}
	}

	return size, isBlock
}
