package fields

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"freelancer-matching/resume"
)

// native is the level of a mother tongue.
const native = "native"

// levels returns the languages in a line. Their levels follow them ("German: B2"), or precede them ("Fluent: German,
// English") if the line starts with a level and doesn't end with one. The level of a single language may be on the next
// line.
func (r *spokenReader) levels(text, next string) []resume.Language {
	text = truncate(text, maxLanguageLine)
	found := r.words.spokenIn(text)
	list := make([]resume.Language, len(found))

	if len(found) == 0 {
		return list
	}
	first := text[:found[0].start]
	last := text[found[len(found)-1].end:]
	precede := r.words.level(first) != "" && r.words.level(last) == ""
	labeled := strings.HasSuffix(strings.TrimSpace(first), ":") // "Muttersprache: Deutsch, Englisch: fließend"
	for i, f := range found {
		from := 0
		to := len(text)

		if i > 0 {
			from = found[i-1].end
		}

		if i+1 < len(found) {
			to = found[i+1].start
		}
		before := text[from:f.start]
		after := text[f.end:to]
		list[i].Name = f.name
		switch {
		case precede, labeled && i == 0:
			list[i].Level = r.words.level(before)
			if i > 0 && list[i].Level == "" && !strings.ContainsFunc(before, unicode.IsDigit) {
				list[i].Level = list[i-1].Level
			}

		default:
			list[i].Level = r.levelAfter(after, i+1 < len(found))
		}

		if list[i].Level == "" {
			if i > 0 {
				_, before = r.divideLevels(before)
			}
			list[i].Level = r.words.level(before)
		}
	}

	levelBelow := len(next) < maxHeader && len(r.words.spokenIn(next)) == 0
	if len(list) == 1 && list[0].Level == "" && levelBelow {
		list[0].Level = r.words.level(next)
	}

	return list
}

// divideLevels divides the text between two languages into what is about the first and what is about the second:
// " fluent" and "some" in "German fluent, some Dutch".
func (r *spokenReader) divideLevels(text string) (first, second string) {
	at := 0
	for _, w := range wordRanges(text, 20, letterOrMark) {
		if r.words.joiners[key(text[w.start:w.end])] {
			at = w.end
		}
	}
	if sign := strings.LastIndexAny(text, ",;|/)]•."); sign >= at {
		at = sign + 1
	}
	if at == 0 {
		return text, ""
	}
	return text[:at], text[at:]
}

// levelAfter returns the level in the text between a language and the next one, or the end of the line. more reports
// whether another language follows.
func (r *spokenReader) levelAfter(text string, more bool) string {
	if more {
		text, _ = r.divideLevels(text)
	}
	text = strings.TrimLeft(text, " ,|•")
	if end := strings.IndexAny(text, ";|•"); end > 0 {
		text = text[:end]
	}
	if level := r.words.level(text); level != "" {
		return level
	}
	return r.levelAsWritten(text)
}

// levelAsWritten returns an unknown level set apart by a bracket, a colon, a dash or a tab, if it has a number or a
// word of levels: "(TOEIC 900)", ": full written command".
func (r *spokenReader) levelAsWritten(text string) string {
	text = strings.TrimLeft(text, " ")
	sign, size := utf8.DecodeRuneInString(text)
	if !strings.ContainsRune("(:–—-|\t[", sign) {
		return ""
	}

	text = text[size:]
	if end := strings.IndexAny(text, ")],\t"); end >= 0 {
		text = text[:end]
	}
	text = strings.Trim(text, " .:-–")
	const maxWords = 4
	if strings.Count(text, " ") >= maxWords || !strings.ContainsFunc(text, unicode.IsLetter) {
		return ""
	}

	isLevel := func(word string) bool { return hasDigit(word) || r.words.levelWords[key(word)] }
	if !slices.ContainsFunc(strings.Fields(text), isLevel) {
		return ""
	}

	return text
}

// levelGrid returns the languages in the cells of a line whose levels are in the cells of the next line, nil if the
// lines aren't like that.
func (r *spokenReader) levelGrid(l *line, next string) []resume.Language {
	levels := strings.Split(next, "\t")
	if len(l.cells) < 2 || len(levels) != len(l.cells) || len(r.words.spokenIn(next)) > 0 {
		return nil
	}
	list := make([]resume.Language, len(l.cells))
	for i, cell := range l.cells {
		mentions := r.words.spokenIn(cell)
		level := r.words.level(levels[i])
		if len(mentions) != 1 || level == "" || r.words.level(cell) != "" {
			return nil
		}
		list[i] = resume.Language{Name: mentions[0].name, Level: level}
	}
	return list
}

// level returns the level that a text names: "A1" to "C2" of the CEFR, "native", or another known level as written. Of
// several levels of the CEFR, as for listening, reading and writing, it returns the middle one, the lower of two.
func (d *languageWords) level(text string) string {
	words := wordRanges(text, 30, func(r rune) bool { return letterOrMark(r) || unicode.IsDigit(r) })
	var framework []string
	for _, w := range words {
		word := strings.ToUpper(text[w.start:w.end])
		if slices.Contains([]string{"A1", "A2", "B1", "B2", "C1", "C2"}, word) {
			framework = append(framework, word)
		}
	}

	if len(framework) > 0 {
		slices.Sort(framework)
		return framework[(len(framework)-1)/2]
	}

	written := ""
	for i := range words {
		for n := min(5, len(words)-i); n > 0; n-- {
			phrase := text[words[i].start:words[i+n-1].end]
			k := key(phrase)
			if d.native[k] {
				return native
			}

			if written == "" && d.levels[k] {
				written = phrase
			}
		}
	}

	return written
}
