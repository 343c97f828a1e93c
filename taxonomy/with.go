package taxonomy

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/internal/spelling"
)

// ownPrefix starts the ids of own skills, so that they never collide with those of a later version of the taxonomy.
const ownPrefix = "own-"

// Categories returns the categories of all skills, sorted.
func (t *Taxonomy) Categories() []string {
	categories := make(map[string]bool)
	for i := range t.names.skills {
		categories[t.names.skills[i].Category] = true
	}
	delete(categories, "")
	return slices.Sorted(maps.Keys(categories))
}

// With returns the taxonomy extended by an operator's own skills and synonyms. t itself doesn't change. The version of
// the result depends on the own skills but not on their order. With never redefines what the taxonomy has: it rejects
// names that belong to another skill, everyday phrases and duplicates. The error lists every problem with its line.
func (t *Taxonomy) With(own []OwnSkill) (*Taxonomy, error) {
	if len(own) == 0 {
		return t, nil
	}

	m := merger{
		base:       t,
		categories: t.Categories(),
		claimed:    make(map[string]string),
		added:      make(map[string]int),
		synonyms:   make(map[string][]Label),
	}
	for _, s := range own {
		m.add(s)
	}

	for _, s := range own {
		m.link(s)
	}

	if len(m.problems) > 0 {
		return nil, errors.Join(m.problems...)
	}

	return m.merged(ownVersion(t.version, own))
}

