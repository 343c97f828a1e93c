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

// translations returns the translation or language skills that a name describes by its languages: "EN-PT translation",
// "DE<>EN", "English to Spanish", "traducción inglés-español". English counts only if it is the only language, because
// nearly every pair contains it. A locale ("PT-BR") stands for its language. If any word doesn't belong to such a
// description, there are no skills.
func (t *Taxonomy) translations(name string) []int32 {
	var languages []string
	translating := false
	locale := false
	full := false
	for _, w := range t.languageWords(name) {
		switch {
		case w.language != "":
			full = full || w.full
			locale = locale || slices.Contains(languages, w.language)
			if !slices.Contains(languages, w.language) {
				languages = append(languages, w.language)
			}

		case w.translating:
			translating = true
		case w.region:
			locale = true
		case !w.connector:
			return nil
		}
	}

	// Two-letter codes alone, without English, may mean anything: "IT/HR".
	pair := translating || len(languages) > 1 && (full || slices.Contains(languages, english))
	oneLocale := locale && len(languages) == 1
	meansTranslation := pair || oneLocale
	if len(languages) == 0 || !meansTranslation {
		return nil
	}

	if len(languages) > 1 {
		languages = slices.DeleteFunc(languages, func(l string) bool { return l == english })
	}

	var skills []int32
	for _, id := range languages {
		if pair {
			id += TranslationSuffix
		}
		if i, ok := t.numbers[id]; ok {
			skills = append(skills, i)
		}
	}

	return skills
}

// languagePair returns the translation that a pair of language codes at text[start:] names in running text ("EN-PT",
// "ES <> EN"), and the offset after the pair. It returns nil if there is none. Most codes are everyday words, so both
// must be in capitals and one must be English.
func (t *Taxonomy) languagePair(text string, start int) (l *label, end int) {
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

	from := t.language[strings.ToLower(text[start:first])]
	to := t.language[strings.ToLower(text[next:end])]
	withEnglish := from == english || to == english
	if from == to || !withEnglish {
		return nil, 0
	}

	skills := t.translations(text[start:end])
	if len(skills) != 1 {
		return nil, 0
	}

	return t.nameOf(skills[0]), end
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

// languageWords classifies the words of a name. Two-letter codes are everyday words, too ("it", "no", "de"), so next to
// a longer name of a language they count only in capitals. A region counts only after a language. A name without a
// language has no words.
func (t *Taxonomy) languageWords(name string) []languageWord {
	tokens := strings.FieldsFunc(name, func(r rune) bool { return !wordRune(r) })
	normals := make([]string, len(tokens))
	some, full := false, false
	for i, token := range tokens {
		normals[i] = Normalize(token)
		is := t.language[normals[i]] != ""
		some = some || is
		full = full || is && len(normals[i]) > 2
	}

	if !some {
		return nil
	}

	words := make([]languageWord, len(tokens))
	for i, token := range tokens {
		normal := normals[i]
		switch code := len(normal) == 2; {
		case i > 0 && words[i-1].language != "" && regions[normal]:
			words[i].region = true
		case t.language[normal] != "" && (!code || !full || token == strings.ToUpper(token)):
			words[i] = languageWord{language: t.language[normal], full: !code}
		case translationWords[normal]:
			words[i].translating = true
		default:
			words[i].connector = translationConnectors[normal]
		}
	}

	return words
}
