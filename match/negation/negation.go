// Package negation finds what a brief excludes, replaces, or calls nice to have. As in NegEx (Chapman et al. 2001), cue
// words open a scope that extends forward or backward until a word or a sign ends it. The words are in cues.txt, for
// each supported language.
package negation

import (
	_ "embed" // for the words
	"fmt"
	"strings"
	"unicode"

	"freelancer-matching/internal/analysis"
)

//go:embed cues.txt
var cuesFile string

// A Kind is what a brief says about a part of its text.
type Kind uint8

// The kinds of spans.
const (
	Excluded Kind = iota // not wanted, not needed, or to be replaced
	Optional             // nice to have
)

// A Span is a part of a text that a cue is about. The words of the cue itself aren't part of it.
type Span struct {
	Kind       Kind
	Start, End int // byte offsets
	// CueStart and CueEnd enclose the cue and the span.
	CueStart, CueEnd int
}

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

// A Reader finds negations. It is safe for concurrent use.
type Reader struct {
	phrases map[analysis.Language]*node
}

// New returns a Reader with the words of cues.txt.
func New() (*Reader, error) { return parse(cuesFile) }

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

// A word is a run of letters and digits.
type word struct {
	text       string // folded
	start, end int    // byte offsets
	gap        gap    // before the word
	roles      uint32 // of the word alone
	cue        uint32 // roles of the longest cue that starts here
	cueWords   int    // its length in words
}

// A gap is what separates a word from the one before it.
type gap uint8

const (
	joined   gap = iota // spaces or signs within a name
	comma               // ends an item of a list
	boundary            // ends a clause
)

// split returns the words of a text.
func split(text string) []word {
	var words []word
	start, last := -1, 0
	add := func(end int) {
		words = append(words, word{
			text: analysis.Fold(text[start:end]), start: start, end: end, gap: gapOf(text[last:start]),
		})
		last = end
		start = -1
	}

	for i, r := range text {
		switch inWord := unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r); {
		case inWord && start < 0:
			start = i
		case !inWord && start >= 0:
			add(i)
		}
	}
	if start >= 0 {
		add(len(text))
	}

	return words
}

// gapOf returns what the signs between two words separate. A full stop without a space belongs to a name (Next.js), as
// does a hyphen without one.
func gapOf(signs string) gap {
	result := joined
	for i, r := range signs {
		spaced := i+1 == len(signs) || signs[i+1] == ' ' || signs[i+1] == '\n'
		switch r {
		case ';', '!', '?', '\n', '\r', '(', ')', '[', ']', '–', '—', '•', '|':
			return boundary
		case '.', ':':
			if spaced && len(signs) > 1 {
				return boundary
			}
		case '-':
			if i > 0 && signs[i-1] == ' ' && spaced {
				return boundary
			}
		case ',':
			result = comma
		}
	}
	return result
}

// Limits of scopes, in words.
const (
	maxScope = 8
	maxItem  = 3 // of a list
	maxHead  = 6 // between "migrate" and "from"
)

// Read returns the spans of a text in a language, in the order of their cues. A text that seems to be in English is
// read in the language of its cues, because short texts often are too short to tell: "React statt Angular". Read takes
// time linear in the length of the text.
func (r *Reader) Read(text string, language analysis.Language) []Span {
	words := split(text)
	if language == analysis.English {
		language = r.told(words)
	}

	root := r.phrases[language]
	if root == nil {
		return nil
	}

	for i := range words {
		root.mark(words, i)
	}

	s := scanner{words: words}
	for i := 0; i < len(words); {
		i = s.step(i)
	}

	return s.spans
}

