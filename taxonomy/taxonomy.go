package taxonomy

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"

	"freelancer-matching/internal/spelling"
	"freelancer-matching/internal/textcache"
	"freelancer-matching/mappings"
)

// A Taxonomy is an immutable set of skills and job titles. It is safe for concurrent use.
type Taxonomy struct {
	version  string
	skills   []Skill          // sorted by id
	numbers  map[string]int32 // index into skills, by id
	groups   []uint8          // bit set of the context groups, per skill
	bits     map[string]uint8 // bits of the context groups, by name
	labels   []label
	keys     []byte           // keys of all labels, concatenated
	slots    []slot           // hash table from keys to labels; its length is a power of two
	used     []uint64         // bit set of the used slots, small enough for the processor's cache
	contexts map[string]uint8 // bit set of the groups a context word supports
	strong   uint8            // bit of the pseudo group for context words that support even lowercase names
	senses   []sense
	trades   map[int32]bool    // the skills with a name that is also an occupation
	language map[string]string // language ids by name and by ISO 639 code
	titles   titles
	mentions sync.Pool // of *[]candidate
	resolved *textcache.Cache[[]Resolution]
	single   *textcache.Cache[Resolution] // of Resolve
	spelling func() *spelling.Dictionary  // built on first use

	vocabulary  func() *vocabulary // built on first use
	completions func() []int32     // labels sorted by key, built on first use
}

