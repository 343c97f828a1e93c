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

	"freelancer-matching/taxonomy"
)

// skill is a skill in the making. Relations hold names as the curated files write them until link replaces them.
type skill struct {
	id, name, category, family string
	mode                       taxonomy.Mode
	labels                     []taxonomy.Label // synonyms
	broader, related, implies  []string
	sources                    int // that know it
	uses                       int // occurrences in O*NET
	generic                    bool
}

// builder collects skills. Every name belongs to one of them.
type builder struct {
	source   string // being read
	skills   []*skill
	owner    map[string]*skill // by key of any name
	named    map[string]bool   // keys that are canonical names
	ids      map[string]*skill
	groups   map[string]string
	contexts []taxonomy.ContextWord
	phrases  []string
	senses   []taxonomy.Sense        // Skill holds a name until link replaces it
	words    []taxonomy.LanguageWord // and so does Language
	vendors  []string
	drops    map[string]bool // keys
	titles   map[string]string
	counts   map[string]*counts
	contests []string
}

// counts is what became of the entries of one source.
type counts struct{ added, merged, dropped, synonyms, conflicts int }

func newBuilder() *builder {
	return &builder{
		owner: make(map[string]*skill), named: make(map[string]bool), ids: make(map[string]*skill),
		groups: make(map[string]string), drops: make(map[string]bool), titles: make(map[string]string),
		counts: make(map[string]*counts),
	}
}

func (b *builder) count() *counts {
	if b.counts[b.source] == nil {
		b.counts[b.source] = new(counts)
	}
	return b.counts[b.source]
}

// key is what names are compared by: without spaces, so that all spellings of a name meet.
func key(name string) string { return strings.ReplaceAll(taxonomy.Normalize(name), " ", "") }

// find is the skill that a name belongs to already, nil for none.
func (b *builder) find(names ...string) *skill {
	for _, name := range names {
		if s := b.owner[key(name)]; s != nil {
			return s
		}
	}
	return nil
}

// add makes a new skill. Its name, and the id made of it, must be free.
func (b *builder) add(name, category string, mode taxonomy.Mode) (*skill, error) {
	id := slug(name)
	if id == "" || len(key(name)) == 0 {
		return nil, fmt.Errorf("skill %q has no letter to make an id of", name)
	}
	if other := b.ids[id]; other != nil {
		return nil, fmt.Errorf("skill %q would get the id %q of %q", name, id, other.name)
	}
	s := &skill{id: id, name: name, category: category, mode: mode, sources: 1}
	b.skills = append(b.skills, s)
	b.ids[id] = s
	b.owner[key(name)] = s
	b.named[key(name)] = true
	b.count().added++
	return s, nil
}

// meet notes that a source has a skill that is known already.
func (b *builder) meet(s *skill) {
	s.sources++
	b.count().merged++
}

// synonym gives a skill another name, unless that name is taken, dropped, too long, or nothing.
func (b *builder) synonym(s *skill, text string, mode taxonomy.Mode) {
	text = strings.Join(strings.Fields(text), " ")
	k := key(text)
	if k == "" || len(k) > maxKey || b.drops[k] || strings.ContainsAny(text, "|\t") || text == s.name {
		return
	}
	switch owner := b.owner[k]; {
	case owner == nil:
		b.owner[k] = s
	case owner != s:
		b.count().conflicts++
		b.contests = append(b.contests, fmt.Sprintf("%s: %q stays with %q, not %q", b.source, text, owner.name, s.name))
		return
	case sameSpelling(s, text):
		return
	}
	s.labels = append(s.labels, taxonomy.Label{Text: text, Mode: mode})
	b.count().synonyms++
}

// maxKey is the longest key that the taxonomy looks up.
const maxKey = 63

// sameSpelling reports whether a skill has a name with the same tokens.
func sameSpelling(s *skill, text string) bool {
	normal := taxonomy.Normalize(text)
	return taxonomy.Normalize(s.name) == normal ||
		slices.ContainsFunc(s.labels, func(l taxonomy.Label) bool { return taxonomy.Normalize(l.Text) == normal })
}

// unseen is the mode of a skill's name that nobody has looked at: a single word that looks like an everyday one is no
// mention ("Clarity" is a programming language), others are one where the context supports them.
func unseen(name string) taxonomy.Mode {
	if len(strings.Fields(taxonomy.Normalize(name))) > 1 {
		return taxonomy.Context
	}
	if tail := name[1:]; strings.ContainsAny(tail, "0123456789") || tail != strings.ToLower(tail) && name != strings.ToUpper(name) {
		return taxonomy.Context
	}
	return taxonomy.Never
}

// slug is the id made of a name: "C++" gives "c-plus-plus".
func slug(name string) string {
	words := strings.Fields(taxonomy.Normalize(strings.ReplaceAll(name, "&", " and ")))
	for i, w := range words {
		w = strings.ReplaceAll(w, "+", "-plus")
		w = strings.ReplaceAll(w, "#", "-sharp")
		words[i] = strings.ReplaceAll(w, ".", "dot-")
	}
	return strings.Join(words, "-")
}

