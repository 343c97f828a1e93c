package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/taxonomy"
)

// maxKey is the length of the longest key that the taxonomy looks up.
const maxKey = 63

// A skill is a skill under construction. Its relations hold names, as in the curated files, until link resolves them to
// ids.
type skill struct {
	id, name, category, family string
	mode                       taxonomy.Mode
	synonyms                   []taxonomy.Label
	broader, related, implies  []string
	sourceCount                int // number of sources that list the skill
	productUses                int // number of O*NET occupations that use the product
	generic                    bool
	narrower                   bool // than the skill of its line, which it implies
}

// A builder collects skills. Each name belongs to exactly one of them.
type builder struct {
	source        string // the source being read
	skills        []*skill
	owners        map[string]*skill // by the key of any name
	canonical     map[string]bool   // keys of names that are not synonyms
	byID          map[string]*skill
	groups        map[string]string // by category
	contexts      []taxonomy.ContextWord
	phrases       []string
	senses        []taxonomy.Sense        // Skill holds a name until link resolves it
	languageWords []taxonomy.LanguageWord // Language holds a name until link resolves it
	vendors       []string
	dropped       map[string]bool   // keys of names that no source may add
	titles        map[string]string // job titles by key
	counts        map[string]*counts
	conflicts     []string // one message for each rejected claim to a name
}

// counts holds the statistics of one source.
type counts struct{ added, merged, dropped, synonyms, conflicts int }

func newBuilder() *builder {
	return &builder{
		owners:    make(map[string]*skill),
		canonical: make(map[string]bool),
		byID:      make(map[string]*skill),
		groups:    make(map[string]string),
		dropped:   make(map[string]bool),
		titles:    make(map[string]string),
		counts:    make(map[string]*counts),
	}
}

// count returns the statistics of the source being read.
func (b *builder) count() *counts {
	if b.counts[b.source] == nil {
		b.counts[b.source] = new(counts)
	}
	return b.counts[b.source]
}

// key returns the form in which names are compared. It has no spaces, so "Type Script" and "TypeScript" are equal.
func key(name string) string { return strings.ReplaceAll(taxonomy.Normalize(name), " ", "") }

// find returns the skill that owns the first known name, or nil if all names are unknown.
func (b *builder) find(names ...string) *skill {
	for _, name := range names {
		if s := b.owners[key(name)]; s != nil {
			return s
		}
	}
	return nil
}

// add creates a skill. It returns an error if another skill has the id derived from the name.
func (b *builder) add(name, category string, mode taxonomy.Mode) (*skill, error) {
	id := slug(name)
	if id == "" {
		return nil, fmt.Errorf("skill %q needs a letter or digit for its id", name)
	}
	if other := b.byID[id]; other != nil {
		return nil, fmt.Errorf("skills %q and %q have the same id %q", name, other.name, id)
	}
	s := &skill{id: id, name: name, category: category, mode: mode, sourceCount: 1}
	b.skills = append(b.skills, s)
	b.byID[id] = s
	b.owners[key(name)] = s
	b.canonical[key(name)] = true
	b.count().added++
	return s, nil
}

// merge records that the current source also lists a known skill.
func (b *builder) merge(s *skill) {
	s.sourceCount++
	b.count().merged++
}

// addSynonym gives a skill another name. It ignores a name that is empty, too long, dropped, or already a name of the
// skill, and records a conflict if another skill owns the name.
func (b *builder) addSynonym(s *skill, text string, mode taxonomy.Mode) {
	text = strings.Join(strings.Fields(text), " ")
	k := key(text)
	isKey := k != "" && len(k) <= maxKey && !b.dropped[k]
	if !isKey || text == s.name {
		return
	}
	if strings.ContainsAny(text, "|\t") { // they separate values in the data file
		return
	}

	switch owner := b.owners[k]; {
	case owner == nil:
		b.owners[k] = s
	case owner != s:
		b.count().conflicts++
		b.conflicts = append(b.conflicts, fmt.Sprintf("%s: %q stays with %q, not %q", b.source, text, owner.name, s.name))
		return
	case hasSpelling(s, text):
		return
	}

	s.synonyms = append(s.synonyms, taxonomy.Label{Text: text, Mode: mode})
	b.count().synonyms++
}

