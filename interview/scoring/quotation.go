package scoring

import (
	"slices"
	"strings"
	"unicode"
)

// findQuotations returns the passages of an answer that match quotations, without duplicates. dropped reports whether
// any quotation matches no passage.
func findQuotations(answer string, quotations []string) (passages []string, dropped bool) {
	for _, q := range quotations {
		passage, ok := findPassage(answer, q)
		dropped = dropped || !ok
		if ok {
			passages = union(passages, []string{passage})
		}
	}
	return passages, dropped
}

// findPassage returns the passage of an answer that is equal to a quotation except for white space.
func findPassage(answer, quotation string) (string, bool) {
	words := strings.Fields(quotation)
	if len(words) == 0 {
		return "", false
	}
	for from := 0; ; {
		at := strings.Index(answer[from:], words[0])
		if at < 0 {
			return "", false
		}
		if end, ok := matchWords(answer, from+at, words); ok {
			return answer[from+at : end], true
		}
		from += at + 1
	}
}

// matchWords reports whether a text contains words, separated by white space, from offset at on, and where they end.
func matchWords(text string, at int, words []string) (end int, ok bool) {
	for i, word := range words {
		if i > 0 {
			rest := strings.TrimLeftFunc(text[at:], unicode.IsSpace)
			if len(rest) == len(text)-at {
				return 0, false
			}
			at = len(text) - len(rest)
		}
		if !strings.HasPrefix(text[at:], word) {
			return 0, false
		}
		at += len(word)
	}
	return at, true
}

// union appends to a the texts of b that it lacks, up to a total of maxEntries.
func union(a, b []string) []string {
	for _, text := range b {
		if len(a) < maxEntries && !slices.Contains(a, text) {
			a = append(a, text)
		}
	}
	return a
}
