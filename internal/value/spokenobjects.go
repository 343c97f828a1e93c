package value

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/internal/matching"
)

// spokenObjects parses a JSON list of objects or names, one object, or an object of levels by language.
func spokenObjects(cell string) (list []matching.SpokenLanguage, remark string, ok bool) {
	if cell[0] != '[' && cell[0] != '{' {
		return nil, "", false
	}
	var parsed any
	if json.Unmarshal([]byte(cell), &parsed) != nil {
		return nil, "", false
	}

	var elements []any
	switch parsed := parsed.(type) {
	case []any:
		elements = parsed
	case map[string]any:
		elements = []any{parsed}
		isByLanguage := textOf(parsed, languageKeys) == "" // {"English": "Fluent"}
		if isByLanguage {
			elements = objectsByLanguage(parsed)
		}
	default:
		return nil, "", false
	}

	for _, element := range elements {
		var more []matching.SpokenLanguage
		var itemRemark string

		switch element := element.(type) {
		case string:
			more, itemRemark = spokenNames().list([]string{element})
		case map[string]any:
			var spoken matching.SpokenLanguage
			if spoken, itemRemark = spokenObject(element); spoken.Tag != "" {
				more = append(more, spoken)
			}

		default:
			itemRemark = remarkNotLanguage
		}

		// The remark on the first fault stands for all.
		remark = cmp.Or(remark, itemRemark)
		for _, spoken := range more {
			var full string
			if list, full = AddLanguage(list, spoken); full != "" {
				return list, full, true
			}
		}
	}

	return list, remark, true
}

// objectsByLanguage returns an object about each member of an object of levels by language, sorted by language.
func objectsByLanguage(levels map[string]any) []any {
	var objects []any
	for name, level := range levels {
		objects = append(objects, map[string]any{"language": name, "level": level})
	}

	// The order of a map is random, and that of a list of languages must not be.
	slices.SortFunc(objects, func(a, b any) int {
		return cmp.Compare(textOf(a, languageKeys), textOf(b, languageKeys))
	})
	return objects
}

// The keys of objects about languages. A value may be an object with a name itself.
var (
	languageKeys = []string{"language", "name", "lang", "title", "label", "language_name", "languageName", "value"}
	levelKeys    = []string{
		"level", "proficiency", "fluency", "proficiencyLevel", "proficiency_level", "languageLevel", "language_level",
		"skillLevel", "skill_level", "level_name",
	}
	nameKeys = []string{"name", "englishName", "label", "preferredTerm", "title", "code", "iso639Code", "value"}
)

// textOf returns the first text that an object has under some keys, or "".
func textOf(v any, keys []string) string {
	object, _ := v.(map[string]any)
	for _, key := range keys {
		switch value := object[key].(type) {
		case string:
			return strings.TrimSpace(value)
		case map[string]any:
			for _, key := range nameKeys {
				if text, ok := value[key].(string); ok {
					return strings.TrimSpace(text)
				}
			}
		}
	}
	return ""
}

// spokenObject parses an object about a language.
func spokenObject(object map[string]any) (l matching.SpokenLanguage, remark string) {
	name := textOf(object, languageKeys)
	if Unknown(name) {
		return l, remarkNotLanguage
	}
	if l.Tag, remark = Language(name); l.Tag == "" {
		if l, remark = spokenNames().parse(name); l.Tag == "" {
			return l, remarkNotLanguage
		}
	}
	if text := textOf(object, levelKeys); !Unknown(text) && l.Level == "" {
		l.Level, remark = LanguageLevel(strings.ReplaceAll(text, "_", " "))
	}
	return l, remark
}
