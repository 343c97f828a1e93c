package interviewer

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/llm/sanitize"
)

// profileText returns what a model sees of a profile, before names and contact details are removed.
func profileText(p *interview.Profile) string {
	lines := []string{"job title: " + p.JobTitle}
	if p.Experience.Known {
		lines = append(lines, fmt.Sprintf("years of experience: %g", p.Experience.Value))
	}
	skills := make([]string, 0, len(p.Skills))
	for _, skill := range p.Skills {
		skills = append(skills, sanitize.OneLine(skill))
	}
	lines = append(lines, "skills: "+strings.Join(skills, "; "), p.Description)
	return strings.Join(lines, "\n")
}

// runLength is how many consecutive words two texts share only if one copies the other.
const runLength = 8

// wordRuns returns all runs of runLength words in the texts.
func wordRuns(texts ...string) map[string]bool {
	found := make(map[string]bool)
	for _, text := range texts {
		eachRun(text, func(run string) bool {
			found[run] = true
			return true
		})
	}
	return found
}

// eachRun calls do with each run of runLength words, until do returns false.
func eachRun(text string, do func(run string) bool) {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	for i := range len(words) - runLength + 1 {
		if !do(strings.Join(words[i:i+runLength], " ")) {
			return
		}
	}
}

// checkLeaks returns an error if a model's text contains a link, an address, or a run of words that it must not repeat.
func checkLeaks(text string, forbidden map[string]bool) (err error) {
	if sanitize.HasLink(text) {
		return errors.New("a text contains a link or an address; leave it out")
	}
	eachRun(text, func(run string) bool {
		if forbidden[run] {
			err = errors.New("a text repeats a sentence of the profile or of your rules; use your own words, or leave it out")
		}
		return err == nil
	})
	return err
}

var wordPattern = regexp.MustCompile(`[\pL\pM]+`)

// minSimilarity is the share of trigrams that two questions have in common if they ask for the same. No two templates
// of the offline question bank, in English or in Spanish, have that many in common.
const minSimilarity = 0.55

// trigrams are the runs of three characters in a question, in lower case and without punctuation.
type trigrams map[[3]rune]bool

func trigramsOf(text string) trigrams {
	plain := []rune(" " + strings.Join(wordPattern.FindAllString(strings.ToLower(text), -1), " ") + " ")
	found := make(trigrams, len(plain))
	for i := range len(plain) - 2 {
		found[[3]rune(plain[i:])] = true
	}
	return found
}

// trigramsOfAll returns the trigrams of each question.
func trigramsOfAll(questions []interview.Question) []trigrams {
	all := make([]trigrams, len(questions))
	for i := range questions {
		all[i] = trigramsOf(questions[i].Text)
	}
	return all
}

// isSimilar reports whether two questions differ by a few words only. It works for all scripts.
func (t trigrams) isSimilar(other trigrams) bool {
	common := 0
	for gram := range t {
		if other[gram] {
			common++
		}
	}
	return float64(common) >= minSimilarity*float64(max(1, len(t)+len(other)-common))
}

// isDuplicate reports whether a question is similar to one of those that were asked.
func isDuplicate(text string, asked []trigrams) bool {
	own := trigramsOf(text)
	return slices.ContainsFunc(asked, own.isSimilar)
}
