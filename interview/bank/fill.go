package bank

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"freelancer-matching/interview"
)

// The bounds of a name that somebody sent and that stands in a question.
const (
	mostNameBytes = 48
	mostNameWords = 5
)

// filler puts names into templates: canonical names of the taxonomy, or names that can do no harm.
type filler struct {
	bank    *Bank
	phrases phrases
	project string
	skills  []string // names that are required, the most important first
}

func (b *Bank) filler(s *interview.Subject, e *edition) filler {
	f := filler{bank: b, phrases: e.phrases, project: e.phrases["project"]}
	title, ok := b.taxonomy.JobTitle(s.JobTitle)
	if !ok {
		title, ok = b.clean(s.JobTitle)
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

// fill is a template with its names; false when it needs a name that there is none for.
func (f *filler) fill(template string, skill *interview.Skill) (string, bool) {
	if !strings.Contains(template, "{") {
		return template, true
	}
	name, other := "", ""
	if skill != nil {
		var ok bool
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
	text := strings.NewReplacer("{skill}", name, "{other}", other, "{project}", f.project).Replace(template)
	if strings.HasPrefix(template, "{project}") {
		text = capital(text) // names keep their case: npm, iOS
	}
	return text, true
}

// gap is a question about a skill that the profile does not show.
func (f *filler) gap(question string, skill *interview.Skill) string {
	name, ok := f.bank.skillName(skill)
	if !ok {
		name = f.phrases["unnamed skill"]
	}
	return f.phrases.with("gap", "{skill}", name, "{question}", question)
}

// skillName is the name of a skill as a question may say it.
func (b *Bank) skillName(s *interview.Skill) (string, bool) {
	if known, ok := b.taxonomy.Skill(s.ID); ok {
		return known.Name, true
	}
	return b.clean(s.Name)
}

// clean is a name that somebody sent, if it looks like one: a few words of letters, digits and the signs of "C++", "Node.js" and
// "A/B". Others are not said at all, because what would be left of them could be anything.
func (b *Bank) clean(name string) (string, bool) {
	words := strings.Fields(name)
	name = strings.Join(words, " ")
	if name == "" || len(name) > mostNameBytes || len(words) > mostNameWords || !utf8.ValidString(name) {
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

// capital is a text whose first letter is a capital one.
func capital(text string) string {
	r, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[size:]
}
