package embedded

import (
	"context"
	"fmt"

	"freelancer-matching/engine"
)

// maxTallied bounds the words of one kind that are counted while an index is built: what was not said once by then is
// rare.
const maxTallied = 1 << 18

// tally counts by how many documents each word is said.
type tally struct {
	names
	documents []uint32
}

// add notes what a document says, to be counted when it is known whether the document stays.
func (t *tally) add(to *entries, doc uint16, said []string) {
	for _, word := range said {
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

// cut leaves what a Vocabulary holds, in its order.
func (t *tally) cut() {
	var kept tally
	for _, use := range t.uses() {
		kept.names.add(use.Word)
		kept.documents = append(kept.documents, uint32(use.Documents))
	}
	*t = kept
}

// uses is what is said by any document, as a Vocabulary holds it.
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
		return fmt.Errorf("%s: counts of %d, want %d", name, len(t.documents), t.len())
	}
	return t.names.check(name)
}

// words is what the documents of one block say, while an index is built: it is counted, not kept.
type words struct{ unknown, jobTitles postings }

func (w *words) transfer(s *sections, block int) {
	w.unknown.transfer(s, fmt.Sprintf("block %d unknown skills", block))
	w.jobTitles.transfer(s, fmt.Sprintf("block %d job titles", block))
}

// count adds what the documents say that stay of a block whose first document is first.
func (b *bulk) count(w *words, first int) {
	live := func(doc uint16, code uint8) uint8 {
		if !b.x.live(first + int(doc)) {
			return 0
		}
		return code
	}
	for _, said := range []struct {
		postings *postings
		tally    *tally
	}{{&w.unknown, &b.x.unknown}, {&w.jobTitles, &b.x.jobTitles}} {
		said.postings.rewrite(live)
		if said.tally.documents == nil {
			said.tally.documents = make([]uint32, said.tally.len())
		}
		said.postings.count(said.tally.documents)
	}
}

// Vocabulary is what the documents say.
func (x *index) Vocabulary(ctx context.Context) (*engine.Vocabulary, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	skills := tally{names: x.skills, documents: x.skillDocs}
	return &engine.Vocabulary{Skills: skills.uses(), UnknownSkills: x.unknown.uses(), JobTitles: x.jobTitles.uses()}, nil
}
