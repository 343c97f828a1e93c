package engine

import (
	"cmp"
	"slices"
	"strings"
)

const (
	// MaxVocabulary is the maximum length of each list in a Vocabulary.
	MaxVocabulary = 50_000
	// MaxWordBytes is the maximum length, in bytes, of a job title or unknown skill that is counted.
	MaxWordBytes = 100
)

// A Vocabulary lists the words that the documents of an index use: for each kind the MaxVocabulary most frequent ones,
// by descending frequency and then in byte order. Replaced and deleted documents don't count. With several hundred
// thousand distinct words, an engine may leave out rare ones that were added late.
type Vocabulary struct {
	Skills        []WordCount // skill ids, counted as in Statistics
	UnknownSkills []WordCount // Document.UnknownSkills
	JobTitles     []WordCount // Document.JobTitles
}

// A WordCount is a word and the number of documents that use it, at least 1.
type WordCount struct {
	Word      string
	Documents int
}

// TopWords sorts counts in the order of a Vocabulary and truncates them to MaxVocabulary. It modifies its argument.
func TopWords(counts []WordCount) []WordCount {
	slices.SortFunc(counts, func(a, b WordCount) int {
		return cmp.Or(cmp.Compare(b.Documents, a.Documents), strings.Compare(a.Word, b.Word))
	})
	return counts[:min(len(counts), MaxVocabulary)]
}
