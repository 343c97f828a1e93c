package flow

import (
	"strconv"
	"strings"
)

// HeadingLevel returns the level of a heading by the name or ID of its style, or 0 for other styles. Word translates
// only the IDs of built-in styles; other programs also translate their names.
func HeadingLevel(name string) int {
	name = strings.ToLower(strings.ReplaceAll(name, " ", ""))
	for _, word := range [...]string{
		"heading", "überschrift", "berschrift", "titre", "título", "titulo", "ttulo", "titolo", "kop", "rubrik", "nagłówek",
		"заголовок", "标题", "標題", "見出し", "제목",
	} {
		if digits, ok := strings.CutPrefix(name, word); ok {
			if level, err := strconv.Atoi(digits); err == nil && 1 <= level && level <= 9 {
				return level
			}
		}
	}
	return 0
}

// LinkTarget returns the address in the instruction of a link, such as HYPERLINK "https://example.org" \o "tip", or ""
// for other instructions.
func LinkTarget(instruction string) string {
	rest, ok := strings.CutPrefix(strings.TrimSpace(instruction), "HYPERLINK")
	if !ok {
		return ""
	}
	rest = strings.TrimSpace(rest)
	if quoted, ok := strings.CutPrefix(rest, `"`); ok {
		address, _, _ := strings.Cut(quoted, `"`)
		return address
	}
	if address, _, _ := strings.Cut(rest, " "); !strings.HasPrefix(address, `\`) {
		return address
	}
	return ""
}
