package page

import (
	"fmt"
	"html/template"
	"maps"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// functions returns the functions that templates can call.
func (s *site) functions() template.FuncMap {
	all := template.FuncMap{
		"asset":    s.assets.URL,
		"sentence": Sentence,
		"title":    Title,
		"number":   func(n int) string { return humanize.Comma(int64(n)) },
		"decimal":  Decimal,
		"years":    Years,
		"percent":  func(share float64) string { return strconv.Itoa(int(share*100+.5)) + "%" },
		"plural":   Plural,
		"moment":   moment,
		"date":     date,
		"clock":    clock,
		"day":      day,
		"ago":      s.ago,
		"until":    s.until,
		"join":     func(words []string) string { return strings.Join(words, ", ") },
		"field":    newField,
		"choose":   newChoice,
		"label":    func(p *Page, name, text string) string { p.Faults.addLabel(name, text); return text },
	}
	maps.Copy(all, s.Functions)
	return all
}

// Sentence turns an error message into a sentence: with a capital letter and a full stop.
func Sentence(text string) string {
	text = capitalize(text)
	if text != "" && !strings.ContainsAny(text[len(text)-1:], ".!?") {
		text += "."
	}
	return text
}

// Title returns an identifier, such as the name of a plan, as words with a capital letter.
func Title(identifier any) string {
	return capitalize(strings.ReplaceAll(fmt.Sprint(identifier), "_", " "))
}

func capitalize(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// Decimal rounds a number to the given number of decimals, and formats it with thousands separators and without
// trailing zeros.
func Decimal(decimals int, n float64) string {
	scale := math.Pow10(decimals)
	return humanize.CommafWithDigits(math.Round(n*scale)/scale, decimals)
}

// Years returns a number of years with at most one decimal: 1 year, 2.5 years.
func Years(n float64) string {
	text := Decimal(1, n)
	if text == "1" {
		return "1 year"
	}
	return text + " years"
}

// Plural returns a number with its noun: 1 match, 1,200 matches.
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return humanize.Comma(int64(n)) + " " + many
}

// maxGist is how many characters of a description take the place of a missing title.
const maxGist = 90

// Gist returns the first words of a description.
func Gist(description string) string {
	text := strings.Join(strings.Fields(description), " ")
	if utf8.RuneCountInString(text) <= maxGist {
		return text
	}
	short := string([]rune(text)[:maxGist])
	if space := strings.LastIndexByte(short, ' '); space > 0 {
		short = short[:space]
	}
	return short + "…"
}

// Cut returns a text cut to a number of bytes, without a part of a character at its end.
func Cut(text string, maxBytes int) string {
	if len(text) <= maxBytes {
		return text
	}
	for maxBytes > 0 && !utf8.RuneStart(text[maxBytes]) {
		maxBytes--
	}
	return text[:maxBytes]
}

// Day is a day of 24 hours.
const Day = 24 * time.Hour

// Span returns a duration in its largest unit: 42 seconds, 3 hours, 12 days.
func Span(length time.Duration) string {
	switch {
	case length < time.Minute:
		return Plural(max(0, int(length.Round(time.Second)/time.Second)), "second", "seconds")
	case length < time.Hour:
		return Plural(int(length.Round(time.Minute)/time.Minute), "minute", "minutes")
	case length < 2*Day:
		return Plural(int(length.Round(time.Hour)/time.Hour), "hour", "hours")
	default:
		return Plural(int(length.Round(Day)/Day), "day", "days")
	}
}

func ago(length time.Duration) string {
	if length < 10*time.Second {
		return "just now"
	}
	return Span(length) + " ago"
}

// Option is one choice of a select element.
type Option struct{ Value, Label string }

// Options returns choices from pairs of a value and a label.
func Options(pairs ...string) []Option {
	options := make([]Option, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		options = append(options, Option{pairs[i], pairs[i+1]})
	}
	return options
}

// field is a form field as the template "field" renders it.
type field struct {
	Name, Label, Hint, Error string
	Value                    string // always "" for a password
	Type                     string // of an input element, or textarea, or select
	Autocomplete, Inputmode  string
	Max, Rows                string
	Required, Autofocus      bool
	Optional                 bool
	Skills                   bool     // a list of skills, which a script completes
	InRow                    bool     // the row that contains the field shows its faults
	Options                  []Option // of a select element
}

// newField returns the form field with the given name. Each attribute is a name, or a name and a value:
// required, type=email. The attribute row leaves the faults to the template "rowfaults", and the attribute as is the
// label where the field is named without its row.
func newField(p *Page, name, label string, attributes ...string) (field, error) {
	f := field{Name: name, Label: label, Error: p.Faults.At(name), Value: p.Form.Get(name), Type: "text"}
	fullLabel := label
	for _, a := range attributes {
		attribute, value, _ := strings.Cut(a, "=")
		switch attribute {
		case "type":
			f.Type = value
		case "hint":
			f.Hint = value
		case "autocomplete":
			f.Autocomplete = value
		case "inputmode":
			f.Inputmode = value
		case "max":
			f.Max = value
		case "rows":
			f.Type = "textarea"
			f.Rows = value
		case "required":
			f.Required = true
		case "optional":
			f.Optional = true
		case "skills":
			f.Skills = true
		case "row":
			f.InRow = true
		case "as":
			fullLabel = value
		case "autofocus":
			f.Autofocus = p.Faults == nil // a list of faults takes the focus
		default:
			return field{}, fmt.Errorf("field %s: unknown attribute %q", name, a)
		}
	}

	p.Faults.addLabel(name, fullLabel)

	// A page never contains a password, not even one that was just typed.
	if f.Type == "password" {
		f.Value = ""
	}

	return f, nil
}

// newChoice returns a form field that offers choices.
func newChoice(p *Page, name, label string, choices []Option, attributes ...string) (field, error) {
	f, err := newField(p, name, label, attributes...)
	f.Type = "select"
	f.Options = choices
	return f, err
}

// LanguageName returns the English name of a language code, or "" if the code is unknown.
func LanguageName(code string) string {
	tag, err := language.Parse(code)
	if err != nil {
		return ""
	}
	return display.English.Languages().Name(tag)
}