// link replaces the names in the curated relations by ids and makes implications transitive.
func (b *builder) link() error {
	for _, s := range b.skills {
		for _, list := range []*[]string{&s.implies, &s.broader, &s.related} {
			for i, name := range *list {
				other := b.find(name)
				if other == nil {
					return fmt.Errorf("skill %q refers to %q, which does not exist", s.name, name)
				}
				(*list)[i] = other.id
			}
		}
	}
	for i, sense := range b.senses {
		if b.senses[i].Skill = b.idOf(sense.Skill); b.senses[i].Skill == "" || b.find(sense.Name) == nil {
			return fmt.Errorf("sense %q refers to %q, one of which does not exist", sense.Name, sense.Skill)
		}
	}
	for i, word := range b.words {
		id := b.idOf(word.Language)
		if b.ids[id] == nil || b.ids[id+taxonomy.TranslationSuffix] == nil {
			return fmt.Errorf("language word %q refers to %q, which is no language with a translation", word.Word, word.Language)
		}
		b.words[i].Language = id
	}
	closed := make(map[*skill]bool)
	var closeOver func(s *skill, path []string) error
	closeOver = func(s *skill, path []string) error {
		if slices.Contains(path, s.id) {
			return fmt.Errorf("skills imply each other in a circle: %v", append(path, s.id))
		}
		if closed[s] {
			return nil
		}
		all := slices.Clone(s.implies)
		for _, id := range s.implies {
			other := b.ids[id]
			if err := closeOver(other, append(path, s.id)); err != nil {
				return err
			}
			all = append(all, other.implies...)
		}
		s.implies = unique(all)
		closed[s] = true
		return nil
	}
	for _, s := range b.skills {
		if err := closeOver(s, nil); err != nil {
			return err
		}
	}
	return nil
}

// idOf is the id of the skill with a name, "" where there is none.
func (b *builder) idOf(name string) string {
	if s := b.find(name); s != nil {
		return s.id
	}
	return ""
}

func unique(ids []string) []string {
	slices.Sort(ids)
	return slices.Compact(ids)
}

// check finds what no taxonomy may have, all at once.
func (b *builder) check() error {
	members := make(map[string]int)
	for _, s := range b.skills {
		if s.family != "" {
			members[s.family]++
		}
	}
	var faults []error
	for _, s := range b.skills {
		if members[s.family] == 1 {
			faults = append(faults, fmt.Errorf("family %q has only %q", s.family, s.name))
		}
		for _, id := range s.implies {
			if id == s.id || s.family != "" && b.ids[id].family == s.family {
				faults = append(faults, fmt.Errorf("skill %q implies %q of its own family", s.name, id))
			}
		}
	}
	return errors.Join(faults...)
}

// data is everything collected, in the form of the data file.
func (b *builder) data() *taxonomy.Data {
	d := &taxonomy.Data{Groups: b.groups, Contexts: b.contexts, Phrases: b.phrases, Senses: b.senses, Languages: b.words}
	for _, s := range b.skills {
		labels := append([]taxonomy.Label{{Text: s.name, Mode: s.mode}}, s.labels...)
		d.Entries = append(d.Entries, taxonomy.Entry{
			ID: s.id, Name: s.name, Category: s.category, Family: s.family, Use: s.use(), Labels: labels,
			Broader: unique(s.broader), Related: unique(s.related), Implies: s.implies, Generic: s.generic,
		})
	}
	slices.SortFunc(d.Entries, func(x, y taxonomy.Entry) int { return strings.Compare(x.ID, y.ID) })
	d.JobTitles = slices.Sorted(maps.Values(b.titles))
	return d
}

// use is how common a skill is, from 0 to 255: how many sources know it, and how often O*NET's occupations name it.
func (s *skill) use() int { return min(255, 24*s.sources+16*bits.Len(uint(s.uses))) }

// report prints what became of every source.
func (b *builder) report(w io.Writer, conflicts bool) {
	fmt.Fprintf(w, "%-16s %7s %7s %7s %9s %10s\n", "source", "added", "merged", "dropped", "synonyms", "conflicts")
	for _, name := range slices.SortedFunc(maps.Keys(b.counts), func(x, y string) int {
		return cmp.Or(cmp.Compare(b.counts[y].synonyms, b.counts[x].synonyms), strings.Compare(x, y))
	}) {
		c := b.counts[name]
		fmt.Fprintf(w, "%-16s %7d %7d %7d %9d %10d\n", name, c.added, c.merged, c.dropped, c.synonyms, c.conflicts)
	}
	families := make(map[string]bool)
	for _, s := range b.skills {
		families[s.family] = true
	}
	fmt.Fprintf(w, "%d skills, %d names, %d families, %d job titles\n", len(b.skills), len(b.owner), len(families)-1, len(b.titles))
	if conflicts {
		for _, c := range b.contests {
			fmt.Fprintln(w, c)
		}
	}
}
