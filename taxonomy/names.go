package taxonomy

import (
	"bytes"
	"strings"

	"github.com/freelancer-matching/service/taxonomy/datafile"
)

// names holds the skills and finds them by the keys of their names.
type names struct {
	skills  []Skill          // sorted by id
	numbers map[string]int32 // index into skills, by id
	labels  []label
	keys    []byte   // keys of all labels, concatenated
	slots   []slot   // hash table from keys to labels; its length is a power of two
	used    []uint64 // bit set of the used slots, small enough for the processor's cache
}

// A label is one name of a skill, or an everyday phrase that names none.
type label struct {
	text   string
	breaks uint64 // token boundaries as in appendKey, merged over all spellings with this key
	key    uint32 // offset into keys
	size   uint8  // of the key
	mode   Mode
	sense  uint8 // index into senses plus one; 0 if the name has no other sense
	skill  int32 // noSkill for an everyday phrase
}

const noSkill = -1

// A slot is a used entry of the hash table. It holds a label, marks its key as the start of longer labels, or both.
type slot struct {
	tag    uint32 // upper half of the key's hash
	label  int32  // index into labels, or -1
	prefix bool
}

// A skillReferences holds three columns of a skill's line: the numbers of other skills.
type skillReferences struct{ broader, related, implies string }

// readSkills reads the skills and their labels.
func (n *names) readSkills(r *datafile.Reader) {
	var references []skillReferences
	r.Section("skills", func(size int) {
		n.skills = make([]Skill, 0, size)
		n.numbers = make(map[string]int32, size)
		n.labels = make([]label, 0, 5*size)
		references = make([]skillReferences, 0, size)
	}, func(columns []string) {
		if len(columns) != 9 || len(columns[8]) < 2 {
			r.Fail("malformed skill line %q", columns)
			return
		}

		labels := columns[8]
		name, _, _ := strings.Cut(labels[1:], "|")
		s := Skill{
			ID:       columns[0],
			Name:     name,
			Category: columns[1],
			Family:   columns[2],
			Use:      r.Number(columns[3]),
			Generic:  columns[4] == flagGeneric,
		}

		number := int32(len(n.skills))
		n.numbers[s.ID] = number
		n.skills = append(n.skills, s)
		n.readLabels(labels, number)
		references = append(references, skillReferences{columns[5], columns[6], columns[7]})
	})

	// References name positions, and skills later in the file exist only now.
	n.resolve(references, r)
	n.collectSynonyms()
}

// readLabels reads the labels of a skill, which bars separate. The first byte of a label is its mode.
func (n *names) readLabels(list string, skill int32) {
	for text := range strings.SplitSeq(list, "|") {
		if text != "" {
			n.labels = append(n.labels, label{text: text[1:], mode: Mode(text[0]), skill: skill})
		}
	}
}

// resolve sets the ids of the skills that each skill refers to. All lists share one backing array.
func (n *names) resolve(references []skillReferences, r *datafile.Reader) {
	ids := make([]string, 0, 4*len(references))
	idsOf := func(numbers string) []string {
		first := len(ids)
		for digits := range strings.FieldsSeq(numbers) {
			i := r.Number(digits)
			if i < 0 || i >= len(n.skills) {
				r.Fail("skill number %d is out of range; there are %d skills", i, len(n.skills))
				return nil
			}
			ids = append(ids, n.skills[i].ID)
		}

		// Appending to the list of one skill must not overwrite that of the next.
		return ids[first:len(ids):len(ids)]
	}

	for i, columns := range references {
		s := &n.skills[i]
		s.Broader = idsOf(columns.broader)
		s.Related = idsOf(columns.related)
		s.Implies = idsOf(columns.implies)
	}
}

// collectSynonyms sets the synonyms of each skill, which are its labels without the first one. All lists share one
// backing array.
func (n *names) collectSynonyms() {
	synonyms := make([]string, 0, len(n.labels))
	for first := 0; first < len(n.labels); {
		skill := n.labels[first].skill
		start := len(synonyms)
		next := first + 1
		for next < len(n.labels) && n.labels[next].skill == skill {
			synonyms = append(synonyms, n.labels[next].text)
			next++
		}

		n.skills[skill].Synonyms = synonyms[start:len(synonyms):len(synonyms)]
		first = next
	}
}

