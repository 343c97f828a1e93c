package languages

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/page"
	"github.com/freelancer-matching/service/resume/wording"
)

// levels returns the languages in a line. Their levels follow them ("German: B2"), or precede them ("Fluent: German,
// English") if the line starts with a level and doesn't end with one. The level of a single language may be on the next
// line.
func (r *Reader) levels(text, next string) []resume.Language {
	text = wording.Truncate(text, lexicon.MaxLanguageLine)
	mentions := r.words.SpokenIn(text)
	list := make([]resume.Language, len(mentions))
	if len(mentions) == 0 {
		return list
	}

	start := text[:mentions[0].Start]
	end := text[mentions[len(mentions)-1].End:]
	levelsPrecede := r.words.Level(start) != "" && r.words.Level(end) == ""
	labeled := strings.HasSuffix(strings.TrimSpace(start), ":") // "Muttersprache: Deutsch, Englisch: fließend"

	for i, mention := range mentions {
		isFirst := i == 0
		isLast := i == len(mentions)-1
		before := start
		if !isFirst {
			before = text[mentions[i-1].End:mention.Start]
		}

		after := end
		if !isLast {
			after = text[mention.End:mentions[i+1].Start]
		}

		language := &list[i]
		language.Name = mention.Name
		if levelsPrecede || isFirst && labeled {
			language.Level = r.words.Level(before)
		} else {
			language.Level = r.levelAfter(after, !isLast)
		}

		// In "Fluent: German, English", one level is for all.
		mayShare := levelsPrecede && !isFirst && language.Level == ""
		if mayShare && !strings.ContainsFunc(before, unicode.IsDigit) {
			language.Level = list[i-1].Level
		}

		// "German, fluent English": without a level after it, what precedes the language counts, too.
		if language.Level == "" {
			if !isFirst {
				_, before = r.divideLevels(before)
			}
			language.Level = r.words.Level(before)
		}
	}

	lacksLevel := len(list) == 1 && list[0].Level == ""
	levelBelow := len(next) < wording.MaxHeader && len(r.words.SpokenIn(next)) == 0
	if lacksLevel && levelBelow {
		list[0].Level = r.words.Level(next)
	}

	return list
}

// divideLevels divides the text between two languages into what is about the first and what is about the second:
// " fluent" and "some" in "German fluent, some Dutch".
func (r *Reader) divideLevels(text string) (first, second string) {
	at := 0
	for _, w := range wording.WordRanges(text, 20, wording.LetterOrMark) {
		if r.words.Joiners[wording.Key(text[w.Start:w.End])] {
			at = w.End
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
func (r *Reader) levelAfter(text string, more bool) string {
	if more {
		text, _ = r.divideLevels(text)
	}
	text = strings.TrimLeft(text, " ,|•")
	if end := strings.IndexAny(text, ";|•"); end > 0 {
		text = text[:end]
	}
	if level := r.words.Level(text); level != "" {
		return level
	}
	return r.levelAsWritten(text)
}

// levelAsWritten returns an unknown level set apart by a bracket, a colon, a dash or a tab, if it has a number or a
// word of levels: "(TOEIC 900)", ": full written command".
func (r *Reader) levelAsWritten(text string) string {
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

	// Any remark may follow a sign, so only a number or a word of levels shows that this one is a level.
	isLevel := func(word string) bool { return wording.HasDigit(word) || r.words.LevelWords[wording.Key(word)] }
	if !slices.ContainsFunc(strings.Fields(text), isLevel) {
		return ""
	}

	return text
}

// levelRow returns the language in the first cell of a line if all other cells have a level, as in the grid of
// Europass: one for each of listening, reading, speaking and writing. The most frequent level counts, and the first of
// equals.
func (r *Reader) levelRow(line *page.Line) []resume.Language {
	const minLevels = 2
	if len(line.Cells) <= minLevels {
		return nil
	}
	mentions := r.words.SpokenIn(line.Cells[0])
	if len(mentions) != 1 || r.words.Level(line.Cells[0]) != "" {
		return nil
	}

	counts := make(map[string]int)
	best := ""
	for _, cell := range line.Cells[1:] {
		level := r.words.Level(cell)
		if level == "" {
			return nil
		}
		counts[level]++
	}
	for _, cell := range line.Cells[1:] {
		if level := r.words.Level(cell); counts[level] > counts[best] {
			best = level
		}
	}

	return []resume.Language{{Name: mentions[0].Name, Level: best}}
}

// levelGrid returns the languages in the cells of a line whose levels are in the cells of the next line, nil if the
// lines aren't like that.
func (r *Reader) levelGrid(line *page.Line, next string) []resume.Language {
	levels := strings.Split(next, "\t")
	isGrid := len(line.Cells) >= 2 && len(levels) == len(line.Cells)
	if !isGrid || len(r.words.SpokenIn(next)) > 0 {
		return nil
	}

	list := make([]resume.Language, len(line.Cells))
	for i, cell := range line.Cells {
		mentions := r.words.SpokenIn(cell)
		level := r.words.Level(levels[i])
		isLanguage := len(mentions) == 1 && r.words.Level(cell) == ""
		if !isLanguage || level == "" {
			return nil
		}
		list[i] = resume.Language{Name: mentions[0].Name, Level: level}
	}
	return list
}
