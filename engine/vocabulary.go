package engine

import (
	"cmp"
	"slices"
	"strings"
)

const (
	// MaxVocabulary bounds each list of a Vocabulary.
	MaxVocabulary = 50_000
	// MaxWordBytes is the length in bytes of the longest job title or unknown skill that is counted.
	MaxWordBytes = 100
)

// Vocabulary is what the documents of an index say: the MaxVocabulary most frequent of each kind, those that most
// documents have first, equals in the order of their bytes. A document that was replaced or deleted does not count. Of
// several hundred thousand different words an engine may leave out some that are rare and were added late.
type Vocabulary struct {
	Skills        []WordCount // by id, as Statistics counts them
	UnknownSkills []WordCount // Document.UnknownSkills
	JobTitles     []WordCount // Document.JobTitles
}

// A WordCount is one word and the number of documents that have it, at least 1.
type WordCount struct {
	Word      string
	Documents int
}

// TopWords puts uses into the order of a Vocabulary and cuts them to its bound. It changes the list that it is given.
func TopWords(uses []WordCount) []WordCount {
	slices.SortFunc(uses, func(a, b WordCount) int {
		return cmp.Or(cmp.Compare(b.Documents, a.Documents), strings.Compare(a.Word, b.Word))
	})
	return uses[:min(len(uses), MaxVocabulary)]
}
