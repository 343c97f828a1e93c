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
	"sync"

	"freelancer-matching/internal/spelling"
)

// ownPrefix begins the ids of own skills, so that no skill of a later taxonomy gets the same.
const ownPrefix = "own-"

// Categories is the categories of all skills, sorted.
func (t *Taxonomy) Categories() []string {
	var all []string
	seen := make(map[string]bool)
	for i := range t.skills {
		if c := t.skills[i].Category; c != "" && !seen[c] {
			seen[c] = true
			all = append(all, c)
		}
	}
	slices.Sort(all)
	return all
}

// With is the taxonomy with an operator's own skills and synonyms, under a version that tells of them: the same skills give
// the same version, whatever their order in the file. What the taxonomy has already stays as it is: a name that is another
// skill's, an everyday phrase, or there twice is refused. The error tells every fault with its line.
func (t *Taxonomy) With(own []OwnSkill) (*Taxonomy, error) {
	if len(own) == 0 {
		return t, nil
	}
	m := merger{
		base: t, categories: t.Categories(),
		claimed: make(map[string]string), added: make(map[string]int), further: make(map[string][]Label),
	}
	for _, s := range own {
		m.add(s)
	}
	for _, s := range own {
		m.link(s)
	}
	if len(m.faults) > 0 {
		return nil, errors.Join(m.faults...)
	}
	return m.merged(ownVersion(t.version, own))
}

