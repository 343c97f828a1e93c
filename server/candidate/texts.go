package candidate

import (
	"fmt"
	"net/http"
	"strings"

	"golang.org/x/text/language"

	"github.com/freelancer-matching/service/interview"
)

// texts holds the texts of one language by key. A text may have placeholders such as {n}.
type texts map[string]string

// loadTexts returns the texts of all languages.
func loadTexts() map[string]texts {
	all := map[string]texts{}
	for name, content := range embedded("texts/*.txt") {
		t, err := parseTexts(string(content))
		if err != nil {
			panic(fmt.Errorf("%s: %w", name, err)) // tested
		}
		all[strings.TrimSuffix(name, ".txt")] = t
	}
	return all
}

// parseTexts parses lines of the form "key = text". Indented lines continue the text before them.
func parseTexts(content string) (texts, error) {
	t := texts{}
	last := ""
	for line := range strings.Lines(content) {
		line = strings.TrimRight(line, "\n")
		if more, ok := strings.CutPrefix(line, "  "); ok && last != "" {
			t[last] += " " + more
			continue
		}
		key, text, ok := strings.Cut(line, " = ")
		_, repeated := t[key]
		complete := ok && key != "" && text != ""
		if !complete || repeated {
			return nil, fmt.Errorf("invalid or repeated line %q", line)
		}
		t[key], last = text, key
	}
	return t, nil
}

// text returns the text with a key. The arguments are placeholders, each followed by its value.
func (t texts) text(key string, args ...any) (string, error) {
	text, ok := t[key]
	if !ok {
		return "", fmt.Errorf("unknown text %q", key)
	}
	if len(args)%2 != 0 {
		return "", fmt.Errorf("text %q: a placeholder without a value", key)
	}
	pairs := make([]string, len(args))
	for i := range args {
		pairs[i] = fmt.Sprint(args[i])
		if i%2 == 0 {
			pairs[i] = "{" + pairs[i] + "}"
		}
	}
	return strings.NewReplacer(pairs...).Replace(text), nil
}

// accepted returns the best language of the pages for the Accept-Language header of a request.
func accepted(r *http.Request) string {
	var tags []language.Tag
	for _, code := range interview.PageLanguages() {
		tags = append(tags, language.MustParse(code))
	}
	_, i := language.MatchStrings(language.NewMatcher(tags), r.Header.Get("Accept-Language"))
	return interview.PageLanguages()[i]
}
