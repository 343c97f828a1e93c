package llm

import (
	"strconv"
	"strings"
)

// excerptLength is how many characters of a server's own words are told on: some servers repeat the whole request.
const excerptLength = 200

// quotationLength is how many characters a server's words and a text that was sent may have in common by chance. It is
// shorter than what would tell much of a text, and longer than most words.
const quotationLength = 12

// shorten is the beginning of a text.
func shorten(text string) string {
	if short := cut(text, excerptLength); len(short) < len(text) {
		return short + " …"
	}
	return text
}

// redact is a text on one line, without the key and without whatever it has from the texts that were sent: some servers
// repeat what they refuse, whole or in part, and errors are logged.
func (s *server) redact(text string, sent []string) string {
	if s.key != "" {
		text = strings.ReplaceAll(text, s.key, "[key]")
	}
	for _, t := range sent {
		if t == "" {
			continue
		}
		quoted := strings.Trim(strconv.Quote(t), `"`) // as in JSON, but for rare characters
		text = strings.NewReplacer(t, "[text]", quoted, "[text]").Replace(text)
	}
	text = cut(strings.Join(strings.Fields(text), " "), 5*excerptLength)
	for _, t := range sent {
		text = withoutQuotations(text, strings.Join(strings.Fields(t), " "))
	}
	return text
}

// withoutQuotations is a text with [text] for whatever long part of it stands in source, too.
func withoutQuotations(text, source string) string {
	runes := []rune(text)
	var kept strings.Builder
	for i := 0; i < len(runes); {
		length := 0
		for n := quotationLength; i+n <= len(runes) && strings.Contains(source, string(runes[i:i+n])); n++ {
			length = n
		}
		if length == 0 {
			kept.WriteRune(runes[i])
			i++
			continue
		}
		kept.WriteString("[text]")
		i += length
	}
	return kept.String()
}
