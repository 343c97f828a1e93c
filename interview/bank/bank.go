// Package bank conducts interviews without a language model. Its questions come from templates written by people, and
// its judge counts words and facts in answers. Both are deterministic: a session always gets the same questions, and an
// answer always gets the same marks.
//
// A topic is something to ask about: a skill, a category of skills, any skill, a skill that the profile does not show,
// or the project. It has at most one question of each kind, each with its own rubric. Its English text names the
// subject and the difficulty of each question. Texts in other languages translate it and add cues. All texts are in
// data/, in files for people to edit. Open checks them.
package bank

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"sync"

	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/taxonomy"
)

//go:embed data
var data embed.FS

// Method is the name of the bank and its judge in results.
const Method = "offline"

// fallback is the language with all topics.
const fallback = "en"

// A Bank is a set of topics. It is immutable and safe for concurrent use.
type Bank struct {
	taxonomy *taxonomy.Taxonomy
	analyzer *analysis.Analyzer
	topics   []*topic // sorted by id
	places   places
	editions map[string]*edition
	cues     map[string][]stemmed // cues in all languages, by the text of a point in any language
	rubrics  map[string][]string  // IDs of topics by rubricKey, in any language
}

var (
	_ interview.Asker = (*Bank)(nil)
	_ interview.Judge = (*Judge)(nil)
)

// An edition holds the bank's texts in one language.
type edition struct {
	language analysis.Language
	words    lexicon
	phrases  phrases
	brief    briefWords
	texts    map[string]*texts // by topic ID
}

// Open loads the embedded topics. It returns an error that names file and line if they are invalid.
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
		editions: make(map[string]*edition), cues: make(map[string][]stemmed), rubrics: make(map[string][]string),
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

	// The English texts define the topics. Translations only add to them.
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

	// The indexes need all topics.
	b.places = b.place()
	b.compile()
	return b, nil
}

// Languages returns the ISO 639-1 codes of the languages with all topics, sorted.
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

// Language returns the language of the questions if the given one is requested: the requested language if it has
// topics, otherwise English. In a language with only some topics, questions come from those.
func (b *Bank) Language(requested string) string {
	if e, ok := b.editions[requested]; ok && len(e.texts) > 0 {
		return requested
	}
	return fallback
}

// phrases returns the sentences of feedback in a language, or in English.
func (b *Bank) phrases(requested string) phrases {
	if e, ok := b.editions[requested]; ok {
		return e.phrases
	}
	return b.editions[fallback].phrases
}

// Name returns "offline".
func (b *Bank) Name() string { return Method }

// compile indexes the cues of all points by the text of the point, and the topics by rubric.
func (b *Bank) compile() {
	codes := slices.Sorted(maps.Keys(b.editions))
	for _, t := range b.topics {
		for i := range t.questions {
			b.compileQuestion(t, &t.questions[i], codes)
		}
	}
}

// stemmed returns the cues of a point. All stems of the bank take a tenth of a second, and an interview needs few of
// them, so they are computed when they are needed.
type stemmed func() []cue

// checkCues returns an error that names the cues without a stem. They would match nothing.
func (b *Bank) checkCues() error {
	var faults []error
	for _, text := range slices.Sorted(maps.Keys(b.cues)) {
		for _, c := range b.cuesOf(text) {
			if len(c.stems) == 0 {
				faults = append(faults, fmt.Errorf("point %q: a cue has only stop words", text))
			}
		}
	}
	return errors.Join(faults...)
}

// cuesOf returns the cues of the points with a text, or nil if the bank has no such point.
func (b *Bank) cuesOf(text string) []cue {
	var all []cue
	for _, cues := range b.cues[text] {
		all = append(all, cues()...)
	}
	return all
}

// compileQuestion indexes a question of a topic. A point is found by its text in any language, and has the cues of all
// languages.
func (b *Bank) compileQuestion(t *topic, q *question, codes []string) {
	cuesOfPoint := make([][]stemmed, len(q.points))
	var rubrics [][]string // the points in each language
	for _, code := range codes {
		e := b.editions[code]
		texts, ok := e.texts[t.id]
		if !ok {
			continue // not translated
		}

		translated := texts.question(q.kind)
		rubrics = append(rubrics, translated.pointTexts())

		for i, point := range translated.points {
			cuesOfPoint[i] = append(cuesOfPoint[i], sync.OnceValue(func() []cue {
				cues := make([]cue, len(point.cues))
				for k, phrase := range point.cues {
					cues[k] = newCue(b.analyzer, phrase, e.language)
				}
				return cues
			}))
		}
	}

	for _, points := range rubrics {
		// A rubric may read the same in two languages.
		if key := rubricKey(points); !slices.Contains(b.rubrics[key], t.id) {
			b.rubrics[key] = append(b.rubrics[key], t.id)
		}
		for i, text := range points {
			b.cues[text] = append(b.cues[text], cuesOfPoint[i]...)
		}
	}
}
