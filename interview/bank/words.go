package bank

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/freelancer-matching/service/internal/analysis"
)

// A lexicon holds the words of one language for measuring answers.
type lexicon struct {
	function    patterns // function words that distinguish the language
	subject     []string // subjects such as "I" and "we"
	past        []string // past forms after a subject; an entry such as "-ed" is an ending
	pastExcept  []string // words with such an ending that are not past forms
	did         []string // forms that mean "I did" without a subject; an entry such as "-é" is an ending
	didExcept   []string // words with such an ending that are not such forms
	situation   patterns // a specific situation
	result      patterns // a result
	change      patterns // a change of a number, where "#" is a number
	number      []string // numbers in words
	reason      patterns // a reason, an order or a condition
	ignorance   patterns // the writer does not know, or has never done, what follows
	filler      patterns // empty phrases
	hypothesis  []string // words after a subject such as "would": what follows did not happen
	contrasting []string // words such as "but", which end the effect of ignorance
	resuming    []string // further words that end the effect of a rejection, such as "before"
	rejection   patterns // the writer would not do what follows
	dismissal   patterns // the clause says that something is useless
	negation    patterns // words such as "not"
	meta        patterns // about the answer or its marks rather than the question
	blank       patterns // an answer that has only these words says nothing
}

// A pattern is a sequence of folded words. A word that ends in "*" matches every word with this prefix.
type pattern []string

func parseLexicon(file string) (lexicon, error) {
	var x lexicon
	lists := map[string]*[]string{
		"subject": &x.subject, "past": &x.past, "past except": &x.pastExcept, "did": &x.did, "did except": &x.didExcept,
		"hypothesis": &x.hypothesis, "contrasting": &x.contrasting, "resuming": &x.resuming,
		"number": &x.number,
	}

	phrases := map[string]*patterns{
		"function": &x.function, "situation": &x.situation, "result": &x.result, "change": &x.change, "reason": &x.reason,
		"ignorance": &x.ignorance, "filler": &x.filler,
		"rejection": &x.rejection, "dismissal": &x.dismissal, "negation": &x.negation, "meta": &x.meta,
		"blank": &x.blank,
	}
	for line := range strings.Lines(file) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, values, _ := strings.Cut(line, ": ")
		switch {
		case lists[name] != nil:
			*lists[name] = append(*lists[name], strings.Fields(values)...)
		case phrases[name] != nil:
			for phrase := range strings.SplitSeq(values, ";") {
				phrases[name].add(strings.Fields(analysis.Fold(phrase)))
			}

		default:
			// The words of a misspelled list would have no effect.
			return lexicon{}, fmt.Errorf("unknown word list %q", name)
		}
	}

	return x, nil
}

// at reports whether the pattern matches words at index i.
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

// patterns is a set of patterns. Most words of an answer begin none of them, which takes one look-up to find out.
type patterns struct {
	byWord   map[string][]pattern // by their first word
	prefixed []pattern            // whose first word ends in "*"
}

// add adds a pattern, unless it is empty.
func (ps *patterns) add(p pattern) {
	switch {
	case len(p) == 0:
	case strings.HasSuffix(p[0], "*"):
		ps.prefixed = append(ps.prefixed, p)
	default:
		if ps.byWord == nil {
			ps.byWord = make(map[string][]pattern)
		}
		ps.byWord[p[0]] = append(ps.byWord[p[0]], p)
	}
}

// at reports whether one of the patterns matches words at index i.
func (ps *patterns) at(words []string, i int) bool {
	matches := func(p pattern) bool { return p.at(words, i) }
	return slices.ContainsFunc(ps.byWord[words[i]], matches) || slices.ContainsFunc(ps.prefixed, matches)
}

// find returns the first index in words where one of the patterns matches, or -1.
func (ps *patterns) find(words []string) int {
	for i := range words {
		if ps.at(words, i) {
			return i
		}
	}
	return -1
}

func (ps *patterns) in(words []string) bool { return ps.find(words) >= 0 }

