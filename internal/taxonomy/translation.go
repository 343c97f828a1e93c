package taxonomy

import (
	"slices"
	"strings"
)

// TranslationSuffix is what the id of a language's translation has behind the id of the language.
const TranslationSuffix = "-translation"

const english = "english"

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
		"vers", "nach", "ins", "aus", "para", "da", "o", "il", "lo", "el", "vice", "versa", "native", "professional", "expert", "service", "services",
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