// ownVersion returns the version of a taxonomy extended by own skills.
func ownVersion(base string, own []OwnSkill) string {
	lines := make([]string, len(own))
	for i, s := range own {
		lines[i] = s.String()
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return base + "+" + hex.EncodeToString(sum[:6])
}

// A merger extends a taxonomy by own skills.
type merger struct {
	base       *Taxonomy
	categories []string
	claimed    map[string]string  // canonical name of the skill that a name in the file belongs to, by key of the name
	added      map[string]int     // index into skills, by key of the canonical name
	skills     []Skill            // the own skills
	labels     [][]Label          // their names
	synonyms   map[string][]Label // own synonyms of skills of the base, by skill id
	problems   []error
}

func (m *merger) reject(line int, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if line > 0 {
		text = fmt.Sprintf("line %d: %s", line, text)
	}
	m.problems = append(m.problems, errors.New(text))
}

// add adds the names of a line.
func (m *merger) add(s OwnSkill) {
	known, isKnown := m.base.Named(s.Name.Text)
	switch {
	case isKnown && Key(known.Name) != Key(s.Name.Text):
		m.reject(s.Line, "%q is already a synonym of %s; to add synonyms to that skill, start the line with %s",
			s.Name.Text, known.Name, known.Name)
	case isKnown && (s.Category != "" || len(s.Broader) > 0):
		m.reject(s.Line, "%s is already in the taxonomy; to add synonyms, leave category and broader skills empty",
			known.Name)
	case isKnown && len(s.Synonyms) == 0:
		m.reject(s.Line, "%s is already in the taxonomy, and the line has no synonyms to add", known.Name)
	case isKnown:
		m.synonyms[known.ID] = append(m.synonyms[known.ID], m.claim(s.Line, known.Name, s.Synonyms)...)
	default:
		m.addSkill(s)
	}
}

func (m *merger) addSkill(s OwnSkill) {
	if !slices.Contains(m.categories, s.Category) {
		advice := "; use one of " + strings.Join(m.categories, ", ")
		if nearest := spelling.Nearest(s.Category, m.categories); nearest != "" {
			advice = "; did you mean " + nearest + "?"
		}
		m.reject(s.Line, "%q is not a category%s", s.Category, advice)
	}
	labels := m.claim(s.Line, s.Name.Text, append([]Label{s.Name}, s.Synonyms...))
	if len(labels) == 0 || labels[0] != s.Name {
		return // claim has reported the problem
	}
	id := ownPrefix + strings.ReplaceAll(Normalize(s.Name.Text), " ", "-")
	skill := Skill{ID: id, Name: s.Name.Text, Category: s.Category}
	for _, l := range labels[1:] {
		skill.Synonyms = append(skill.Synonyms, l.Text)
	}
	m.added[Key(s.Name.Text)] = len(m.skills)
	m.skills, m.labels = append(m.skills, skill), append(m.labels, labels)
}

// claim reserves names for a skill and returns those that were free. It reports the others.
func (m *merger) claim(line int, skill string, names []Label) (free []Label) {
	for _, l := range names {
		var buf [maxKey + 32]byte
		key, _, fits := appendKey(buf[:0], l.Text)
		if !fits {
			m.reject(line, "%q is not a valid name: it must have letters or digits, at most %d bytes of them", l.Text, maxKey)
			continue
		}

		other, taken := m.claimed[string(key)]
		found, _ := m.base.names.find(hash(hashSeed, key), key)
		switch {
		case taken && other == skill:
			m.reject(line, "%q is listed twice", l.Text)
		case taken:
			m.reject(line, "%q is already a name of %s in this file", l.Text, other)
		case found != nil && found.skill == noSkill:
			m.reject(line, "%q is an everyday phrase in the taxonomy and can't name a skill", l.Text)
		case found != nil:
			m.reject(line, "%q is already a name of %s in the taxonomy", l.Text, m.base.names.skills[found.skill].Name)
		default:
			m.claimed[string(key)] = skill
			free = append(free, l)
		}
	}

	return free
}

// link resolves the broader skills of a line, in the taxonomy or in the file.
func (m *merger) link(s OwnSkill) {
	i, isOwn := m.added[Key(s.Name.Text)]
	for _, name := range s.Broader {
		key := Key(name)
		known, isKnown := m.base.Named(name)
		other, otherIsOwn := m.added[key]
		switch {
		case isOwn && key == Key(s.Name.Text):
			m.reject(s.Line, "%s cannot be broader than itself", name)
		case isKnown:
		case otherIsOwn:
			known = m.skills[other]
		default:
			m.reject(s.Line, "the broader skill %q is neither in the taxonomy nor in this file%s", name, m.suggestion(name))
		}
		if !isOwn || known.ID == "" {
			continue
		}
		if !slices.Contains(m.skills[i].Broader, known.ID) {
			m.skills[i].Broader = append(m.skills[i].Broader, known.ID)
		}
	}
}

func (m *merger) suggestion(name string) string {
	if near := m.base.Suggest(name, 1); len(near) > 0 {
		return "; did you mean " + near[0] + "?"
	}
	return ""
}

// merged returns a new taxonomy with the skills of both, sorted by id.
func (m *merger) merged(version string) (*Taxonomy, error) {
	base := m.base
	t := &Taxonomy{
		version:   version,
		names:     m.mergedNames(),
		contexts:  contexts{bits: base.contexts.bits, words: base.contexts.words, strong: base.contexts.strong},
		senses:    senses{all: slices.Clone(base.senses.all)},
		languages: languages{byName: base.languages.byName},
		titles:    base.titles,
	}

	// An own skill belongs to the groups of its category.
	groups := make(map[string]uint8)
	for i, s := range base.names.skills {
		groups[s.Category] = base.contexts.groups[i]
	}

	return t, t.connect(groups)
}

// mergedNames returns the skills of both with their labels, whose senses are to be linked again.
func (m *merger) mergedNames() names {
	base := &m.base.names
	n := names{
		skills:  slices.Concat(base.skills, m.skills),
		labels:  slices.Clone(base.labels),
		numbers: make(map[string]int32, len(base.skills)+len(m.skills)),
	}
	slices.SortFunc(n.skills, func(a, b Skill) int { return cmp.Compare(a.ID, b.ID) })
	for i, s := range n.skills {
		n.numbers[s.ID] = int32(i)
	}

	// The skills have other numbers than in base.
	for i := range n.labels {
		l := &n.labels[i]
		l.sense = 0
		if l.skill != noSkill {
			l.skill = n.numbers[base.skills[l.skill].ID]
		}
	}

	for i, s := range m.skills {
		n.add(n.numbers[s.ID], m.labels[i])
	}

	for _, id := range slices.Sorted(maps.Keys(m.synonyms)) {
		number := n.numbers[id]
		s := &n.skills[number]
		s.Synonyms = slices.Clone(s.Synonyms)
		for _, l := range m.synonyms[id] {
			s.Synonyms = append(s.Synonyms, l.Text)
		}

		n.add(number, m.synonyms[id])
	}

	return n
}