// count returns the number of indexes in words where one of the patterns matches.
func (ps *patterns) count(words []string) int {
	n := 0
	for i := range words {
		if ps.at(words, i) {
			n++
		}
	}
	return n
}

// covers reports whether one of the patterns is all that the words are.
func (ps *patterns) covers(words []string) bool {
	return len(words) > 0 && slices.ContainsFunc(slices.Concat(ps.byWord[words[0]], ps.prefixed), func(p pattern) bool {
		return len(p) == len(words) && p.at(words, 0)
	})
}

// hasForm reports whether a word equals one of the forms, or has an ending among them. Exceptions never match.
func hasForm(word string, forms, except []string) bool {
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

// changesNumber reports whether words say that a number changed, such as "from five to one" or "12 ms instead of 40".
func (x *lexicon) changesNumber(words []string) bool {
	changed := slices.Clone(words)
	for i, w := range words {
		if unicode.IsDigit(rune(w[0])) || slices.Contains(x.number, w) {
			changed[i] = "#"
		}
	}
	return x.change.in(changed)
}

// maxBetween is the maximum number of words between a subject and its past form, as in "I then quickly rewrote".
const maxBetween = 3

// ownWork reports whether a sentence describes something that the writer did.
func (x *lexicon) ownWork(exact []string) bool {
	for i, w := range exact {
		if hasForm(w, x.did, x.didExcept) {
			return true
		}
		if !slices.Contains(x.subject, w) {
			continue
		}
		for _, next := range exact[i+1 : min(len(exact), i+2+maxBetween)] {
			if slices.Contains(x.hypothesis, next) {
				break
			}
			if hasForm(next, x.past, x.pastExcept) {
				return true
			}
		}
	}
	return false
}

// known returns the words of a sentence without what the writer claims not to know. In "I have never used Redux, but
// keep state local", it keeps only the second half. A clause that begins with a subject ends the claim, too.
func (x *lexicon) known(clauses [][]string) [][]string {
	var kept [][]string
	ignorant := false
	for _, rest := range clauses {
		if slices.Contains(x.subject, rest[0]) {
			ignorant = false
		}

		for len(rest) > 0 {
			// After a claim of ignorance, only a contrast such as "but" lets words count again.
			if ignorant {
				end := slices.IndexFunc(rest, x.isContrasting)
				if end < 0 {
					break
				}
				ignorant = false
				rest = rest[end+1:]
			}

			start := x.ignorance.find(rest)
			if start < 0 {
				start = len(rest)
			} else {
				ignorant = true
			}

			if start > 0 {
				kept = append(kept, rest[:start])
			}
			rest = rest[start:]
		}
	}

	return kept
}

func (x *lexicon) isContrasting(word string) bool { return slices.Contains(x.contrasting, word) }

// affirmed returns clauses without what the writer would not do or thinks useless. In "I would not compare totals
// before the joins are right", it keeps what follows "before".
func (x *lexicon) affirmed(clauses [][]string) [][]string {
	var kept [][]string
	keep := func(words []string) {
		if len(words) > 0 {
			kept = append(kept, words)
		}
	}
	for _, rest := range clauses {
		if x.dismissal.in(rest) {
			continue
		}

		for len(rest) > 0 {
			start := x.rejection.find(rest)
			if start < 0 {
				keep(rest)
				break
			}

			keep(rest[:start])

			// A contrast ends the rejection, and so does a word such as "before".
			end := slices.IndexFunc(rest[start:], func(w string) bool {
				return x.isContrasting(w) || slices.Contains(x.resuming, w)
			})
			if end < 0 {
				break
			}

			rest = rest[start+end+1:]
		}
	}

	return kept
}

// minProse is the share of function words, subjects and words for reasons in prose. Lists of keywords have fewer.
const minProse = 0.12

// isProse reports whether words are sentences rather than a list of keywords.
func (x *lexicon) isProse(words []string) bool {
	n := x.function.count(words) + x.reason.count(words)
	for _, w := range words {
		if slices.Contains(x.subject, w) {
			n++
		}
	}
	return float64(n) >= minProse*float64(len(words))
}
