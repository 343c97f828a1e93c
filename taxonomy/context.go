package taxonomy

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/freelancer-matching/service/taxonomy/datafile"
)

// This file decides from the surrounding text whether an everyday word names a skill.

// strongContext is the pseudo group of the context words that support a name written in lower case.
const strongContext = "strong"

// contexts holds the broad groups of skills and the words near which a skill of a group is probably meant.
type contexts struct {
	groups []uint8          // bit set of the groups, per skill
	bits   map[string]uint8 // bits of the groups, by name
	words  map[string]uint8 // bit set of the groups that a context word supports
	strong uint8            // bit of the pseudo group for context words that support even lowercase names
}

// shareGroup reports whether two skills belong to the same group.
func (c *contexts) shareGroup(a, b int32) bool { return c.groups[a]&c.groups[b] != 0 }

// read reads the groups and the context words. It returns the groups by category.
func (c *contexts) read(r *datafile.Reader) (byCategory map[string]uint8) {
	// Each group has a bit; the first one marks words that are strong evidence in any group.
	c.bits = map[string]uint8{strongContext: 1}
	c.strong = c.bits[strongContext]
	c.words = make(map[string]uint8)
	byCategory = make(map[string]uint8)
	ignore := func(int) {}
	r.Section("groups", ignore, func(f []string) {
		for group := range strings.FieldsSeq(f[len(f)-1]) {
			if c.bits[group] == 0 && len(c.bits) == 8 {
				r.Fail("group %q is one too many; at most 8 are supported", group)
				return
			}

			if c.bits[group] == 0 {
				c.bits[group] = 1 << len(c.bits)
			}
			byCategory[f[0]] |= c.bits[group]
		}
	})

	r.Section("contexts", ignore, func(f []string) {
		for group := range strings.FieldsSeq(f[len(f)-1]) {
			c.words[f[0]] |= c.bits[group]
		}
	})

	return byCategory
}

// connector reports whether the names before and after word belong to one list: "Python and R", "PDF to Excel".
func connector(word []byte) bool { return listConnectors[string(word)] || version(word) }

// maxListGap is the maximum distance between two neighbors in a list, in bytes.
const maxListGap = 24

// What separates two neighbors.
const (
	gapOther     = iota // words, the end of a sentence, or too much text
	gapSpace            // only spaces
	gapConnector        // a connector or a line break
	gapSeparator        // a comma, slash or other list separator
)

// gapBetween classifies the text between two offsets.
func gapBetween(text string, from, to int) (gap int) {
	if to-from > maxListGap || to < from {
		return gapOther
	}

	var buf [2 * maxListGap]byte
	gap = gapSpace
	for i := from; i < to; {
		// Only words such as "and" may stand between the members of a list.
		word, end := appendToken(buf[:0], text[:to], i)
		if len(word) > 0 {
			if !connector(word) {
				return gapOther
			}
			gap = max(gap, gapConnector)
			i = end
			continue
		}

		switch text[i] {
		case '!', '?', '"', '.':
			return gapOther
		case ' ', '\t':
		case '\n', '\r':
			gap = max(gap, gapConnector)
		default:
			gap = gapSeparator
		}

		_, size := classify(text, i)
		i += size
	}

	return gap
}

// named reports whether a candidate is spelled like a name: exactly as in the label, or starting with a capital letter.
func named(text string, c *candidate) bool {
	return text[c.start:c.end] == c.label.text || 'A' <= text[c.start] && text[c.start] <= 'Z'
}

