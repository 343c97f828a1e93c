package taxonomy

import (
	"iter"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"

	"github.com/freelancer-matching/service/internal/spelling"
	"github.com/freelancer-matching/service/internal/textcache"
	"github.com/freelancer-matching/service/mappings"
	"github.com/freelancer-matching/service/taxonomy/datafile"
)

// A Taxonomy is an immutable set of skills and job titles. It is safe for concurrent use.
type Taxonomy struct {
	version   string
	names     names
	contexts  contexts
	senses    senses
	languages languages
	titles    titles

	// These read the data above.
	resolver  resolver
	extractor extractor

	resolved *textcache.Cache[[]Resolution] // of ResolveAll
	single   *textcache.Cache[Resolution]   // of Resolve

	// What few programs need is built on first use.
	spelling    func() *spelling.Dictionary
	vocabulary  func() *vocabulary
	completions func() []int32 // labels sorted by key
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

// Load returns the embedded taxonomy. It is read once per process, and all callers share it.
func Load() (*Taxonomy, error) { return embedded() }

var embedded = sync.OnceValues(func() (*Taxonomy, error) { return Parse(mappings.Taxonomy()) })

// Parse reads a taxonomy in the format that Data.Encode writes.
func Parse(file []byte) (*Taxonomy, error) {
	r, err := datafile.Open(file)
	if err != nil {
		return nil, err
	}

	t := &Taxonomy{version: r.Version, languages: languages{byName: make(map[string]string)}}
	t.names.readSkills(r)
	groups := t.contexts.read(r)
	ignore := func(int) {}
	r.Section("phrases", ignore, func(f []string) {
		t.names.labels = append(t.names.labels, label{text: f[0], mode: Always, skill: noSkill})
	})
	r.Section("senses", ignore, func(f []string) {
		if len(f) != 4 {
			r.Fail("malformed sense line %q", f)
			return
		}
		t.senses.all = append(t.senses.all, sense{
			name: f[0], trade: f[1] == flagTrade, id: f[2], words: strings.Fields(f[3]),
		})
	})
	r.Section("languages", ignore, func(f []string) { t.languages.byName[f[0]] = f[len(f)-1] })
	t.titles = titles(r.Last("titles"))

	// A fault ends all sections after it, so one check is enough.
	if err := r.Err(); err != nil {
		return nil, err
	}

	return t, t.connect(groups)
}

// connect connects the parts of a taxonomy with each other, given the groups of each category, and sets up what is
// computed on demand.
func (t *Taxonomy) connect(groups map[string]uint8) error {
	t.contexts.groups = make([]uint8, len(t.names.skills))
	for i := range t.names.skills {
		t.contexts.groups[i] = groups[t.names.skills[i].Category]
	}

	t.names.index()
	t.languages.names = &t.names
	t.resolver = resolver{names: &t.names, languages: &t.languages}
	t.extractor.names = &t.names
	t.extractor.languages = &t.languages
	t.extractor.senses = &t.senses
	t.extractor.contexts = &t.contexts
	t.extractor.scratch.New = func() any { return new([]candidate) }

	t.resolved = textcache.New[[]Resolution](resolvedNames)
	t.single = textcache.New[Resolution](singleNames)
	t.spelling = sync.OnceValue(t.buildSpelling)
	t.vocabulary = sync.OnceValue(t.buildVocabulary)
	t.completions = sync.OnceValue(t.buildCompletions)

	return t.senses.link(&t.names)
}

// Version returns an identifier that changes whenever the data does.
func (t *Taxonomy) Version() string { return t.version }

// Len returns the number of skills.
func (t *Taxonomy) Len() int { return len(t.names.skills) }

// Skills iterates over all skills, sorted by id.
func (t *Taxonomy) Skills() iter.Seq[Skill] { return slices.Values(t.names.skills) }

// Skill returns the skill with the given id.
func (t *Taxonomy) Skill(id string) (Skill, bool) { return t.names.skill(id) }

// Named returns the skill with the given name or synonym. It ignores case, punctuation, spacing, accents and
// compatibility forms, and nothing else: unlike Resolve, it knows no "React 18".
func (t *Taxonomy) Named(name string) (Skill, bool) {
	l := t.names.named(norm.NFKC.String(name))
	if l == nil {
		return Skill{}, false
	}
	return t.names.skills[l.skill], true
}

// Language returns the skill of speaking the language with a BCP 47 tag. Regional forms are one skill: pt-BR is
// Portuguese.
func (t *Taxonomy) Language(tag string) (Skill, bool) { return t.languages.tagged(tag) }

// InGroup reports whether a skill belongs to a context group, such as "tech".
func (t *Taxonomy) InGroup(id, group string) bool {
	i, ok := t.names.numbers[id]
	return ok && t.contexts.groups[i]&t.contexts.bits[group] != 0
}

// SameField reports whether two skills belong to one of the broad fields that support each other in texts: technology,
// media, business, engineering, science, languages, and office work. Unknown skills belong to none.
func (t *Taxonomy) SameField(a, b string) bool {
	i, known := t.names.numbers[a]
	j, other := t.names.numbers[b]
	return known && other && t.contexts.shareGroup(i, j)
}
