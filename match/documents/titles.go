package documents

import (
	"slices"
	"strings"
	"unicode"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/taxonomy"
)

// maxTitleWords is the number of words in the longest job title. Anything longer is probably a sentence.
const maxTitleWords = 6

// jobTitles returns the job titles in a headline, as written but without words of seniority: "React Developer" for
// "Senior React Developer | Node.js, AWS". The name of a skill is not a title.
func jobTitles(t *taxonomy.Taxonomy, headline string) []string {
	var titles, seen []string
	for _, part := range headlineParts(headline) {
		title := t.WithoutSeniority(strings.Trim(part, ` *_"'“”!?:…`))
		key := taxonomy.Normalize(title)
		tooLong := len(title) > engine.MaxWordBytes || len(strings.Fields(title)) > maxTitleWords
		if tooLong || !strings.ContainsFunc(key, unicode.IsLetter) || slices.Contains(seen, key) {
			continue
		}
		if s, ok := t.Named(title); ok && (taxonomy.Key(s.Name) == taxonomy.Key(title) || !t.NamesJob(title)) {
			continue
		}
		seen = append(seen, key)
		titles = append(titles, title)
	}
	return titles
}

// headlineParts splits a headline at separators. A slash or hyphen between letters belongs to a name, such as "UI/UX
// Designer" or "Front-End Developer".
func headlineParts(headline string) []string {
	headline = spacedSeparators.Replace(headline)
	return strings.FieldsFunc(headline, func(r rune) bool { return strings.ContainsRune("|•·;,()[]–—\n\r\t", r) })
}

var spacedSeparators = strings.NewReplacer(" - ", "\n", " / ", "\n", " -- ", "\n")
