package taxonomy

import (
	"slices"
	"strings"
)

// TranslationSuffix is what the id of a language's translation has behind the id of the language.
const TranslationSuffix = "-translation"

const (
	english = "english" // its id
	maxCode = 3         // letters of a language's code
)

// translations are the skills of translating that a name describes by its languages: "EN-PT translation", "DE<>EN",
// "English to Spanish", "traducción inglés-español". English, which nearly every pair has, counts only where it is
// alone. A locale ("PT-BR") is its language. Every word must belong to such a description; otherwise there are none.
func (t *Taxonomy) translations(name string) []int32 {
	var languages []string
	translating, locale, full := false, false, false
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
	// Two codes of two letters alone, without English, may be anything: "IT/HR".
	pair := translating || len(languages) > 1 && (full || slices.Contains(languages, english))
	if len(languages) == 0 || !pair && (!locale || len(languages) > 1) {
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
		if i, ok := t.position(id); ok {
			skills = append(skills, int32(i))
		}
	}
	return skills
}

// languagePair is the translation that a pair of codes at text[start:] names in running text, "EN-PT" or "ES <> EN", and
// where the pair ends; nil where there is none. It needs capitals, and English on one side, because most codes are words.
func (t *Taxonomy) languagePair(text string, start int) (l *label, end int) {
	first := capitals(text, start)
	next := first
	for next < len(text) && next-first < len(" <-> ") && strings.IndexByte(" -<>/", text[next]) >= 0 {
		next++
	}
	end = capitals(text, next)
	if first-start < 2 || end-next < 2 || strings.TrimSpace(text[first:next]) == "" {
		return nil, 0
	}
	from, to := t.language[strings.ToLower(text[start:first])], t.language[strings.ToLower(text[next:end])]
	if from == to || from != english && to != english {
		return nil, 0
	}
	skills := t.translations(text[start:end])
	if len(skills) != 1 {
		return nil, 0
	}
	return t.nameOf(skills[0]), end
}

// capitals is where a code of up to maxCode capitals at text[i:] ends, i where there is none.
func capitals(text string, i int) (end int) {
	end = i
	for end < len(text) && 'A' <= text[end] && text[end] <= 'Z' {
		end++
	}
	if end-i > maxCode || end < len(text) && classes[text[end]] == classWord {
		return i
	}
	return end
}

// languageWord is a word in the description of a translation.
type languageWord struct {
	language                       string // its id, "" for other words
	full                           bool   // a language, by more than two letters
	translating, region, connector bool
}

// languageWords tells the words of a name. Codes of two letters are everyday words, too ("it", "no", "de"), so beside a
// language in full they count only in capitals; a region counts only behind a language.
func (t *Taxonomy) languageWords(name string) []languageWord {
	tokens := strings.FieldsFunc(name, func(r rune) bool { return !wordRune(r) })
	full := slices.ContainsFunc(tokens, func(token string) bool {
		normal := Normalize(token)
		return len(normal) > 2 && t.language[normal] != ""
	})
	words := make([]languageWord, len(tokens))
	for i, token := range tokens {
		normal := Normalize(token)
		switch code := len(normal) == 2; {
		case i > 0 && words[i-1].language != "" && region(normal):
			words[i].region = true
		case t.language[normal] != "" && (!code || !full || token == strings.ToUpper(token)):
			words[i] = languageWord{language: t.language[normal], full: !code}
		case translating(normal):
			words[i].translating = true
		default:
			words[i].connector = translationConnector(normal)
		}
	}
	return words
}

func translationConnector(word string) bool {
	switch word {
	case "to", "into", "from", "and", "in", "y", "e", "et", "und", "a", "al", "de", "do", "del", "della", "dal", "du", "l",
		"vers", "nach", "ins", "aus", "para", "da", "o", "il", "lo", "el", "vice", "versa", "native", "professional", "qualified", "freelance", "experienced", "senior", "expert", "service", "services",
		"language", "pair", "document", "documents":
		return true
	default:
		return false
	}
}

func translating(word string) bool {
	switch word {
	case "translation", "translations", "translator", "translators", "translate", "translating", "traduccion", "traducciones",
		"traductor", "traductora", "traduction", "traductions", "traducteur", "traductrice", "ubersetzung", "ubersetzungen",
		"ubersetzer", "ubersetzerin", "traducao", "traducoes", "tradutor", "tradutora", "traduzione", "traduzioni",
		"traduttore", "traduttrice":
		return true
	default:
		return false
	}
}

// region reports whether a word behind a language says where it is spoken.
func region(word string) bool {
	switch word {
	case "us", "usa", "uk", "gb", "au", "ca", "br", "mx", "be", "ch", "at", "tw", "hk", "cn", "latam", "brazil", "brasil", "portugal",
		"mexico", "spain", "canada", "france", "germany", "austria", "switzerland", "taiwan", "china":
		return true
	default:
		return false
	}
}