// A Skill is what the taxonomy knows about one skill. Its slices are shared; callers must not modify them.
type Skill struct {
	ID       string   // stable and readable: "c-plus-plus"
	Name     string   // canonical: "C++"
	Synonyms []string // other names, without Name
	Category string
	Family   string   // narrow group of interchangeable skills; may be empty
	Broader  []string // ids of the skills it is a kind of
	Related  []string // ids of skills often needed together with it
	Implies  []string // ids of all skills that anyone with this skill also has, directly or indirectly
	Use      int      // how common the skill is, 0 to 255
	Generic  bool     // so broad ("Research") that it says little about a brief
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

// strongContext is the pseudo group of the context words that support a name written in lower case.
const strongContext = "strong"

// A slot is a used entry of the hash table. It holds a label, marks its key as the start of longer labels, or both.
type slot struct {
	tag    uint32 // upper half of the key's hash
	label  int32  // index into labels, or -1
	prefix bool
}

// Load returns the embedded taxonomy. It is read once per process, and all callers share it.
func Load() (*Taxonomy, error) { return embedded() }

var embedded = sync.OnceValues(func() (*Taxonomy, error) { return Parse(mappings.Taxonomy()) })

// Parse reads a taxonomy in the format that Data.Encode writes.
func Parse(file []byte) (*Taxonomy, error) {
	r, version, err := open(file)
	if err != nil {
		return nil, err
	}

	t := &Taxonomy{version: version, contexts: make(map[string]uint8), language: make(map[string]string)}
	t.readSkills(r)

	// Each group has a bit; the first one marks words that are strong evidence in any group.
	groups := make(map[string]uint8)
	bits := map[string]uint8{strongContext: 1}
	t.bits = bits
	t.strong = bits[strongContext]
	ignore := func(int) {}
	r.section("groups", ignore, func(f []string) {
		for group := range strings.FieldsSeq(f[len(f)-1]) {
			if bits[group] == 0 && len(bits) == 8 {
				r.err = fmt.Errorf("taxonomy: group %q is one too many; at most 8 are supported", group)
				return
			}

			if bits[group] == 0 {
				bits[group] = 1 << len(bits)
			}
			groups[f[0]] |= bits[group]
		}
	})

	r.section("contexts", ignore, func(f []string) {
		for group := range strings.FieldsSeq(f[len(f)-1]) {
			t.contexts[f[0]] |= bits[group]
		}
	})

	r.section("phrases", ignore, func(f []string) {
		t.labels = append(t.labels, label{text: f[0], mode: Always, skill: noSkill})
	})
	r.section("senses", ignore, func(f []string) {
		if len(f) != 4 {
			r.err = fmt.Errorf("taxonomy: malformed sense line %q", f)
			return
		}
		t.senses = append(t.senses, sense{
			name: f[0], trade: f[1] == flagTrade, id: f[2], words: strings.Fields(f[3]),
		})
	})
	r.section("languages", ignore, func(f []string) { t.language[f[0]] = f[len(f)-1] })
	t.titles = readTitles(r)

	// A fault ends all sections after it, so one check is enough.
	if r.err != nil {
		return nil, r.err
	}

	for i := range t.skills {
		t.groups = append(t.groups, groups[t.skills[i].Category])
	}

	t.index()

	return t, t.linkSenses()
}

// SameField reports whether two skills belong to one of the broad fields that support each other in texts: technology,
// media, business, engineering, science, languages, and office work. Unknown skills belong to none.
func (t *Taxonomy) SameField(a, b string) bool {
	i, known := t.numbers[a]
	j, other := t.numbers[b]
	return known && other && t.groups[i]&t.groups[j] != 0
}

// readSkills reads the skills and their labels. All skills share one backing array for the ids they refer to and one
// for their synonyms.
func (t *Taxonomy) readSkills(r *reader) {
	type references struct{ broader, related, implies string }
	var lists []references
	r.section("skills", func(n int) {
		t.skills = make([]Skill, 0, n)
		t.numbers = make(map[string]int32, n)
		t.groups = make([]uint8, 0, n)
		t.labels = make([]label, 0, 5*n)
		lists = make([]references, 0, n)
	}, func(f []string) {
		if len(f) != 9 || len(f[8]) < 2 {
			r.err = fmt.Errorf("taxonomy: malformed skill line %q", f)
			return
		}

		s := Skill{ID: f[0], Category: f[1], Family: f[2], Use: r.number(f[3]), Generic: f[4] == flagGeneric}
		for text := range strings.SplitSeq(f[8], "|") {
			if text == "" {
				continue
			}
			t.labels = append(t.labels, label{text: text[1:], mode: Mode(text[0]), skill: int32(len(t.skills))})
		}

		s.Name = f[8][1:]
		if end := strings.IndexByte(s.Name, '|'); end >= 0 {
			s.Name = s.Name[:end]
		}

		t.numbers[s.ID] = int32(len(t.skills))
		t.skills = append(t.skills, s)
		lists = append(lists, references{f[5], f[6], f[7]})
	})

	// References name positions, and skills later in the file exist only now.
	ids := make([]string, 0, 4*len(lists))
	resolve := func(numbers string) []string {
		first := len(ids)
		for n := range strings.FieldsSeq(numbers) {
			i := r.number(n)
			if i < 0 || i >= len(t.skills) {
				r.err = fmt.Errorf("taxonomy: skill number %d is out of range; there are %d skills", i, len(t.skills))
				return nil
			}
			ids = append(ids, t.skills[i].ID)
		}

		// Appending to the list of one skill must not overwrite that of the next.
		return ids[first:len(ids):len(ids)]
	}
	for i, l := range lists {
		s := &t.skills[i]
		s.Broader, s.Related, s.Implies = resolve(l.broader), resolve(l.related), resolve(l.implies)
	}

	// The first label of a skill is its name, the others are its synonyms.
	synonyms := make([]string, 0, len(t.labels))
	for first := 0; first < len(t.labels); {
		skill := t.labels[first].skill
		next := first + 1
		start := len(synonyms)

		for ; next < len(t.labels) && t.labels[next].skill == skill; next++ {
			synonyms = append(synonyms, t.labels[next].text)
		}
		t.skills[skill].Synonyms = synonyms[start:len(synonyms):len(synonyms)]
		first = next
	}
}

// index builds the hash table and sets up what is created on demand. If two labels have the same key, the first one
// wins; if they name the same skill, the token boundaries are merged.
func (t *Taxonomy) index() {
	t.mentions.New = func() any { return new([]candidate) }
	t.spelling = sync.OnceValue(t.buildSpelling)
	t.vocabulary = sync.OnceValue(t.buildVocabulary)
	t.completions = sync.OnceValue(t.buildCompletions)
	t.resolved = textcache.New[[]Resolution](resolvedNames)
	t.single = textcache.New[Resolution](singleNames)
	size := 64
	for size < 4*len(t.labels) {
		size *= 2
	}

	t.slots, t.used = make([]slot, size), make([]uint64, size/64)
	t.keys = make([]byte, 0, 16*len(t.labels))
	for i := range t.labels {
		l := &t.labels[i]
		start := len(t.keys)
		var ok bool
		t.keys, l.breaks, ok = appendKey(t.keys, l.text)
		key := t.keys[start:]

		if !ok {
			t.keys = t.keys[:start]
			continue
		}

		l.key, l.size = uint32(start), uint8(len(key))
		s := t.slot(hash(hashSeed, key))
		switch {
		case s.label < 0:
			s.label = int32(i)
		case t.labels[s.label].skill == l.skill:
			t.labels[s.label].breaks |= l.breaks
		}

		// The beginnings of labels have slots, too, so that a search stops at the first token with which no label continues.
		h := hashSeed
		from := 0
		for p := range key {
			if p > 0 && l.breaks&(1<<p) != 0 {
				h = hash(h, key[from:p])
				from = p
				t.slot(h).prefix = true
			}
		}
	}
}

// slot returns the hash table entry for a key, and claims a free one if the key has none.
func (t *Taxonomy) slot(h uint64) *slot {
	for i := h & uint64(len(t.slots)-1); ; i = (i + 1) & uint64(len(t.slots)-1) {
		s := &t.slots[i]
		if !t.isUsed(i) {
			t.used[i/64] |= 1 << (i % 64)
			*s = slot{tag: uint32(h >> 32), label: -1}
			return s
		}
		if s.tag == uint32(h>>32) {
			return s
		}
	}
}

func (t *Taxonomy) isUsed(slot uint64) bool { return t.used[slot/64]>>(slot%64)&1 != 0 }

// find returns the label with the given key, or nil, and reports whether longer labels may start with that key.
func (t *Taxonomy) find(h uint64, key []byte) (l *label, prefix bool) {
	for i := h & uint64(len(t.slots)-1); t.isUsed(i); i = (i + 1) & uint64(len(t.slots)-1) {
		s := &t.slots[i]
		if s.tag != uint32(h>>32) {
			continue
		}
		if s.label >= 0 {
			l = &t.labels[s.label]
			if !bytes.Equal(t.keyOf(l), key) {
				l = nil
			}
		}
		return l, s.prefix
	}
	return nil, false
}

func (t *Taxonomy) keyOf(l *label) []byte { return t.keys[l.key : l.key+uint32(l.size)] }

// hash continues an FNV-1a hash, which starts with hashSeed.
const hashSeed uint64 = 14695981039346656037

func hash(h uint64, key []byte) uint64 {
	for _, c := range key {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// Version returns an identifier that changes whenever the data does.
func (t *Taxonomy) Version() string { return t.version }

// Len returns the number of skills.
func (t *Taxonomy) Len() int { return len(t.skills) }

// Skills iterates over all skills, sorted by id.
func (t *Taxonomy) Skills() iter.Seq[Skill] { return slices.Values(t.skills) }

// Named returns the skill with the given name or synonym. It ignores case, punctuation, spacing, accents and
// compatibility forms, and nothing else: unlike Resolve, it knows no "React 18".
func (t *Taxonomy) Named(name string) (Skill, bool) {
	name = norm.NFKC.String(name)
	var buf [maxKey + 32]byte
	key, _, ok := appendKey(buf[:0], name)
	if !ok {
		return Skill{}, false
	}
	l := t.known(key)
	if l == nil {
		return Skill{}, false
	}
	return t.skills[l.skill], true
}

// InGroup reports whether a skill belongs to a context group, such as "tech".
func (t *Taxonomy) InGroup(id, group string) bool {
	i, ok := t.numbers[id]
	return ok && t.groups[i]&t.bits[group] != 0
}

// Language returns the skill of speaking the language with a BCP 47 tag. Regional forms are one skill: pt-BR is
// Portuguese.
func (t *Taxonomy) Language(tag string) (Skill, bool) {
	base, _, _ := strings.Cut(tag, "-")
	return t.Skill(t.language[base])
}

// Skill returns the skill with the given id.
func (t *Taxonomy) Skill(id string) (Skill, bool) {
	i, ok := t.numbers[id]
	if !ok {
		return Skill{}, false
	}
	return t.skills[i], true
}
