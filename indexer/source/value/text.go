package value

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Unknown reports whether a cell says nothing: it is empty, or one of the words that programs and people write for
// nothing.
func Unknown(s string) bool {
	s = strings.TrimSpace(s)
	if s == "" {
		return true
	}
	if len(s) > len("undefined") {
		return false
	}
	switch strings.ToLower(s) {
	case "-", "--", "---", "–", "—", "?", "n/a", "#n/a", "n.a.", "n.a", "null", "none", "nil", "nan", "unknown",
		"undefined", "<na>", "(none)", "(null)":
		return true
	}
	return s == "NA"
}

// Line is a text of one line without mark-up, invisible characters and letters in disguise, its white space reduced
// to single spaces and its length to limit characters; cut reports whether that took anything away.
func Line(s string, limit int) (text string, cut bool) {
	if !isPlain(s) {
		s = tidy(stripMarkup(s), false)
	}
	return truncate(s, limit)
}

// Text is Line for a text of several paragraphs: line breaks stay, at most one empty line between two others.
func Text(s string, limit int) (text string, cut bool) {
	if !isPlain(s) {
		s = tidy(stripMarkup(s), true)
	}
	return truncate(s, limit)
}

// Truncate is the first limit characters of s.
func Truncate(s string, limit int) string {
	s, _ = truncate(s, limit)
	return s
}

func truncate(s string, limit int) (string, bool) {
	if len(s) <= limit { // as many bytes are at most as many characters
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

// isPlain reports whether there is nothing to clean: the case of most cells, and the reason why cleaning is cheap.
func isPlain(s string) bool {
	previous := byte(' ')
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c >= 0x7f || c == '<' || c == '&' || c == ' ' && previous == ' ' {
			return false
		}
		previous = c
	}
	return s == "" || previous != ' '
}

// tidy removes what cannot be seen, shows letters in disguise as the letters they are and reduces white space.
func tidy(s string, paragraphs bool) string {
	var b strings.Builder
	b.Grow(len(s))
	spaces, breaks := false, 0
	for _, r := range s {
		switch {
		case r == utf8.RuneError, isInvisible(r):
			continue
		case r == '\n', r == '\u2028', r == '\u2029', r == '\u0085':
			breaks++
			continue
		case unicode.IsSpace(r):
			spaces = true
			continue
		case unicode.IsControl(r):
			continue
		}
		if b.Len() > 0 {
			switch {
			case paragraphs && breaks > 0:
				b.WriteString("\n\n"[:min(breaks, 2)])
			case spaces, breaks > 0:
				b.WriteByte(' ')
			}
		}
		spaces, breaks = false, 0
		if isDisguised(r) {
			b.WriteString(norm.NFKC.String(string(r)))
		} else {
			b.WriteRune(r)
		}
	}
	return norm.NFC.String(b.String())
}

// isInvisible reports characters that show nothing and only hide things or change the direction of what follows:
// zero-width characters, soft hyphens, direction marks, tags.
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

// isDisguised reports letters and digits that are used for their looks, as in 𝗗𝗮𝘁𝗮 𝗘𝗻𝘁𝗿𝘆 or Ｗｅｂ. Compatibility forms
// that people use for their meaning, such as ™, ² and ½, are not among them: NFKC would glue them to their word.
func isDisguised(r rune) bool {
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
		return true // mathematical letters that stand outside the block of the others
	}
	return false
}

// maxRounds bounds how often mark-up is looked for inside unescaped mark-up: scrapers escape twice, nobody four times.
const maxRounds = 3

// stripMarkup removes HTML tags, comments, scripts and styles and resolves entities.
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

func stripTags(s string) string {
	var b strings.Builder
	for {
		start := strings.IndexByte(s, '<')
		if start < 0 {
			break
		}
		b.WriteString(s[:start])
		s = s[start:]
		size, isBlock := tag(s)
		if size == 0 {
			size = 1
			b.WriteByte('<')
		} else if isBlock {
			b.WriteByte('\n')
		}
		s = s[size:]
	}
	b.WriteString(s)
	return b.String()
}

// maxTag is the longest tag or comment that is taken for one, in bytes; a '<' without an end near it is a sign of its
// own.
const maxTag = 4096

// tag is the size of the HTML tag at the start of s, 0 when there is none, and whether it separates lines. Only names
// of HTML elements are tags, so that "a<b" and "Vec<T>" survive.
func tag(s string) (size int, isBlock bool) {
	if strings.HasPrefix(s, "<!--") {
		if end := strings.Index(s[:min(len(s), maxTag)], "-->"); end >= 0 {
			return end + len("-->"), false
		}
		return 0, false
	}
	name := strings.TrimPrefix(s[1:], "/")
	end := strings.IndexFunc(name, func(r rune) bool { return r > 'z' || !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if end <= 0 || end > len("blockquote") || strings.IndexByte(" \t\r\n/>", name[end]) < 0 {
		return 0, false
	}
	name = strings.ToLower(name[:end])
	known, isBlock := element(name)
	size = strings.IndexAny(s[1:min(len(s), maxTag)], "<>") + 2
	if !known || size == 1 || s[size-1] != '>' {
		return 0, false
	}
	if (name == "script" || name == "style") && s[1] != '/' {
		if end := strings.Index(strings.ToLower(s[size:min(len(s), size+maxTag)]), "</"+name); end >= 0 {
			return size + end, true
		}
	}
	return size, isBlock
}

func element(name string) (known, isBlock bool) {
	switch name {
	case "p", "br", "hr", "div", "ul", "ol", "li", "dl", "dt", "dd", "tr", "table", "tbody", "thead", "h1", "h2", "h3", "h4",
		"h5", "h6", "pre", "blockquote", "section", "article", "header", "footer", "script", "style", "html", "body", "head",
		"form", "title":
		return true, true
	case "a", "b", "i", "u", "s", "em", "strong", "span", "font", "small", "big", "sub", "sup", "code", "mark", "img", "td",
		"th", "label", "button", "input", "svg", "path", "iframe", "video", "center", "del", "ins", "abbr", "time", "link",
		"meta":
		return true, false
	}
	return false, false
}
