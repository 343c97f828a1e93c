package fields

import (
	"slices"
	"strings"
	"unicode/utf8"

	"freelancer-matching/resume"
)

// A languageMention is the name of a human language in a text.
type languageMention struct {
	textRange
	name string // in English
}

// maxLanguageLine is how many bytes of a line are searched for languages.
const maxLanguageLine = 400

// spokenIn returns the human languages that a text names.
func (d *languageWords) spokenIn(text string) []languageMention {
	text = truncate(text, maxLanguageLine)
	words := wordRanges(text, maxLanguageLine, letterOrMark)
	var found []languageMention
	for i := 0; i < len(words); i++ {
		named := false
		for n := min(3, len(words)-i); n > 0 && !named; n-- {
			at := textRange{words[i].start, words[i+n-1].end}
			if name := d.spoken[key(text[at.start:at.end])]; name != "" {
				found = append(found, languageMention{at, name})
				named = true
				i += n - 1
			}
		}
		if !named {
			found = append(found, d.spokenInside(text, words[i])...)
		}
	}
	return found
}

// spokenInside returns the languages inside a word of a script without spaces.
func (d *languageWords) spokenInside(text string, word textRange) []languageMention {
	if !wide(text[word.start:word.end]) {
		return nil
	}
	var found []languageMention

	for i := word.start; i < word.end; {
		_, size := utf8.DecodeRuneInString(text[i:])
		for _, length := range []int{15, 12, 9, 6} { // five characters to two
			if i+length > word.end {
				continue
			}

			if name := d.spoken[key(text[i:i+length])]; name != "" {
				found = append(found, languageMention{textRange{i, i + length}, name})
				size = length
				break
			}
		}

		i += size
	}

	return found
}

// The sources of languages.
const (
	inSection   = "section"   // a section about languages
	inLabel     = "label"     // "Languages: German, English", "Mother tongue: German"
	inList      = "list"      // an item of a list of skills
	inLine      = "line"      // a line with nothing but languages
	inStatement = "statement" // "fluent in German", "bilingual (English and German)"
)

// A spokenReader reads the languages that the person speaks.
type spokenReader struct {
	words       *dictionary
	calibration calibration
}

func newSpokenReader(words *dictionary, c calibration) *spokenReader { return &spokenReader{words, c} }

// languages returns the languages that the person speaks, the first mention of each with the level that any mention
// states. A mention counts if its source and its features speak for it.
func (r *spokenReader) languages(all []*section) []resume.Language {
	var list []resume.Language
	for _, s := range all {
		if s.is(references) {
			continue
		}

		for i := range s.lines {
			for _, c := range r.languagesAt(s, i) {
				known := slices.IndexFunc(list, func(l resume.Language) bool { return l.Name == c.value.Name })
				switch {
				case c.score <= 0:
				case known < 0 && len(list) < maxEntries:
					c.value.Confidence = r.calibration.confidence("languages", c.score)
					list = append(list, c.value)
				case known >= 0 && list[known].Level == "":
					list[known].Level = c.value.Level
				}
			}
		}
	}

	return list
}

// languagesAt returns the languages in line i of a section.
func (r *spokenReader) languagesAt(s *section, i int) []candidate[resume.Language] {
	l := s.lines[i]
	text := l.text
	next := ""

	if i+1 < len(s.lines) {
		next = s.lines[i+1].text
	}
	labeled, ok := r.labeledLanguages(text)
	mixed := s.also == languages || s.kind == languages && s.also != ""
	switch {
	case ok:
		return r.languageCandidates(l, inLabel, r.levels(labeled, next))
	case s.kind == languages && !mixed, mixed && r.words.onlyLanguages(text):
		if grid := r.levelGrid(l, next); grid != nil {
			return r.languageCandidates(l, inSection, grid)
		}
		return r.languageCandidates(l, inSection, r.levels(text, next))
	}

	if s.kind == skills {
		var found []candidate[resume.Language]
		for item := range strings.FieldsFuncSeq(text, listSign) {
			if r.words.spokenItem(item) {
				found = append(found, r.languageCandidates(l, inList, r.levels(item, ""))...)
			}
		}

		return append(found, r.languageCandidates(l, inStatement, r.statedLanguages(text))...)
	}

	switch personal := []kind{head, margin, contact, other, interests}; {
	case slices.Contains(personal, s.kind) && r.words.spokenItem(text):
		return r.languageCandidates(l, inLine, r.levels(text, ""))
	case slices.Contains(personal, s.kind), s.kind == summary:
		return r.languageCandidates(l, inStatement, r.statedLanguages(text))
	}

	return nil
}

