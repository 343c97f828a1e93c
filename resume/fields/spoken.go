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
func (d *dictionary) spokenIn(text string) []languageMention {
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
func (d *dictionary) spokenInside(text string, word textRange) []languageMention {
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

// languages returns the languages that the person speaks, the first mention of each with the level that any mention
// states. A mention counts if its source and its features speak for it.
func (e *Extractor) languages(all []*section) []resume.Language {
	var list []resume.Language
	for _, s := range all {
		if s.is(references) {
			continue
		}

		for i := range s.lines {
			for _, c := range e.languagesAt(s, i) {
				known := slices.IndexFunc(list, func(l resume.Language) bool { return l.Name == c.value.Name })
				switch {
				case c.score <= 0:
				case known < 0 && len(list) < maxEntries:
					c.value.Confidence = e.calibration.confidence("languages", c.score)
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
func (e *Extractor) languagesAt(s *section, i int) []candidate[resume.Language] {
	l := s.lines[i]
	text := l.text
	next := ""

	if i+1 < len(s.lines) {
		next = s.lines[i+1].text
	}
	labeled, ok := e.labeledLanguages(text)
	mixed := s.also == languages || s.kind == languages && s.also != ""
	switch {
	case ok:
		return e.languageCandidates(l, inLabel, e.levels(labeled, next))
	case s.kind == languages && !mixed, mixed && e.onlyLanguages(text):
		if grid := e.levelGrid(l, next); grid != nil {
			return e.languageCandidates(l, inSection, grid)
		}
		return e.languageCandidates(l, inSection, e.levels(text, next))
	}

	if s.kind == skills {
		var found []candidate[resume.Language]
		for item := range strings.FieldsFuncSeq(text, listSign) {
			if e.spokenItem(item) {
				found = append(found, e.languageCandidates(l, inList, e.levels(item, ""))...)
			}
		}

		return append(found, e.languageCandidates(l, inStatement, e.statedLanguages(text))...)
	}

	switch personal := []kind{head, margin, contact, other, interests}; {
	case slices.Contains(personal, s.kind) && e.spokenItem(text):
		return e.languageCandidates(l, inLine, e.levels(text, ""))
	case slices.Contains(personal, s.kind), s.kind == summary:
		return e.languageCandidates(l, inStatement, e.statedLanguages(text))
	}

	return nil
}

// languageCandidates returns the languages of a line with their scores.
func (e *Extractor) languageCandidates(l *line, source string, list []resume.Language) []candidate[resume.Language] {
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
			feature{"rare, or an ordinary word", !e.words.common[spoken.Name], -1},
			feature{"rare, and not declared as a language", !e.words.common[spoken.Name] && !declared, -3},
			feature{"in running text", declared && sentence(l.text), -1},
			feature{"with an address", strings.Contains(l.text, "@") || strings.Contains(l.text, "://"), -4},
		)
	}
	return all
}

// labeledLanguages returns the text after a label, and whether the label announces languages: by a heading, or by a
// level such as "Mother tongue".
func (e *Extractor) labeledLanguages(text string) (rest string, ok bool) {
	text = truncate(text, maxLanguageLine)
	for _, sign := range []string{":", "\t", " - ", " – "} {
		label, rest, ok := strings.Cut(text, sign)
		if !ok || len(label) > maxHeading {
			continue
		}
		k := key(withoutBrackets(label))
		switch {
		case e.words.headings[e.words.withoutModifiers(k)] == languages:
			return rest, len(e.words.spokenIn(rest)) > 0
		case e.words.native[k] || e.words.native[strings.TrimSuffix(k, "s")]:
			return text, e.onlyLanguages(rest)
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
func (e *Extractor) statedLanguages(text string) []resume.Language {
	text = truncate(text, maxLanguageLine)
	words := wordRanges(text, maxLanguageLine, letterOrMark)
	for i := range words {
		for n := min(3, len(words)-i); n > 0; n-- {
			end := words[i+n-1].end
			if !e.words.speaks[key(text[words[i].start:end])] {
				continue
			}
			window := truncate(text[end:], maxStatement)
			if stop := strings.IndexAny(window, ".;\t"); stop >= 0 {
				window = window[:stop]
			}

			list := e.levels(window, "")
			if level := e.words.level(text[words[i].start:end]); len(list) > 0 && level != native {
				for k := range list {
					if list[k].Level == "" {
						list[k].Level = level
					}
				}
			}

			return e.adjacent(window, list)
		}
	}

	return nil
}

// adjacent returns the first of the languages of a text that have few other words before and between them.
func (e *Extractor) adjacent(text string, list []resume.Language) []resume.Language {
	const maxWords = 3
	at := 0
	for i, m := range e.words.spokenIn(text) {
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
func (e *Extractor) spokenItem(item string) bool {
	mentions := e.words.spokenIn(item)
	if len(mentions) == 0 || !e.words.common[mentions[0].name] {
		return false
	}
	return e.foreignWords(item, mentions) == 0
}

// onlyLanguages reports whether most words of a text name languages or levels.
func (e *Extractor) onlyLanguages(text string) bool {
	text = truncate(text, maxLanguageLine)
	mentions := e.words.spokenIn(text)
	return len(mentions) > 0 && e.foreignWords(text, mentions) <= max(1, strings.Count(text, " ")/4)
}

// foreignWords counts the words of a text that belong neither to one of its languages nor to a level. Words of two
// letters or fewer don't count, such as "in".
func (e *Extractor) foreignWords(text string, mentions []languageMention) int {
	text = truncate(text, maxLanguageLine)
	foreign := 0
	for _, w := range wordRanges(text, maxLanguageLine, letterOrMark) {
		named := slices.ContainsFunc(mentions, func(m languageMention) bool { return m.start <= w.start && w.end <= m.end })
		k := key(text[w.start:w.end])
		inside := wide(k) && (e.words.level(k) != "" || len(mentions) > 0 && len(k) < 24) // several words without spaces
		if !named && !inside && !e.words.levelWords[k] && !e.words.joiners[k] && len(k) > 2 {
			foreign++
		}
	}
	return foreign
}
