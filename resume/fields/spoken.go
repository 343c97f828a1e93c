package fields

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
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
		for n := min(2, len(words)-i); n > 0 && !named; n-- {
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

// languages returns the languages that the person speaks: those in sections about languages, and in labeled lines of
// other sections.
func (e *Extractor) languages(all []*section) []resume.Language {
	var list []resume.Language
	have := make(set)
	for _, s := range all {
		if s.is(references) {
			continue
		}
		for i, l := range s.lines {
			text, next := l.text, ""
			if s.kind != languages {
				labeled, ok := e.labeledLanguages(text)
				if !ok && (s.also != languages || len(e.words.spokenIn(labeled)) == 0) {
					continue
				}
				text = labeled
			} else if i+1 < len(s.lines) {
				next = s.lines[i+1].text
			}
			for _, spoken := range e.levels(text, next) {
				if !have[spoken.Name] && len(list) < maxEntries {
					have[spoken.Name] = true
					list = append(list, spoken)
				}
			}
		}
	}
	return list
}

// labeledLanguages returns the text after a label, and whether the label announces languages.
func (e *Extractor) labeledLanguages(text string) (rest string, ok bool) {
	text = truncate(text, maxLanguageLine)
	var label string
	for _, sign := range []string{":", "\t"} {
		if label, rest, ok = strings.Cut(text, sign); ok {
			return rest, e.words.headings[e.words.withoutModifiers(key(label))] == languages
		}
	}
	return "", false
}

// levels returns the languages in a line. The level of a language follows it, or else precedes it, or else is on the
// next line.
func (e *Extractor) levels(text, next string) []resume.Language {
	text = truncate(text, maxLanguageLine)
	found := e.words.spokenIn(text)
	list := make([]resume.Language, len(found))
	for i, f := range found {
		from, to := 0, len(text)
		if i > 0 {
			from = found[i-1].end
		}
		if i+1 < len(found) {
			to = found[i+1].start
		}
		before := text[from:f.start]
		if sign := strings.LastIndexAny(before, ",;)|"); sign >= 0 {
			before = before[sign+1:]
		} else if i > 0 {
			before = "" // it is the level of the language before
		}
		isLabel := i == 0 && strings.HasSuffix(strings.TrimSpace(before), ":") // "Muttersprache: Deutsch"
		list[i] = resume.Language{Name: f.name, Level: e.words.level(text[f.end:to])}
		if list[i].Level == "" || isLabel {
			list[i].Level = cmp.Or(e.words.level(before), list[i].Level)
		}
	}
	if len(list) == 1 && list[0].Level == "" && len(e.words.spokenIn(next)) == 0 && utf8.RuneCountInString(next) < 60 {
		list[0].Level = e.words.level(next)
	}
	return list
}

// level returns the level that a text names: "A1" to "C2" of the CEFR, "native", or another known level as written.
func (d *dictionary) level(text string) string {
	words := wordRanges(text, 30, func(r rune) bool { return letterOrMark(r) || unicode.IsDigit(r) })
	for _, w := range words {
		word := strings.ToUpper(text[w.start:w.end])
		if slices.Contains([]string{"A1", "A2", "B1", "B2", "C1", "C2"}, word) {
			return word
		}
	}
	written := ""
	for i := range words {
		for n := min(5, len(words)-i); n > 0; n-- {
			phrase := text[words[i].start:words[i+n-1].end]
			k := key(phrase)
			if d.native[k] {
				return "native"
			}
			if written == "" && d.levels[k] {
				written = phrase
			}
		}
	}
	return written
}

// onlyLanguages reports whether most words of a text name languages or levels.
func (e *Extractor) onlyLanguages(text string) bool {
	text = truncate(text, maxLanguageLine)
	mentions := e.words.spokenIn(text)
	words, foreign := wordRanges(text, maxLanguageLine, letterOrMark), 0
	for _, w := range words {
		named := slices.ContainsFunc(mentions, func(m languageMention) bool { return m.start <= w.start && w.end <= m.end })
		if !named && !e.words.levelWords[key(text[w.start:w.end])] && w.end-w.start > 2 {
			foreign++
		}
	}
	return len(mentions) > 0 && foreign <= max(1, len(words)/4)
}
