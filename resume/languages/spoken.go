package languages

import (
	"slices"
	"strings"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/odds"
	"github.com/freelancer-matching/service/resume/page"
	"github.com/freelancer-matching/service/resume/sections"
	"github.com/freelancer-matching/service/resume/wording"
)

// The sources of languages.
const (
	inSection   = "section"   // a section about languages
	inLabel     = "label"     // "Languages: German, English", "Mother tongue: German"
	inList      = "list"      // an item of a list of skills
	inLine      = "line"      // a line with nothing but languages
	inStatement = "statement" // "fluent in German", "bilingual (English and German)"
)

// A Reader reads the languages that the person speaks.
type Reader struct {
	words       *lexicon.Lexicon
	calibration odds.Calibration
}

// NewReader returns a reader whose confidences c calibrates.
func NewReader(words *lexicon.Lexicon, c odds.Calibration) *Reader { return &Reader{words, c} }

// Read returns the languages that the person speaks, the first mention of each with the level that any mention
// states. A mention counts if its source and its features speak for it.
func (r *Reader) Read(all []*sections.Section) []resume.Language {
	var list []resume.Language
	for _, s := range all {
		// What references say is about other people.
		if s.Is(lexicon.References) {
			continue
		}

		for i := range s.Lines {
			for _, candidate := range r.languagesAt(s, i) {
				known := slices.IndexFunc(list, func(l resume.Language) bool { return l.Name == candidate.Value.Name })
				switch {
				case candidate.Score <= 0:
				case known < 0 && len(list) < page.MaxEntries:
					candidate.Value.Confidence = r.calibration.Confidence("languages", candidate.Score)
					list = append(list, candidate.Value)
				case known >= 0 && list[known].Level == "":
					list[known].Level = candidate.Value.Level
				}
			}
		}
	}

	return list
}

// languagesAt returns the languages in line i of a section.
func (r *Reader) languagesAt(s *sections.Section, i int) []odds.Candidate[resume.Language] {
	line := s.Lines[i]
	text := line.Text
	next := ""
	if i+1 < len(s.Lines) {
		next = s.Lines[i+1].Text
	}

	if row := r.levelRow(line); row != nil {
		return r.languageCandidates(line, inSection, row)
	}

	labeled, ok := r.labeledLanguages(text)
	// A section with a second subject has lines about that, too, so only lines of nothing but languages count there.
	mixed := s.Also == lexicon.Languages || s.Kind == lexicon.Languages && s.Also != ""
	switch {
	case ok:
		return r.languageCandidates(line, inLabel, r.levels(labeled, next))
	case s.Kind == lexicon.Languages && !mixed, mixed && r.words.OnlyLanguages(text):
		if grid := r.levelGrid(line, next); grid != nil {
			return r.languageCandidates(line, inSection, grid)
		}
		return r.languageCandidates(line, inSection, r.levels(text, next))
	}

	// Among skills, only items that name nothing else count: "Spanish", but not "Spanish teaching".
	if s.Kind == lexicon.Skills {
		var found []odds.Candidate[resume.Language]
		for item := range strings.FieldsFuncSeq(text, wording.ListSign) {
			if r.words.SpokenItem(item) {
				found = append(found, r.languageCandidates(line, inList, r.levels(item, ""))...)
			}
		}

		return append(found, r.languageCandidates(line, inStatement, r.statedLanguages(text))...)
	}

	switch personal := []lexicon.Kind{lexicon.Head, lexicon.Margin, lexicon.Contact, lexicon.Other, lexicon.Interests}; {
	case slices.Contains(personal, s.Kind) && r.words.SpokenItem(text):
		return r.languageCandidates(line, inLine, r.levels(text, ""))
	case slices.Contains(personal, s.Kind), s.Kind == lexicon.Summary:
		return r.languageCandidates(line, inStatement, r.statedLanguages(text))
	}

	return nil
}

// languageCandidates returns the languages of a line with their scores.
func (r *Reader) languageCandidates(
	line *page.Line, source string, list []resume.Language,
) []odds.Candidate[resume.Language] {
	all := make([]odds.Candidate[resume.Language], len(list))
	for i, spoken := range list {
		declared := source == inSection || source == inLabel
		all[i] = odds.NewCandidate(spoken, source,
			odds.If("in a section about languages", source == inSection, 3),
			odds.If("after a label for languages", source == inLabel, 3),
			odds.If("the person says so", source == inStatement, 1.5),
			odds.If("listed as a skill", source == inList, 1),
			odds.If("alone in a line", source == inLine, -.5),
			odds.If("with a level", spoken.Level != "", 1),
			odds.If("with other languages", len(list) > 1, .5),
			odds.If("rare, or an ordinary word", !r.words.Common[spoken.Name], -1),
			odds.If("rare, and not declared as a language", !r.words.Common[spoken.Name] && !declared, -3),
			odds.If("in running text", declared && wording.Sentence(line.Text), -1),
			odds.If("with an address", strings.Contains(line.Text, "@") || strings.Contains(line.Text, "://"), -4),
		)
	}
	return all
}

// labeledLanguages returns the text after a label, and whether the label announces languages: by a heading, or by a
// level such as "Mother tongue".
func (r *Reader) labeledLanguages(text string) (rest string, ok bool) {
	text = wording.Truncate(text, lexicon.MaxLanguageLine)
	for _, sign := range []string{":", "\t", " - ", " – "} {
		label, rest, ok := strings.Cut(text, sign)
		if !ok || len(label) > wording.MaxHeading {
			continue
		}
		key := wording.Key(wording.WithoutBrackets(label))
		switch {
		case r.words.Headings[r.words.WithoutModifiers(key)] == lexicon.Languages:
			return rest, len(r.words.SpokenIn(rest)) > 0
		case r.words.Native[key] || r.words.Native[strings.TrimSuffix(key, "s")]:
			return text, r.words.OnlyLanguages(rest)
		case sign == ":":
			return "", false
		}
	}
	return "", false
}

// maxStatement is the length in bytes of the text after "fluent in" that is read.
const maxStatement = 60

// statedLanguages returns the languages after phrases such as "fluent in" and "bilingual", which may follow each other,
// and the languages directly before "speaker".
func (r *Reader) statedLanguages(text string) []resume.Language {
	text = wording.Truncate(text, lexicon.MaxLanguageLine)
	words := wording.WordRanges(text, lexicon.MaxLanguageLine, wording.LetterOrMark)
	for i := range words {
		for n := min(3, len(words)-i); n > 0; n-- {
			end := words[i+n-1].End
			if !r.words.Speaks[wording.Key(text[words[i].Start:end])] {
				continue
			}

			window := wording.Truncate(text[end:], maxStatement)
			if stop := strings.IndexAny(window, ".;\t"); stop >= 0 {
				window = window[:stop]
			}

			list := r.levels(window, "")
			if level := r.words.Level(text[words[i].Start:end]); len(list) > 0 && level != lexicon.Native {
				for j := range list {
					if list[j].Level == "" {
						list[j].Level = level
					}
				}
			}

			return r.adjacent(window, list)
		}
	}

	return nil
}

// adjacent returns the first of the languages of a text that have few other words before and between them.
func (r *Reader) adjacent(text string, list []resume.Language) []resume.Language {
	const maxWords = 3
	at := 0
	for i, m := range r.words.SpokenIn(text) {
		between := text[at:m.Start]
		if len(strings.FieldsFunc(between, func(r rune) bool { return !wording.LetterOrMark(r) })) > maxWords {
			return list[:i]
		}
		at = m.End
	}
	return list
}
