package search

import (
	"context"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/segment"
	"github.com/freelancer-matching/service/engine/embedded/view"
)

// Vocabulary implements engine.Snapshot.
func (v Snapshot) Vocabulary(ctx context.Context) (_ *engine.Vocabulary, err error) {
	defer v.Guard(&err)()
	words := &engine.Vocabulary{
		Skills:        uses(v.View, segment.OfSkills),
		UnknownSkills: uses(v.View, segment.OfUnknownSkills),
		JobTitles:     uses(v.View, segment.OfJobTitles),
	}
	return words, ctx.Err()
}

// uses returns the words of a kind, cut and ordered as in an engine.Vocabulary.
func uses(v *view.View, k segment.Kind) []engine.WordCount {
	var uses []engine.WordCount
	var at map[string]int // the place of each word in uses, if there are several parts

	if len(v.Parts) > 1 {
		at = map[string]int{}
	}

	for _, p := range v.Parts {
		for number, documents := range p.Counts[k] {
			if documents == 0 {
				continue
			}
			word := p.Names[k].At(uint32(number))
			if i, ok := at[string(word)]; ok {
				uses[i].Documents += int(documents)
				continue
			}

			use := engine.WordCount{Word: string(word), Documents: int(documents)}
			if at != nil {
				at[use.Word] = len(uses)
			}
			uses = append(uses, use)
		}
	}

	if uses == nil {
		uses = []engine.WordCount{}
	}

	return engine.TopWords(uses)
}