// supported reports whether the surroundings of an everyday word make it the name of a skill: a list with other skills
// of its group, a context word of its group, or a version number. Candidates before it must already be decided.
func (e *extractor) supported(text string, all []candidate, i int) bool {
	c := &all[i]
	group := e.contexts.groups[c.skill]
	exact := named(text, c)
	letter := c.end-c.start == 1
	if letter && !standsAlone(text, c.start, c.end) {
		return false
	}

	// The weaker the spelling, the more has to surround it: a name between two others of its group needs nothing else,
	// and a word in lower case at the beginning of a sentence needs a strong context word.
	left := e.before(text, all, i)
	right := e.after(text, all, i)
	isBetweenTwo := exact && left.fits && right.fits
	endsList := left.listed() && right.bounded && (exact || left.gap == gapSeparator)
	beginsList := right.listed() && left.bounded && (exact || right.gap == gapSeparator)
	if isBetweenTwo || endsList || beginsList {
		return true
	}

	isName := exact && !opens(text, c.start)
	if !isName {
		return e.contexts.near(text, c.start, c.end, group|e.contexts.strong, 1)
	}

	isListed := left.listed() || right.listed()
	if isListed || versionFollows(text, c.end) {
		return true
	}
	return e.contexts.near(text, c.start, c.end, group, 2) || !letter && madeWith(text, c.start, c.end)
}

// A neighbor is what stands on one side of a candidate.
type neighbor struct {
	fits    bool // it is a skill of the same group
	gap     int  // between it and the candidate
	bounded bool // the candidate is next to a separator, or at the end of its line
}

// listed reports whether the neighbor and the candidate belong to one list.
func (n neighbor) listed() bool { return n.fits && n.gap > gapSpace }

// before returns what stands before the candidate at i. Earlier candidates must already be decided.
func (e *extractor) before(text string, all []candidate, i int) neighbor {
	c := &all[i]
	isAtEdge := atEdge(text, c.start, -1)
	if i == 0 {
		return neighbor{bounded: isAtEdge}
	}

	other := &all[i-1]
	return e.neighbor(c, other, other.kept, gapBetween(text, other.end, c.start), isAtEdge)
}

// after returns what stands after the candidate at i.
func (e *extractor) after(text string, all []candidate, i int) neighbor {
	c := &all[i]
	isAtEdge := atEdge(text, c.end, 1)
	if i+1 == len(all) {
		return neighbor{bounded: isAtEdge}
	}

	// A later candidate isn't decided yet. If it is an everyday word, too, both must be spelled like names. A single
	// letter has too little spelling for that.
	other := &all[i+1]
	longEnough := c.end-c.start > 1 && other.end-other.start > 1
	isSkill := other.mode == Always || longEnough && named(text, c) && named(text, other)
	return e.neighbor(c, other, isSkill, gapBetween(text, c.end, other.start), isAtEdge)
}

// neighbor returns another candidate as the neighbor of c, with a gap between them. isSkill reports whether it names a
// skill, and isAtEdge whether c is at the end of its line or clause on that side.
func (e *extractor) neighbor(c, other *candidate, isSkill bool, gap int, isAtEdge bool) neighbor {
	if other.label == c.label {
		return neighbor{bounded: isAtEdge} // a title and a first line that repeats it make no list
	}
	return neighbor{
		fits:    isSkill && gap != gapOther && e.contexts.shareGroup(other.skill, c.skill),
		gap:     gap,
		bounded: isAtEdge || gap == gapSeparator,
	}
}

// standsAlone reports whether a letter is not part of an abbreviation or an initial, as it is in "R&D", "C-level" and
// "J. R. Smith".
func standsAlone(text string, start, end int) bool {
	if end < len(text) {
		switch text[end] {
		case '&', '-', '\'', '.', '@', '+', '*', '_', '\\':
			return text[end] == '.' && end+1 == len(text)
		}

		// Typographic apostrophes have more than one byte.
		if r, _ := utf8.DecodeRuneInString(text[end:]); r == '’' {
			return false
		}
	}

	if start > 0 {
		switch text[start-1] {
		case '&', '-', '\'', '.', '@', '+', '*', '_', '\\', '$':
			return false
		}

		if r, _ := utf8.DecodeLastRuneInString(text[:start]); r == '’' {
			return false
		}
	}

	return true
}

