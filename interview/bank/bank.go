// Package bank is interviews without a language model: questions from templates that people wrote, and marks for what can be
// counted in an answer. Both are pure: the same session has the same questions, and the same answer the same marks.
//
// A topic is what can be asked about a skill, a category of skills, any skill, a skill that a profile does not show, or a project. It has
// one question for each of some kinds, and one rubric for them. Its English part says what it is about and how difficult each question is; the
// other languages translate its texts and add cues. Everything is in data/, in files for people to edit; Open checks them.
package bank

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"

	"freelancer-matching/internal/analysis"
	"freelancer-matching/interview"
	"freelancer-matching/taxonomy"
)

//go:embed data
var data embed.FS

// method is the name of whatever this package makes.
const method = "offline"

// fallback is the language that everything exists in.
const fallback = "en"

// Bank is a set of topics. It is immutable, and safe for concurrent use.
type Bank struct {
	taxonomy *taxonomy.Taxonomy
	analyzer *analysis.Analyzer
	topics   []*topic // sorted by id
	places   places
	editions map[string]*edition
	cues     map[string][]cue    // by the text of a point, in any language; of all languages
	rubrics  map[string][]string // a key of points in any language → topic's id, so that a topic is known again
}

var (
	_ interview.Asker = (*Bank)(nil)
	_ interview.Judge = (*Judge)(nil)
)

// edition is what the bank says in one language.
type edition struct {
	language analysis.Language
	words    lexicon
	phrases  phrases
	texts    map[string]*texts // by id of the topic
}

// Open reads the embedded topics. It fails when they are not sound: each fault names its file and line.
func Open(t *taxonomy.Taxonomy, a *analysis.Analyzer) (*Bank, error) {
	sub, err := fs.Sub(data, "data")
	if err != nil {
		return nil, err
	}
	return open(t, a, sub)
}

func open(t *taxonomy.Taxonomy, a *analysis.Analyzer, files fs.FS) (*Bank, error) {
	b := &Bank{
		taxonomy: t, analyzer: a,
		editions: make(map[string]*edition), cues: make(map[string][]cue), rubrics: make(map[string][]string),
	}
	folders, err := fs.Glob(files, "*/words.txt")
	if err != nil {
		return nil, err
	}
	for _, name := range folders {
		code := path.Dir(name)
		if b.editions[code], err = readEdition(files, code); err != nil {
			return nil, err
		}
	}
	english, ok := b.editions[fallback]
	if !ok {
		return nil, fmt.Errorf("folder %q is missing", fallback)
	}
	for _, id := range slices.Sorted(maps.Keys(english.texts)) {
		tp, err := b.topic(id, english.texts[id])
		if err != nil {
			return nil, fmt.Errorf("topic %s: %w", id, err)
		}
		b.topics = append(b.topics, tp)
	}
	b.places = b.place()
	return b, b.compile()
}

// Languages are the languages that all topics exist in, as ISO 639-1 codes in their order.
func (b *Bank) Languages() []string {
	var complete []string
	for code, e := range b.editions {
		if len(e.texts) == len(b.topics) {
			complete = append(complete, code)
		}
	}
	slices.Sort(complete)
	return complete
}

// Language is the language that questions are in where one is asked for: that one, if topics are translated to it, or English. Where only
// some are translated, questions come from these. Answers can be measured in more languages (German and French), and feedback given.
func (b *Bank) Language(asked string) string {
	if e, ok := b.editions[asked]; ok && len(e.texts) > 0 {
		return asked
	}
	return fallback
}

// phrases are the sentences of feedback in a language. There are more of them than languages of questions.
func (b *Bank) phrases(asked string) phrases {
	if e, ok := b.editions[asked]; ok {
		return e.phrases
	}
	return b.editions[fallback].phrases
}

// Name is "offline".
func (b *Bank) Name() string { return method }

// compile makes the cues of all points findable by the text of the point.
func (b *Bank) compile() error {
	all := make(map[string][][]cue, len(b.topics)) // by id, then by point
	var faults []error
	for _, code := range slices.Sorted(maps.Keys(b.editions)) {
		e := b.editions[code]
		for id, t := range e.texts {
			if all[id] == nil {
				all[id] = make([][]cue, len(t.points))
			}
			for i, p := range t.points {
				for _, phrase := range p.cues {
					c := cue{language: e.language, stems: b.analyzer.AppendStems(nil, phrase, e.language)}
					if len(c.stems) == 0 {
						faults = append(faults, fmt.Errorf("topic %s in %s: the cue %q has no word that tells anything", id, code, phrase))
						continue
					}
					all[id][i] = append(all[id][i], c)
				}
			}
		}
	}
	for _, e := range b.editions {
		for id, t := range e.texts {
			for i, p := range t.points {
				b.cues[p.text] = append(b.cues[p.text], all[id][i]...)
			}
			key := rubricKey(t.pointTexts())
			b.rubrics[key] = append(b.rubrics[key], id)
		}
	}
	return errors.Join(faults...)
}
