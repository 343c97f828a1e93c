package skills

import (
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/taxonomy"
)

const (
	// countTimeout limits how long counting one index may take.
	countTimeout = time.Minute
	// countInterval is the least time between two counts of an index whose freelancers change one by one. A count reads
	// all of the index, while single changes hardly affect it.
	countInterval = time.Minute
)

// An identity identifies one state of one index.
type identity struct {
	name             string
	created, updated int64 // Unix time in nanoseconds
}

func identityOf(info engine.Info) identity {
	return identity{info.Name, info.Created.UnixNano(), info.Updated.UnixNano()}
}

// sameIndex reports whether two identities belong to the same index, perhaps in different states.
func (i identity) sameIndex(as identity) bool { return i.name == as.name && i.created == as.created }

// A usage holds the words that the freelancers of one index use, with the number of freelancers.
type usage struct {
	of            identity
	since         time.Time       // when counting began
	skills        map[string]int  // number of freelancers by skill id
	unknownSkills map[string]word // skills that the taxonomy doesn't know, by key
	titles        map[string]word // job titles, by key
	words         *vocabulary     // the unknown skills, and the job titles that the taxonomy doesn't know
}

// serves reports whether the counts are good enough for an index: they are of its present state, or of an earlier one
// and not older than countInterval.
func (u *usage) serves(index identity) bool {
	isRecent := time.Since(u.since) < countInterval
	return u.of == index || u.of.sameIndex(index) && isRecent
}

// A word is a skill or job title in all its spellings.
type word struct {
	text        string // the most frequent spelling
	freelancers int    // number of freelancers who use any spelling
}

func newUsage(t *taxonomy.Taxonomy, of identity, since time.Time, v *engine.Vocabulary) *usage {
	u := &usage{
		of:            of,
		since:         since,
		skills:        make(map[string]int, len(v.Skills)),
		unknownSkills: mergeSpellings(v.UnknownSkills),
		titles:        mergeSpellings(v.JobTitles),
	}
	for _, s := range v.Skills {
		u.skills[s.Word] = s.Documents
	}
	u.words = indexWords(t, u)
	return u
}

// mergeSpellings adds up the counts of each word's spellings. uses must be sorted by frequency, highest first.
func mergeSpellings(uses []engine.WordCount) map[string]word {
	words := make(map[string]word, len(uses))
	for _, use := range uses {
		key := taxonomy.Key(use.Word)
		if key == "" {
			continue
		}
		w, known := words[key]
		if !known {
			w.text = use.Word
		}
		w.freelancers += use.Documents
		words[key] = w
	}
	return words
}
