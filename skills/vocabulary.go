package skills

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"freelancer-matching/internal/spelling"
	"freelancer-matching/taxonomy"
)

// vocabulary is words that a misspelt one may have been meant as.
type vocabulary struct {
	dictionary *spelling.Dictionary // of the keys of entries, in their order
	entries    []entry
}

// entry is one word of a vocabulary.
type entry struct {
	text        string // as it is suggested
	synonym     bool   // the key is that of another name
	skill       string // id; "": no skill of the taxonomy
	freelancers int    // of other words
	common      int    // how common the skill is, whoever is loaded
}

// onceKnown is all names of the taxonomy's skills, and its job titles, read when first asked for.
func onceKnown(t *taxonomy.Taxonomy) func() *vocabulary {
	return sync.OnceValue(func() *vocabulary {
		v := &vocabulary{entries: make([]entry, 0, 8*t.Len())}
		keys := make([]string, 0, 8*t.Len())
		for s := range t.Skills() {
			own := taxonomy.Key(s.Name)
			for _, name := range append([]string{s.Name}, s.Synonyms...) {
				key := taxonomy.Key(name)
				keys = append(keys, key)
				v.entries = append(v.entries, entry{text: s.Name, synonym: key != own, skill: s.ID, common: s.Use})
			}
		}
		for title := range t.JobTitles() {
			keys = append(keys, taxonomy.Key(title))
			v.entries = append(v.entries, entry{text: title})
		}
		v.dictionary = spelling.NewDictionary(slices.Values(keys))
		return v
	})
}

// usedWords is the words of u that the taxonomy does not have.
func usedWords(t *taxonomy.Taxonomy, u *usage) *vocabulary {
	v := &vocabulary{}
	var keys []string
	for key, w := range u.coined {
		keys = append(keys, key)
		v.entries = append(v.entries, entry{text: w.text, freelancers: w.freelancers})
	}
	for key, w := range u.titles {
		if _, known := t.JobTitle(w.text); !known {
			keys = append(keys, key)
			v.entries = append(v.entries, entry{text: w.text, freelancers: w.freelancers})
		}
	}
	v.dictionary = spelling.NewDictionary(slices.Values(keys))
	return v
}

// candidate is a word that may have been meant.
type candidate struct {
	entry
	edits   int
	foreign bool // it begins with another letter
}

const (
	// minCompleted is the length in bytes of the shortest key that is completed.
	minCompleted = 2
	// maxBeginning is that of the longest key that is as likely the beginning of a word as a misspelt one.
	maxBeginning = 4
)

// best is up to n words that key may have been meant as, best first: by the edits between them, whether that is to the word
// itself and not to a synonym, whether they begin alike, how many freelancers of the index use them, and how common they
// are otherwise. What is farther away than the nearest is hardly meant, so only the next words are suggested beside it, and
// words that go on behind key, if wanted, only where nothing is near, or key is short.
func best(key string, n int, complete bool, used *usage, vocabularies ...*vocabulary) []string {
	limit := spelling.Limit(len(key))
	nearest := map[string]candidate{} // by text
	least := limit + 1
	for _, v := range vocabularies {
		for number, edits := range v.dictionary.Near(key, limit) {
			e := v.entries[number]
			switch {
			case edits == 0 && e.skill == "", edits > limit && (!complete || len(key) < minCompleted):
				continue // the key itself, and words that go on behind nearly everything
			case edits > limit && limit > 0 && len(key) <= maxBeginning:
				edits = limit
			}
			c := newCandidate(key, e, edits, used)
			if other, known := nearest[c.text]; !known || c.compare(other) < 0 {
				nearest[c.text] = c
			}
			least = min(least, edits)
		}
	}
	found := make([]candidate, 0, len(nearest))
	for _, c := range nearest {
		if c.edits == least || c.edits == least+1 && c.edits <= limit && !c.synonym {
			found = append(found, c)
		}
	}
	slices.SortFunc(found, candidate.compare)
	if i := slices.IndexFunc(found, func(c candidate) bool { return c.synonym }); i > 0 && least > limit {
		found = found[:i]
	}
	texts := make([]string, 0, n)
	for _, c := range found[:min(n, len(found))] {
		texts = append(texts, c.text)
	}
	return texts
}

func newCandidate(key string, e entry, edits int, used *usage) candidate {
	own := taxonomy.Key(e.text)
	switch {
	case e.skill != "":
		e.freelancers = used.skills[e.skill]
	case e.freelancers == 0:
		e.freelancers = used.titles[own].freelancers
	}
	return candidate{entry: e, edits: edits, foreign: own == "" || own[0] != key[0]}
}

// compare is negative where c is the better suggestion.
func (c candidate) compare(other candidate) int {
	return cmp.Or(
		cmp.Compare(c.edits, other.edits), first(!c.synonym, !other.synonym), first(!c.foreign, !other.foreign),
		cmp.Compare(other.freelancers, c.freelancers), cmp.Compare(other.common, c.common), strings.Compare(c.text, other.text))
}

// first orders what is true before what is not.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	default:
		return 1
	}
}
