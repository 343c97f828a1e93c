package bank

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/taxonomy"
)

// The limits of a name from a request that a question repeats.
const (
	maxNameBytes = 48
	maxNameWords = 5
)

// minRepeated is the minimum length, in characters, of a word that a question should not repeat.
const minRepeated = 3

// A named skill is a required skill with its name in questions.
type named struct {
	name  string
	known taxonomy.Skill // the zero value if the taxonomy does not have the skill
}

// A filler replaces the placeholders of templates with names: those in the taxonomy, or harmless names from the
// request.
type filler struct {
	bank        *Bank
	phrases     phrases
	project     string
	skills      []named  // the required skills, the most important first
	toolNames   []string // those that are tools
	both        string   // joins two names
	translated  bool     // the questions are not in English, so that clients' names of skills fit better
	deliverable string   // what the brief asks for; "" if unknown
	scale       string   // a quantity in the brief; "" if it has none
}

func (b *Bank) filler(s *interview.Subject, e *edition) filler {
	f := filler{
		bank: b, translated: e != b.editions["en"], phrases: e.phrases, project: e.phrases["project"], both: e.brief.both,
		deliverable: b.deliverable(s, e), scale: b.scale(s, e),
	}

	// A title that the taxonomy knows is harmless. Others come from a request and may say anything.
	title, ok := b.taxonomy.JobTitle(s.JobTitle)
	if !ok {
		title, ok = clean(s.JobTitle)
	}

	if ok {
		f.project = e.phrases.with("titled project", "{title}", title)
	}

	for _, skill := range s.Skills {
		if name, ok := f.skillName(&skill); ok {
			known, _ := b.taxonomy.Skill(skill.ID)
			f.skills = append(f.skills, named{name, known})
			if b.isTool(&skill) {
				f.toolNames = append(f.toolNames, name)
			}
		}
	}

	return f
}

// fill returns a template with its placeholders replaced, and without the parts in brackets whose placeholders are
// unknown. ok is false if another part needs a name that is missing.
func (f *filler) fill(template string, skill *interview.Skill) (text string, ok bool) {
	if !strings.Contains(template, "{") {
		return template, true
	}

	values := f.values(skill)
	var out strings.Builder

	for rest := template; rest != ""; {
		plain, after, _ := strings.Cut(rest, "[")
		part, complete := replace(plain, values)
		if !complete {
			return "", false
		}

		out.WriteString(part)

		// An optional part must neither lack a name nor repeat the rest.
		optional, remaining, _ := strings.Cut(after, "]")
		if part, complete := replace(optional, values); complete && !f.repeats(optional, plain+remaining, values) {
			out.WriteString(part)
		}

		rest = remaining
	}

	text = out.String()
	if strings.HasPrefix(template, "{project}") {
		text = capitalize(text) // names such as npm and iOS keep their case
	}

	return text, true
}

// repeats reports whether an optional part of a template would repeat a word of the rest: "a translation for a
// translation", "Logo Design work for a logo".
func (f *filler) repeats(optional, rest string, values map[string]string) bool {
	if !strings.Contains(optional, "{deliverable}") {
		return false
	}
	rest = analysis.Fold(strings.NewReplacer("{skill}", values["skill"], "{other}", values["other"],
		"{project}", values["project"]).Replace(rest))
	others := strings.FieldsFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for word := range strings.FieldsSeq(analysis.Fold(values["deliverable"])) {
		if utf8.RuneCountInString(word) < minRepeated || slices.Contains(articles(), word) {
			continue
		}
		if slices.ContainsFunc(others, func(other string) bool {
			return strings.HasPrefix(other, word) || other+"s" == word
		}) {
			return true
		}
	}
	return false
}

// articles returns the articles before the names of deliverables in all languages, folded.
func articles() []string {
	return []string{"ein", "eine", "einen", "une", "una", "unos", "unas", "des", "uma", "uns", "umas"}
}

// related reports whether the required skill with a name implies or is a kind of another one, or the other way round.
// Such skills don't meet anywhere, as React and JavaScript.
func (f *filler) related(name string, other *taxonomy.Skill) bool {
	i := slices.IndexFunc(f.skills, func(s named) bool { return s.name == name })
	if i < 0 {
		return false
	}
	includes := func(s, t *taxonomy.Skill) bool {
		return t.ID != "" && (slices.Contains(s.Implies, t.ID) || slices.Contains(s.Broader, t.ID))
	}
	return includes(&f.skills[i].known, other) || includes(other, &f.skills[i].known)
}

