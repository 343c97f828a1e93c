package person

import (
	"github.com/freelancer-matching/service/resume/dates"
	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/taxonomy"
)

// A Reader reads who the person is: the contact, the name and the job title.
type Reader struct {
	words    *lexicon.Lexicon
	names    nameTexts
	dates    *dates.Finder
	titles   *lexicon.Titles
	taxonomy *taxonomy.Taxonomy
}

// NewReader returns a reader. j rates the texts that may be job titles.
func NewReader(words *lexicon.Lexicon, d *dates.Finder, j *lexicon.Titles, t *taxonomy.Taxonomy) *Reader {
	return &Reader{words, nameTexts{words}, d, j, t}
}
