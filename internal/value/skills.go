package value

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Remarks on skill lists.
const (
	remarkLongSkill  = "a skill longer than 100 characters was cut"
	remarkManySkills = "more than 200 skills; the rest were dropped"
	remarkNotSkill   = "not a skill, because it has no letters"
	remarkLevels     = "the skills have levels, which are not stored"
)

// The limits of skill lists.
const (
	MaxSkills = 200
	MaxSkill  = 100 // characters
)

// Skills parses a list of skills: a JSON list, a Python list, a PostgreSQL array, names between separators, or names
// glued together by a scraper ("Logo DesignPhotoshopIllustration"). It returns every skill once, in its first spelling,
// and without a level such as "(5 years)" or ": expert". In a column of slugs, hyphens stand for spaces. The names in a
// JSON list are kept as they are, except for markup and white space; a remark reports their levels.
//
// Line breaks and bullets always separate. Within a line, only the strongest separator found does: "|", ";" or a tab,
// else a comma outside of brackets, else a slash between spaces ("HTML / CSS"), so that UI/UX, CI/CD and C/C++ stay
// whole.
func Skills(cell string, slugs bool) (skills []string, remark string) {
	cell = strings.TrimSpace(cell)
	if Unknown(cell) {
		return nil, ""
	}

	// The strictest format comes first, because a list in JSON is also one in Python.
	items, hasLevels, isJSON := parseJSONList(cell)
	if hasLevels {
		remark = remarkLevels
	}

	ok := isJSON
	if !ok {
		items, ok = parsePHPList(cell)
	}

	if !ok {
		items, ok = parseList(cell)
	}

	if !ok {
		items = splitNames(cell)
		if len(items) == 1 { // a scraper that glues names leaves no separator
			items = splitGlued(items[0])
		}
	}

	hasNoNames := len(items) == 0 && cell != "[]"
	if isJSON && hasNoNames {
		remark = remarkNotSkill
	}

	for _, item := range items {
		skill, itemRemark := cleanSkill(item, slugs, isJSON)
		if itemRemark != "" {
			remark = itemRemark
		}

		if skill == "" || ContainsSkill(skills, skill) {
			continue
		}
		if len(skills) == MaxSkills {
			return skills, remarkManySkills
		}

		skills = append(skills, skill)
	}

	return skills, remark
}

// cleanSkill cleans the name of a skill. It keeps a clean text as it is if verbatim is set.
func cleanSkill(item string, slug, verbatim bool) (skill, remark string) {
	item = strings.TrimSpace(item)
	if Unknown(item) {
		return "", ""
	}

	if slug {
		item = strings.ReplaceAll(item, "-", " ")
	}
	skill, cut := Line(item, MaxSkill)
	if verbatim && skill == item {
		return skill, ""
	}

	skill = withoutLevel(strings.Trim(skill, " \"'`*•-–·,;:"))
	skill, _ = Line(skill, MaxSkill) // without its last character, an entity may be another one
	switch {
	case Unknown(skill):
		return "", ""
	case strings.IndexFunc(skill, unicode.IsLetter) < 0:
		return "", remarkNotSkill
	case cut:
		return skill, remarkLongSkill
	}

	return skill, ""
}

// ContainsSkill reports whether a list has a skill, ignoring case.
func ContainsSkill(list []string, skill string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.EqualFold(s, skill) })
}

// IsSlug reports whether a cell is a slug of several words, such as "mobile-app-development".
func IsSlug(s string) bool {
	hyphens := 0
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', isDigit(c):
		case c == '-' && i > 0 && i < len(s)-1 && s[i-1] != '-':
			hyphens++
		default:
			return false
		}
	}
	return hyphens > 0
}

// splitNames splits a text at its strongest kind of separator.
func splitNames(s string) []string {
	if strings.IndexByte(s, '&') >= 0 {
		s = stripMarkup(s) // otherwise the ";" of an entity would separate
	}
	if !hasLines(s) {
		return appendNames(make([]string, 0, 1+strings.Count(s, ",")), s)
	}
	var items []string
	for _, line := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("\n\r•●▪◦·", r) }) {
		items = appendNames(items, line)
	}
	return items
}

