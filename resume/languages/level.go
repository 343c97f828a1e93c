package languages

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"freelancer-matching/resume"
	"freelancer-matching/resume/lexicon"
	"freelancer-matching/resume/page"
	"freelancer-matching/resume/wording"
)

// levels returns the languages in a line. Their levels follow them ("German: B2"), or precede them ("Fluent: German,
// English") if the line starts with a level and doesn't end with one. The level of a single language may be on the next
// line.
func (r *Reader) levels(text, next string) []resume.Language {
	text = wording.Truncate(text, lexicon.MaxLanguageLine)
	found := r.words.SpokenIn(text)
	list := make([]resume.Language, len(found))
	if len(found) == 0 {
		return list
	}

	first := text[:found[0].Start]
	last := text[found[len(found)-1].End:]
	precede := r.words.Level(first) != "" && r.words.Level(last) == ""
	labeled := strings.HasSuffix(strings.TrimSpace(first), ":") // "Muttersprache: Deutsch, Englisch: fließend"
	for i, mention := range found {
		from := 0
		to := len(text)

		if i > 0 {
			from = found[i-1].End
		}

		if i+1 < len(found) {
			to = found[i+1].Start
		}

		before := text[from:mention.Start]
		after := text[mention.End:to]
		list[i].Name = mention.Name
		switch {
		case precede, labeled && i == 0:
			// In "Fluent: German, English", one level is for all.
			list[i].Level = r.words.Level(before)
			continues := i > 0 && !strings.ContainsFunc(before, unicode.IsDigit)
			if continues && list[i].Level == "" {
				list[i].Level = list[i-1].Level
			}

		default:
			list[i].Level = r.levelAfter(after, i+1 < len(found))
		}

		// "German, fluent English": without a level after it, what precedes the language counts, too.
		if list[i].Level == "" {
			if i > 0 {
				_, before = r.divideLevels(before)
			}
			list[i].Level = r.words.Level(before)
		}
	}

	levelBelow := len(next) < wording.MaxHeader && len(r.words.SpokenIn(next)) == 0
	lacksLevel := len(list) == 1 && list[0].Level == ""
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