// languageCandidates returns the languages of a line with their scores.
func (r *spokenReader) languageCandidates(l *line, source string, list []resume.Language) []candidate[resume.Language] {
	all := make([]candidate[resume.Language], len(list))
	for i, spoken := range list {
		declared := source == inSection || source == inLabel
		all[i] = newCandidate(spoken, source,
			feature{"in a section about languages", source == inSection, 3},
			feature{"after a label for languages", source == inLabel, 3},
			feature{"the person says so", source == inStatement, 1.5},
			feature{"listed as a skill", source == inList, 1},
			feature{"alone in a line", source == inLine, -.5},
			feature{"with a level", spoken.Level != "", 1},
			feature{"with other languages", len(list) > 1, .5},
			feature{"rare, or an ordinary word", !r.words.common[spoken.Name], -1},
			feature{"rare, and not declared as a language", !r.words.common[spoken.Name] && !declared, -3},
			feature{"in running text", declared && sentence(l.text), -1},
			feature{"with an address", strings.Contains(l.text, "@") || strings.Contains(l.text, "://"), -4},
		)
	}
	return all
}

// labeledLanguages returns the text after a label, and whether the label announces languages: by a heading, or by a
// level such as "Mother tongue".
func (r *spokenReader) labeledLanguages(text string) (rest string, ok bool) {
	text = truncate(text, maxLanguageLine)
	for _, sign := range []string{":", "\t", " - ", " – "} {
		label, rest, ok := strings.Cut(text, sign)
		if !ok || len(label) > maxHeading {
			continue
		}
		k := key(withoutBrackets(label))
		switch {
		case r.words.headings[r.words.withoutModifiers(k)] == languages:
			return rest, len(r.words.spokenIn(rest)) > 0
		case r.words.native[k] || r.words.native[strings.TrimSuffix(k, "s")]:
			return text, r.words.onlyLanguages(rest)
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
func (r *spokenReader) statedLanguages(text string) []resume.Language {
	text = truncate(text, maxLanguageLine)
	words := wordRanges(text, maxLanguageLine, letterOrMark)
	for i := range words {
		for n := min(3, len(words)-i); n > 0; n-- {
			end := words[i+n-1].end
			if !r.words.speaks[key(text[words[i].start:end])] {
				continue
			}
			window := truncate(text[end:], maxStatement)
			if stop := strings.IndexAny(window, ".;\t"); stop >= 0 {
				window = window[:stop]
			}

			list := r.levels(window, "")
			if level := r.words.level(text[words[i].start:end]); len(list) > 0 && level != native {
				for k := range list {
					if list[k].Level == "" {
						list[k].Level = level
					}
				}
			}

			return r.adjacent(window, list)
		}
	}

	return nil
}

// adjacent returns the first of the languages of a text that have few other words before and between them.
func (r *spokenReader) adjacent(text string, list []resume.Language) []resume.Language {
	const maxWords = 3
	at := 0
	for i, m := range r.words.spokenIn(text) {
		between := text[at:m.start]
		if len(strings.FieldsFunc(between, func(r rune) bool { return !letterOrMark(r) })) > maxWords {
			return list[:i]
		}
		at = m.end
	}
	return list
}

// spokenItem reports whether an item of a list is a human language with or without its level: "Spanish", "fluent
// English", "German (C1)". Such items are no skills.
func (d *languageWords) spokenItem(item string) bool {
	mentions := d.spokenIn(item)
	if len(mentions) == 0 || !d.common[mentions[0].name] {
		return false
	}
	return d.foreignWords(item, mentions) == 0
}

// onlyLanguages reports whether most words of a text name languages or levels.
func (d *languageWords) onlyLanguages(text string) bool {
	text = truncate(text, maxLanguageLine)
	mentions := d.spokenIn(text)
	return len(mentions) > 0 && d.foreignWords(text, mentions) <= max(1, strings.Count(text, " ")/4)
}

// foreignWords counts the words of a text that belong neither to one of its languages nor to a level. Words of two
// letters or fewer don't count, such as "in".
func (d *languageWords) foreignWords(text string, mentions []languageMention) int {
	text = truncate(text, maxLanguageLine)
	foreign := 0
	for _, w := range wordRanges(text, maxLanguageLine, letterOrMark) {
		named := slices.ContainsFunc(mentions, func(m languageMention) bool { return m.start <= w.start && w.end <= m.end })
		k := key(text[w.start:w.end])
		inside := wide(k) && (d.level(k) != "" || len(mentions) > 0 && len(k) < 24) // several words without spaces
		if !named && !inside && !d.levelWords[k] && !d.joiners[k] && len(k) > 2 {
			foreign++
		}
	}
	return foreign
}
