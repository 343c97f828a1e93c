package fields

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A piece is a part of the header of an entry that no plausible separator divides. One piece, or several adjacent ones
// together, are a title, a place and so on.
type piece struct {
	textRange           // in the text of its line
	line      int       // index in the window
	sep       separator // between the piece before and this one
}

// A separator is what stands between two pieces.
type separator uint8

const (
	byLine        separator = iota // a line break
	byWrap                         // a line break within a phrase: "Head of" and "Sales"
	byFull                         // a line break where the next word doesn't fit in the line
	byAlike                        // another line break between lines that look alike
	byTab                          // a wide gap
	byBar                          // | or · or ;
	byDash                         // a dash between spaces
	byComma                        // a comma
	bySlash                        // a slash between spaces
	byTightSlash                   // a slash between words: "Web/Mobile"
	byColon                        // a colon
	byPreposition                  // "Engineer at Acme"
	byBracket                      // one of a pair of brackets
	bySpace                        // only a space, where two names seem to meet: "Engineer Acme Inc."
	byPlace                        // the same before a place: "Acme Chicago, IL"
	byEmployer                     // the same beside a word for an employer: "Engineer Company Name"
	numSeparators
)

// joinWeights says how much a separator speaks for leaving the pieces around it together, in log odds.
var joinWeights = [numSeparators]float64{
	byLine: -8, byWrap: 1, byFull: .5, byAlike: -3, byTab: -8, byBar: -4, byDash: -1.2, byComma: -.4, bySlash: -.6,
	byTightSlash: 3, byColon: -1.5,
	byPreposition: -3, byBracket: .2, bySpace: 2, byPlace: 0, byEmployer: -4,
}

// maxLinePieces bounds the pieces of a line. A line with more is running text, and one piece.
const maxLinePieces = 14

// pieces splits a line of a header at every plausible separator, and appends its pieces to all.
func (h *headerReader) pieces(all []piece, line int, text string) []piece {
	c := cutter{words: h.words, text: text, line: line}
	first := byLine
	for _, phrase := range h.words.employerAfter {
		if strings.HasPrefix(text, phrase[1:]) {
			c.start = len(phrase) - 1
			first = byPreposition
		}
	}

	if !sentence(text[c.start:]) {
		c.cut()
	}

	if len(c.pieces) == 0 || len(c.pieces) > maxLinePieces {
		c.pieces = nil
		c.start = 0
		c.sep = byLine
		c.take(len(text), len(text), byLine)
	}

	if len(c.pieces) > 0 {
		c.pieces[0].sep = first
	}

	return append(all, c.pieces...)
}

// A cutter cuts one line into pieces.
type cutter struct {
	words  *dictionary
	text   string
	line   int
	pieces []piece
	start  int       // of the next piece
	sep    separator // before the next piece
}

// take appends the piece that ends at an offset, unless it is empty. The next one starts at next, after sep.
func (c *cutter) take(end, next int, sep separator) {
	const ends = " \t,;|·•–—-:/■▪●"
	start := end - len(strings.TrimLeft(c.text[c.start:end], ends))
	end = start + len(strings.TrimRight(c.text[start:end], ends))
	if end > start {
		c.pieces = append(c.pieces, piece{textRange{start, end}, c.line, c.sep})
		c.sep = sep
	} else if joinWeights[sep] < joinWeights[c.sep] {
		c.sep = sep
	}
	c.start = next
}

