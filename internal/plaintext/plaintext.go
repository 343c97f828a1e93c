// Package plaintext reduces a text to its words: it removes HTML and Markdown, decodes entities, and normalizes spaces
// and line breaks. Texts that mean the same are then analyzed alike, whatever editor or feed they come from.
package plaintext

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Of returns the words of a text without markup, in one line per line or block of the text. It takes time linear in the
// length of the text. Text that only resembles markup stays: "a < b", "List<String>", "snake_case", "C#", "R&D".
func Of(text string) string {
	if plain(text) {
		return text
	}
	text, isHTML := withoutTags(text)
	if decoded := unescape(text); decoded != text {
		text = decoded
		if !isHTML { // feeds escape whole texts: "&lt;p&gt;…"; in HTML, an escaped tag is about the tag
			text, _ = withoutTags(text)
			text = unescape(text)
		}
	}
	return lines(text)
}

// plain reports whether a text certainly has nothing to remove, as most titles and names of skills do.
func plain(text string) bool {
	before := byte('\n')
	for i := range len(text) {
		c := text[i]
		switch {
		case 'a' <= c|0x20 && c|0x20 <= 'z':
		case c == ' ' || c == '\n':
			if before == ' ' || before == '\n' {
				return false
			}
		case c < ' ' || c >= 0x7f || strings.IndexByte("<&*_~`[\\|>", c) >= 0 || before == '\n':
			return false
		}
		before = c
	}
	return text == "" || before != ' ' && before != '\n'
}

// lines returns the lines of a text without Markdown and invisible characters. It drops lines without words, except
// for one empty line between paragraphs: "# Tasks\n---\n\n\n* Go" becomes "Tasks\n\nGo".
func lines(text string) string {
	spaced := make([]byte, 0, len(text))
	for text != "" {
		end, next := lineEnd(text)
		spaced = append(appendSpaced(spaced, text[:end]), '\n')
		text = text[next:]
	}

	text = string(spaced)
	hasNumbers := numbered(text)
	out := spaced[:0] // its memory is free, and no line becomes longer
	startsParagraph := false
	for line := range strings.SplitSeq(text, "\n") {
		words := withoutPrefix(line, hasNumbers)
		if decorative(words) {
			startsParagraph = startsParagraph || line == ""
			continue
		}

		before := len(out)
		out = appendWords(out, words, startsParagraph)
		if len(out) > before {
			startsParagraph = false
		}
	}

	return string(out)
}

// appendWords appends a line without Markdown to the lines before it, with an empty line in between if it starts a
// paragraph. It appends nothing for a line without words.
func appendWords(dst []byte, line string, startsParagraph bool) []byte {
	before := len(dst)
	if before > 0 {
		dst = append(dst, '\n')
	}
	if before > 0 && startsParagraph {
		dst = append(dst, '\n')
	}

	start := len(dst)
	dst = appendInline(dst, line)
	words := bytes.TrimSpace(dst[start:])
	if len(words) == 0 {
		return dst[:before]
	}
	return append(dst[:start], words...)
}

// lineEnd returns where the first line of a text ends and the next one starts.
func lineEnd(text string) (end, next int) {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\r' && strings.HasPrefix(text[i:], "\r\n"):
			return i, i + 2
		case c >= '\n' && c <= '\r':
			return i, i + 1
		case c == 0xc2 && strings.HasPrefix(text[i:], "\u0085"):
			return i, i + 2
		case c == 0xe2 && (strings.HasPrefix(text[i:], "\u2028") || strings.HasPrefix(text[i:], "\u2029")):
			return i, i + 3
		}
	}
	return len(text), len(text)
}

// appendSpaced appends a line without invisible characters, with one plain space between words and none around them.
func appendSpaced(dst []byte, line string) []byte {
	start := len(dst)
	space := false

	for i := 0; i < len(line); {
		c := line[i]
		size := 1
		isSpace := c == ' ' || c == '\t'
		keep := c >= ' ' && c != 0x7f

		if c >= utf8.RuneSelf {
			var r rune
			r, size = utf8.DecodeRuneInString(line[i:])
			isSpace = unicode.Is(unicode.Zs, r)
			keep = !invisible(r)
		}

		switch {
		case isSpace:
			space = len(dst) > start
		case keep:
			if space {
				dst = append(dst, ' ')
				space = false
			}
			dst = append(dst, line[i:i+size]...)
		}

		i += size
	}

	return dst
}

// invisible reports whether a character has neither form nor width: zero-width spaces and joiners, soft hyphens, byte
// order marks, marks of direction, variation selectors and control characters.
func invisible(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Cc) || unicode.Is(unicode.Variation_Selector, r) || r == '\u034f' ||
		r == '\u115f' || r == '\u1160' || r == '\u3164' || r == '\uffa0'
}

