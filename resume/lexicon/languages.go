package lexicon

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"

	"github.com/freelancer-matching/service/resume/wording"
)

// addSpoken adds a name of a language. Languages without a code of two letters are rare, and their shortest names are
// often ordinary words.
func (d *languageWords) addSpoken(name, english string, base language.Base) {
	const minRare = 4 // characters
	key := wording.Key(name)
	common := len(base.String()) == 2
	size := utf8.RuneCountInString(key)
	shortAndRare := !common && size < minRare && !wording.Wide(key)
	tooShort := size < 2 || shortAndRare
	if tooShort || english == "" {
		return
	}
	if d.Spoken[key] == "" {
		d.Spoken[key] = english
	}
	if common {
		d.Common[english] = true
	}
}

// Native is the level of a mother tongue.
const Native = "native"

// Level returns the level that a text names: "A1" to "C2" of the CEFR, "native", or another known level as written. Of
// several levels of the CEFR, as for listening, reading and writing, it returns the middle one, the lower of two.
func (d *languageWords) Level(text string) string {
	words := wording.WordRanges(text, 30, func(r rune) bool { return wording.LetterOrMark(r) || unicode.IsDigit(r) })
	var framework []string
	for _, w := range words {
		word := strings.ToUpper(text[w.Start:w.End])
		if slices.Contains([]string{"A1", "A2", "B1", "B2", "C1", "C2"}, word) {
			framework = append(framework, word)
		}
	}

	if len(framework) > 0 {
		slices.Sort(framework)
		return framework[(len(framework)-1)/2]
	}

	// A word for a mother tongue decides wherever it stands. Of other words, the first one counts.
	written := ""
	for i := range words {
		for n := min(5, len(words)-i); n > 0; n-- {
			phrase := text[words[i].Start:words[i+n-1].End]
			key := wording.Key(phrase)
			if d.Native[key] {
				return Native
			}

			if written == "" && d.Levels[key] {
				written = phrase
			}
		}
	}

	return written
}

// A LanguageMention is the name of a human language in a text.
type LanguageMention struct {
	wording.Range
	Name string // in English
}

// MaxLanguageLine is how many bytes of a line are searched for languages.
const MaxLanguageLine = 400

// SpokenIn returns the human languages that a text names. A variant in brackets, "Chinese (Mandarin)", is a part of its
// language.
func (d *languageWords) SpokenIn(text string) []LanguageMention {
	text = wording.Truncate(text, MaxLanguageLine)
	words := wording.WordRanges(text, MaxLanguageLine, wording.LetterOrMark)
	var found []LanguageMention
	for i := 0; i < len(words); i++ {
		named := false
		for n := min(3, len(words)-i); n > 0 && !named; n-- {
			at := wording.Range{Start: words[i].Start, End: words[i+n-1].End}
			name := d.Spoken[wording.Key(text[at.Start:at.End])]
			if name == "" {
				continue
			}

			named = true
			i += n - 1
			last := len(found) - 1
			inBrackets := strings.HasPrefix(text[at.End:], ")")
			if inBrackets && last >= 0 && text[found[last].End:at.Start] == " (" {
				found[last].End = at.End + 1
				continue
			}

			found = append(found, LanguageMention{at, name})
		}
		if !named {
			found = append(found, d.spokenInside(text, words[i])...)
		}
	}
	return found
}

// spokenInside returns the languages inside a word of a script without spaces.
func (d *languageWords) spokenInside(text string, word wording.Range) []LanguageMention {
	if !wording.Wide(text[word.Start:word.End]) {
		return nil
	}

	var found []LanguageMention
	for i := word.Start; i < word.End; {
		_, size := utf8.DecodeRuneInString(text[i:])
		for _, length := range []int{15, 12, 9, 6} { // five characters to two
			if i+length > word.End {
				continue
			}

			if name := d.Spoken[wording.Key(text[i:i+length])]; name != "" {
				found = append(found, LanguageMention{wording.Range{Start: i, End: i + length}, name})
				size = length
				break
			}
		}

		i += size
	}

	return found
}

// SpokenItem reports whether an item of a list is a human language with or without its level: "Spanish", "fluent
// English", "German (C1)". Such items are no skills.
func (d *languageWords) SpokenItem(item string) bool {
	mentions := d.SpokenIn(item)
	if len(mentions) == 0 || !d.Common[mentions[0].Name] {
		return false
	}
	return d.foreignWords(item, mentions) == 0
}

// OnlyLanguages reports whether most words of a text name languages or levels.
func (d *languageWords) OnlyLanguages(text string) bool {
	text = wording.Truncate(text, MaxLanguageLine)
	mentions := d.SpokenIn(text)
	return len(mentions) > 0 && d.foreignWords(text, mentions) <= max(1, strings.Count(text, " ")/4)
}

// foreignWords counts the words of a text that belong neither to one of its languages nor to a level. Words of two
// letters or fewer don't count, such as "in".
func (d *languageWords) foreignWords(text string, mentions []LanguageMention) int {
	text = wording.Truncate(text, MaxLanguageLine)
	foreign := 0
	for _, w := range wording.WordRanges(text, MaxLanguageLine, wording.LetterOrMark) {
		named := slices.ContainsFunc(mentions, func(m LanguageMention) bool { return m.Start <= w.Start && w.End <= m.End })
		key := wording.Key(text[w.Start:w.End])
		// Without spaces, a word may have a language and its level inside.
		inside := wording.Wide(key) && (d.Level(key) != "" || len(mentions) > 0 && len(key) < 24)
		expected := named || inside || d.LevelWords[key] || d.Joiners[key]
		if !expected && len(key) > 2 {
			foreign++
		}
	}
	return foreign
}