// cut cuts the line.
func (c *cutter) cut() {
	c.sep = bySpace
	for i := c.start; i < len(c.text); {
		r, size := utf8.DecodeRuneInString(c.text[i:])
		next := i + size

		if n := c.townAt(i); n > 0 {
			c.takeSpaced(i, i, byPlace)
			c.take(i+n, i+n, byPlace)
			i += n
			continue
		}

		if n := c.employerAt(i); n > 0 {
			c.takeSpaced(i, i, byEmployer)
			c.take(i+n, i+n, byEmployer)
			i += n
			continue
		}

		switch r {
		case '(', '[':
			length := strings.IndexAny(c.text[next:], ")]\t")
			if length <= 0 || c.text[next+length] == '\t' {
				break
			}

			if inside := key(c.text[next : next+length]); !c.words.degrees[inside] && !c.words.grades[inside] {
				c.takeSpaced(i, next, byBracket)
				if c.namesHost(c.text[next : next+length]) {
					for j := next; j < next+length; j++ {
						if c.text[j] == ',' && !c.legalFollows(j+1) {
							c.take(j, j+1, byComma)
						}
					}
				}

				c.take(next+length, next+length+1, byBracket)
			}

			next += length + 1

		default:
			if sep, end := c.separator(r, i, next); end > 0 {
				c.takeSpaced(i, end, sep)
				next = end
			}
		}

		i = next
	}

	c.takeSpaced(len(c.text), len(c.text), byTab)
}

// employerAt returns the length of a phrase in place of an employer that starts at a word, or 0.
func (c *cutter) employerAt(i int) int {
	if i > c.start && c.text[i-1] != ' ' || !capitalized(c.text[i:]) {
		return 0
	}
	words := wordRanges(c.text[i:], 3, func(r rune) bool { return !strings.ContainsRune(" ,;|()\t", r) })
	for _, w := range words {
		if part := c.text[i : i+w.end]; capitalized(part) && c.words.employerWords[key(part)] {
			return w.end
		}
	}
	return 0
}

// townAt returns the length of a town with its region that starts at a word, or 0.
func (c *cutter) townAt(i int) int {
	if i > c.start && c.text[i-1] != ' ' {
		return 0
	}
	n := c.words.townAt(c.text[i:])
	if n == 0 {
		return 0
	}
	before := strings.TrimRight(c.text[c.start:i], " ")
	if firstIsLower(before[strings.LastIndexByte(before, ' ')+1:]) { // "University of Chicago, IL"
		return 0
	}
	return n
}

// namesHost reports whether a text in brackets has an organization and its place: "(Acme Inc., Chicago, IL)".
func (c *cutter) namesHost(text string) bool {
	parts := strings.Split(text, ", ")
	if len(parts) < 2 {
		return false
	}
	return c.words.isOrganization(key(parts[0])) || len(parts) > 2 && c.words.countryCode(parts[len(parts)-1]) != ""
}

// separator returns the separator at an offset and where it ends; 0 means that no separator is there.
func (c *cutter) separator(r rune, i, next int) (sep separator, end int) {
	before, _ := utf8.DecodeLastRuneInString(c.text[:i])
	after, _ := utf8.DecodeRuneInString(c.text[next:])

	switch r {
	case '\t':
		return byTab, next
	case '|', '•', '·', '∣', '●', '▪', '■', '‖', '⋅', '◦':
		return byBar, next
	case ';':
		return byBar, next
	case '–', '—', '-', '―', '‐', '‑', '~':
		switch {
		case before == ' ' && after == ' ':
			return byDash, next
		case (before == ' ' || after == ' ') && !unicode.IsDigit(before) && !unicode.IsDigit(after), r == '—':
			return byDash, next
		}

	case '/':
		switch {
		case before == ' ' || after == ' ':
			return bySlash, next
		case unicode.IsLetter(before) && unicode.IsLetter(after) && !strings.Contains(c.word(i), "."):
			return byTightSlash, next
		}

	case ',', '、', '،':
		if !unicode.IsDigit(after) && !c.legalFollows(next) {
			return byComma, next
		}

	case ':':
		if after == ' ' {
			return byColon, next
		}

	case ' ':
		for _, phrase := range c.words.employerAfter {
			if i > 0 && strings.HasPrefix(c.text[i:], phrase) {
				return byPreposition, i + len(phrase)
			}
		}
	}

	return 0, 0
}

// word returns the word around an offset.
func (c *cutter) word(i int) string {
	start := strings.LastIndexAny(c.text[:i], " \t") + 1
	length := strings.IndexAny(c.text[i:], " \t")
	if length < 0 {
		return c.text[start:]
	}
	return c.text[start : i+length]
}