// numbered reports whether at least two lines of a text start with the number of a list.
func numbered(text string) bool {
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		if listNumber(withoutPrefix(line, false)) > 0 {
			if n++; n > 1 {
				return true
			}
		}
	}
	return false
}

// listNumber returns the length of the number that starts an item of a list, such as "1. " or "12) ", or 0.
func listNumber(line string) int {
	n := 0
	for n < len(line) && n < 3 && '0' <= line[n] && line[n] <= '9' {
		n++
	}
	if n == 0 || n == 3 || n+1 >= len(line) || line[n] != '.' && line[n] != ')' || line[n+1] != ' ' {
		return 0
	}
	return n + 2
}

// withoutPrefix returns a line without the bullets, quotation marks, heading signs, check boxes and emoji before its
// first word.
func withoutPrefix(line string, numbered bool) string {
	for {
		rest := line
		switch r, size := utf8.DecodeRuneInString(line); {
		case size == 0:
			return line
		case r >= utf8.RuneSelf && unicode.In(r, unicode.So, unicode.Sk), strings.ContainsRune("•‣⁃∙·◦➔→⇒|", r):
			rest = line[size:]
		case strings.ContainsRune("-–—*+>#", r):
			sign := strings.TrimLeft(line, "#>-–—*+")
			if sign == "" || sign[0] == ' ' {
				rest = sign
			}

		case r == '[' && len(line) > 3 && line[2:4] == "] " && strings.IndexByte(" xX", line[1]) >= 0:
			rest = line[3:]
		case numbered && listNumber(line) > 0:
			rest = line[listNumber(line):]
		}

		if rest = strings.TrimLeft(rest, " "); len(rest) == len(line) {
			return line
		}

		line = rest
	}
}

// decorative reports whether a line consists of signs alone: a rule, an underline, the rule of a table or the fence of
// a block of code.
func decorative(line string) bool {
	if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
		return true
	}
	return strings.Trim(line, "-=*_~#+|: ") == ""
}

// appendInline appends a line without the Markdown inside it: emphasis, code, links, images and backslash escapes.
func appendInline(dst []byte, line string) []byte {
	line = strings.TrimRight(line, " |")
	for i := 0; i < len(line); {
		switch c := line[i]; c {
		case '*', '_', '~', '`':
			run := i
			for run < len(line) && line[run] == c {
				run++
			}

			if !emphasis(line, i, run) {
				dst = append(dst, line[i:run]...)
			}
			i = run

		case '!', '[':
			text, end := link(line, i)
			if end == 0 {
				dst = append(dst, c)
				i++
				continue
			}

			dst = append(dst, text...)
			i = end

		case '\\':
			if i+1 < len(line) && strings.IndexByte("\\`*_{}[]()#+-.!|~>", line[i+1]) >= 0 {
				i++
			}
			dst = append(dst, line[i])
			i++

		default:
			dst = append(dst, c)
			i++
		}
	}

	return dst
}

// emphasis reports whether the signs at line[i:end] emphasize the words next to them: they stand at the edge of a word,
// unlike those in "snake_case", "2*3" and "a * b".
func emphasis(line string, i, end int) bool {
	if line[i] == '~' && end-i != 2 {
		return false
	}
	wordBefore := i > 0 && wordByte(line[i-1])
	spaceBefore := i == 0 || line[i-1] == ' '
	wordAfter := end < len(line) && wordByte(line[end])
	spaceAfter := end == len(line) || line[end] == ' '
	return line[i] == '`' || (!wordBefore || !wordAfter) && (!spaceBefore || !spaceAfter)
}

func wordByte(c byte) bool {
	return c >= utf8.RuneSelf || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// maxLink is the maximum length of the parts of a link in bytes. It keeps the search for their ends short.
const maxLink = 300

// link returns the text of a Markdown link or image at line[i], and where the link ends. end is 0 if the line has
// no link there.
func link(line string, i int) (text string, end int) {
	if line[i] == '!' {
		i++
	}
	if i >= len(line) || line[i] != '[' {
		return "", 0
	}
	near := line[i+1 : min(len(line), i+1+maxLink)]
	text, _, ok := strings.Cut(near, "](")
	if !ok || strings.IndexByte(text, '[') >= 0 {
		return "", 0
	}
	address := i + 1 + len(text) + 2
	size := strings.IndexByte(line[address:min(len(line), address+maxLink)], ')')
	if size < 0 {
		return "", 0
	}
	return text, address + size + 1
}
