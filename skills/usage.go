package skills

import (
	"time"

	"freelancer-matching/engine"
	"freelancer-matching/taxonomy"
)

// countTimeout bounds the counting of one index.
const countTimeout = time.Minute

// identity tells one state of one index from another.
type identity struct {
	name             string
	created, updated int64 // Unix time in nanoseconds
}

func identityOf(info engine.Info) identity {
	return identity{info.Name, info.Created.UnixNano(), info.Updated.UnixNano()}
}

// usage is what the freelancers of one index use, and how many do.
type usage struct {
	of     identity
	skills map[string]int  // freelancers, by id of the skill
	coined map[string]word // skills that the taxonomy does not know, by key
	titles map[string]word // job titles, by key
	words  *vocabulary     // coined and titles
}

// word is what is said in several spellings.
type word struct {
	text        string // the spelling that most freelancers use
	freelancers int    // who use any of them
}

func newUsage(t *taxonomy.Taxonomy, of identity, v *engine.Vocabulary) *usage {
	u := &usage{of: of, skills: make(map[string]int, len(v.Skills)), coined: together(v.UnknownSkills), titles: together(v.JobTitles)}
	for _, s := range v.Skills {
		u.skills[s.Word] = s.Documents
	}
	u.words = usedWords(t, u)
	return u
}

// together adds up the spellings of each word. The most frequent one comes first.
func together(uses []engine.WordCount) map[string]word {
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
