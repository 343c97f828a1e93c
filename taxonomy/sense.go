package taxonomy

import (
	"fmt"
	"slices"
	"strings"
)

// sense is what else a name means beside one of some words.
type sense struct {
	name, id string
	skill    int32
	words    []string
}

// senseReach is how many words before and behind a name may tell its sense.
const senseReach = 3

// linkSenses joins the senses with their labels and skills.
func (t *Taxonomy) linkSenses() error {
	for i := range t.senses {
		s := &t.senses[i]
		skill, ok := t.position(s.id)
		var buf [maxKey + 32]byte
		key, _, fits := appendKey(buf[:0], s.name)
		l := t.known(key)
		if !ok || !fits || l == nil || i >= 1<<8-1 {
			return fmt.Errorf("the taxonomy gives the sense %q to %q, one of which it does not know", s.id, s.name)
		}
		s.skill = int32(skill)
		l.sense = uint8(i + 1)
	}
	return nil
}

// otherSense is the skill that a candidate names by the words around it, in the same sentence, lists included.
func (t *Taxonomy) otherSense(text string, c *candidate) (skill int32, ok bool) {
	if c.label.sense == 0 {
		return 0, false
	}
	s := &t.senses[c.label.sense-1]
	var buf [2 * maxKey]byte
	for i, n := c.end, 0; n < senseReach && i < len(text); n++ {
		for i < len(text) && !startsWord(text, i) && !endsSentence(text, i) {
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

// senseAmong is the skill that a label names in a list of names.
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

func startsWord(text string, i int) bool { return classes[text[i]] == classWord }

// endsSentence reports whether a sentence ends at text[i]: with its mark and a space, or with the line.
func endsSentence(text string, i int) bool {
	switch text[i] {
	case '\n':
		return true
	case '.', '!', '?':
		return i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\n'
	}
	return false
}
