package skills

import (
	"cmp"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/internal/spelling"
	"github.com/freelancer-matching/service/taxonomy"
)

// A vocabulary holds the words that a misspelled word could stand for.
type vocabulary struct {
	dictionary *spelling.Dictionary // keys of the entries, in the same order
	entries    []entry
}

// An entry is one word of a vocabulary.
type entry struct {
	text        string // the suggested spelling
	synonym     bool   // the key belongs to a synonym, not to text
	skill       string // skill id, or "" for other words
	freelancers int    // number of freelancers; set only for words that the taxonomy doesn't know
	common      int    // Use of the skill, independent of the index
}

// taxonomyWords returns the names of all skills of the taxonomy and its job titles.
func taxonomyWords(t *taxonomy.Taxonomy) *vocabulary {
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
}

// indexWords returns the words of the index that the taxonomy doesn't know.
func indexWords(t *taxonomy.Taxonomy, u *usage) *vocabulary {
	v := &vocabulary{}
	var keys []string
	for key, w := range u.unknownSkills {
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

// A candidate is a word that a misspelled word could stand for.
type candidate struct {
	entry
	edits        int
	otherInitial bool // it starts with another letter
}

const (
	// minCompleted is the minimum length in bytes of a key to complete.
	minCompleted = 2
	// maxPrefix is the maximum length in bytes of a key that is as likely to be the start of a word as a misspelling.
	maxPrefix = 4
)

// suggestions returns up to n words that key could stand for, best first. They are ordered by edits, then names before
// synonyms, words with the same first letter, the number of freelancers of the index who use them, and how common they
// are otherwise. Only the nearest words and names one edit farther are suggested. If complete is set, words that start
// with key are suggested if no word is near or key is short.
func suggestions(key string, n int, complete bool, used *usage, vocabularies ...*vocabulary) []string {
	maxEdits := spelling.Limit(len(key))
	minEdits := maxEdits + 1          // of the nearest word
	nearest := map[string]candidate{} // by text
	completes := complete && len(key) >= minCompleted
	mayBePrefix := maxEdits > 0 && len(key) <= maxPrefix
	for _, v := range vocabularies {
		for number, edits := range v.dictionary.Near(key, maxEdits) {
			e := v.entries[number]
			isKeyItself := edits == 0 && e.skill == ""
			startsWithKey := edits > maxEdits // and isn't near it
			if isKeyItself || startsWithKey && !completes {
				continue
			}

			// The completions of a short key compete with the corrections of it.
			if startsWithKey && mayBePrefix {
				edits = maxEdits
			}

			c := newCandidate(key, e, edits, used)
			if other, known := nearest[c.text]; !known || c.compare(other) < 0 {
				nearest[c.text] = c
			}

			minEdits = min(minEdits, edits)
		}
	}

	candidates := make([]candidate, 0, len(nearest))
	for _, c := range nearest {
		isNextName := !c.synonym && c.edits == minEdits+1 && c.edits <= maxEdits
		if c.edits == minEdits || isNextName {
			candidates = append(candidates, c)
		}
	}

	slices.SortFunc(candidates, candidate.compare)

	// Where nothing is near, synonyms that start with the key are suggested only if no name does.
	firstSynonym := slices.IndexFunc(candidates, func(c candidate) bool { return c.synonym })
	if firstSynonym > 0 && minEdits > maxEdits {
		candidates = candidates[:firstSynonym]
	}

	texts := make([]string, 0, n)
	for _, c := range candidates[:min(n, len(candidates))] {
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
	return candidate{entry: e, edits: edits, otherInitial: own == "" || own[0] != key[0]}
}

// compare returns a negative number if c is the better suggestion, as for slices.SortFunc.
func (c candidate) compare(other candidate) int {
	return cmp.Or(
		cmp.Compare(c.edits, other.edits),
		falseFirst(c.synonym, other.synonym),
		falseFirst(c.otherInitial, other.otherInitial),
		cmp.Compare(other.freelancers, c.freelancers),
		cmp.Compare(other.common, c.common),
		strings.Compare(c.text, other.text),
	)
}

// falseFirst orders false before true.
func falseFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}
