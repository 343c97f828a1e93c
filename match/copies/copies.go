// Package copies recognizes profiles that repeat a brief.
package copies

import (
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/plaintext"
)

// A profile repeats a brief if its title and description contain enough of the brief's runs of four words (Broder, "On
// the resemblance and containment of documents", 1997), or most of its words close together, in any order. Words are
// stems without function words, as in the index, so that a change that hides a copy also removes what it earns.
//
// Among 666,000 pairs of real briefs and real profiles, no profile has more than five of a brief's runs or a seventh of
// them. None has more than .64 of the words close together, also of briefs cut to their first 12 to 30 distinct words.
const (
	runWords      = 4
	minRuns       = 8
	minRunShare   = .1
	fewRuns       = 5 // are enough if they are most runs of a short brief
	mostRuns      = .5
	minWords      = 12 // distinct words of a brief whose words are compared in any order
	minWordShare  = .8
	wordsTogether = 2 // the length of the passage to compare, in lengths of the brief
	// sentenceWords is the number of words of a listed skill that is compared, too, because it is hardly a name.
	sentenceWords = 5
)

// A Detector compares profiles with one brief. It must not be used concurrently.
type Detector struct {
	analyzer *analysis.Analyzer
	language analysis.Language
	tooShort bool           // the brief is too short to recognize copies of it
	numberOf map[string]int // by distinct word of the brief
	numbers  []int          // of the words of the brief, in its order
	runs     map[run]bool   // of the brief; nil until a profile may share some
	terms    []string       // memory for the words of a profile
}

// A run is the numbers of words that follow each other.
type run [runWords]int

// notInBrief takes the place of a number for a word of a profile that the brief doesn't have.
const notInBrief = -1

// New returns a Detector for a brief in a language.
func New(analyzer *analysis.Analyzer, brief *matching.Brief, language analysis.Language) *Detector {
	d := &Detector{analyzer: analyzer, language: language, numberOf: make(map[string]int)}
	words := analyzer.AppendStems(nil, brief.JobTitle+"\n"+brief.Description, language)
	d.numbers = make([]int, len(words))
	for i, word := range words {
		number, known := d.numberOf[word]
		if !known {
			number = len(d.numberOf)
			d.numberOf[word] = number
		}
		d.numbers[i] = number
	}

	tooFewRuns := len(d.numbers) < fewRuns+runWords-1
	d.tooShort = tooFewRuns && len(d.numberOf) < minWords
	return d
}

// Repeats reports whether a profile repeats the brief. It is false for a brief that is too short to tell.
func (d *Detector) Repeats(freelancer *matching.Freelancer) bool {
	if d.tooShort {
		return false
	}

	p := d.read(freelancer)
	if p.runs >= fewRuns && d.sharesRuns(p.numbers) {
		return true
	}

	// The second check is for copies whose words were put into another order.
	enough := int(math.Ceil(minWordShare * float64(len(d.numberOf))))
	mayHaveEnough := len(d.numberOf) >= minWords && p.distinct >= enough
	return mayHaveEnough && d.mostTogether(p.numbers) >= enough
}

// A profile holds what of a brief the words of a freelancer contain.
type profile struct {
	numbers  []int // of all words in their order; notInBrief for those that the brief doesn't have
	distinct int   // the number of distinct words of the brief
	runs     int   // the number of runs that consist of words of the brief, in any order
}

// read numbers the words of a freelancer, so that runs can be compared as numbers.
func (d *Detector) read(freelancer *matching.Freelancer) profile {
	words := d.words(freelancer)
	p := profile{numbers: make([]int, len(words))}
	seen := make([]bool, len(d.numberOf))
	inRow := 0 // words of the brief since the last word that it doesn't have
	for i, word := range words {
		number, inBrief := d.numberOf[word]
		if !inBrief {
			p.numbers[i] = notInBrief
			inRow = 0
			continue
		}

		p.numbers[i] = number
		if !seen[number] {
			seen[number] = true
			p.distinct++
		}

		inRow++
		if inRow >= runWords {
			p.runs++
		}
	}

	return p
}

// words returns the words of title, description and skills that are sentences. They are valid until the next call.
func (d *Detector) words(freelancer *matching.Freelancer) []string {
	// Without markup, as in the index: a tag around each word would separate them.
	text := plaintext.Of(freelancer.JobTitle) + "\n" + plaintext.Of(freelancer.Description)
	d.terms = d.analyzer.AppendStems(d.terms[:0], text, d.language)
	for _, skill := range freelancer.Skills {
		if strings.Count(skill, " ") >= sentenceWords-1 {
			d.terms = d.analyzer.AppendStems(d.terms, plaintext.Of(skill), d.language)
		}
	}
	return d.terms
}

// sharesRuns reports whether the words of a profile contain enough runs of the brief.
func (d *Detector) sharesRuns(numbers []int) bool {
	// Few profiles come this far, so the brief's own runs are not collected before one does.
	if d.runs == nil {
		d.runs = make(map[run]bool, len(d.numbers))
		for r := range runsOf(d.numbers) {
			d.runs[r] = true
		}
	}

	shared := make(map[run]bool)
	for r := range runsOf(numbers) {
		if d.runs[r] {
			shared[r] = true
		}
	}

	share := float64(len(shared)) / float64(max(1, len(d.runs)))
	repeatsMuch := len(shared) >= minRuns && share >= minRunShare
	repeatsMost := len(shared) >= fewRuns && share >= mostRuns
	return repeatsMuch || repeatsMost
}

// runsOf yields each run of words that are all in the brief.
func runsOf(numbers []int) iter.Seq[run] {
	return func(yield func(run) bool) {
		for end := runWords; end <= len(numbers); end++ {
			r := run(numbers[end-runWords : end])
			if slices.Min(r[:]) != notInBrief && !yield(r) {
				return
			}
		}
	}
}

// mostTogether returns the highest number of distinct words of the brief within one passage of a profile.
func (d *Detector) mostTogether(numbers []int) (most int) {
	length := wordsTogether * len(d.numbers)
	counts := make([]int, len(d.numberOf)) // in the passage that ends with the current word
	distinct := 0
	for i, number := range numbers {
		if number != notInBrief {
			counts[number]++
			if counts[number] == 1 {
				distinct++
			}
		}

		// The word that the passage leaves behind no longer counts.
		if i >= length && numbers[i-length] != notInBrief {
			left := numbers[i-length]
			counts[left]--
			if counts[left] == 0 {
				distinct--
			}
		}

		most = max(most, distinct)
	}

	return most
}