// atEdge reports whether the text, a line or a clause ends at an offset in the given direction (-1 or 1).
func atEdge(text string, i, direction int) bool {
	if direction < 0 {
		i--
	}
	for i >= 0 && i < len(text) && (text[i] == ' ' || text[i] == '\r') {
		i += direction
	}
	if i < 0 || i >= len(text) {
		return true
	}
	switch text[i] {
	case ',', ';', '|', '/', '\n', '(', ')', ':', '[', ']', '.', '*':
		return true
	}
	return false
}

// opens reports whether a sentence or line starts at an offset, so that a capital letter there means nothing.
func opens(text string, i int) bool {
	for i > 0 && (text[i-1] == ' ' || text[i-1] == '\t') {
		i--
	}
	if i == 0 {
		return true
	}
	if c := text[i-1]; c < utf8.RuneSelf {
		switch c {
		case '.', '!', '?', '\n', '\r', ':', '*', '-', '#', '"':
			return true
		}
		return false
	}
	r, _ := utf8.DecodeLastRuneInString(text[:i])
	return !unicode.IsLetter(r)
}

// madeWith reports whether a name ends a clause or list that says what something is made with: "a forecast in Excel".
func madeWith(text string, start, end int) bool {
	from, to := wordBefore(text, start)
	if from == to {
		return false
	}
	var buf [2 * maxKey]byte
	before, _ := appendToken(buf[:0], text[:to], from)
	if !usePrepositions[string(before)] {
		return false
	}
	if atEdge(text, end, 1) {
		return true
	}
	next := joint(text, end)
	if next < 0 {
		return true
	}
	word, _ := appendToken(buf[:0], text, next)
	return connector(word)
}

// versionFollows reports whether a version follows a name: "Swift 5", "Word 2019".
func versionFollows(text string, end int) bool {
	var buf [2 * maxListGap]byte
	next := end + 1
	if next >= len(text) {
		return false
	}

	wordFollows := text[end] == ' ' && classes[text[next]] == classWord
	if !wordFollows {
		return false
	}

	number, _ := appendToken(buf[:0], text, next)
	return len(number) < 5 && version(number)
}

// near reports whether one of the reach tokens before or after a mention, in its sentence, is a context word of a
// group. If group has the strong bit, only strong context words count.
func (c *contexts) near(text string, start, end int, group uint8, reach int) bool {
	needsStrong := group&c.strong != 0
	groups := group &^ c.strong
	supports := func(word []byte) bool {
		bits := c.words[string(word)]
		isStrong := bits&c.strong != 0
		if needsStrong && !isStrong {
			return false
		}
		return bits&groups != 0
	}

	// After the mention, tokens are read forward.
	var buf [2 * maxKey]byte
	offset := end
	for range reach {
		offset = joint(text, offset)
		if offset < 0 {
			break
		}

		var word []byte
		word, offset = appendToken(buf[:0], text, offset)
		if len(word) == 0 {
			break
		}
		if supports(word) {
			return true
		}
	}

	// Tokens can't be read backward: the word before an offset belongs to the sentence if the joint after it leads back
	// to the offset.
	offset = start
	for range reach {
		from, to := wordBefore(text, offset)
		if from == to || joint(text, to) != offset {
			break
		}

		word, _ := appendToken(buf[:0], text[:to], from)
		if supports(word) {
			return true
		}

		offset = from
	}

	return false
}

// wordBefore returns the bounds of the last word before an offset. They are equal if no word is close.
func wordBefore(text string, i int) (from, to int) {
	to = i
	for to > 0 && i-to < 4 && text[to-1] < utf8.RuneSelf && classes[text[to-1]] != classWord {
		to--
	}
	from = to
	for from > 0 && to-from <= maxKey && classes[text[from-1]] == classWord {
		from--
	}
	return from, to
}
