package interview

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/message/catalog"
)

// The messages about an interview, in one file per language. A line is "key: text", or "key one: text" and "key other:
// text" for the plural forms of the first argument. Indented lines continue the line before. Texts are formats of
// message.Printer, so that numbers have the separators of the language. A notice has the key of its code.
//
//go:embed messages/*.txt
var messageFiles embed.FS

// messageFallback is the language of messages if the session's language has none.
const messageFallback = "en"

// messageLanguages returns the languages with messages.
func messageLanguages() []string { return []string{"de", "en", "es", "fr", "pt"} }

// newPrinter returns a printer of the messages in a language, or in English if there are none.
func newPrinter(code string) (*message.Printer, error) {
	if !slices.Contains(messageLanguages(), code) {
		code = messageFallback
	}
	tag, err := language.Parse(code)
	if err != nil {
		return nil, err
	}

	file, err := messageFiles.ReadFile("messages/" + code + ".txt")
	if err != nil {
		return nil, err
	}
	texts, err := parseMessages(string(file))
	if err != nil {
		return nil, fmt.Errorf("messages/%s.txt: %w", code, err)
	}

	// A text with plural forms chooses among them by its first argument.
	b := catalog.NewBuilder(catalog.Fallback(tag))
	for key, forms := range texts {
		if text, ok := forms[""]; ok {
			err = b.SetString(tag, key, text)
		} else {
			err = b.Set(tag, key, plural.Selectf(1, "%d", plural.One, forms["one"], plural.Other, forms["other"]))
		}

		if err != nil {
			return nil, fmt.Errorf("messages/%s.txt: %s: %w", code, key, err)
		}
	}

	return message.NewPrinter(tag, message.Catalog(b)), nil
}

// parseMessages returns the texts of a file by key and form. The form is "" for a text without plural forms.
func parseMessages(file string) (map[string]map[string]string, error) {
	var lines []string
	for line := range strings.Lines(file) {
		line = strings.TrimRight(line, " \n")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, " ") && len(lines) > 0:
			lines[len(lines)-1] += " " + strings.TrimSpace(line)
		default:
			lines = append(lines, line)
		}
	}

	texts := make(map[string]map[string]string)
	for _, line := range lines {
		name, text, ok := strings.Cut(line, ": ")
		key, form, _ := strings.Cut(name, " ")
		// A repeated key would silently replace a message.
		_, twice := texts[key][form]
		isValid := ok && slices.Contains([]string{"", "one", "other"}, form)
		if !isValid || twice {
			return nil, fmt.Errorf("invalid or repeated message %q", line)
		}

		if texts[key] == nil {
			texts[key] = make(map[string]string)
		}
		texts[key][form] = text
	}

	return texts, nil
}

// say returns a message in the session's language.
func (se *session) say(key string, args ...any) string {
	if se.printer == nil {
		printer, err := newPrinter(se.Subject.Language)
		if err != nil {
			panic(err) // the files are part of the program, and tests read all of them
		}
		se.printer = printer
	}
	return se.printer.Sprintf(message.Key(key, key), args...)
}
