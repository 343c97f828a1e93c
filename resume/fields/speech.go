package fields

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"freelancer-matching/resume"
)

// speech is a language that a text names.
type speech struct {
	name       string
	start, end int
}

// maxSpeech bounds the length of a line that names languages.
const maxSpeech = 400

// spokenIn are the languages that a text names.
func (d *dictionary) spokenIn(text string) []speech {
	text = cut(text, maxSpeech)
	var found []speech
	type word struct{ start, end int }
	var words []word
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		start := i
		for unicode.IsLetter(r) || unicode.Is(unicode.Mn, r) {
			i += size
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		if i > start {
			words = append(words, word{start, i})
			continue
		}
		i += size
	}
	for i := 0; i < len(words); i++ {
		for n := min(2, len(words)-i); n > 0; n-- {
			start, end := words[i].start, words[i+n-1].end
			if name := d.spoken[key(text[start:end])]; name != "" {
				found = append(found, speech{name, start, end})
				i += n - 1
				break
			}
		}
		if n := len(found); (n == 0 || found[n-1].end < words[i].end) && wide(text[words[i].start:words[i].end]) {
			found = append(found, d.spokenInside(text, words[i].start, words[i].end)...)
		}
	}
	return found
}

// spokenInside are languages in text without spaces.
func (d *dictionary) spokenInside(text string, from, to int) []speech {
	var found []speech
	for i := from; i < to; {
		_, size := utf8.DecodeRuneInString(text[i:])
		for _, length := range []int{15, 12, 9, 6} {
			if i+length <= to && d.spoken[key(text[i:i+length])] != "" {
				found = append(found, speech{d.spoken[key(text[i:i+length])], i, i + length})
				size = length
				break
			}
		}
		i += size
	}
	return found
}

// languages are those that the person speaks: of the sections of languages, and of lines labelled so in others.
func (e *Extractor) languages(all []*section) []resume.Language {
	var list []resume.Language
	have := make(set)
	for _, s := range all {
		if s.is(references) {
			continue
		}
		for i, l := range s.lines {
			text := l.text
			if s.kind != languages {
				var ok bool
				if text, ok = e.labelledLanguages(text); !ok && (s.also != languages || len(e.words.spokenIn(text)) == 0) {
					continue
				}
			}
			next := ""
			if s.kind == languages && i+1 < len(s.lines) {
				next = s.lines[i+1].text
			}
			for _, spoken := range e.levels(text, next) {
				if !have[spoken.Name] && len(list) < maxEntries {
					have[spoken.Name] = true
					list = append(list, spoken)
				}
			}
		}
	}
	return list
}

// labelledLanguages is what stands behind "Languages:" in a line.
func (e *Extractor) labelledLanguages(text string) (string, bool) {
	label, rest, ok := strings.Cut(cut(text, maxSpeech), ":")
	if !ok {
		label, rest, ok = strings.Cut(cut(text, maxSpeech), "：")
	}
	if !ok {
		label, rest, ok = strings.Cut(cut(text, maxSpeech), "\t")
	}
	return rest, ok && e.words.headings[e.words.unmodified(key(label))] == languages
}

// levels are the languages of a line, each with the level behind it, else in front of it, else in the next line.
func (e *Extractor) levels(text, next string) []resume.Language {
	text = cut(text, maxSpeech)
	found := e.words.spokenIn(text)
	list := make([]resume.Language, len(found))
	for i, f := range found {
		from, to := 0, len(text)
		if i > 0 {
			from = found[i-1].end
		}
		if i+1 < len(found) {
			to = found[i+1].start
		}
		list[i] = resume.Language{Name: f.name, Level: e.level(text[f.end:to])}
		before := text[from:f.start]
		if j := strings.LastIndexAny(before, ",;)|"); j >= 0 {
			before = before[j+1:]
		} else if i > 0 {
			before = ""
		}
		if list[i].Level == "" || i == 0 && strings.HasSuffix(strings.TrimSpace(before), ":") {
			if level := e.level(before); level != "" {
				list[i].Level = level
			}
		}
	}
	if len(list) == 1 && list[0].Level == "" && len(e.words.spokenIn(next)) == 0 && utf8.RuneCountInString(next) < 60 {
		list[0].Level = e.level(next)
	}
	return list
}

// level is the level that a text names: of the CEFR, native, or in its own words.
func (e *Extractor) level(text string) string {
	var start, end []int
	for i := 0; i < len(text) && len(start) < 30; {
		r, size := utf8.DecodeRuneInString(text[i:])
		from := i
		for unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r) {
			i += size
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		if i > from {
			start, end = append(start, from), append(end, i)
			continue
		}
		i += size
	}
	for i := range start {
		word := strings.ToUpper(text[start[i]:end[i]])
		if len(word) == 2 && word[0] >= 'A' && word[0] <= 'C' && (word[1] == '1' || word[1] == '2') {
			return word
		}
	}
	written := ""
	for i := range start {
		for n := min(5, len(start)-i); n > 0; n-- {
			phrase := text[start[i]:end[i+n-1]]
			switch k := key(phrase); {
			case e.words.native[k]:
				return "native"
			case written == "" && e.words.levels[k]:
				written = phrase
			}
		}
	}
	return written
}
