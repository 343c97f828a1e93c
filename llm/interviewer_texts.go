package llm

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"freelancer-matching/interview"
)

var (
	linkPattern  = regexp.MustCompile(`(?i)\b(?:https?://|www\.)\S+|[^\s@]+@[^\s@]+\.\pL{2,}`)
	phonePattern = regexp.MustCompile(`\+?\d[\d ()./-]{7,}\d`)
	wordPattern  = regexp.MustCompile(`[\pL\pM]+`)
)

// phoneDigits is the fewest digits of a telephone number; two years have eight.
const phoneDigits = 9

// anonymous is a text without the words of a name, and without addresses, links and telephone numbers.
func anonymous(text, name string) string {
	text = linkPattern.ReplaceAllString(norm.NFC.String(text), "[link]")
	text = phonePattern.ReplaceAllStringFunc(text, func(number string) string {
		digits := 0
		for _, r := range number {
			if unicode.IsDigit(r) {
				digits++
			}
		}
		if digits < phoneDigits {
			return number
		}
		return "[number]"
	})
	names := make(map[string]bool)
	for _, word := range wordPattern.FindAllString(norm.NFC.String(name), -1) {
		names[word] = utf8.RuneCountInString(word) > 2 || !isASCII(word) // initials are words of other names, too
	}
	return wordPattern.ReplaceAllStringFunc(text, func(word string) string {
		if names[word] {
			return "[name]"
		}
		return word
	})
}

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r > unicode.MaxASCII }) < 0
}

// profileText is what a model gets to know of a freelancer.
func profileText(p *interview.Profile) string {
	own := func(text string) string { return anonymous(text, p.Name) }
	lines := []string{"job title: " + own(p.JobTitle)}
	if p.Experience.Known {
		lines = append(lines, fmt.Sprintf("years of experience: %g", p.Experience.Value))
	}
	skills := make([]string, 0, len(p.Skills))
	for _, skill := range p.Skills {
		skills = append(skills, oneLine(own(skill)))
	}
	return strings.Join(append(lines, "skills: "+strings.Join(skills, "; "), own(p.Description)), "\n")
}

// oneLine is a text without line breaks, so that it cannot look like another line of a list.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// quotedRun is how many words in a row that stand in another text have been copied from there.
const quotedRun = 8

// runs are the runs of quotedRun words of some texts.
func runs(texts ...string) map[string]bool {
	found := make(map[string]bool)
	for _, text := range texts {
		eachRun(text, func(run string) bool {
			found[run] = true
			return true
		})
	}
	return found
}

func eachRun(text string, do func(run string) bool) {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i := range len(words) - quotedRun + 1 {
		if !do(strings.Join(words[i:i+quotedRun], " ")) {
			return
		}
	}
}

// leak tells what a text by a model must not hold: links, and runs of words of texts that it is not to repeat.
func leak(text string, secret map[string]bool) (err error) {
	if linkPattern.MatchString(text) {
		return errors.New("a text holds a link or an address; leave it out")
	}
	eachRun(text, func(run string) bool {
		if secret[run] {
			err = errors.New("a text repeats a sentence of the profile or of your rules; write it in words of your own, or not at all")
		}
		return err == nil
	})
	return err
}

// gramLength is how many characters are compared at once.
const gramLength = 3

// alikeShare is how much of two questions is the same where they ask for the same. No two of the offline bank's templates, in
// English or in Spanish, have so much in common.
const alikeShare = 0.55

// grams are the runs of characters of a question, in small letters and without signs.
type grams map[[gramLength]rune]bool

func gramsOf(text string) grams {
	plain := []rune(" " + strings.Join(wordPattern.FindAllString(strings.ToLower(text), -1), " ") + " ")
	found := make(grams, len(plain))
	for i := range len(plain) - gramLength + 1 {
		found[[gramLength]rune(plain[i:])] = true
	}
	return found
}

// gramsOfAll are those of each question.
func gramsOfAll(questions []interview.Question) []grams {
	all := make([]grams, len(questions))
	for i := range questions {
		all[i] = gramsOf(questions[i].Text)
	}
	return all
}

// alike reports whether two questions are the same but for some words, in any script.
func (g grams) alike(other grams) bool {
	common := 0
	for run := range g {
		if other[run] {
			common++
		}
	}
	return float64(common) >= alikeShare*float64(max(1, len(g)+len(other)-common))
}

// isDouble reports whether a question is like one of those that were asked.
func isDouble(text string, asked []grams) bool {
	own := gramsOf(text)
	return slices.ContainsFunc(asked, own.alike)
}
