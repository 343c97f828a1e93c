package interviewer

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"

	"github.com/freelancer-matching/service/llm/sanitize"
)

// An answer may ask for marks or for a job, and a model may obey. What it quotes and writes then is about marks or
// hiring rather than about the question.

//go:embed data/marks.txt
var markData string

// aboutMarks and aboutHiring match phrases of texts in lower case without punctuation.
var aboutMarks, aboutHiring = mustReadPhrases(markData, "marks"), mustReadPhrases(markData, "hiring")

// mustReadPhrases compiles the phrases of a section. It panics if there are none.
func mustReadPhrases(file, section string) *regexp.Regexp {
	var phrases []string
	in := ""
	for line := range strings.Lines(file) {
		line = strings.TrimSpace(line)
		name, isHeader := strings.CutPrefix(line, "== ")
		switch {
		case isHeader:
			in = name
		case line != "" && !strings.HasPrefix(line, "#") && in == section:
			phrases = append(phrases, plainWords(line))
		}
	}

	// Without phrases, the pattern would match every text.
	if len(phrases) == 0 {
		panic(fmt.Sprintf("data/marks.txt has no section %q", section))
	}

	for i, phrase := range phrases {
		phrases[i] = regexp.QuoteMeta(phrase)
	}
	return regexp.MustCompile(" (?:" + strings.Join(phrases, "|") + ") ")
}

var markWord = regexp.MustCompile(`[\pL\pM\pN_]+`)

// plainWords returns the words of a text in lower case, separated by spaces, with a number such as 5/5 as two words.
func plainWords(text string) string {
	return strings.Join(markWord.FindAllString(strings.ToLower(sanitize.Clean(text)), -1), " ")
}

// isAboutMarks reports whether a passage talks of marks, levels or instructions, or of hiring.
func isAboutMarks(passage string) bool {
	plain := " " + plainWords(passage) + " "
	return aboutMarks.MatchString(plain) || aboutHiring.MatchString(plain)
}

// sentenceEnd matches what ends a sentence.
var sentenceEnd = regexp.MustCompile(`[.!?…。！？]+["'”»)\]]*(?:\s+|$)|\n+`)

// withoutHiring returns a text without its sentences about hiring or about the highest marks.
func withoutHiring(text string) string {
	var kept strings.Builder
	for rest := text; rest != ""; {
		end := len(rest)
		if at := sentenceEnd.FindStringIndex(rest); at != nil {
			end = at[1]
		}
		if sentence := rest[:end]; !isAboutMarks(sentence) {
			kept.WriteString(sentence)
		}
		rest = rest[end:]
	}
	return strings.TrimSpace(kept.String())
}
