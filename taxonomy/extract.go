package taxonomy

import (
	"slices"
	"strings"
	"sync"
)

// A Mention is one place in a text that names a skill.
type Mention struct {
	ID         string // skill id
	Start, End int    // byte offsets
	Name       string // the name or synonym of the skill that the text uses, as the taxonomy writes it
	Everyday   bool   // Name is also an everyday word; it counts because of the surrounding text
}

// A candidate is a place that may name a skill.
type candidate struct {
	start, end int
	label      *label
	skill      int32 // the skill it may name
	mode       Mode  // mode of the label, or Always if nearby words give it another sense
	kept       bool  // it is a mention
}

// setSense gives a candidate another sense, which may be that of a trade without a skill.
func (c *candidate) setSense(skill int32) {
	if skill == noSkill {
		c.mode = Never
		return
	}
	c.skill = skill
	c.mode = Always
}

// Extract returns the mentions of skills in a text, in order and without overlaps. At each place the longest name wins.
// Everyday words and single letters count only if the surrounding text supports them.
func (t *Taxonomy) Extract(text string) []Mention {
	mentions, _ := t.extractor.read(text, nil)
	return mentions
}

// WithoutEveryday returns a text without the names of skills in its everyday phrases, as "Go" in "your Go-To expert"
// and "excel" in "excel at writing", and the mentions of skills in the text. Words are compared by spelling, where an
// everyday word would count as the skill.
func (t *Taxonomy) WithoutEveryday(text string) (rest string, mentions []Mention) {
	mentions, everyday := t.extractor.read(text, []span{})
	if len(everyday) == 0 {
		return text, mentions
	}
	blanked := []byte(text)
	for _, s := range everyday {
		for i := s.start; i < s.end; i++ {
			blanked[i] = ' '
		}
	}
	return string(blanked), mentions
}

// An extractor finds names of skills in running text.
type extractor struct {
	names     *names
	languages *languages
	senses    *senses
	contexts  *contexts
	scratch   sync.Pool // of *[]candidate
}

// A span is a part of a text.
type span struct{ start, end int }

// read returns the mentions of skills in a text. If everyday is not nil, it appends the names in everyday phrases.
func (e *extractor) read(text string, everyday []span) (mentions []Mention, words []span) {
	scratch, _ := e.scratch.Get().(*[]candidate)
	defer e.scratch.Put(scratch)

	candidates, everyday := e.candidates((*scratch)[:0], text, everyday)
	*scratch = candidates

	// Names with a second sense are decided first, because their sense supports neighbors.
	for i := range candidates {
		c := &candidates[i]
		c.mode = c.label.mode
		if other, ok := e.senses.near(text, c); ok {
			c.setSense(other)
		}
	}

	// From left to right: support of a word depends on the decisions before it.
	kept := 0
	for i := range candidates {
		c := &candidates[i]
		c.kept = c.mode == Always || c.mode == Context && e.supported(text, candidates, i)

		// An illustrator is one who draws, unless something around the word says that it is the program.
		if trade := e.senses.trade(c.label); !c.kept && c.mode == Context && trade != nil {
			c.setSense(trade.skill)
			c.kept = c.mode == Always
		}

		if c.kept {
			kept++
		}
	}

	if kept == 0 {
		return nil, everyday
	}

	mentions = make([]Mention, 0, kept)
	for _, c := range candidates {
		if c.kept {
			mentions = append(mentions, Mention{
				ID: e.names.skills[c.skill].ID, Start: c.start, End: c.end, Name: c.label.text, Everyday: c.label.mode == Context,
			})
		}
	}

	return mentions, everyday
}

// A Subject is a skill that a text mentions.
type Subject struct {
	ID      string
	First   int  // byte offset of the first mention
	Count   int  // number of mentions
	Generic bool // see Skill
}

// Subjects returns the skills that a text mentions, in order of first mention. The main subject of a text is usually
// mentioned early or repeatedly, and is not generic.
func (t *Taxonomy) Subjects(text string) []Subject {
	var subjects []Subject
	for _, m := range t.Extract(text) {
		i := slices.IndexFunc(subjects, func(s Subject) bool { return s.ID == m.ID })
		if i < 0 {
			i = len(subjects)
			skill, _ := t.Skill(m.ID)
			subjects = append(subjects, Subject{ID: m.ID, First: m.Start, Generic: skill.Generic})
		}
		subjects[i].Count++
	}
	return subjects
}

