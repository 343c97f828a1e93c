package bank

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"freelancer-matching/interview"
)

// The limits of a name from a request that a question repeats.
const (
	maxNameBytes = 48
	maxNameWords = 5
)

// A filler replaces the placeholders of templates with names: those in the taxonomy, or harmless names from the
// request.
type filler struct {
	bank    *Bank
	phrases phrases
	project string
	skills  []string // names of the required skills, the most important first
}

func (b *Bank) filler(s *interview.Subject, e *edition) filler {
	f := filler{bank: b, phrases: e.phrases, project: e.phrases["project"]}
	title, ok := b.taxonomy.JobTitle(s.JobTitle)
	if !ok {
		title, ok = clean(s.JobTitle)
	}
	if ok {
		f.project = e.phrases.with("titled project", "{title}", title)
	}
	for _, skill := range s.Skills {
		if name, ok := b.skillName(&skill); ok {
			f.skills = append(f.skills, name)
		}
	}
	return f
}

// fill returns a template with its placeholders replaced. ok is false if it needs a name that is missing.
func (f *filler) fill(template string, skill *interview.Skill) (text string, ok bool) {
	if !strings.Contains(template, "{") {
		return template, true
	}
	name, other := "", ""
	if skill != nil {
		if name, ok = f.bank.skillName(skill); !ok {
			name = f.phrases["unnamed skill"]
		}
	} else if len(f.skills) > 0 {
		name = f.skills[0]
	}
	for _, s := range f.skills {
		if s != name {
			other = s
			break
		}
	}
	if name == "" && strings.Contains(template, "{skill}") || other == "" && strings.Contains(template, "{other}") {
		return "", false
	}
	text = strings.NewReplacer("{skill}", name, "{other}", other, "{project}", f.project).Replace(template)
	if strings.HasPrefix(template, "{project}") {
		text = capitalize(text) // names such as npm and iOS keep their case
	}
	return text, true
}

// gap returns a question preceded by the remark that the profile does not show the skill.
func (f *filler) gap(question string, skill *interview.Skill) string {
	name, ok := f.bank.skillName(skill)
	if !ok {
		name = f.phrases["unnamed skill"]
	}
	return f.phrases.with("gap", "{skill}", name, "{question}", question)
}

// skillName returns the name of a skill for a question. ok is false if the name may be harmful.
func (b *Bank) skillName(s *interview.Skill) (name string, ok bool) {
	if known, ok := b.taxonomy.Skill(s.ID); ok {
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
	if name == "" || len(name) > maxNameBytes || len(words) > maxNameWords || !utf8.ValidString(name) {
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
