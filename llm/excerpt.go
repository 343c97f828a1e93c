package llm

import (
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/llm/sanitize"
)

// excerptLength is how many characters of a server's message are repeated. Some servers echo the whole request.
const excerptLength = 200

// overlapLength is how many characters a server's message and a sent text may share by chance: longer than most words,
// and too short to reveal much of a text.
const overlapLength = 12

// shorten returns the beginning of a text.
func shorten(text string) string {
	if short := sanitize.Cut(text, excerptLength); len(short) < len(text) {
		return short + " …"
	}
	return text
}

// redact returns a server's message on one line, without the key and without passages of the texts that were sent.
// Errors are logged, and some servers repeat the request that they reject.
func (s *server) redact(text string, sent []string) string {
	if key := currentKey(s.key); key != "" {
		text = strings.ReplaceAll(text, key, "[key]")
	}
	for _, t := range sent {
		if t == "" {
			continue
		}
		quoted := strings.Trim(strconv.Quote(t), `"`) // like JSON, except for rare characters
		text = strings.NewReplacer(t, "[text]", quoted, "[text]").Replace(text)
	}
	text = sanitize.Cut(strings.Join(strings.Fields(text), " "), 5*excerptLength)
	for _, t := range sent {
		text = withoutOverlap(text, strings.Join(strings.Fields(t), " "))
	}
	return text
}

// withoutOverlap replaces every long passage of a text that also occurs in source by [text].
func withoutOverlap(text, source string) string {
	runes := []rune(text)
	var kept strings.Builder
	for i := 0; i < len(runes); {
		length := 0
		for n := overlapLength; i+n <= len(runes) && strings.Contains(source, string(runes[i:i+n])); n++ {
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
