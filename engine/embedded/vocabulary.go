package embedded

import (
	"context"
	"fmt"

	"freelancer-matching/engine"
)

// maxTallied limits the distinct words of one kind that are counted while an index is built. Words that first occur
// after that many others are rare.
const maxTallied = 1 << 18

// A tally counts the documents that use each word.
type tally struct {
	names
	documents []uint32
}

// add records the words of a document as entries.
func (t *tally) add(to *entries, doc uint16, used []string) {
	for _, word := range used {
		number, known := t.find(word)
		switch {
		case known:
		case t.len() == maxTallied:
			continue
		default:
			number, _ = t.names.add(word)
		}
		to.add(number, doc, 1)
	}
}

// uses returns the words used by any document, cut and ordered as in an engine.Vocabulary.
func (t *tally) uses() []engine.WordCount {
	uses := make([]engine.WordCount, 0, len(t.documents))
	for number, documents := range t.documents {
		if documents > 0 {
			uses = append(uses, engine.WordCount{Word: string(t.at(uint32(number))), Documents: int(documents)})
		}
	}
	return engine.TopWords(uses)
}

func (t *tally) transfer(s *sections, name string) {
	section(s, name+" text", &t.text)
	section(s, name+" ends", &t.ends)
	section(s, name+" documents", &t.documents)
}

func (t *tally) check(name string) error {
	if len(t.documents) != t.len() {
		return fmt.Errorf("%s: %d counts, want %d", name, len(t.documents), t.len())
	}
	return t.names.check(name)
}

// Vocabulary implements engine.Snapshot.
func (x *segment) Vocabulary(ctx context.Context) (*engine.Vocabulary, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	skills := tally{names: x.skills, documents: x.skillDocs}
	return &engine.Vocabulary{Skills: skills.uses(), UnknownSkills: x.unknown.uses(), JobTitles: x.jobTitles.uses()}, nil
}
