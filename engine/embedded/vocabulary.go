package embedded

import (
	"context"

	"freelancer-matching/engine"
)

// maxTallied limits the distinct words of one kind that are counted while an index is built. Words that first occur
// after that many others are rare.
const maxTallied = 1 << 18

// addWords adds words of a document to the postings of a kind.
func (b *builder) addWords(k kind, doc uint16, used []string) {
	n := &b.x.names[k]
	for _, word := range used {
		number, known := n.find(word)
		switch {
		case known:
		case n.len() == maxTallied:
			continue
		default:
			number, _ = n.add(word)
		}
		b.entries[k].add(number, doc, 1)
	}
}

// Vocabulary implements engine.Snapshot.
func (v *view) Vocabulary(ctx context.Context) (*engine.Vocabulary, error) {
	words := &engine.Vocabulary{
		Skills: v.uses(ofSkills), UnknownSkills: v.uses(ofUnknownSkills), JobTitles: v.uses(ofJobTitles),
	}
	return words, ctx.Err()
}

// uses returns the words of a kind, cut and ordered as in an engine.Vocabulary.
func (v *view) uses(k kind) []engine.WordCount {
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
