package value

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/freelancer-matching/service/internal/matching"
)

// Remarks on languages that people speak.
const (
	remarkNotLanguage   = "not a language; use a name or a BCP 47 tag, such as pt-BR"
	remarkUnknownLevel  = "the level of a language is unknown; use A1 to C2 or native"
	remarkManyLanguages = "more than 30 languages; the rest were dropped"
)

// The limits of lists of languages.
const (
	MaxLanguages   = 30
	maxLanguages   = 4096 // bytes of a list
	maxLanguageTag = 35   // bytes (RFC 5646, section 4.4.1)
	maxNameWords   = 4    // of a language
	maxItemWords   = 30   // of a language with its level
)

// SpokenLanguages parses a list of languages with or without levels: "English (fluent), German B2", "Español - nativo",
// "en:C1; de:?", a JSON list of names, or one of objects such as {"language": "English", "level": "Fluent"}. It returns
// every language once, with the highest of its levels. It leaves out what it can't read; the remark says so.
func SpokenLanguages(s string) (list []matching.SpokenLanguage, remark string) {
	s = strings.TrimSpace(s)
	if Unknown(s) {
		return nil, ""
	}
	if len(s) > maxLanguages {
		return nil, remarkNotLanguage
	}
	if list, remark, ok := spokenObjects(s); ok {
		return list, remark
	}
	items, ok := parsePHPList(s)
	if !ok {
		items, ok = parseList(s)
	}
	if !ok {
		items = splitLanguages(s)
	}
	return spokenNames().list(items)
}

// list parses the items of a list. An item that is nothing but a level belongs to the language before it.
func (t *languageTable) list(items []string) (list []matching.SpokenLanguage, remark string) {
	for i := 0; i < len(items); i++ {
		item := strings.TrimSpace(items[i])
		if Unknown(item) {
			continue
		}

		// The parts take the place of the item. The loop comes to the others next.
		if parts := t.splitAnd(item); len(parts) > 1 {
			items = slices.Concat(items[:i], parts, items[i+1:])
			item = parts[0]
		}

		spoken, itemRemark := t.parse(item)
		lacksLevel := len(list) > 0 && list[len(list)-1].Level == ""
		if lacksLevel && spoken.Tag == "" {
			if level, _ := LanguageLevel(item); level != "" {
				list[len(list)-1].Level = level
				continue
			}
		}

		remark = cmp.Or(remark, itemRemark)
		if list, itemRemark = AddLanguage(list, spoken); itemRemark != "" {
			return list, itemRemark
		}
	}

	return list, remark
}

// AddLanguage returns a list with one more language. If the list has it, the higher level is kept. It doesn't change
// the given list.
func AddLanguage(
	list []matching.SpokenLanguage, l matching.SpokenLanguage,
) (_ []matching.SpokenLanguage, remark string) {
	if l.Tag == "" {
		return list, ""
	}
	for i := range list {
		if list[i].Tag == l.Tag {
			if slices.Index(languageLevels, l.Level) > slices.Index(languageLevels, list[i].Level) {
				list = slices.Clone(list)
				list[i].Level = l.Level
			}
			return list, ""
		}
	}
	if len(list) == MaxLanguages {
		return list, remarkManyLanguages
	}
	return append(slices.Clip(list), l), ""
}

// splitLanguages splits a text at the separators outside of brackets.
func splitLanguages(s string) (items []string) {
	depth, start := 0, 0
	for i, r := range s {
		switch {
		case strings.ContainsRune("([（［", r):
			depth++
		case strings.ContainsRune(")]）］", r):
			depth = max(0, depth-1)
		case depth == 0 && strings.ContainsRune(",;|•·、，；\n\r\t", r) || r == '\n':
			items = append(items, s[start:i])
			start = i + len(string(r))
			depth = 0
		}
	}
	items = append(items, s[start:])
	return slices.DeleteFunc(items, func(item string) bool { return strings.TrimSpace(item) == "" })
}

// splitAnd splits "English and German (fluent)" and "English/German" into their languages. Each side must have one.
func (t *languageTable) splitAnd(item string) []string {
	words := strings.Fields(strings.ReplaceAll(item, "/", " / "))
	if len(words) > maxItemWords {
		return []string{item}
	}
	for i := 1; i < len(words)-1; i++ {
		if words[i] != "/" && !t.and[nameKey(words[i])] {
			continue
		}
		before := strings.Join(words[:i], " ")
		after := strings.Join(words[i+1:], " ")
		if _, _, ok := t.find(nameWords(before)); !ok {
			continue
		}
		if _, _, ok := t.find(nameWords(after)); ok {
			return append([]string{before}, t.splitAnd(after)...)
		}
	}
	return []string{item}
}

