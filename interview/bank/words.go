package bank

import (
	"fmt"
	"slices"
	"strings"

	"freelancer-matching/internal/analysis"
)

// lexicon is the words of one language that answers are measured by.
type lexicon struct {
	function    []pattern // words that only this language has, by which it is told
	subject     []string  // who does it in "I built", "we have built"
	past        []string  // forms of the past behind a subject; "-ed" is an ending
	pastExcept  []string  // words with such an ending that are none
	did         []string  // forms that say without a subject that the writer did it; "-é" is an ending
	didExcept   []string
	situation   []pattern // one case is spoken of
	result      []pattern // what came of it
	reason      []pattern // reasons, order, conditions
	ignorance   []pattern // that one does not know or has never done what follows
	filler      []pattern // words that say nothing
	hypothesis  []string  // right behind a subject: what follows was not done ("would")
	contrasting []string  // what follows is another statement: "but"
}

// pattern is words in a row, folded; one that ends in "*" stands for all that begin so.
type pattern []string

func parseLexicon(file string) (lexicon, error) {
	var x lexicon
	lists := map[string]*[]string{
		"subject": &x.subject, "past": &x.past, "past except": &x.pastExcept, "did": &x.did, "did except": &x.didExcept,
		"hypothesis": &x.hypothesis, "contrasting": &x.contrasting,
	}
	patterns := map[string]*[]pattern{
		"function": &x.function, "situation": &x.situation, "result": &x.result, "reason": &x.reason,
		"ignorance": &x.ignorance, "filler": &x.filler,
	}
	for line := range strings.Lines(file) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, values, _ := strings.Cut(line, ": ")
		switch {
		case lists[name] != nil:
			*lists[name] = append(*lists[name], strings.Fields(values)...)
		case patterns[name] != nil:
			for phrase := range strings.SplitSeq(values, ";") {
				if p := strings.Fields(analysis.Fold(phrase)); len(p) > 0 {
					*patterns[name] = append(*patterns[name], p)
				}
			}
		default:
			return lexicon{}, fmt.Errorf("%q is no list of words that is used", name)
		}
	}
	return x, nil
}

// at reports whether the words at i are those of the pattern.
func (p pattern) at(words []string, i int) bool {
	if i+len(p) > len(words) {
		return false
	}
	for k, want := range p {
		if stem, any := strings.CutSuffix(want, "*"); any {
			if !strings.HasPrefix(words[i+k], stem) {
				return false
			}
		} else if words[i+k] != want {
			return false
		}
	}
	return true
}

// find is where the first of some patterns stands in words; -1 where none does.
func find(patterns []pattern, words []string) int {
	for i := range words {
		for _, p := range patterns {
			if p.at(words, i) {
				return i
			}
		}
	}
	return -1
}

func has(patterns []pattern, words []string) bool { return find(patterns, words) >= 0 }

// count is how many words are among patterns of one word.
func count(patterns []pattern, words []string) int {
	n := 0
	for i := range words {
		if slices.ContainsFunc(patterns, func(p pattern) bool { return p.at(words, i) }) {
			n++
		}
	}
	return n
}

// form reports whether a word is one of the forms, or ends as one of them that begins with "-".
func form(word string, forms, except []string) bool {
	if slices.Contains(except, word) {
		return false
	}
	for _, f := range forms {
		if ending, ok := strings.CutPrefix(f, "-"); ok {
			if strings.HasSuffix(word, ending) && len(word) > len(ending)+2 {
				return true
			}
		} else if word == f {
			return true
		}
	}
	return false
}

// behindSubject is how many words may stand between a subject and its form of the past: "I then quickly rewrote".
const behindSubject = 3

// ownWork reports whether a sentence tells something that its writer did.
func (x *lexicon) ownWork(exact []string) bool {
	for i, w := range exact {
		if form(w, x.did, x.didExcept) {
			return true
		}
		if !slices.Contains(x.subject, w) {
			continue
		}
		for _, next := range exact[i+1 : min(len(exact), i+2+behindSubject)] {
			if slices.Contains(x.hypothesis, next) {
				break
			}
			if form(next, x.past, x.pastExcept) {
				return true
			}
		}
	}
	return false
}

// known are the words of a sentence without what its writer says not to know: "I have never used Redux, but keep state local" is about
// local state only.
func (x *lexicon) known(words []string) []string {
	start := find(x.ignorance, words)
	if start < 0 {
		return words
	}
	rest := words[start:]
	for i, w := range rest {
		if slices.Contains(x.contrasting, w) {
			return append(slices.Clone(words[:start]), x.known(rest[i+1:])...)
		}
	}
	return words[:start]
}
