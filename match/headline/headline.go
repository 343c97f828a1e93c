// Package headline finds the sentence at the beginning of a description that says what the work is about.
package headline

import (
	"slices"
	"strings"
	"unicode"

	"github.com/freelancer-matching/service/taxonomy"
)

const (
	// maxWords limits the headline of a description without line breaks, and maxBytes that of a description in a script
	// without spaces.
	maxWords = 20
	maxBytes = 500
	// openings is the number of sentences at the beginning of a description of which one is its headline.
	openings = 3
)

// Of returns the headline of a brief's description: the first of its sentences that says something about the work. A
// sentence about people ("I came across …") that mentions no skill doesn't, unless all of the first few are like that.
func Of(description string, skills *taxonomy.Taxonomy) string {
	first := firstSentence(description)
	rest := strings.TrimSpace(description)
	for range openings {
		line := firstSentence(rest)
		if line == "" {
			break
		}
		if !aboutPeople(line) || len(skills.Extract(line)) > 0 {
			return line
		}
		rest = strings.TrimSpace(rest[len(line):])
	}
	return first
}

// aboutPeople reports whether a sentence has a personal pronoun, as titles of projects don't.
func aboutPeople(sentence string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(sentence, func(r rune) bool { return !unicode.IsLetter(r) }),
		func(word string) bool {
			switch strings.ToLower(word) {
			case "i", "me", "my", "we", "us", "our", "you", "your", "everyone", "everybody", "all", "anyone", "there":
				return true
			}
			return false
		})
}

// firstSentence returns the first line of a description, cut at the end of its first sentence, after maxWords words or
// after maxBytes bytes.
func firstSentence(description string) string {
	line := strings.TrimSpace(description)
	if i := strings.IndexAny(line, "\r\n"); i >= 0 {
		line = line[:i]
	}

	words, inWord := 0, false
	for i, r := range line {
		if i > maxBytes {
			return line[:i]
		}

		space := unicode.IsSpace(r)
		if space && inWord {
			words++
			endsSentence := strings.IndexByte(".!?", line[i-1]) >= 0
			if endsSentence || words == maxWords {
				return line[:i]
			}
		}

		inWord = !space
	}

	return line
}