// legalFollows reports whether a legal form follows an offset: "Acme, Inc.".
func (c *cutter) legalFollows(i int) bool {
	rest := c.wordAfter(i)
	k := key(rest)
	return c.words.legal[strings.ReplaceAll(k, " ", "")] && (strings.HasSuffix(rest, ".") || len(k) > 2)
}

// takeSpaced takes the piece that ends at an offset like take, and divides it where two names seem to meet.
func (c *cutter) takeSpaced(end, next int, sep separator) {
	start, text := c.start, c.text[c.start:end]
	if len(text) <= maxHeader && strings.Contains(text, " ") && !wide(text) {
		for _, at := range c.meetings(text) {
			meeting := bySpace
			switch {
			case sep == byComma && c.words.knownPlace(key(text[at:])) && c.words.countryCode(c.wordAfter(next)) != "",
				c.sep == byComma && c.words.countryCode(strings.TrimSpace(text[:at])) != "":
				meeting = byPlace
			}
			c.take(start+at, start+at, meeting)
		}
	}
	c.take(end, next, sep)
}

// wordAfter returns the first word after an offset.
func (c *cutter) wordAfter(i int) string {
	rest := strings.TrimLeft(c.text[i:], " ")
	if end := strings.IndexAny(rest, " \t,|()"); end >= 0 {
		rest = rest[:end]
	}
	return rest
}

// meetings returns the offsets in a text, at most three, where two names seem to meet with only a space between them:
// after a legal form, between a job title and an organization, before a school, and before a place.
func (c *cutter) meetings(text string) []int {
	const maxWords, maxMeetings = 14, 3
	words := wordRanges(text, maxWords, func(r rune) bool { return r != ' ' })
	if len(words) < 2 || len(words) == maxWords {
		return nil
	}

	var found []int
	keys := make([]string, len(words))
	for i, w := range words {
		keys[i] = key(text[w.start:w.end])
	}

	last := keys[len(keys)-1]
	for i := 1; i < len(words) && len(found) < maxMeetings; i++ {
		before := text[words[i-1].start:words[i-1].end]
		rest := text[words[i].start:]
		first, _ := utf8.DecodeRuneInString(rest)
		if !unicode.IsUpper(first) || firstIsLower(before) {
			continue
		}

		organization := c.words.legal[last] || c.words.organizations.has(last) || c.words.schools.has(last)
		named := c.words.schools.has(keys[i]) && i+1 < len(words) && firstIsLower(text[words[i+1].start:]) // University of X
		switch {
		case c.words.legal[keys[i-1]] && !c.words.legal[keys[i]] && i > 1,
			c.words.titleWord(keys[i-1]) && !c.words.titleWord(keys[i]) && (organization || c.words.knownPlace(key(rest))),
			c.words.organizations.has(keys[i-1]) && i > 1 && !c.words.organizations.has(keys[i]) &&
				c.words.titleWord(last) && i < len(words)-1,
			named && !c.words.schools.has(keys[i-1]),
			c.words.schools.has(last) && i >= len(words)-3 && i < len(words)-1 && c.words.degreeEnd(text[:words[i].start]) > 0,
			c.words.knownPlace(keys[i-1]) && i < len(words)-1 && (c.words.titleWord(last) || c.words.startsWithDegree(rest)),
			c.words.knownPlace(key(rest)) && c.words.countries[key(rest)] == "" && !c.words.knownPlace(keys[i-1]) &&
				!c.words.schools.has(keys[i-1]) && !c.words.organizations.has(keys[i-1]):
			found = append(found, words[i].start)
		}
	}

	return found
}

// titleWord reports whether a word occurs in job titles, and isn't a word for organizations at the same time, such as
// "partners".
func (d *jobWords) titleWord(word string) bool {
	return d.titles.has(word) && !d.severalPeople(word)
}

// severalPeople reports whether a word is the plural of a word for a person, as in "Morgan Consulting Engineers". Names
// of organizations end with such words more often than job titles do.
func (d *jobWords) severalPeople(word string) bool {
	one, plural := strings.CutSuffix(word, "s")
	return plural && !d.titles.words[word] && d.titles.words[one]
}
