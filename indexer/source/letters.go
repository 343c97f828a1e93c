package source

import (
	"github.com/freelancer-matching/service/indexer/source/deadletter"
	"github.com/freelancer-matching/service/indexer/source/input"
	"github.com/freelancer-matching/service/indexer/source/mappingfile"
)

// OpenLetters opens dead letters as if they were a file with only these rows. Rows keep the lines and positions that
// they have in the original file. mapping is how the columns of the original file were used; nil to recognize them from
// the rows.
func OpenLetters(l deadletter.Letters, mapping *mappingfile.Mapping, o Options) (*File, error) {
	o.letters = &l
	if o.Mapping = nil; len(o.Map) == 0 {
		o.Mapping = mapping
	}
	return Open(input.Source{Name: l.File, Open: l.From.Open}, o)
}