// told returns the language whose telling words a text has, or English.
func (r *Reader) told(words []word) analysis.Language {
	for _, language := range []analysis.Language{
		analysis.German, analysis.Spanish, analysis.French, analysis.Portuguese, analysis.Italian,
	} {
		root := r.phrases[language]
		for i := range words {
			if root != nil && root.telling(words[i:]) {
				return language
			}
		}
	}
	return analysis.English
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

// A scanner collects the spans of a text.
type scanner struct {
	words []word
	spans []Span
	done  int // words before it belong to earlier spans or cues
}

// step handles the word at i, and returns the next one to look at.
func (s *scanner) step(i int) int {
	w := &s.words[i]
	next := i + w.cueWords
	switch {
	case w.cue&pass != 0:
		s.done = next
		return next

	case w.cue&(after|plus) != 0 && s.backward(i, next, w.cue&after == 0):
		return next

	case w.cue&(before|verb) != 0:
		return s.forward(i, next, w.cue&verb != 0)

	case w.cue&optional != 0:
		end := s.scope(next, true)
		s.add(Optional, next, end, i, end)
		return max(next, end)

	case w.cue&(after|plus) != 0:
		s.done = next
		return next

	case w.roles&(move|swap) != 0:
		if end := s.replaced(i, w.roles); end > 0 {
			return end
		}
	}

	return i + 1
}

// add records a span of words, unless it is empty.
func (s *scanner) add(kind Kind, start, end, cueStart, cueEnd int) {
	s.done = max(s.done, end, cueEnd)
	if start >= end {
		return
	}
	s.spans = append(s.spans, Span{
		Kind: kind, Start: s.words[start].start, End: s.words[end-1].end,
		CueStart: s.words[cueStart].start, CueEnd: s.words[max(end, cueEnd)-1].end,
	})
}

// forward adds what a negation in front of it excludes. A second negation within its scope cancels both: "no
// applications without Kubernetes". After a negated verb of possession or success nothing is excluded: "we do not
// have".
func (s *scanner) forward(cue, start int, lists bool) int {
	if start < len(s.words) && s.words[start].gap != boundary && s.words[start].roles&neutral != 0 && !lists {
		s.done = start + 1
		return start + 1
	}

	end := s.scope(start, lists)
	if end < len(s.words) && s.words[end].gap == joined && s.words[end].cue&(before|verb) != 0 && !s.listed(end-1) {
		second := end + s.words[end].cueWords
		s.done = second
		return second
	}

	// An item after "and" or "or" may have a negation of its own.
	for end > start && s.words[end-1].roles&(or|and) != 0 {
		end--
	}

	s.add(Excluded, start, end, cue, end)
	return max(start, end)
}

// listed reports whether a word connects the items of a list.
func (s *scanner) listed(i int) bool { return i >= 0 && s.words[i].roles&(or|and) != 0 }

// scope returns the end of the scope that starts at a word.
func (s *scanner) scope(start int, lists bool) int {
	content := 0
	for i := start; i < len(s.words); i++ {
		w := &s.words[i]
		switch {
		case i > start && w.gap == boundary, i == start && w.gap == boundary:
			return i
		case w.gap == comma && i > start:
			end := s.list(i, lists)
			if content == 0 || end == 0 {
				return i
			}
			return end

		case w.roles&filler != 0 && content == 0:
		case w.cue&(before|verb|optional|pass) != 0, w.cue&(after|plus) != 0 && content > 0:
			return i
		case w.roles&stop != 0, w.roles&weak != 0 && content > 0:
			return i
		case w.roles&(or|and) != 0:
			if content == 0 || !s.continues(i+1) {
				return i
			}
		case w.roles&weak != 0:
		default:
			if content++; content > maxScope {
				return i
			}
		}
	}
	return len(s.words)
}

// continues reports whether a word can begin another item of a list.
func (s *scanner) continues(i int) bool {
	if i >= len(s.words) || s.words[i].gap != joined {
		return false
	}
	w := &s.words[i]
	return w.cue&cues == 0 && w.roles&(stop|weak|move|swap) == 0
}

// list returns the end of the items of a list from a comma on, or 0 if this is none: "WordPress, Wix or Shopify". Only
// a verb can have a list that ends in "and", as in "avoid PHP, Java and Python"; in "no PHP, Java and Python", the
// negation ends at the comma.
func (s *scanner) list(start int, lists bool) int {
	item := 0
	last := false
	for i := start; i < len(s.words); i++ {
		w := &s.words[i]
		connects := w.roles&or != 0 || lists && w.roles&and != 0
		switch {
		case w.gap == boundary, w.gap == comma && last:
			return s.ended(i, last)
		case connects && !last:
			last = true
			item = 0
			continue
		case w.gap == comma:
			item = 0
		}

		if last && item > 0 && w.roles&(weak|stop|and) != 0 || last && w.cue != 0 {
			return s.ended(i, true)
		}
		if item++; item > maxItem || w.roles&(stop|weak) != 0 || w.cue != 0 {
			return 0
		}
	}
	return s.ended(len(s.words), last)
}

// ended returns the end of a list, or 0 if it isn't complete.
func (*scanner) ended(end int, last bool) int {
	if !last {
		return 0
	}
	return end
}

// backward adds what a cue behind it is about. It reports whether there is anything.
func (s *scanner) backward(cue, next int, nice bool) bool {
	start := cue
	item := 0
	connected := false
	for i := cue - 1; i >= s.done; i-- {
		// The sign in front of the word that was passed last separates it from this one.
		between := s.words[i+1].gap
		if i+1 == cue && between == boundary || i+1 < cue && between == boundary {
			break
		}

		if between == comma && i+1 < cue && (!connected || item > maxItem) {
			break
		}

		w := &s.words[i]
		if w.roles&stop != 0 && w.roles&filler == 0 {
			break
		}

		item++
		if between == comma {
			item = 1
		}

		if w.roles&(or|and) != 0 {
			connected = true
			item = 0
		}

		start = i
	}

	for start < cue && s.words[start].roles&(or|and) != 0 {
		start++
	}

	if start == cue {
		return false
	}

	kind := Excluded
	if nice {
		kind = Optional
	}
	s.add(kind, start, cue, start, next)
	return true
}

// replaced adds what is replaced: "from X to Y" after "migrate", or X in "replace X with Y". It returns the end of the
// span, or 0 if nothing is.
func (s *scanner) replaced(head int, roles uint32) int {
	start := head + 1
	ends := uint32(by)
	if roles&move != 0 {
		if start = s.find(start, maxHead, from); start == 0 {
			if roles&swap == 0 {
				return 0
			}
			start = head + 1
		} else {
			start++
			ends = to
		}
	}

	end := s.find(start, maxScope, ends)
	if end == 0 || end <= start {
		return 0
	}

	s.add(Excluded, start, end, start, end)
	return end
}

// find returns the first word with a role among a number of words of a clause, or 0.
func (s *scanner) find(start, n int, role uint32) int {
	for i := start; i < min(start+n, len(s.words)); i++ {
		if s.words[i].gap == boundary {
			return 0
		}
		if s.words[i].roles&role != 0 {
			return i
		}
	}
	return 0
}
