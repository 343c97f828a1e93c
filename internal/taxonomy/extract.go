package taxonomy

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Mention is one place in a text that names a skill.
type Mention struct {
	ID         string // of the skill
	Start, End int    // byte offsets
}

// candidate is a place that may name a skill.
type candidate struct {
	start, end int
	label      *label
	kept       bool
}

// Extract finds the skills that a text names, in order, each place once. Where labels overlap the longest one from the
// left is taken. Names that are everyday words or single letters count only in a context that supports them.
func (t *Taxonomy) Extract(text string) []Mention {
	scratch, _ := t.mentions.Get().(*[]candidate)
	defer t.mentions.Put(scratch)
	candidates := t.candidates((*scratch)[:0], text)
	*scratch = candidates

	kept := 0
	for i := range candidates {
		c := &candidates[i]
		c.kept = c.label.mode == Always || t.supported(text, candidates, i)
		if c.kept {
			kept++
		}
	}
	if kept == 0 {
		return nil
	}
	mentions := make([]Mention, 0, kept)
	for _, c := range candidates {
		if c.kept {
			mentions = append(mentions, Mention{t.skills[c.label.skill].ID, c.start, c.end})
		}
	}
	return mentions
}

// candidates appends all longest matches in text, everyday phrases left out.
func (t *Taxonomy) candidates(found []candidate, text string) []candidate {
	var buf [2*maxKey + 2]byte
	key := buf[:0]
	for i := 0; i < len(text); {
		if c := classes[text[i]]; c < classWide && c != classWord && text[i] != '.' {
			i++
			continue
		}
		var end int
		key, end = appendToken(key[:0], text, i)
		if len(key) == 0 {
			_, size := classify(text, i)
			i += size
			continue
		}
		l, matched := t.longest(text, key, end)
		switch {
		case address(text, i, end):
			i = addressEnd(text, end)
		case clipped(text, i, end):
			i = end
		case l == nil:
			i = end
		case l.skill == noSkill:
			i = matched
		default:
			found = append(found, candidate{start: i, end: matched, label: l})
			i = matched
		}
	}
	return found
}

// address reports whether a token begins a web address.
func address(text string, start, end int) bool {
	return strings.HasPrefix(text[end:], "://") || end-start == 3 && strings.HasPrefix(text[end:], ".") && strings.EqualFold(text[start:end], "www")
}

// addressEnd is where the web address at an offset ends.
func addressEnd(text string, i int) int {
	for i < len(text) && text[i] > ' ' && text[i] != '"' && text[i] != '<' && text[i] != ')' {
		i++
	}
	return i
}

// clipped reports whether a token is what an apostrophe leaves of a word: the m of "I'm", the d of "I’d".
func clipped(text string, start, end int) bool {
	if start == 0 || end-start > 2 {
		return false
	}
	return text[start-1] == '\'' || strings.HasSuffix(text[:start], "’")
}

// longest is the longest label that begins with the token in key, which ends before text[end], and where it ends.
func (t *Taxonomy) longest(text string, key []byte, end int) (best *label, bestEnd int) {
	if len(key) > maxKey {
		return nil, 0
	}
	before, start := hashSeed, 0 // the hash of the key before its last token, and where that starts
	breaks := uint64(0)
	for {
		h := hash(before, key[start:])
		l, prefix := t.find(h, key)
		if l == nil && key[len(key)-1] == 's' && len(key) > start+1 {
			l = t.pluralMention(text[:end], key, before, start)
		}
		if l != nil && l.mode != Never && breaks&^l.breaks == 0 {
			best, bestEnd = l, end
		}
		if !prefix {
			return best, bestEnd
		}
		next := joint(text, end)
		if next < 0 {
			return best, bestEnd
		}
		before, start = h, len(key)
		key, end = appendToken(key, text, next)
		if len(key) == start || len(key) > maxKey {
			return best, bestEnd
		}
		breaks |= 1 << start
	}
}

// pluralMention is the label whose plural ends text: of several words ("landing pages") or in capitals ("APIs"). Other
// single words are left alone: "reacts" is not React.
func (t *Taxonomy) pluralMention(text string, key []byte, before uint64, start int) *label {
	if start == 0 && (len(text) < 2 || text[len(text)-2] < 'A' || text[len(text)-2] > 'Z') {
		return nil
	}
	singular := key[:len(key)-1]
	l, _ := t.find(hash(before, singular[start:]), singular)
	if l == nil || l.mode != Always {
		return nil
	}
	return l
}

// joint is the offset of the token that goes on behind text[end], -1 where something stands between that no label goes
// across: the end of a sentence, a comma, an empty line.
func joint(text string, end int) int {
	if end == len(text) {
		return -1
	}
	i, lines := end, 0
	spaced := false
	for i < len(text) {
		class, size := classes[text[i]], 1
		if class == classWide {
			class, size = classify(text, i)
		}
		switch c := text[i]; {
		case class == classWord:
			return i
		case class == classBreak, c == '#':
			return -1
		case c == '\n':
			lines++
			if lines > 1 {
				return -1
			}
			spaced = true
		case c == ' ' || c == '\t' || c == '\r':
			spaced = true
		case c == '/' || c == '&':
		case spaced || size < len(text)-i && text[i+size] == ' ':
			// "word. Next", "word - next", "' quoted"; but a dot may begin ".NET".
			if c == '.' && dotNet(text, i) {
				return i
			}
			return -1
		}
		i += size
	}
	return -1
}