// candidates appends the longest match at each place in text, except everyday phrases. If everyday is not nil, it
// appends the names inside such phrases.
func (e *extractor) candidates(dst []candidate, text string, everyday []span) ([]candidate, []span) {
	var buf [2*maxKey + 2]byte
	key := buf[:0]

	for i := 0; i < len(text); {
		// Labels begin at words, at wide characters, and at dots as in .NET.
		class := classes[text[i]]
		mayBegin := class >= classWide || class == classWord || text[i] == '.'
		if !mayBegin {
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

		l, matched := e.longest(text, key, end)
		if end-i <= maxCode {
			if pair, pairEnd := e.languages.pair(text, i); pairEnd > matched {
				l = pair
				matched = pairEnd
			}
		}

		// Parts of addresses and cut words are no names, whatever they spell.
		switch {
		case address(text, i, end):
			i = addressEnd(text, end)
		case clipped(text, i, end):
			i = end
		case l == nil:
			i = end
		case l.skill == noSkill:
			until := e.phraseEnd(text, end, matched)
			if everyday != nil {
				everyday = e.namesIn(everyday, text, i, until)
			}
			i = until

		default:
			dst = append(dst, candidate{start: i, end: matched, label: l, skill: l.skill})
			i = matched
		}
	}

	return dst, everyday
}

// namesIn appends the everyday words at text[start:end] that could name a skill elsewhere.
func (e *extractor) namesIn(dst []span, text string, start, end int) []span {
	var buf [2*maxKey + 2]byte
	for i := start; i >= 0 && i < end; {
		key, next := appendToken(buf[:0], text, i)
		if len(key) == 0 {
			break
		}
		if l := e.names.known(key); l != nil && l.mode == Context {
			dst = append(dst, span{i, next})
		}
		i = joint(text, next)
	}
	return dst
}

// phraseEnd returns where to continue after an everyday phrase whose first token ends at first: at the end of the
// phrase, or at a name that starts inside the phrase and extends beyond it, as in "a REST API".
func (e *extractor) phraseEnd(text string, first, end int) int {
	var buf [2*maxKey + 2]byte
	for i := joint(text, first); i >= 0 && i < end; {
		key, next := appendToken(buf[:0], text, i)
		if len(key) == 0 {
			break
		}
		l, matched := e.longest(text, key, next)
		extendsBeyond := l != nil && matched > end
		if extendsBeyond && l.skill != noSkill {
			return i
		}
		i = joint(text, next)
	}
	return end
}

// address reports whether a web address starts with the given token.
func address(text string, start, end int) bool {
	return strings.HasPrefix(text[end:], "://") ||
		strings.EqualFold(text[start:end], "www") && strings.HasPrefix(text[end:], ".")
}

// addressEnd returns the end of the web address at text[i:].
func addressEnd(text string, i int) int {
	for i < len(text) && text[i] > ' ' && text[i] != '"' && text[i] != '<' && text[i] != ')' {
		i++
	}
	return i
}

// clipped reports whether a token is the short rest of a word after an apostrophe: the m of "I'm", the d of "I’d".
func clipped(text string, start, end int) bool {
	if start == 0 || end-start > 2 {
		return false
	}
	return text[start-1] == '\'' || strings.HasSuffix(text[:start], "’")
}

// longest returns the longest label that starts with the token in key, which ends before text[end], and the end of the
// label in text. It returns nil if there is none.
func (e *extractor) longest(text string, key []byte, end int) (best *label, bestEnd int) {
	if len(key) > maxKey {
		return nil, 0
	}

	before := hashSeed  // hash of key up to its last token
	start := 0          // offset of that token
	breaks := uint64(0) // token boundaries of the text in key

	for {
		h := hash(before, key[start:])
		l, prefix := e.names.find(h, key)
		mayBePlural := key[len(key)-1] == 's' && len(key) > start+1
		if l == nil && mayBePlural {
			l = e.pluralMention(text[:end], key, before, start)
		}

		// A text may write "Spring Boot" as one word, but not Django as two: it has no boundary that no spelling has.
		if l != nil && breaks&^l.breaks == 0 {
			isRead := l.mode != Never || l.sense > 0
			if isRead {
				best = l
				bestEnd = end
			}
		}

		if !prefix {
			return best, bestEnd
		}

		next := joint(text, end)
		if next < 0 {
			return best, bestEnd
		}

		before = h
		start = len(key)
		key, end = appendToken(key, text, next)
		if len(key) == start || len(key) > maxKey {
			return best, bestEnd
		}

		breaks |= 1 << start
	}
}

// pluralMention returns the label whose plural ends text, if the label has several words ("landing pages") or is in
// capitals ("APIs"). Plurals of other single words don't count: "reacts" is not React.
func (e *extractor) pluralMention(text string, key []byte, before uint64, start int) *label {
	afterCapital := len(text) >= 2 && text[len(text)-2] >= 'A' && text[len(text)-2] <= 'Z'
	if start == 0 && !afterCapital {
		return nil
	}

	singular := key[:len(key)-1]
	l, _ := e.names.find(hash(before, singular[start:]), singular)
	if l == nil || l.mode != Always {
		return nil
	}
	return l
}

// joint returns the offset of the next token after text[end], or -1 if no label can continue there: at the end of a
// sentence, a comma or an empty line.
func joint(text string, end int) int {
	if end == len(text) {
		return -1
	}

	i := end
	lines := 0
	spaced := false

	for i < len(text) {
		class := classes[text[i]]
		size := 1
		if class == classWide {
			class, size = classify(text, i)
		}

		switch c := text[i]; {
		case class == classWord:
			return i
		case class == classBreak, c == '#':
			return -1
		case c == '\n':
			// One line break is a wrapped line, two are a new paragraph.
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
