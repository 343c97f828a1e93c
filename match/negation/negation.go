// Package negation finds what a brief excludes, replaces, or calls nice to have. As in NegEx (Chapman et al. 2001), cue
// words open a scope that extends forward or backward until a word or a sign ends it. The words are in cues.txt, for
// each supported language.
package negation

import (
	"github.com/freelancer-matching/service/internal/analysis"
)

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

// A Reader finds negations. It is safe for concurrent use.
type Reader struct {
	phrases map[analysis.Language]*node
}

// New returns a Reader with the words of cues.txt.
func New() (*Reader, error) { return parse(cuesFile) }

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

	// All cues are marked before the first scope is read, because a scope ends at the next cue.
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