// connector reports whether a word between two names keeps them in one list: "Python and R", "PDF to Excel".
func connector(word []byte) bool {
	switch string(word) {
	case "and", "or", "with", "using", "plus", "via", "to", "into", "ms", "microsoft", "adobe", "google", "apache", "y", "et":
		return true
	default:
		return version(word)
	}
}

// maxListGap bounds what may stand between two neighbours of a list, in bytes.
const maxListGap = 24

// What may stand between two neighbours.
const (
	gapOther     = iota // words, the end of a sentence, too much of anything
	gapSpace            // nothing but spaces
	gapConnector        // a connector or a line break
	gapSeparator        // a comma, slash, or other sign of a list
)

// gapBetween tells what stands between two offsets.
func gapBetween(text string, from, to int) (gap int) {
	if to-from > maxListGap || to < from {
		return gapOther
	}
	var buf [2 * maxListGap]byte
	gap = gapSpace
	for i := from; i < to; {
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

// named reports whether a candidate is written as a name is: as in the label, or with a capital.
func named(text string, c *candidate) bool {
	return text[c.start:c.end] == c.label.text || 'A' <= text[c.start] && text[c.start] <= 'Z'
}

// supported reports whether the surroundings of an everyday word make it the name of a skill: a list of other skills of
// its group, a word of its group's context, or a version number. Candidates before it are decided already.
func (t *Taxonomy) supported(text string, all []candidate, i int) bool {
	c := &all[i]
	group := t.groups[c.label.skill]
	exact := named(text, c)
	letter := c.end-c.start == 1
	if letter && !standsAlone(text, c.start, c.end) {
		return false
	}
	left, right := t.neighbour(text, all, i, -1), t.neighbour(text, all, i, 1)
	switch {
	case exact && left.fits && right.fits:
		return true
	case left.listed() && right.bounded && (exact || left.gap == gapSeparator),
		right.listed() && left.bounded && (exact || right.gap == gapSeparator):
		return true
	case exact && !opens(text, c.start):
		return left.listed() || right.listed() || versionFollows(text, c.end) || t.inContext(text, c.start, c.end, group, 2)
	default:
		return t.inContext(text, c.start, c.end, group|t.strong, 1)
	}
}

// neighbour is what stands on one side of a candidate.
type neighbour struct {
	fits    bool // another skill of the same group
	gap     int  // between the two
	bounded bool // the side ends in a separator, or with the line
}

// listed reports whether the neighbour and the candidate are in one list.
func (n neighbour) listed() bool { return n.fits && n.gap > gapSpace }

// neighbour looks at the candidate before (-1) or behind (1) the one at i. Candidates before it are decided already; of
// those behind it, another everyday word counts when both are written as names.
func (t *Taxonomy) neighbour(text string, all []candidate, i, direction int) (n neighbour) {
	c := &all[i]
	if direction < 0 {
		n.bounded = atEdge(text, c.start, -1)
	} else {
		n.bounded = atEdge(text, c.end, 1)
	}
	if i+direction < 0 || i+direction >= len(all) {
		return n
	}
	other := &all[i+direction]
	from, to := other.end, c.start
	if direction < 0 {
		n.fits = other.kept
	} else {
		both := c.end-c.start > 1 && other.end-other.start > 1 && named(text, c) && named(text, other)
		n.fits, from, to = other.label.mode == Always || both, c.end, other.start
	}
	n.fits = n.fits && t.groups[other.label.skill]&t.groups[c.label.skill] != 0
	n.gap = gapBetween(text, from, to)
	n.fits = n.fits && n.gap != gapOther
	n.bounded = n.bounded || n.gap == gapSeparator
	return n
}

// standsAlone reports whether a letter is not part of an abbreviation or an initial: "R&D", "C-level", "J. R. Smith".
func standsAlone(text string, start, end int) bool {
	if end < len(text) {
		switch text[end] {
		case '&', '-', '\'', '.', '@', '+', '*', '_', '\\':
			return text[end] == '.' && end+1 == len(text)
		}
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

// atEdge reports whether a text or a line ends at an offset in the given direction, or a clause with a comma, bar or the like.
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

// opens reports whether a sentence or line begins at an offset, so that a capital says nothing.
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

// versionFollows reports whether a number stands behind a name: "Swift 5", "Word 2019".
func versionFollows(text string, end int) bool {
	var buf [2 * maxListGap]byte
	i := end
	if i+1 >= len(text) || text[i] != ' ' || classes[text[i+1]] != classWord {
		return false
	}
	number, _ := appendToken(buf[:0], text, i+1)
	return len(number) < 5 && version(number)
}

// inContext reports whether one of the words up to reach tokens before or behind a mention, in its sentence, belongs to
// the context of a group. Where group has the strong bit, only strong words do.
func (t *Taxonomy) inContext(text string, start, end int, group uint8, reach int) bool {
	var buf [2 * maxKey]byte
	fits := func(word []byte) bool {
		have := t.contexts[string(word)]
		if group&t.strong != 0 && have&t.strong == 0 {
			return false
		}
		return have&group&^t.strong != 0
	}
	for i, n := end, 0; n < reach; n++ {
		i = joint(text, i)
		if i < 0 {
			break
		}
		var word []byte
		word, i = appendToken(buf[:0], text, i)
		if len(word) == 0 {
			break
		}
		if fits(word) {
			return true
		}
	}
	for i, n := start, 0; n < reach; n++ {
		from, to := wordBefore(text, i)
		if from == to || joint(text, to) != i {
			break
		}
		word, _ := appendToken(buf[:0], text[:to], from)
		if fits(word) {
			return true
		}
		i = from
	}
	return false
}

// wordBefore is where the last word before an offset begins and ends. They are equal where there is none close by.
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