// ownVersion is the version of a taxonomy with own skills.
func ownVersion(base string, own []OwnSkill) string {
	lines := make([]string, len(own))
	for i, s := range own {
		lines[i] = s.String()
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return base + "+" + hex.EncodeToString(sum[:6])
}

// merger adds own skills to a taxonomy.
type merger struct {
	base       *Taxonomy
	categories []string
	claimed    map[string]string  // names of own skills, and of skills with own synonyms, by the keys of all their own names
	added      map[string]int     // where an own skill is in skills, by the key of its canonical name
	skills     []Skill            // own
	labels     [][]Label          // of skills
	further    map[string][]Label // own synonyms of skills of the base, by id
	faults     []error
}

func (m *merger) fault(line int, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if line > 0 {
		text = fmt.Sprintf("line %d: %s", line, text)
	}
	m.faults = append(m.faults, errors.New(text))
}

// add takes the names of a line.
func (m *merger) add(s OwnSkill) {
	known, isKnown := m.base.Named(s.Name.Text)
	switch {
	case isKnown && Key(known.Name) != Key(s.Name.Text):
		m.fault(s.Line, "%q is a synonym of %s already; to give that more names, begin the line with %s",
			s.Name.Text, known.Name, known.Name)
	case isKnown && (s.Category != "" || len(s.Broader) > 0):
		m.fault(s.Line, "%s is in the taxonomy: leave category and broader empty to give it more names", known.Name)
	case isKnown && len(s.Synonyms) == 0:
		m.fault(s.Line, "%s is in the taxonomy, and the line has no synonym to add", known.Name)
	case isKnown:
		m.further[known.ID] = append(m.further[known.ID], m.claim(s.Line, known.Name, s.Synonyms)...)
	default:
		m.addSkill(s)
	}
}

func (m *merger) addSkill(s OwnSkill) {
	if !slices.Contains(m.categories, s.Category) {
		advice := "; there are " + strings.Join(m.categories, ", ")
		if nearest := spelling.Nearest(s.Category, m.categories); nearest != "" {
			advice = "; did you mean " + nearest + "?"
		}
		m.fault(s.Line, "%q is not a category%s", s.Category, advice)
	}
	labels := m.claim(s.Line, s.Name.Text, append([]Label{s.Name}, s.Synonyms...))
	if len(labels) == 0 || labels[0] != s.Name {
		return // the fault is told
	}
	skill := Skill{ID: ownPrefix + strings.ReplaceAll(Normalize(s.Name.Text), " ", "-"), Name: s.Name.Text, Category: s.Category}
	for _, l := range labels[1:] {
		skill.Synonyms = append(skill.Synonyms, l.Text)
	}
	m.added[Key(s.Name.Text)] = len(m.skills)
	m.skills, m.labels = append(m.skills, skill), append(m.labels, labels)
}

// claim is those names that are free, for a skill.
func (m *merger) claim(line int, skill string, names []Label) (free []Label) {
	for _, l := range names {
		var buf [maxKey + 32]byte
		key, _, fits := appendKey(buf[:0], l.Text)
		if !fits {
			m.fault(line, "%q cannot be a name: it needs letters or digits, up to %d bytes of them", l.Text, maxKey)
			continue
		}
		other, taken := m.claimed[string(key)]
		found, _ := m.base.find(hash(hashSeed, key), key)
		switch {
		case taken && other == skill:
			m.fault(line, "%q is there twice", l.Text)
		case taken:
			m.fault(line, "%q is a name of %s in this file already", l.Text, other)
		case found != nil && found.skill == noSkill:
			m.fault(line, "%q is an everyday phrase in the taxonomy, which means no skill", l.Text)
		case found != nil:
			m.fault(line, "%q is a name of %s in the taxonomy already", l.Text, m.base.skills[found.skill].Name)
		default:
			m.claimed[string(key)] = skill
			free = append(free, l)
		}
	}
	return free
}

// link finds the broader skills of a line, own or not.
func (m *merger) link(s OwnSkill) {
	i, isOwn := m.added[Key(s.Name.Text)]
	for _, name := range s.Broader {
		key := Key(name)
		known, isKnown := m.base.Named(name)
		other, otherIsOwn := m.added[key]
		switch {
		case isOwn && key == Key(s.Name.Text):
			m.fault(s.Line, "%s cannot be broader than itself", name)
		case isKnown:
		case otherIsOwn:
			known = m.skills[other]
		default:
			m.fault(s.Line, "the broader skill %q is neither in the taxonomy nor in this file%s", name, m.meant(name))
		}
		if isOwn && known.ID != "" && !slices.Contains(m.skills[i].Broader, known.ID) {
			m.skills[i].Broader = append(m.skills[i].Broader, known.ID)
		}
	}
}

func (m *merger) meant(name string) string {
	if near := m.base.Suggest(name, 1); len(near) > 0 {
		return "; did you mean " + near[0] + "?"
	}
	return ""
}

// merged is a taxonomy of its own with all skills in the order of their ids.
func (m *merger) merged(version string) (*Taxonomy, error) {
	base := m.base
	t := &Taxonomy{
		version: version, contexts: base.contexts, strong: base.strong, language: base.language, titles: base.titles,
		senses: slices.Clone(base.senses), labels: slices.Clone(base.labels),
		numbers: make(map[string]int32, len(base.skills)+len(m.skills)),
	}
	t.mentions.New = func() any { return new([]candidate) }
	t.spelling = sync.OnceValue(t.buildSpelling)
	t.skills = slices.Concat(base.skills, m.skills)
	slices.SortFunc(t.skills, func(a, b Skill) int { return cmp.Compare(a.ID, b.ID) })
	groups := make(map[string]uint8)
	for i, s := range base.skills {
		groups[s.Category] = base.groups[i]
	}
	for i, s := range t.skills {
		t.numbers[s.ID] = int32(i)
		t.groups = append(t.groups, groups[s.Category])
	}
	for i := range t.labels {
		l := &t.labels[i]
		if l.sense = 0; l.skill != noSkill {
			l.skill = t.numbers[base.skills[l.skill].ID]
		}
	}
	for i, s := range m.skills {
		t.addLabels(t.numbers[s.ID], m.labels[i])
	}
	for _, id := range slices.Sorted(maps.Keys(m.further)) {
		n, labels := t.numbers[id], m.further[id]
		s := &t.skills[n]
		s.Synonyms = slices.Clone(s.Synonyms)
		for _, l := range labels {
			s.Synonyms = append(s.Synonyms, l.Text)
		}
		t.addLabels(n, labels)
	}
	t.index()
	return t, t.linkSenses()
}

func (t *Taxonomy) addLabels(skill int32, labels []Label) {
	for _, l := range labels {
		t.labels = append(t.labels, label{text: l.Text, mode: l.Mode, skill: skill})
	}
}
