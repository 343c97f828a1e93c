package embedded

import (
	"context"

	"freelancer-matching/engine"
)

// Vocabulary implements engine.Snapshot.
func (v snapshot) Vocabulary(ctx context.Context) (_ *engine.Vocabulary, err error) {
	defer v.guard(&err)()
	words := &engine.Vocabulary{
		Skills: uses(v.view, ofSkills), UnknownSkills: uses(v.view, ofUnknownSkills), JobTitles: uses(v.view, ofJobTitles),
	}
	return words, ctx.Err()
}

// uses returns the words of a kind, cut and ordered as in an engine.Vocabulary.
func uses(v *view, k kind) []engine.WordCount {
	var uses []engine.WordCount
	var at map[string]int // the place of each word in uses, if there are several parts

	if len(v.parts) > 1 {
		at = map[string]int{}
	}

	for _, p := range v.parts {
		for number, documents := range p.counts[k] {
			if documents == 0 {
				continue
			}
			word := p.names[k].at(uint32(number))
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
