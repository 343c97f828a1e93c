// Package background finds the sentences in which clients write about themselves: "We create animated ads for shops."
// What a client does is not what the brief asks for. The words are in cues.txt, for each supported language.
package background

import (
	_ "embed" // for the cues
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/freelancer-matching/service/internal/analysis"
)

//go:embed cues.txt
var cuesFile string

// A Reader finds sentences about the client. It is safe for concurrent use.
type Reader struct {
	self []string // phrases that begin a sentence about the client, as from words
	ask  []string // phrases that make a sentence one about the work
}

// New returns a Reader with the phrases of cues.txt.
func New() (*Reader, error) { return parse(cuesFile) }

func parse(file string) (*Reader, error) {
	r := &Reader{}
	file = strings.ReplaceAll(file, "\n  ", " ")
	for number, line := range strings.Split(file, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}

		head, list, _ := strings.Cut(line, ": ")
		_, kind, _ := strings.Cut(head, " ")
		for phrase := range strings.SplitSeq(list, ";") {
			switch kind {
			case "self":
				r.self = append(r.self, words(phrase))
			case "ask":
				r.ask = append(r.ask, words(phrase))
			default:
				return nil, fmt.Errorf("cues.txt: list %d has the unknown kind %q", number+1, kind)
			}
		}
	}
	return r, nil
}

// Without returns a text with spaces in the place of sentences about the client, so that offsets stay the same. It
// takes time linear in the length of the text.
func (r *Reader) Without(text string) string {
	rest := []byte(text)
	for start := 0; start < len(text); {
		end := start + sentenceEnd(text[start:])
		if r.aboutClient(text[start:end]) {
			for i := start; i < end; i++ {
				rest[i] = ' '
			}
		}
		start = end
	}
	return string(rest)
}

// aboutClient reports whether a sentence says what the client is or does, and asks for nothing.
func (r *Reader) aboutClient(sentence string) bool {
	folded := words(sentence)
	begins := func(phrase string) bool { return strings.HasPrefix(folded, phrase) }
	contains := func(phrase string) bool { return strings.Contains(folded, phrase) }
	return slices.ContainsFunc(r.self, begins) && !slices.ContainsFunc(r.ask, contains)
}

// sentenceEnd returns the length of the first sentence of a text, with the sign or the line break that ends it.
func sentenceEnd(text string) int {
	for i := range len(text) {
		isLast := i+1 == len(text)
		switch text[i] {
		case '\n':
			return i + 1
		case '.', '!', '?', ';':
			if isLast || text[i+1] == ' ' || text[i+1] == '\n' {
				return i + 1
			}
		}
	}
	return len(text)
}

// words returns the folded words of a text with one space before and after each.
func words(text string) string {
	fields := strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
	})
	for i, word := range fields {
		fields[i] = analysis.Fold(word)
	}
	return " " + strings.Join(fields, " ") + " "
}
