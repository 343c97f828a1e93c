package taxonomy

import (
	"fmt"
	"slices"
	"strings"
)

// A sense is a second meaning that nearby words give to a name.
type sense struct {
	name, id string // a name of another skill, and the id of the skill it means near one of the words
	skill    int32  // index of the skill with the id; noSkill for a trade without one
	words    []string
	trade    bool // see Sense
}

// senseReach is how many words before and after a name can change its sense.
const senseReach = 3

// senses holds the second meanings of names.
type senses struct {
	all    []sense        // those of one name follow each other, trades last
	trades map[int32]bool // the skills with a name that is also an occupation
}

// link connects the senses with their labels and skills. It fails if one of them doesn't exist.
func (s *senses) link(n *names) error {
	s.trades = make(map[int32]bool)
	for i := range s.all {
		other := &s.all[i]
		skill, ok := n.numbers[other.id]
		if other.trade && other.id == "" {
			skill = noSkill
			ok = true
		}

		l := n.named(other.name)
		tooMany := i >= 1<<8-1 // a label has a byte for the number of its first sense
		if !ok || l == nil || tooMany {
			return fmt.Errorf("taxonomy: sense %q of the name %q: the name or the skill is unknown", other.id, other.name)
		}

		other.skill = skill
		if l.sense == 0 {
			l.sense = uint8(i + 1)
		}
		if other.trade {
			s.trades[l.skill] = true
		}
	}
	return nil
}

// of returns the senses of a label, trades last.
func (s *senses) of(l *label) []sense {
	if l.sense == 0 {
		return nil
	}
	all := s.all[l.sense-1:]
	n := 1
	for n < len(all) && all[n].name == all[0].name {
		n++
	}
	return all[:n]
}

// trade returns the sense of a label that is an occupation, or nil.
func (s *senses) trade(l *label) *sense {
	all := s.of(l)
	if n := len(all); n > 0 && all[n-1].trade {
		return &all[n-1]
	}
	return nil
}

// IsTrade reports whether a name of the skill is also an occupation: Adobe Illustrator is a tool that an illustrator
// may not know. As a job title, the name then says nothing about the skill.
func (t *Taxonomy) IsTrade(id string) bool {
	skill, ok := t.names.numbers[id]
	return ok && t.senses.trades[skill]
}

// NamesTrade reports whether a name belongs to an occupation and to a product, and the other names of its list don't
// say that it means the product.
func (t *Taxonomy) NamesTrade(name string, list []string) bool {
	l := t.names.named(name)
	if l == nil || t.senses.trade(l) == nil {
		return false
	}
	return !slices.ContainsFunc(t.senses.of(l), func(s sense) bool { return !s.trade && s.isAmong(list) })
}

// near returns the skill that a candidate means instead because of the words around it in the same sentence.
// Unlike the context of an everyday word, these words may be part of a list.
func (s *senses) near(text string, c *candidate) (skill int32, ok bool) {
	for _, other := range s.of(c.label) {
		if other.isNear(text, c.start, c.end) {
			return other.skill, true
		}
	}
	return 0, false
}

// isNear reports whether one of the words of a sense is close to a mention, in its sentence.
func (s *sense) isNear(text string, start, end int) bool {
	var buf [2 * maxKey]byte

	// The words after the mention, up to the end of the sentence.
	offset := end
	for range senseReach {
		for offset < len(text) && classes[text[offset]] != classWord && !endsSentence(text, offset) {
			offset++
		}

		if offset == len(text) || endsSentence(text, offset) {
			break
		}

		var word []byte
		word, offset = appendToken(buf[:0], text, offset)
		if slices.Contains(s.words, string(word)) {
			return true
		}
	}

	// The words before the mention, back to the end of the previous sentence.
	offset = start
	for range senseReach {
		from, to := wordBefore(text, offset)
		if from == to || endsSentence(text, to) {
			break
		}

		word, _ := appendToken(buf[:0], text[:to], from)
		if slices.Contains(s.words, string(word)) {
			return true
		}

		offset = from
	}

	return false
}

// among returns the skill that a label means in a name, among the names of a list.
func (s *senses) among(l *label, name string, list []string) (skill int32) {
	for _, names := range [][]string{{name}, list} {
		for _, other := range s.of(l) {
			if other.skill != noSkill && other.isAmong(names) {
				return other.skill
			}
		}
	}
	return l.skill
}

// isAmong reports whether one of the words of a sense occurs in some names.
func (s *sense) isAmong(names []string) bool {
	for _, name := range names {
		for word := range strings.FieldsSeq(Normalize(name)) {
			if slices.Contains(s.words, word) {
				return true
			}
		}
	}
	return false
}

// endsSentence reports whether text[i] ends a sentence: a line break, or a full stop, exclamation mark or question mark
// before a space.
func endsSentence(text string, i int) bool {
	switch text[i] {
	case '\n':
		return true
	case '.', '!', '?':
		return i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\n'
	}
	return false
}
