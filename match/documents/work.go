package documents

import (
	_ "embed" // for the words
	"strings"
	"sync"
	"unicode"

	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/taxonomy"
)

//go:embed people.txt
var peopleWords string

// A workVocabulary holds the words that say what somebody does, in the form of taxonomy.Normalize: those of the names
// of skills and jobs, without words that describe people.
type workVocabulary struct {
	words func() map[string]bool // collects the words when the first description is read
}

// newWorkVocabulary returns the vocabulary of a taxonomy.
func newWorkVocabulary(t *taxonomy.Taxonomy, a *analysis.Analyzer) workVocabulary {
	return workVocabulary{sync.OnceValue(func() map[string]bool { return workWords(t, a) })}
}

// workWords returns the words of the vocabulary of a taxonomy.
func workWords(t *taxonomy.Taxonomy, a *analysis.Analyzer) map[string]bool {
	saysWork := make(map[string]bool) // by word; a stop word, which is no search term, says nothing
	add := func(name string) {
		for word := range strings.FieldsSeq(taxonomy.Normalize(name)) {
			if _, known := saysWork[word]; !known {
				saysWork[word] = len(a.Append(nil, word)) > 0
			}
		}
	}

	var languages []string
	for s := range t.Skills() {
		switch s.Category {
		// These hold thousands of names of products and fields of study, among them first names and places, that few
		// freelancers mention.
		case "Industry software", "Knowledge":
			continue
		case "Languages":
			languages = append(append(languages, s.Name), s.Synonyms...)
		}

		add(s.Name)
		for _, synonym := range s.Synonyms {
			add(synonym)
		}
	}
	for title := range t.JobTitles() {
		add(title)
	}

	// The name of a language describes people, but a name of several words has some that say what somebody does:
	// "Sign Language".
	for _, name := range languages {
		if !strings.Contains(name, " ") {
			delete(saysWork, taxonomy.Normalize(name))
		}
	}

	for line := range strings.Lines(peopleWords) {
		if strings.HasPrefix(line, "#") {
			continue // a comment
		}
		for word := range strings.FieldsSeq(line) {
			delete(saysWork, word)
		}
	}

	return saysWork
}

// beginning returns the first words of a freelancer's description that say what they do. It leaves out the freelancer's
// name, unless their title or skills contain it, so that two people who differ only in name and origin get the same
// text.
func (v workVocabulary) beginning(freelancer *matching.Freelancer, skills []string) string {
	text := taxonomy.Normalize(firstWords(freelancer.Description))
	if text == "" {
		return ""
	}

	named := make(map[string]bool)
	for word := range strings.FieldsSeq(taxonomy.Normalize(freelancer.Name)) {
		named[word] = true
	}

	for _, name := range append([]string{freelancer.JobTitle}, skills...) {
		for word := range strings.FieldsSeq(taxonomy.Normalize(name)) {
			delete(named, word)
		}
	}

	var kept []string
	words := v.words()
	for word := range strings.FieldsSeq(text) {
		if words[word] && !named[word] {
			kept = append(kept, word)
		}
	}

	return strings.Join(kept, " ")
}

// beginningWords and beginningBytes limit the beginning of a description that is read. The second one is for scripts
// without spaces.
const (
	beginningWords = 20
	beginningBytes = 500
)

// firstWords returns the first beginningWords words of a text, or its first beginningBytes bytes if those are fewer.
func firstWords(text string) string {
	words, inWord := 0, false
	for i, r := range text {
		space := unicode.IsSpace(r)
		if space && inWord {
			words++
		}
		if words == beginningWords || i > beginningBytes {
			return text[:i]
		}
		inWord = !space
	}
	return text
}
