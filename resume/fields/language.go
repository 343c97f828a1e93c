package fields

import (
	"strings"
	"unicode"

	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/resume/page"
	"github.com/freelancer-matching/service/resume/sections"
)

// maxSample is how much of a document is read for its language, in bytes.
const maxSample = 20_000

// language returns the ISO 639-1 code of the language of a document, "" if it is unknown.
func (e *Extractor) language(p *page.Page, all []*sections.Section) string {
	var b strings.Builder
	for i := 0; i < len(p.Lines) && b.Len() < maxSample; i++ {
		b.WriteString(p.Lines[i].Text)
		b.WriteByte('\n')
	}

	text := b.String()
	if code := languageOfScript(text); code != "" {
		return code
	}
	// The analyzer also returns English for languages it doesn't know.
	if detected := e.services.analyzer.Language(text); detected != analysis.English {
		return detected.String()
	}

	// Headings decide among the languages that the analyzer doesn't know.
	headings := make(map[string]int)
	best := ""
	for _, section := range all {
		if code := e.services.words.HeadingLanguages[section.Heading]; code != "" {
			headings[code]++
			if headings[code] > headings[best] {
				best = code
			}
		}
	}

	// The words of other languages are rarely these, but a document in any language quotes some English.
	words, english := 0, 0
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		words++
		if e.services.words.FunctionWords[word] {
			english++
		}
	}

	// Much English outweighs a single heading in another language.
	isEnglish := best == "" && english*25 >= words
	outweighs := best != "" && headings[best] == 1 && english*12 >= words
	if isEnglish || outweighs {
		return "en"
	}

	return best
}

// scripts lists the scripts that identify a language. A Chinese or Japanese character counts as two letters. The first
// script with more than a third of the letters wins.
var scripts = []struct {
	language string
	table    *unicode.RangeTable
	weight   int
}{
	{"zh", unicode.Han, 2},
	{"ja", unicode.Hiragana, 2},
	{"ja", unicode.Katakana, 2},
	{"ko", unicode.Hangul, 1},
	{"ru", unicode.Cyrillic, 1},
	{"ar", unicode.Arabic, 1},
	{"he", unicode.Hebrew, 1},
	{"el", unicode.Greek, 1},
	{"th", unicode.Thai, 1},
	{"hi", unicode.Devanagari, 1},
}

// languageOfScript returns the language that the script of a text identifies, or "".
func languageOfScript(text string) string {
	counts := make(map[string]int)
	letters := 0
	for _, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}

		letters++

		if r < 0x370 { // Latin
			continue
		}

		for _, script := range scripts {
			if unicode.Is(script.table, r) {
				counts[script.language] += script.weight
				break
			}
		}
	}

	// Japanese text mixes kana with Chinese characters.
	if counts["ja"]*8 > counts["zh"] && counts["ja"]+counts["zh"] > letters/3 {
		return "ja"
	}

	for _, script := range scripts {
		if counts[script.language] <= letters/3 {
			continue
		}
		if script.language == "ru" && strings.ContainsAny(text, "іїєґІЇЄҐ") {
			return "uk"
		}

		return script.language
	}

	return ""
}
