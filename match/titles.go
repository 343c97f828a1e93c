package match

import (
	"slices"
	"strings"
	"unicode"

	"freelancer-matching/engine"
	"freelancer-matching/taxonomy"
)

// maxTitleWords bounds what is taken for a job title: more words are a sentence.
const maxTitleWords = 6

// jobTitles are the titles that a headline names, as it writes them, without words of seniority: "Senior React Developer |
// Node.js, AWS" names the one of a React Developer. A part that is the name of a skill is no title.
func jobTitles(t *taxonomy.Taxonomy, headline string) []string {
	var titles, seen []string
	for _, part := range headlineParts(headline) {
		title := t.WithoutSeniority(strings.Trim(part, ` *_"'“”!?:…`))
		key := taxonomy.Normalize(title)
		if len(title) > engine.MaxWordBytes || len(strings.Fields(title)) > maxTitleWords || strings.IndexFunc(key, unicode.IsLetter) < 0 {
			continue
		}
		if s, skill := t.Named(title); skill && (taxonomy.Key(s.Name) == taxonomy.Key(title) || !t.NamesJob(title)) {
			continue
		}
		if slices.Contains(seen, key) {
			continue
		}
		seen = append(seen, key)
		titles = append(titles, title)
	}
	return titles
}

// headlineParts takes a headline apart where one thing ends and another begins. A stroke or dash between letters belongs to
// a name: "UI/UX Designer", "Front-End Developer".
func headlineParts(headline string) []string {
	const apart = "\n"
	headline = strings.NewReplacer(" - ", apart, " / ", apart, " -- ", apart).Replace(headline)
	return strings.FieldsFunc(headline, func(r rune) bool { return strings.ContainsRune("|•·;,()[]–—\n\r\t", r) })
}