// index builds the hash table. If two labels have the same key, the first one wins; if they name the same skill, the
// token boundaries are merged.
func (n *names) index() {
	size := 64
	for size < 4*len(n.labels) {
		size *= 2
	}

	n.slots = make([]slot, size)
	n.used = make([]uint64, size/64)
	n.keys = make([]byte, 0, 16*len(n.labels))
	for i := range n.labels {
		n.addKey(int32(i))
	}
}

// addKey adds the key of a label to the table. A label whose key is too long can't be found.
func (n *names) addKey(number int32) {
	l := &n.labels[number]
	start := len(n.keys)
	var ok bool
	n.keys, l.breaks, ok = appendKey(n.keys, l.text)
	if !ok {
		n.keys = n.keys[:start]
		return
	}

	key := n.keys[start:]
	l.key = uint32(start)
	l.size = uint8(len(key))
	s := n.slot(hash(hashSeed, key))
	switch {
	case s.label < 0:
		s.label = number
	case n.labels[s.label].skill == l.skill:
		n.labels[s.label].breaks |= l.breaks
	}

	// The beginnings of labels have slots, too, so that a search stops at the first token with which no label continues.
	h := hashSeed
	from := 0
	for p := range key {
		if p > 0 && l.breaks&(1<<p) != 0 {
			h = hash(h, key[from:p])
			from = p
			n.slot(h).prefix = true
		}
	}
}

// slot returns the hash table entry for a key, and claims a free one if the key has none.
func (n *names) slot(h uint64) *slot {
	for i := h & uint64(len(n.slots)-1); ; i = (i + 1) & uint64(len(n.slots)-1) {
		s := &n.slots[i]
		if !n.isUsed(i) {
			n.used[i/64] |= 1 << (i % 64)
			*s = slot{tag: uint32(h >> 32), label: -1}
			return s
		}
		if s.tag == uint32(h>>32) {
			return s
		}
	}
}

func (n *names) isUsed(slot uint64) bool { return n.used[slot/64]>>(slot%64)&1 != 0 }

// find returns the label with the given key, or nil, and reports whether longer labels may start with that key.
func (n *names) find(h uint64, key []byte) (l *label, prefix bool) {
	for i := h & uint64(len(n.slots)-1); n.isUsed(i); i = (i + 1) & uint64(len(n.slots)-1) {
		s := &n.slots[i]
		if s.tag != uint32(h>>32) {
			continue
		}
		if s.label >= 0 {
			l = &n.labels[s.label]
			if !bytes.Equal(n.keyOf(l), key) {
				l = nil
			}
		}
		return l, s.prefix
	}
	return nil, false
}

func (n *names) keyOf(l *label) []byte { return n.keys[l.key : l.key+uint32(l.size)] }

// hash continues an FNV-1a hash, which starts with hashSeed.
const hashSeed uint64 = 14695981039346656037

func hash(h uint64, key []byte) uint64 {
	for _, c := range key {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// known returns the label of the skill with the given key, or nil.
func (n *names) known(key []byte) *label {
	l, _ := n.find(hash(hashSeed, key), key)
	if l == nil || l.skill == noSkill {
		return nil
	}
	return l
}

// named returns the label of the skill whose name has the same key, or nil.
func (n *names) named(name string) *label {
	var buf [maxKey + 32]byte
	key, _, ok := appendKey(buf[:0], name)
	if !ok {
		return nil
	}
	return n.known(key)
}

// nameOf returns the label of a skill's canonical name.
func (n *names) nameOf(skill int32) *label { return n.named(n.skills[skill].Name) }

// skill returns the skill with the given id.
func (n *names) skill(id string) (Skill, bool) {
	i, ok := n.numbers[id]
	if !ok {
		return Skill{}, false
	}
	return n.skills[i], true
}

// add adds labels to a skill. They are found after the next index.
func (n *names) add(skill int32, labels []Label) {
	for _, l := range labels {
		n.labels = append(n.labels, label{text: l.Text, mode: l.Mode, skill: skill})
	}
}
