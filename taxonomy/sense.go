package taxonomy

import (
	"fmt"
	"slices"
	"strings"
)

// A sense is a second meaning that nearby words give to a name.
type sense struct {
	name, id string // a name of another skill, and the id of the skill it means near one of the words
	skill    int32  // index of the skill with the id
	words    []string
}

// senseReach is how many words before and after a name can change its sense.
const senseReach = 3

// linkSenses connects the senses with their labels and skills.
func (t *Taxonomy) linkSenses() error {
	for i := range t.senses {
		s := &t.senses[i]
		skill, ok := t.numbers[s.id]
		var buf [maxKey + 32]byte
		key, _, fits := appendKey(buf[:0], s.name)
		l := t.known(key)
		known := ok && fits && l != nil
		if !known || i >= 1<<8-1 {
			return fmt.Errorf("taxonomy: sense %q of the name %q: the name or the skill is unknown", s.id, s.name)
		}
		s.skill = skill
		l.sense = uint8(i + 1)
	}
	return nil
}

// otherSense returns the skill that a candidate means instead because of the words around it in the same sentence.
// Unlike the context of an everyday word, these words may be part of a list.
func (t *Taxonomy) otherSense(text string, c *candidate) (skill int32, ok bool) {
	if c.label.sense == 0 {
		return 0, false
	}

	s := &t.senses[c.label.sense-1]
	var buf [2 * maxKey]byte

	// The words after the mention, then those before it, up to the end of the sentence.
	for i, n := c.end, 0; n < senseReach && i < len(text); n++ {
		for i < len(text) && classes[text[i]] != classWord && !endsSentence(text, i) {
			i++
		}

		if i == len(text) || endsSentence(text, i) {
			break
		}

		var word []byte
		word, i = appendToken(buf[:0], text, i)
		if slices.Contains(s.words, string(word)) {
			return s.skill, true
		}
	}

	for i, n := c.start, 0; n < senseReach; n++ {
		from, to := wordBefore(text, i)
		if from == to || endsSentence(text, to) {
			break
		}

		word, _ := appendToken(buf[:0], text[:to], from)
		if slices.Contains(s.words, string(word)) {
			return s.skill, true
		}

		i = from
	}

	return 0, false
}

// senseAmong returns the skill that a label means among the names of a list.
func (t *Taxonomy) senseAmong(l *label, list []string) (skill int32) {
	if l.sense == 0 {
		return l.skill
	}
	s := &t.senses[l.sense-1]
	for _, name := range list {
		for word := range strings.FieldsSeq(Normalize(name)) {
			if slices.Contains(s.words, word) {
				return s.skill
			}
		}
	}
	return l.skill
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