// hasSpelling reports whether the skill has a name with the same tokens as text.
func hasSpelling(s *skill, text string) bool {
	normal := taxonomy.Normalize(text)
	return taxonomy.Normalize(s.name) == normal ||
		slices.ContainsFunc(s.synonyms, func(l taxonomy.Label) bool { return taxonomy.Normalize(l.Text) == normal })
}

// nameMode returns the mode of a skill's name that comes from a source and was not reviewed. A single word that looks
// like an everyday word ("Clarity", a programming language) is never extracted. Other names need a context.
func nameMode(name string) taxonomy.Mode {
	if len(strings.Fields(taxonomy.Normalize(name))) > 1 {
		return taxonomy.Context
	}
	tail := name[1:]
	mixedCase := tail != strings.ToLower(tail) && name != strings.ToUpper(name)
	if mixedCase || strings.ContainsAny(tail, "0123456789") {
		return taxonomy.Context
	}
	return taxonomy.Never
}

// synonymMode returns the mode of a synonym that comes from a source and was not reviewed. A single word is never
// extracted.
func synonymMode(text string) taxonomy.Mode {
	if len(strings.Fields(taxonomy.Normalize(text))) < 2 {
		return taxonomy.Never
	}
	return taxonomy.Always
}

// slug returns the id derived from a name, such as "c-plus-plus" for "C++".
func slug(name string) string {
	words := strings.Fields(taxonomy.Normalize(strings.ReplaceAll(name, "&", " and ")))
	symbols := strings.NewReplacer("+", "-plus", "#", "-sharp", ".", "dot-")
	for i, word := range words {
		words[i] = symbols.Replace(word)
	}
	return strings.Join(words, "-")
}

// link resolves the names in curated relations, senses and language words to ids, and makes implications transitive.
func (b *builder) link() error {
	// A relation may name a skill of a later file, so names are resolved only now.
	for _, s := range b.skills {
		for _, names := range [][]string{s.implies, s.broader, s.related} {
			for i, name := range names {
				other := b.find(name)
				if other == nil {
					return fmt.Errorf("skill %q refers to the unknown skill %q", s.name, name)
				}
				names[i] = other.id
			}
		}
	}

	for i, sense := range b.senses {
		if sense.Skill == "" {
			continue // a trade, whose name may be one of a source; see check
		}
		other := b.find(sense.Skill)
		if other == nil || b.find(sense.Name) == nil {
			return fmt.Errorf("sense %q = %q refers to an unknown skill", sense.Name, sense.Skill)
		}
		b.senses[i].Skill = other.id
	}

	for i, word := range b.languageWords {
		language := b.find(word.Language)
		if language == nil || b.byID[language.id+taxonomy.TranslationSuffix] == nil {
			return fmt.Errorf("language word %q refers to %q, which is not a language skill with a translation skill",
				word.Word, word.Language)
		}
		b.languageWords[i].Language = language.id
	}

	expanded := make(map[*skill]bool)
	for _, s := range b.skills {
		if err := b.expandImplications(s, nil, expanded); err != nil {
			return err
		}
	}

	return nil
}

// expandImplications adds to a skill's implications whatever those imply in turn. The path lists the ids of the skills
// that led to this one; a skill that is already on the path makes the implications circular.
func (b *builder) expandImplications(s *skill, path []string, expanded map[*skill]bool) error {
	if slices.Contains(path, s.id) {
		return fmt.Errorf("circular implications: %v", append(path, s.id))
	}
	if expanded[s] {
		return nil
	}
	all := slices.Clone(s.implies)
	for _, id := range s.implies {
		other := b.byID[id]
		if err := b.expandImplications(other, append(path, s.id), expanded); err != nil {
			return err
		}
		all = append(all, other.implies...)
	}
	s.implies = sortedUnique(all)
	expanded[s] = true
	return nil
}

