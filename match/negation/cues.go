package negation

import (
	_ "embed" // for the words
	"fmt"
	"strings"

	"github.com/freelancer-matching/service/internal/analysis"
)

//go:embed cues.txt
var cuesFile string

// The roles of words and phrases, as cues.txt calls them.
const (
	pass = 1 << iota
	before
	verb
	after
	optional
	plus
	move
	swap
	from
	to
	by
	or
	and
	filler
	stop
	weak
	neutral
	telling
)

var roles = map[string]uint32{
	"pass": pass, "before": before, "verb": verb, "after": after, "optional": optional, "plus": plus, "move": move,
	"swap": swap, "from": from, "to": to, "by": by, "or": or, "and": and, "filler": filler, "stop": stop, "weak": weak,
	"neutral": neutral, "telling": telling,
}

// cues are the roles that make a phrase a cue.
const cues = pass | before | verb | after | optional | plus

var languages = map[string]analysis.Language{
	"en": analysis.English, "de": analysis.German, "es": analysis.Spanish, "fr": analysis.French,
	"pt": analysis.Portuguese, "it": analysis.Italian,
}

// A node is a position in the tree of phrases.
type node struct {
	next  map[string]*node
	roles uint32 // of the phrase that ends here
}

func parse(file string) (*Reader, error) {
	r := &Reader{phrases: make(map[analysis.Language]*node)}

	// An indented line continues the list of the line above it.
	for line := range strings.SplitSeq(strings.ReplaceAll(file, "\n  ", " "), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}

		head, list, _ := strings.Cut(line, ":")
		name, kind, _ := strings.Cut(head, " ")
		language, known := languages[name]
		role := roles[kind]
		if !known || role == 0 {
			return nil, fmt.Errorf("cues.txt: unknown language or kind %q", head)
		}

		root := r.phrases[language]
		if root == nil {
			root = &node{}
			r.phrases[language] = root
		}

		for phrase := range strings.SplitSeq(list, ";") {
			choices, err := expand(phrase)
			if err != nil {
				return nil, fmt.Errorf("cues.txt: %s: %w", head, err)
			}
			for _, choice := range choices {
				root.add(choice, role)
			}
		}
	}

	return r, nil
}

// expand returns the phrases that a phrase with choices such as "(do not|don't) use" stands for.
func expand(phrase string) ([]string, error) {
	start := strings.IndexByte(phrase, '(')
	if start < 0 {
		return []string{phrase}, nil
	}

	end := strings.IndexByte(phrase[start:], ')')
	if end < 0 {
		return nil, fmt.Errorf("%q lacks a closing parenthesis", phrase)
	}

	if strings.Contains(phrase[start+1:start+end], "(") {
		return nil, fmt.Errorf("%q has nested choices", phrase)
	}

	rest, err := expand(phrase[start+end+1:])
	if err != nil {
		return nil, err
	}

	var all []string
	for choice := range strings.SplitSeq(phrase[start+1:start+end], "|") {
		for _, tail := range rest {
			all = append(all, phrase[:start]+choice+tail)
		}
	}

	return all, nil
}

func (n *node) add(phrase string, role uint32) {
	for _, word := range split(phrase) {
		if n.next == nil {
			n.next = make(map[string]*node)
		}
		next := n.next[word.text]
		if next == nil {
			next = &node{}
			n.next[word.text] = next
		}
		n = next
	}
	n.roles |= role
}

// telling reports whether words begin with a telling phrase.
func (n *node) telling(words []word) bool {
	for i := range words {
		if n = n.next[words[i].text]; n == nil {
			return false
		}
		if n.roles&telling != 0 {
			return true
		}
	}
	return false
}

// mark finds the roles of a word and the longest cue that starts there.
func (n *node) mark(words []word, i int) {
	w := &words[i]
	for k := i; k < len(words) && (k == i || words[k].gap != boundary); k++ {
		n = n.next[words[k].text]
		if n == nil {
			return
		}
		if k == i {
			w.roles = n.roles
		}
		if role := n.roles & cues; role != 0 {
			w.cue = role
			w.cueWords = k - i + 1
		}
	}
}
