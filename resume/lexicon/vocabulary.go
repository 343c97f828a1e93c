package lexicon

import (
	"maps"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/resume/wording"
)

// A Set is a set of keys: words, or phrases of words with single spaces between them.
type Set map[string]bool

// A vocabulary is a set of words that may also match a part of a longer word.
type vocabulary struct {
	Words Set
	ends  []string // ends of words
	Parts []string // parts of words, in scripts without spaces
}

// Has reports whether a word belongs to the vocabulary.
func (v *vocabulary) Has(word string) bool {
	if v.Words[word] {
		return true
	}
	if isPlural := len(word) > 3 && v.Words[strings.TrimSuffix(word, "s")]; isPlural {
		return true
	}
	if slices.ContainsFunc(v.ends, func(end string) bool { return strings.HasSuffix(word, end) }) {
		return true
	}
	hasPart := func(part string) bool { return strings.Contains(word, part) }
	return !wording.IsASCII(word) && slices.ContainsFunc(v.Parts, hasPart)
}

// Any reports whether any word of a key belongs to the vocabulary.
func (v *vocabulary) Any(key string) bool {
	for word := range strings.FieldsSeq(key) {
		if v.Has(word) {
			return true
		}
	}
	return false
}

// SetOf returns the set of items.
func SetOf(items []string) Set {
	s := make(Set)
	for _, item := range items {
		s[item] = true
	}
	return s
}

// with adds the keys of another set, and returns the set.
func (s Set) with(other Set) Set {
	maps.Copy(s, other)
	return s
}