// hasLines reports whether a text may have line breaks or bullets. Most have neither, and needn't be split.
func hasLines(s string) bool {
	for i := range len(s) {
		mayBreak := s[i] == '\n' || s[i] == '\r' || s[i] >= utf8.RuneSelf
		if mayBreak {
			return true
		}
	}
	return false
}

// appendNames splits a line at its strongest kind of separator, and appends the parts to items.
func appendNames(items []string, line string) []string {
	switch {
	case strings.ContainsAny(line, "|;\t"):
		isSeparator := func(r rune) bool { return r == '|' || r == ';' || r == '\t' }
		return append(items, strings.FieldsFunc(line, isSeparator)...)
	case strings.IndexByte(line, ',') >= 0:
		return splitLast(appendAtCommas(items, line))
	}
	return append(items, strings.Split(line, " / ")...)
}

// appendAtCommas splits s at the commas outside of brackets, and appends the parts to items.
func appendAtCommas(items []string, s string) []string {
	depth, start := 0, 0
	lastClose := strings.LastIndexByte(s, ')')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '(' && i < lastClose:
			depth++
		case c == ')' && depth > 0:
			depth--
		case c == ',' && depth == 0:
			items = append(items, s[start:i])
			start = i + 1
		}
	}
	return append(items, s[start:])
}

// splitLast splits the last item of a list with commas, as in "HTML, CSS and Go", if it has two well-known names: other
// skills have an "and" inside, such as "Arts and Crafts".
func splitLast(items []string) []string {
	end := len(items) - 1
	conjunctions := words["conjunction"]
	first, rest, ok := strings.Cut(strings.TrimSpace(items[end]), " ")
	if !ok {
		return items
	}
	if len(first) > 1 && conjunctions.has(first) { // ", and Go"
		items[end] = rest
		return items
	}

	middle, last, _ := strings.Cut(rest, " ")
	if conjunctions.has(middle) {
		areSkills := isWellKnown(first) && isWellKnown(last)
		if areSkills {
			items = append(items[:end], first, last)
		}
	}

	return items
}

// oneWordNames are names of skills, folded.
var oneWordNames = makeLists(load("names.txt"))

func isWellKnown(name string) bool {
	name = fold(name)
	return oneWordNames["name"].has(name) || oneWordNames["one word"].has(name)
}

// parseList parses a list literal of Python, a damaged one of JSON, a set of Python, or an array of PostgreSQL. ok is
// false if the text is not one.
func parseList(text string) (items []string, ok bool) {
	if len(text) < 2 {
		return nil, false
	}

	opens := text[0] == '[' || text[0] == '{'
	closes := text[len(text)-1] == text[0]+2 // in ASCII, ] and } come two after [ and {
	if !opens || !closes {
		return nil, false
	}

	unsafe := "[]{}'\""
	if text[0] == '{' {
		unsafe += ":" // a dictionary
	}

	rest := strings.TrimSpace(text[1 : len(text)-1])
	for rest != "" {
		var item string
		if item, rest, ok = cutListItem(rest, unsafe); !ok {
			return nil, false
		}
		items = append(items, item)
		rest = strings.TrimSpace(strings.TrimPrefix(rest, ","))
	}

	return items, true
}

// cutListItem cuts an item off the start of a list. The rest is empty or starts with a comma. ok is false if a quoted
// item doesn't end before a comma, or another item has one of the unsafe characters, so that the list is no list of
// names.
func cutListItem(list, unsafe string) (item, rest string, ok bool) {
	isQuoted := list[0] == '\'' || list[0] == '"'
	if isQuoted {
		item, rest, ok = cutQuoted(list)
		rest = strings.TrimSpace(rest)
		return item, rest, ok && (rest == "" || rest[0] == ',')
	}

	end := strings.IndexByte(list, ',')
	if end < 0 {
		end = len(list)
	}
	item = list[:end]
	return item, list[end:], !strings.ContainsAny(item, unsafe)
}

