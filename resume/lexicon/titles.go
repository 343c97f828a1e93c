package lexicon

import (
	"strings"

	"github.com/freelancer-matching/service/resume/wording"
	"github.com/freelancer-matching/service/taxonomy"
)

// A Titles rates texts as job titles.
type Titles struct {
	words    *Lexicon
	taxonomy *taxonomy.Taxonomy
}

// NewTitles returns a Titles that knows the words of a lexicon and the job titles of a taxonomy.
func NewTitles(words *Lexicon, t *taxonomy.Taxonomy) *Titles { return &Titles{words, t} }

// TitleScore returns how much a fragment reads like a job title, from 0 to 3. A noun for jobs counts most as the first
// or the last word.
func (t *Titles) TitleScore(fragment wording.Fragment) int {
	words := strings.Fields(fragment.Key)
	if len(words) == 0 || len(words) > 12 {
		return 0
	}
	if t.words.EndsLegal(fragment.Key) {
		return 0
	}

	score := 0
	for i, word := range words {
		switch {
		case !t.words.Titles.Has(word):
		case i == 0 || i == len(words)-1 || wording.Wide(word):
			score = 2
		default:
			score = max(score, 1)
		}
	}

	// "Senior" before unknown words hints at a title, but is no title by itself.
	isSenior := len(words) > 1 && t.words.Seniority[words[0]]
	if isSenior && score == 0 {
		score = 1
	}

	if _, ok := t.taxonomy.JobTitle(fragment.Text); ok {
		score++
	}

	return score
}
