// Package messages has the texts about an interview that people read, such as notices and the reason of a
// recommendation, in several languages.
package messages

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
//go:embed *.txt
var files embed.FS

// Fallback is the language of messages if the interview's language has none.
const Fallback = "en"

// languages returns the languages with messages.
func languages() []string { return []string{"de", "en", "es", "fr", "pt"} }

// A Printer returns the messages in one language. It is not safe for concurrent use.
type Printer struct{ printer *message.Printer }

// In returns the Printer of a language, or that of English if the language has no messages.
func In(code string) *Printer {
	printer, err := newPrinter(code)
	if err != nil {
		panic(err) // the files are part of the program, and tests read all of them
	}
	return &Printer{printer}
}

// Say returns a message with its arguments.
func (p *Printer) Say(key string, args ...any) string {
	return p.printer.Sprintf(message.Key(key, key), args...)
}

// newPrinter returns a printer of the messages in a language, or in English if there are none.
func newPrinter(code string) (*message.Printer, error) {
	if !slices.Contains(languages(), code) {
		code = Fallback
	}
	tag, err := language.Parse(code)
	if err != nil {
		return nil, err
	}

	file, err := files.ReadFile(code + ".txt")
	if err != nil {
		return nil, err
	}
	texts, err := parseMessages(string(file))
	if err != nil {
		return nil, fmt.Errorf("%s.txt: %w", code, err)
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
			return nil, fmt.Errorf("%s.txt: %s: %w", code, key, err)
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
