package taxonomy

import (
	"slices"
	"strings"
)

// TranslationSuffix follows the id of a language in the id of the skill of translating it.
const TranslationSuffix = "-translation"

const (
	english = "english" // skill id
	maxCode = 3         // length of the longest language code
)

// languages finds the skills of speaking and translating languages.
type languages struct {
	names  *names
	byName map[string]string // ids by name and by ISO 639 code
}

// tagged returns the skill of speaking the language with a BCP 47 tag. Regional forms are one skill: pt-BR is
// Portuguese.
func (l *languages) tagged(tag string) (Skill, bool) {
	base, _, _ := strings.Cut(tag, "-")
	return l.names.skill(l.byName[base])
}

// translations returns the translation or language skills that a name describes by its languages: "EN-PT translation",
// "DE<>EN", "English to Spanish", "traducción inglés-español". English counts only if it is the only language, because
// nearly every pair contains it. A locale ("PT-BR") stands for its language. If any word doesn't belong to such a
// description, there are no skills.
func (l *languages) translations(name string) []int32 {
	d, ok := l.describe(name)
	if !ok || len(d.languages) == 0 {
		return nil
	}

	// Two-letter codes alone, without English, may mean anything: "IT/HR".
	several := len(d.languages) > 1
	isPair := several && (d.inFull || slices.Contains(d.languages, english))
	meansTranslation := d.translating || isPair
	meansLanguage := d.locale && !several
	if !meansTranslation && !meansLanguage {
		return nil
	}

	ids := d.languages
	if several {
		ids = slices.DeleteFunc(ids, func(id string) bool { return id == english })
	}

	var skills []int32
	for _, id := range ids {
		if meansTranslation {
			id += TranslationSuffix
		}
		if number, ok := l.names.numbers[id]; ok {
			skills = append(skills, number)
		}
	}

	return skills
}

// A description is what a name says about languages.
type description struct {
	languages   []string // skill ids, each once
	inFull      bool     // one of them has more than two letters in the name
	translating bool     // the name contains a word for translation
	locale      bool     // a region follows a language ("PT-BR"), or a language is repeated ("de-DE")
}

// describe returns what a name says about languages. It returns false if a word doesn't belong to such a description.
func (l *languages) describe(name string) (d description, ok bool) {
	for _, w := range l.words(name) {
		switch {
		case w.language != "":
			d.inFull = d.inFull || w.full
			if slices.Contains(d.languages, w.language) {
				d.locale = true
			} else {
				d.languages = append(d.languages, w.language)
			}

		case w.translating:
			d.translating = true
		case w.region:
			d.locale = true
		case !w.connector:
			return description{}, false
		}
	}

	return d, true
}

// pair returns the translation that a pair of language codes at text[start:] names in running text ("EN-PT",
// "ES <> EN"), and the offset after the pair. It returns nil if there is none. Most codes are everyday words, so both
// must be in capitals and one must be English.
func (l *languages) pair(text string, start int) (name *label, end int) {
	first := capitals(text, start)
	next := first
	for next < len(text) && next-first < len(" <-> ") && strings.IndexByte(" -<>/", text[next]) >= 0 {
		next++
	}

	end = capitals(text, next)
	areCodes := first-start >= 2 && end-next >= 2
	if !areCodes || strings.TrimSpace(text[first:next]) == "" {
		return nil, 0
	}

	from := l.byName[strings.ToLower(text[start:first])]
	to := l.byName[strings.ToLower(text[next:end])]
	withEnglish := from == english || to == english
	if from == to || !withEnglish {
		return nil, 0
	}

	skills := l.translations(text[start:end])
	if len(skills) != 1 {
		return nil, 0
	}

	return l.names.nameOf(skills[0]), end
}

// capitals returns the end of a code of up to maxCode capital letters at text[i:], or i if there is none.
func capitals(text string, i int) (end int) {
	end = i
	for end < len(text) && 'A' <= text[end] && text[end] <= 'Z' {
		end++
	}
	continues := end < len(text) && classes[text[end]] == classWord
	if end-i > maxCode || continues {
		return i
	}
	return end
}

// A languageWord is a word in the description of a translation.
type languageWord struct {
	language                       string // skill id of the language; "" for other words
	full                           bool   // the language's name or code has more than two letters
	translating, region, connector bool
}

// words classifies the words of a name. Two-letter codes are everyday words, too ("it", "no", "de"), so next to
// a longer name of a language they count only in capitals. A region counts only after a language. A name without a
// language has no words.
func (l *languages) words(name string) []languageWord {
	tokens := strings.FieldsFunc(name, func(r rune) bool { return !wordRune(r) })
	normals := make([]string, len(tokens))
	hasLanguage := false
	hasLongName := false
	for i, token := range tokens {
		normals[i] = Normalize(token)
		if l.byName[normals[i]] != "" {
			hasLanguage = true
			hasLongName = hasLongName || len(normals[i]) > 2
		}
	}

	if !hasLanguage {
		return nil
	}

	words := make([]languageWord, len(tokens))
	for i, token := range tokens {
		normal := normals[i]
		isCode := len(normal) == 2
		mayBeEveryday := isCode && hasLongName && token != strings.ToUpper(token)
		isLanguage := l.byName[normal] != "" && !mayBeEveryday
		followsLanguage := i > 0 && words[i-1].language != ""
		switch {
		case followsLanguage && regions[normal]:
			words[i].region = true
		case isLanguage:
			words[i] = languageWord{language: l.byName[normal], full: !isCode}
		case translationWords[normal]:
			words[i].translating = true
		default:
			words[i].connector = translationConnectors[normal]
		}
	}

	return words
}