func nameWords(s string) []string { return strings.Fields(nameKey(s)) }

// find finds the longest name of a language among words, the first one among equals.
func (t *languageTable) find(words []string) (start, end int, ok bool) {
	for n := min(maxNameWords, len(words)); n > 0; n-- {
		for i := 0; i+n <= len(words); i++ {
			if t.tags[strings.Join(words[i:i+n], " ")] != "" {
				return i, i + n, true
			}
		}
	}
	return 0, 0, false
}

// parse parses one language with or without a level. The tag is empty if there is no language, and the remark says what
// is unknown.
func (t *languageTable) parse(item string) (spoken matching.SpokenLanguage, remark string) {
	words := nameWords(item)
	if len(words) == 0 || len(words) > maxItemWords {
		return spoken, remarkNotLanguage
	}

	if start, end, ok := t.find(words); ok {
		spoken.Tag = t.tags[strings.Join(words[start:end], " ")]
		words = slices.Concat(words[:start], words[end:])
	} else if spoken.Tag, words = t.cutTag(item); spoken.Tag == "" {
		return spoken, remarkNotLanguage
	}

	if _, _, ok := t.find(words); ok {
		return matching.SpokenLanguage{}, remarkNotLanguage // two languages without a separator
	}

	spoken.Level, words = t.cutLevel(words)
	if rest := strings.Join(words, " "); len(words) > 0 {
		tag, ok := t.regional(spoken.Tag, rest)
		if !ok {
			return spoken, remarkUnknownLevel
		}
		spoken.Tag = tag
	}

	return spoken, ""
}

// cutTag cuts a BCP 47 tag off the start of an item, which a level may follow: "de", "pt-BR:B2", "EN (native)". Without
// a colon, it must not be a word such as "no", nor the code of a language so rare that it is more likely another word.
func (t *languageTable) cutTag(item string) (tag string, rest []string) {
	end := strings.IndexFunc(item, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_'
	})
	if end < 0 {
		end = len(item)
	}
	tag, ok := languageTag(item[:end])
	if ok && !strings.HasPrefix(item[end:], ":") {
		ok = !words["no"].has(fold(item[:end])) && display.English.Languages().Name(language.Make(tag)) != ""
	}

	rest = nameWords(item[end:])
	level, after := t.cutLevel(rest)
	hasOtherWords := len(rest) > 0 && (level == "" || len(after) > 0)
	if !ok || hasOtherWords {
		return "", nil
	}

	return tag, rest
}

// cutLevel cuts a level and the words around it out of words: "b2 level" and "native or bilingual". It returns the
// other words. A level of the CEFR beside words such as "fluent" decides.
func (t *languageTable) cutLevel(words []string) (level matching.LanguageLevel, rest []string) {
	isCEFR := false
	for len(words) > 0 {
		found, size := t.levelAt(words)
		if size == 0 {
			if !t.filler[words[0]] {
				rest = append(rest, words[0])
			}
			words = words[1:]
			continue
		}

		// A level of the CEFR replaces other words. Of two levels of one sort, such as "B1/B2", the lower one counts.
		namesCEFR := strings.EqualFold(string(found), words[0]) && len(words[0]) == len("B2")
		isLower := level == "" || slices.Index(languageLevels, found) < slices.Index(languageLevels, level)
		isMoreExact := namesCEFR && !isCEFR
		isSameSort := namesCEFR == isCEFR
		if isMoreExact || isSameSort && isLower {
			level = found
		}

		isCEFR = isCEFR || namesCEFR
		words = words[size:]
	}

	return level, rest
}

// maxLevelWords is the length of the longest name of a level.
const maxLevelWords = 5

// levelAt returns the level with the longest name at the start of words, and the number of words in its name, or 0.
func (t *languageTable) levelAt(words []string) (level matching.LanguageLevel, size int) {
	for size := min(maxLevelWords, len(words)); size > 0; size-- {
		if level, ok := t.levels[strings.Join(words[:size], " ")]; ok {
			return level, size
		}
	}
	return "", 0
}

// regional returns the tag of a language with a region or a script: "Portuguese (Brazil)" and "Chinese (Traditional)".
func (t *languageTable) regional(tag, words string) (string, bool) {
	if script := t.scripts[words]; script != "" {
		return languageTag(tag + "-" + script)
	}
	if tags := strings.ToLower(tag); words == tags || words == strings.ReplaceAll(tags, "-", " ") { // "German (de)"
		return tag, true
	}
	if code, ok := countries().named(words); ok && code != "" {
		if strings.Contains(tag, "-") {
			return tag, strings.HasSuffix(tag, "-"+code)
		}
		return languageTag(tag + "-" + code)
	}
	return "", false
}