// cutQuoted cuts a quoted string off the start of s and resolves the escapes that JSON and Python share.
func cutQuoted(s string) (text, rest string, ok bool) {
	quote := s[0]
	if end := strings.IndexByte(s[1:], quote) + 1; end > 0 && strings.IndexByte(s[1:end], '\\') < 0 {
		return s[1:end], s[end+1:], true
	}
	var b strings.Builder
	for rest = s[1:]; rest != ""; {
		if rest[0] == quote {
			return b.String(), rest[1:], true
		}
		r, _, tail, err := strconv.UnquoteChar(rest, quote)
		if err != nil { // not an escape: keep the backslash
			r = rune(rest[0])
			tail = rest[1:]
		}
		b.WriteRune(r)
		rest = tail
	}
	return "", s, false
}

// parseJSONList parses a JSON list of names, or of objects with a name. It also reports whether objects have levels.
func parseJSONList(s string) (items []string, hasLevels, ok bool) {
	if len(s) < 2 || s[0] != '[' {
		return nil, false, false
	}

	// Most lists in brackets aren't JSON, and have no quotation marks.
	var elements []any
	if strings.IndexByte(s, '"') < 0 || json.Unmarshal([]byte(s), &elements) != nil {
		return nil, false, false
	}

	objects := 0
	for _, element := range elements {
		switch element := element.(type) {
		case string:
			items = append(items, element)
		case map[string]any:
			objects++
			hasLevels = hasLevels || hasLevel(element)
			if name := skillName(element); name != "" {
				items = append(items, name)
			}
		}
	}
	return items, hasLevels, len(items) > 0 || len(elements) == objects
}

// hasLevel reports whether an object about a skill says how well or how long somebody knows it.
func hasLevel(object map[string]any) bool {
	for _, key := range []string{"level", "proficiency", "rating", "score", "stars", "years", "yearsOfExperience"} {
		if level := object[key]; level != nil && level != "" {
			return true
		}
	}
	return false
}

// parsePHPList returns the texts in a serialized array of PHP, such as a:1:{i:0;s:3:"SQL";}, which WordPress stores.
// Keys and values alternate in such an array, and a letter before each one names its type.
func parsePHPList(text string) (items []string, ok bool) {
	if !strings.HasPrefix(text, "a:") || !strings.HasSuffix(text, "}") {
		return nil, false
	}
	_, rest, _ := strings.Cut(text[:len(text)-1], "{")

	for isValue := false; rest != ""; isValue = !isValue {
		switch rest[0] {
		case 's': // a string
			var item string
			if item, rest, ok = cutPHPString(rest); !ok {
				return nil, false
			}
			if isValue {
				items = append(items, item)
			}

		case 'i', 'b', 'd', 'N': // an integer, a boolean, a decimal number or null
			if _, rest, ok = strings.Cut(rest, ";"); !ok {
				return nil, false
			}

		default: // a list in a list
			return nil, false
		}
	}

	return items, true
}

// cutPHPString cuts a string such as s:3:"SQL"; off the start of a serialized array of PHP. The length in bytes comes
// first, so the string may contain quotation marks.
func cutPHPString(array string) (text, rest string, ok bool) {
	length, rest, _ := strings.Cut(array[1:], `:"`)
	size, err := strconv.Atoi(strings.TrimPrefix(length, ":"))
	if err != nil || size < 0 || size > len(rest) {
		return "", "", false
	}

	text = rest[:size]
	rest, ok = strings.CutPrefix(rest[size:], `";`)
	return text, rest, ok
}

// skillName returns the name in an object about a skill, such as {"name": "Go", "level": 5}, or in an object inside it,
// such as {"skill": {"name": "Go"}}. It returns "" if there is none.
func skillName(object map[string]any) string {
	keys := [...]string{"name", "skill", "title", "label", "prefLabel", "prettyName"}
	for _, key := range keys {
		if name, ok := object[key].(string); ok {
			return name
		}
	}
	for _, inner := range []string{"skill", "node", "tag"} {
		if object, ok := object[inner].(map[string]any); ok {
			for _, key := range keys {
				if name, ok := object[key].(string); ok {
					return name
				}
			}
		}
	}
	return ""
}

// AddSkills appends the skills that are not in the list yet, up to MaxSkills.
func AddSkills(skills, more []string) []string {
	if len(skills) == 0 {
		return more
	}
	for _, skill := range more {
		if len(skills) >= MaxSkills {
			break
		}
		if !ContainsSkill(skills, skill) {
			skills = append(skills, skill)
		}
	}
	return skills
}
