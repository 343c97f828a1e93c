package dashboard

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
)

// functions are what templates call.
func (d *dashboard) functions() template.FuncMap {
	return template.FuncMap{
		"asset":    d.assets.url,
		"sentence": sentence,
		"title":    title,
		"number":   func(n int) string { return humanize.Comma(int64(n)) },
		"decimal":  decimal,
		"percent":  func(share float64) string { return strconv.Itoa(int(share*100+.5)) + " %" },
		"plural":   plural,
		"date":     func(t time.Time) string { return t.UTC().Format("2 Jan 2006") },
		"moment":   func(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04 UTC") },
		"machine":  func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"ago":      func(t time.Time) string { return ago(d.Now().Sub(t)) },
		"until":    func(t time.Time) string { return "in " + span(t.Sub(d.Now())) },
		"join":     func(words []string) string { return strings.Join(words, ", ") },
		"field":    newField,
		"choose":   newChoice,
	}
}

// sentence makes one of a message of an error: a capital letter and a full stop.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	text = string(unicode.ToUpper(first)) + text[size:]
	if last := text[len(text)-1]; last != '.' && last != '!' && last != '?' {
		text += "."
	}
	return text
}

// title is a word with a capital letter: the name of a plan or a role.
func title(word any) string {
	text := strings.ReplaceAll(fmt.Sprint(word), "_", " ")
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// decimal is a number with thousands told apart and no more decimals than it needs, at most the given ones.
func decimal(decimals int, n float64) string {
	return humanize.CommafWithDigits(n, decimals)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return humanize.Comma(int64(n)) + " " + many
}

// span is a length of time in its largest unit: 42 seconds, 3 hours, 12 days.
func span(length time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case length < time.Minute:
		return plural(max(0, int(length.Round(time.Second)/time.Second)), "second", "seconds")
	case length < time.Hour:
		return plural(int(length.Round(time.Minute)/time.Minute), "minute", "minutes")
	case length < 2*day:
		return plural(int(length.Round(time.Hour)/time.Hour), "hour", "hours")
	default:
		return plural(int(length.Round(day)/day), "day", "days")
	}
}

func ago(length time.Duration) string {
	if length < 10*time.Second {
		return "just now"
	}
	return span(length) + " ago"
}

// option is one choice of a list.
type option struct{ Value, Label string }

// field is one field of a form as a template draws it.
type field struct {
	Name, Label, Hint, Error string
	Value                    string // never of a password
	Type                     string // of an input element, or textarea, or select
	Autocomplete, Inputmode  string
	Placeholder              string
	Max, Rows                string
	Required, Autofocus      bool
	Optional                 bool
	Options                  []option // of a select
}

// newField is the field of a page's form with a name. Each option is a word, or a word, = and a text: type=email, required.
func newField(p *page, name, label string, options ...string) (field, error) {
	f := field{Name: name, Label: label, Error: p.Faults.At(name), Value: p.Form.Get(name), Type: "text"}
	for _, o := range options {
		word, text, _ := strings.Cut(o, "=")
		switch word {
		case "type":
			f.Type = text
		case "hint":
			f.Hint = text
		case "autocomplete":
			f.Autocomplete = text
		case "inputmode":
			f.Inputmode = text
		case "placeholder":
			f.Placeholder = text
		case "max":
			f.Max = text
		case "rows":
			f.Type, f.Rows = "textarea", text
		case "required":
			f.Required = true
		case "optional":
			f.Optional = true
		case "autofocus":
			f.Autofocus = p.Faults == nil // otherwise the summary of the faults is what to begin with
		default:
			return field{}, fmt.Errorf("field %s: no option %q", name, o)
		}
	}
	if f.Type == "password" {
		f.Value = ""
	}
	return f, nil
}

// newChoice is a field in which one of options is chosen.
func newChoice(p *page, name, label string, choices []option, options ...string) (field, error) {
	f, err := newField(p, name, label, options...)
	f.Type, f.Options = "select", choices
	return f, err
}
