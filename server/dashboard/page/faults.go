package page

import (
	"slices"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/internal/matching"
)

// Faults is what is wrong with a submitted form. Pages show it in a summary above the form and at each field.
type Faults struct {
	Message string
	Fields  []matching.FieldError // Field is the name of a form field

	labels []fieldLabel // of the form's fields in their order, recorded while the page is rendered
}

// fieldLabel is the label of a form field.
type fieldLabel struct{ name, text string }

// addLabel records the label of a field. Messages name the field by it.
func (f *Faults) addLabel(name, text string) {
	if f != nil && f.position(name) < 0 {
		f.labels = append(f.labels, fieldLabel{name, text})
	}
}

// position returns the position of a field in the form, or -1 if its label is not known.
func (f *Faults) position(name string) int {
	return slices.IndexFunc(f.labels, func(l fieldLabel) bool { return l.name == name })
}

// label returns the label of a field, or words for its name if the form has not recorded one.
func (f *Faults) label(name string) string {
	if i := f.position(name); i >= 0 {
		return f.labels[i].text
	}
	return Title(name)
}

// At returns what is wrong with a field, or "" if nothing is.
func (f *Faults) At(name string) string {
	if f == nil {
		return ""
	}
	var messages []string
	for _, fault := range f.Fields {
		if fault.Field == name {
			messages = append(messages, Sentence(f.message(fault)))
		}
	}
	return strings.Join(slices.Compact(messages), " ")
}

// Rename moves the faults of a field to another field.
func (f *Faults) Rename(from, to string) {
	if f == nil {
		return
	}
	for i := range f.Fields {
		if f.Fields[i].Field == from {
			f.Fields[i].Field = to
		}
	}
}

// FaultLine is one line about a field: of the summary, or of a row of fields.
type FaultLine struct{ Field, Text string }

// Summary returns a line for each fault in the order of the form's fields. Each line names its field.
func (f *Faults) Summary() []FaultLine {
	ordered := slices.Clone(f.Fields)
	slices.SortStableFunc(ordered, func(a, b matching.FieldError) int {
		return f.rank(a.Field) - f.rank(b.Field)
	})
	var lines []FaultLine
	for _, fault := range ordered {
		line := FaultLine{fault.Field, f.namedMessage(fault)}
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// rank returns the position of a field in the form. Fields without a label come last.
func (f *Faults) rank(name string) int {
	if i := f.position(name); i >= 0 {
		return i
	}
	return len(f.labels)
}

// Row returns a line for each of the named fields with a fault. The fields share a row, which the lines span.
func (f *Faults) Row(names ...string) []FaultLine {
	if f == nil {
		return nil
	}
	var lines []FaultLine
	for _, name := range names {
		var texts []string
		for _, line := range f.Summary() {
			if line.Field == name {
				texts = append(texts, line.Text)
			}
		}
		if len(texts) > 0 {
			lines = append(lines, FaultLine{name, strings.Join(texts, " ")})
		}
	}
	return lines
}

// namedMessage returns a sentence about a fault that names its field.
func (f *Faults) namedMessage(fault matching.FieldError) string {
	message := f.message(fault)
	label := f.label(fault.Field)
	if strings.HasPrefix(message, label+" ") {
		return Sentence(message)
	}
	return label + ": " + Sentence(message)
}

// message returns the message of a fault in the words of the form: the label takes the place of the API's name of the
// field.
func (f *Faults) message(fault matching.FieldError) string {
	switch {
	case fault.Code == "reversed" && fault.Field == "budget_low":
		return f.label("budget_low") + " must not exceed " + f.label("budget_high")
	case fault.Code == "required" && strings.HasPrefix(fault.Message, "At least one of description"):
		return "enter a description, a job title or a required skill"
	}
	path, rest, ok := strings.Cut(fault.Message, " ")
	if !ok || !namesField(path, fault.Field) {
		return fault.Message
	}
	subject := f.label(fault.Field)
	if entry, ok := listEntry(path); ok {
		subject = "entry " + strconv.Itoa(entry)
	}
	return subject + " " + rest
}

// namesField reports whether a word is the API's name of the value in a form field, such as budget_range[1] for
// budget_high.
func namesField(word, field string) bool {
	return word != "" && (FormField(word) == field || word == field || strings.HasSuffix(field, "_"+word))
}

// listEntry returns the position of the list entry at a path of the request, counted from 1. ok is false if the form
// has no list for the path.
func listEntry(path string) (n int, ok bool) {
	_, index, isEntry := strings.Cut(strings.TrimSuffix(path, "]"), "[")
	i, err := strconv.Atoi(index)
	if strings.HasPrefix(path, "budget_range[") {
		return 0, false // each end has a field of its own
	}
	if !isEntry || err != nil {
		return 0, false
	}
	return i + 1, true
}