func sortedUnique(ids []string) []string {
	slices.Sort(ids)
	return slices.Compact(ids)
}

// familySizes returns the number of skills in each family.
func (b *builder) familySizes() map[string]int {
	sizes := make(map[string]int)
	for _, s := range b.skills {
		if s.family != "" {
			sizes[s.family]++
		}
	}
	return sizes
}

// check returns an error that lists all families with a single skill, all skills that imply a sibling, and all trades
// that are no skill's name. A narrower skill of a line may imply a sibling: it isn't in the family to replace the
// broader one, but to be replaced by it.
func (b *builder) check() error {
	sizes := b.familySizes()
	var errs []error
	for _, s := range b.senses {
		if b.find(s.Name) == nil {
			errs = append(errs, fmt.Errorf("trade %q is not the name of a skill", s.Name))
		}
	}

	for _, s := range b.skills {
		if sizes[s.family] == 1 {
			errs = append(errs, fmt.Errorf("family %q has only one skill, %q", s.family, s.name))
		}
		for _, id := range s.implies {
			if s.family != "" && !s.narrower && b.byID[id].family == s.family {
				errs = append(errs, fmt.Errorf("skill %q implies %q, which is in the same family", s.name, id))
			}
		}
	}
	return errors.Join(errs...)
}

// data returns the collected skills and rules in the form of the data file.
func (b *builder) data() *taxonomy.Data {
	d := &taxonomy.Data{
		Groups:    b.groups,
		Phrases:   b.phrases,
		Contexts:  b.contexts,
		Senses:    b.senses,
		Languages: b.languageWords,
		JobTitles: slices.Sorted(maps.Values(b.titles)),
	}
	for _, s := range b.skills {
		d.Entries = append(d.Entries, taxonomy.Entry{
			ID:       s.id,
			Name:     s.name,
			Category: s.category,
			Family:   s.family,
			Use:      s.use(),
			Labels:   append([]taxonomy.Label{{Text: s.name, Mode: s.mode}}, s.synonyms...),
			Broader:  sortedUnique(s.broader),
			Related:  sortedUnique(s.related),
			Implies:  s.implies,
			Generic:  s.generic,
		})
	}

	// Sorted, so that the same sources always give the same file.
	slices.SortFunc(d.Entries, func(x, y taxonomy.Entry) int { return strings.Compare(x.ID, y.ID) })
	return d
}

// use returns how common a skill is, from 0 to 255. It grows with the number of sources that list the skill and,
// logarithmically, with the number of O*NET occupations that use it.
func (s *skill) use() int { return min(255, 24*s.sourceCount+16*bits.Len(uint(s.productUses))) }

// report prints the statistics of each source and, if listConflicts is set, every rejected claim to a name.
func (b *builder) report(w io.Writer, listConflicts bool) {
	fmt.Fprintf(w, "%-16s %7s %7s %7s %9s %10s\n", "source", "added", "merged", "dropped", "synonyms", "conflicts")
	for _, name := range slices.SortedFunc(maps.Keys(b.counts), func(x, y string) int {
		return cmp.Or(cmp.Compare(b.counts[y].synonyms, b.counts[x].synonyms), strings.Compare(x, y))
	}) {
		c := b.counts[name]
		fmt.Fprintf(w, "%-16s %7d %7d %7d %9d %10d\n", name, c.added, c.merged, c.dropped, c.synonyms, c.conflicts)
	}
	fmt.Fprintf(w, "%d skills, %d names, %d families, %d job titles\n",
		len(b.skills), len(b.owners), len(b.familySizes()), len(b.titles))
	if listConflicts {
		fmt.Fprintln(w, strings.Join(b.conflicts, "\n"))
	}
}
