// Package phrase puts lists into sentences.
package phrase

import "strings"

// Join joins words as a sentence does, with a conjunction before the last: "a", "a or b", "a, b or c".
func Join(words []string, conjunction string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " " + conjunction + " " + words[last]
}