// values returns the values of all placeholders in a question about a skill; unknown ones are "".
func (f *filler) values(skill *interview.Skill) map[string]string {
	name, other := "", ""
	if skill != nil {
		var ok bool
		if name, ok = f.skillName(skill); !ok {
			name = f.phrases["unnamed skill"]
		}
	} else if len(f.skills) > 0 {
		name = f.skills[0].name
	}

	// The other skill is one that the first has to work with, not a part of it.
	for _, s := range f.skills {
		if s.name != name && !f.related(name, &s.known) {
			other = s.name
			break
		}
	}

	about := name
	if skill == nil {
		about = "" // a question about the project may name all tools
	}

	return map[string]string{
		"skill": name, "other": other, "project": f.project,
		"deliverable": f.deliverable, "scale": f.scale, "tools": f.tools(about),
	}
}

// replace returns a text with its placeholders replaced. complete is false if one has no value.
func replace(text string, values map[string]string) (replaced string, complete bool) {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, "{")
		out.WriteString(before)
		if !found {
			return out.String(), true
		}
		name, after, _ := strings.Cut(rest, "}")
		if values[name] == "" {
			return "", false
		}
		out.WriteString(values[name])
		text = after
	}
}

// checkPlaceholders returns an error if a template has an unknown placeholder, nested or unbalanced brackets, or
// outside of brackets a placeholder that may be unknown.
func checkPlaceholders(template string) error {
	names := map[string]bool{ // and whether they must be in brackets
		"skill": false, "other": false, "project": false, "deliverable": true, "scale": true, "tools": true,
	}
	optional := false
	for i, r := range template {
		switch r {
		case '[', ']':
			// Brackets can't be nested, so they alternate.
			if optional == (r == '[') {
				return fmt.Errorf("%q has unbalanced brackets", template)
			}
			optional = !optional

		case '{':
			name, _, _ := strings.Cut(template[i+1:], "}")
			onlyOptional, known := names[name]
			if !known {
				return fmt.Errorf("unknown placeholder {%s}", name)
			}
			if onlyOptional && !optional {
				return fmt.Errorf("{%s} must be in brackets, because it may be unknown", name)
			}
		}
	}

	if optional {
		return fmt.Errorf("%q has unbalanced brackets", template)
	}

	return nil
}

// gap returns a question preceded by the remark that the profile does not show the skill.
func (f *filler) gap(question string, skill *interview.Skill) string {
	name, ok := f.skillName(skill)
	if !ok {
		name = f.phrases["unnamed skill"]
	}
	return f.phrases.with("gap", "{skill}", name, "{question}", question)
}

// skillName returns the name of a skill for a question, if possible in its language. ok is false if the name may be
// harmful.
func (f *filler) skillName(s *interview.Skill) (name string, ok bool) {
	if term, ok := clean(s.Term); ok && f.translated {
		return term, true
	}
	if known, ok := f.bank.taxonomy.Skill(s.ID); ok {
		return known.Name, true
	}
	return clean(s.Name)
}

// clean returns a name from a request with normalized white space. ok is false unless it looks like a name: a few words
// of letters, digits, and the signs in "C++", "Node.js" and "A/B". Such texts are not repaired, because the rest of a
// hostile text may still be hostile.
func clean(name string) (cleaned string, ok bool) {
	words := strings.Fields(name)
	name = strings.Join(words, " ")
	isTooLong := len(name) > maxNameBytes || len(words) > maxNameWords
	if isTooLong || name == "" {
		return "", false
	}
	if !utf8.ValidString(name) {
		return "", false
	}

	letters := false
	for _, r := range name {
		switch {
		case unicode.IsLetter(r):
			letters = true
		case unicode.IsDigit(r), unicode.Is(unicode.Mn, r), strings.ContainsRune(" +#./&'-", r):
		default:
			return "", false
		}
	}

	// Two slashes look like an address.
	if !letters || strings.Contains(name, "//") {
		return "", false
	}

	return name, true
}

// capitalize returns a text with its first letter in uppercase.
func capitalize(text string) string {
	r, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[size:]
}
