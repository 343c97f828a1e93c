package taxonomy

import (
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
	case "and", "or", "with", "using", "on", "in", "plus", "via", "to", "into", "ms", "microsoft", "adobe", "google", "apache", "y", "et":
		return true
	default:
		return version(word)
	}
}

// maxListGap bounds what may stand between two neighbours of a list, in bytes.
const maxListGap = 24

// listed reports whether only separators and connectors stand between two offsets, and whether there are only
// separators.
func listed(text string, from, to int) (ok, strict bool) {
	if to-from > maxListGap || to < from {
		return false, false
	}
	var buf [2 * maxListGap]byte
	strict = true
	for i := from; i < to; {
		word, end := appendToken(buf[:0], text[:to], i)
		if len(word) > 0 {
			if !connector(word) {
				return false, false
			}
			strict = strict && string(word) == "and"
			i = end
			continue
		}
		switch text[i] {
		case '!', '?', '"':
			return false, false
		case '.':
			return false, false
		}
		_, size := classify(text, i)
		i += size
	}
	return true, strict && separated(text[from:to])
}

// separated reports whether a gap has more than spaces in it.
func separated(gap string) bool {
	for i := range len(gap) {
		if gap[i] != ' ' {
			return true
		}
	}
	return false
}

// supported reports whether the surroundings of an everyday word make it the name of a skill: a list of other skills of
// its group, a word of its group's context, or a version number. Candidates before it are decided already.
func (t *Taxonomy) supported(text string, all []candidate, i int) bool {
	c := &all[i]
	group := t.groups[c.label.skill]
	exact := text[c.start:c.end] == c.label.text
	letter := c.end-c.start == 1
	if letter && !standsAlone(text, c.start, c.end) {
		return false
	}
	left, leftStrict := false, atEdge(text, c.start, -1)
	if i > 0 {
		p := &all[i-1]
		if ok, strict := listed(text, p.end, c.start); ok {
			left = p.kept && t.groups[p.label.skill]&group != 0
			leftStrict = leftStrict || strict
		}
	}
	right, rightStrict := false, atEdge(text, c.end, 1)
	if i+1 < len(all) {
		n := &all[i+1]
		if ok, strict := listed(text, c.end, n.start); ok {
			fits := n.label.mode == Always || (!letter && exact && n.end-n.start > 1 && text[n.start:n.end] == n.label.text)
			right = fits && t.groups[n.label.skill]&group != 0
			rightStrict = rightStrict || strict
		}
	}
	switch {
	case left && rightStrict && (exact || leftStrict), right && leftStrict && (exact || rightStrict):
		return true
	case exact && !opens(text, c.start):
		return left || right || versionFollows(text, c.end) || t.inContext(text, c.start, c.end, group, 2)
	default:
		return t.inContext(text, c.start, c.end, group|t.strong, 1)
	}
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
