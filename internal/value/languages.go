package value

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/wordbook"
)

var languageLevels = []matching.LanguageLevel{"A1", "A2", "B1", "B2", "C1", "C2", matching.LevelNative}

// LevelsFrom returns a level of LanguageLevel and those above it, the lowest first.
func LevelsFrom(level matching.LanguageLevel) []matching.LanguageLevel {
	i := slices.Index(languageLevels, level)
	if i < 0 {
		return nil
	}
	return slices.Clone(languageLevels[i:])
}

// languageTable has the names of languages and the words around them.
type languageTable struct {
	tags    map[string]string                 // by nameKey
	levels  map[string]matching.LanguageLevel // by nameKey
	scripts map[string]string                 // by nameKey, such as "traditional"
	filler  map[string]bool
	and     map[string]bool
}

var spokenNames = sync.OnceValue(func() *languageTable {
	t := &languageTable{
		tags: make(map[string]string), levels: make(map[string]matching.LanguageLevel),
		scripts: make(map[string]string), filler: make(map[string]bool), and: make(map[string]bool),
	}
	tags := []string{ // regional forms with a name of their own
		"pt-BR", "pt-PT", "en-US", "en-GB", "en-AU", "en-CA", "es-419", "es-ES", "es-MX", "fr-CA", "fr-CH", "de-AT",
		"de-CH", "zh-Hans", "zh-Hant", "nl-BE",
	}
	for _, list := range wordbook.Lists() {
		if tag, ok := strings.CutPrefix(list.Name, wordbook.LanguagePrefix); ok {
			tags = append(tags, tag)
		}
		t.addWords(list)
	}
	for a := 'a'; a <= 'z'; a++ {
		for b := 'a'; b <= 'z'; b++ {
			tags = append(tags, string([]rune{a, b}))
		}
	}
	for _, supported := range display.Supported.Tags() {
		tags = append(tags, supported.String())
	}
	t.addTags(tags)
	return t
})

// addWords adds the words of a list. If two languages have the same word for a level, the first one decides.
func (t *languageTable) addWords(list wordbook.List) {
	tag, isName := strings.CutPrefix(list.Name, wordbook.LanguagePrefix)
	script, isScript := strings.CutPrefix(list.Name, wordbook.ScriptPrefix)
	level := matching.LanguageLevel(list.Name)
	isLevel := slices.Contains(languageLevels, level)

	for _, item := range list.Items {
		switch key := nameKey(item); {
		case isName:
			t.tags[key] = tag
		case isScript:
			t.scripts[key] = script
		case isLevel:
			addLevel(t.levels, key, level)
		case list.Name == wordbook.LevelFiller:
			t.filler[key] = true
		case list.Name == wordbook.BetweenLanguages:
			t.and[key] = true
		}
	}
}

// addTags adds the names that CLDR has for tags: those without a region first, because some tags with a region have the
// name of the language.
func (t *languageTable) addTags(tags []string) {
	slices.SortStableFunc(tags, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	for _, text := range tags {
		tag, ok := languageTag(text)
		parsed, err := language.Parse(text)
		if !ok || err != nil {
			continue
		}
		for _, l := range nameLanguages {
			addName(t.tags, display.Languages(l).Name(parsed), tag)
		}
		addName(t.tags, display.Self.Name(parsed), tag)
	}
}

func addLevel(levels map[string]matching.LanguageLevel, key string, level matching.LanguageLevel) {
	if _, ok := levels[key]; !ok {
		levels[key] = level
	}
}

// languageTag returns a BCP 47 tag in its canonical form, with at most language, script and region. A code of a
// language that a macrolanguage includes becomes that of the macrolanguage, as in CLDR: cmn becomes zh.
func languageTag(written string) (tag string, ok bool) {
	if len(written) > maxLanguageTag || len(written) < len("de") {
		return "", false
	}
	parsed, err := language.All.Parse(written)
	if err != nil || parsed.IsRoot() {
		return "", false
	}

	base, script, region := parsed.Raw()
	code := base.String()
	switch code {
	case "und", "mul", "mis", "zxx": // undetermined, several, without a code, no language
		return "", false
	}

	text := code
	if script.String() != "Zzzz" {
		text += "-" + script.String()
	}

	if region.String() != "ZZ" {
		text += "-" + region.String()
	}

	return text, true
}

// Language parses one language without a level: a BCP 47 tag or a name. It returns the tag in its canonical form.
func Language(cell string) (tag, remark string) {
	cell = strings.TrimSpace(cell)
	if Unknown(cell) {
		return "", ""
	}
	if len(cell) > maxLanguages {
		return "", remarkNotLanguage
	}
	if tag = spokenNames().tags[nameKey(cell)]; tag != "" {
		return tag, ""
	}
	if tag, ok := languageTag(cell); ok {
		return tag, ""
	}

	spoken, remark := spokenNames().parse(cell)
	hasMore := spoken.Level != "" || remark != ""
	if spoken.Tag != "" && !hasMore {
		return spoken.Tag, ""
	}

	return "", remarkNotLanguage
}

// LanguageLevel parses how well a person speaks a language: A1 to C2, or words such as "fluent", which the word
// book maps to these levels.
func LanguageLevel(s string) (level matching.LanguageLevel, remark string) {
	s = strings.TrimSpace(s)
	if Unknown(s) {
		return "", ""
	}
	if len(s) <= maxFlag {
		if level, rest := spokenNames().cutLevel(strings.Fields(nameKey(s))); level != "" && len(rest) == 0 {
			return level, ""
		}
	}
	return "", remarkUnknownLevel
}
