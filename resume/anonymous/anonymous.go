// Package anonymous removes from resumes what tells who a person is, so that they can be compared without it: name,
// contact, age, gender and family. It recognizes them by their form and by lists of words, so text in unusual words can
// still tell something; endings of adjectives and pronouns of other languages than English remain.
package anonymous

import (
	_ "embed" // for the words
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/freelancer-matching/service/resume"
)

// What replaces the parts of a text.
const (
	nameMark     = "[name]"
	contactMark  = "[contact]"
	ageMark      = "[age]"
	personalMark = "[personal data]"
)

var (
	//go:embed words.txt
	wordList string
	//go:embed personal.txt
	personalList string
)

// A Redactor makes resumes anonymous. It is safe for concurrent use.
type Redactor struct {
	forms     map[string]forms // by language
	honorific *regexp.Regexp   // before a marked name, with it
	labels    []string         // of personal data, in lower case
}

// beforeName is the section of the words that are dropped before a name: Mr. and the like.
const beforeName = "before a name"

// forms has the replacements of words and of endings of words, in lower case.
type forms struct{ words, endings map[string]string }

// New returns a Redactor. It panics if its lists of words are malformed.
func New() *Redactor {
	r := &Redactor{forms: make(map[string]forms)}
	var current forms
	for line := range strings.Lines(wordList) {
		line = strings.TrimSpace(line)
		name, isSection := strings.CutPrefix(line, "[")
		switch before, replacement, isForms := strings.Cut(line, "="); {
		case line == "", strings.HasPrefix(line, "#"):
		case isSection && !isForms:
			current = forms{make(map[string]string), make(map[string]string)}
			r.forms[strings.TrimSuffix(name, "]")] = current
		case isForms:
			current.add(strings.Fields(before), strings.TrimSpace(replacement))
		default:
			panic(fmt.Sprintf("anonymous: the line %q has no =", line))
		}
	}

	// Names are replaced first, so an honorific is recognized by the mark after it.
	honorifics := strings.Join(slices.Sorted(maps.Keys(r.forms[beforeName].words)), "|")
	r.honorific = regexp.MustCompile(`(?i)(?:\b|^)(?:` + honorifics + `)\.? \[name\]`)
	for line := range strings.Lines(personalList) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for label := range strings.SplitSeq(line, ";") {
			r.labels = append(r.labels, strings.TrimSpace(label))
		}
	}

	return r
}

func (f forms) add(words []string, replacement string) {
	for _, word := range words {
		if ending, ok := strings.CutPrefix(word, "*"); ok {
			f.endings[ending] = strings.TrimPrefix(replacement, "*")
		} else {
			f.words[word] = replacement
		}
	}
}

// Resume returns a copy of a resume without name, contact, links and the dates of the education, which tell the age. In
// its texts, marks such as [name] and general forms replace what tells who the person is. Places of jobs, schools,
// languages and the country remain, because they belong to what a person can do; so does the ID of the draft.
func (r *Redactor) Resume(in resume.Resume) resume.Resume {
	t := r.texts(&in)
	// The copy shares its slices with the original, so each is cloned before it is changed.
	out := in
	out.Name = ""
	out.Contact = resume.Contact{}
	out.Confidence.Name = 0
	out.Confidence.Email = 0
	out.Confidence.Phone = 0
	out.Confidence.Location = 0
	out.JobTitle, out.Summary = t.redact(in.JobTitle), t.redact(in.Summary)
	out.Experience, out.Volunteering = t.positions(in.Experience), t.positions(in.Volunteering)

	// The dates of studies tell the age.
	out.Education = slices.Clone(in.Education)
	for i := range out.Education {
		d := &out.Education[i]
		d.Start, d.End = "", ""
		d.Degree, d.Field = t.redact(d.Degree), t.redact(d.Field)
	}

	out.Certifications = slices.Clone(in.Certifications)
	for i := range out.Certifications {
		out.Certifications[i].Name = t.redact(out.Certifications[i].Name)
	}

	out.Projects = slices.Clone(in.Projects)
	for i := range out.Projects {
		p := &out.Projects[i]
		p.Name, p.Description, p.URL = t.redact(p.Name), t.redact(p.Description), ""
	}

	out.Publications = slices.Clone(in.Publications)
	for i := range out.Publications {
		p := &out.Publications[i]
		p.Title, p.Publisher, p.URL = t.redact(p.Title), t.redact(p.Publisher), ""
	}

	f := &out.Freelancer
	f.Name = ""
	f.ProfileURL = ""
	f.Location = ""
	f.JobTitle, f.Description = t.redact(f.JobTitle), t.redact(f.Description)

	return out
}

// texts redacts the texts of one resume.
type texts struct {
	*Redactor
	forms forms           // of the language
	name  string          // in full
	names map[string]bool // the parts of the name and the person's accounts, in lower case
	phone string          // the last digits of the phone number
}

// minAccount is the minimum length in bytes of an account whose name is recognized in texts.
const minAccount = 5

func (r *Redactor) texts(in *resume.Resume) *texts {
	t := &texts{Redactor: r, name: in.Name, names: make(map[string]bool)}
	if t.forms = r.forms[in.Language]; in.Language == "" {
		t.forms = r.forms["en"]
	}

	inName := func(r rune) bool { return unicode.IsLetter(r) || r == '\'' || r == '’' }
	for _, part := range strings.FieldsFunc(in.Name, func(r rune) bool { return !inName(r) }) {
		if first, _ := utf8.DecodeRuneInString(part); unicode.IsUpper(first) && utf8.RuneCountInString(part) > 1 {
			t.names[strings.ToLower(part)] = true
		}
	}

	// The account part of an email address or a profile's URL usually contains the name.
	account, _, _ := strings.Cut(in.Contact.Email, "@")
	t.addAccount(account)
	for _, l := range in.Contact.Links {
		t.addAccount(l.URL[strings.LastIndexByte(strings.TrimRight(l.URL, "/"), '/')+1:])
	}

	// The last seven digits are the same with and without the country code.
	if digits := onlyDigits(in.Contact.Phone); len(digits) >= 7 {
		t.phone = digits[len(digits)-7:]
	}

	return t
}

func (t *texts) addAccount(name string) {
	if name = strings.ToLower(strings.Trim(name, "/@")); len(name) >= minAccount && !strings.Contains(name, ".com") {
		t.names[name] = true
	}
}

func (t *texts) positions(in []resume.Position) []resume.Position {
	out := slices.Clone(in)
	for i := range out {
		p := &out[i]
		p.Title, p.Company, p.Description = t.redact(p.Title), t.withoutName(p.Company), t.redact(p.Description)
	}
	return out
}

var (
	emailPattern = regexp.MustCompile(`[\pL\pN._%+-]+@[\pL\pN.-]+\.\pL{2,}`)
	urlPattern   = regexp.MustCompile(`(?i)(?:https?://|www\.)\S+|\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}/\S+`)
	digitPattern = regexp.MustCompile(`\+?\(?\d[\d ().\-/]{5,}\d`)
	agePattern   = regexp.MustCompile(`(?i)\b(?:\d{2}[\s-]years?[\s-]old|aged?:? \d{2}\b|\d{2} años|\d{2} anos|` +
		`\d{2} ans\b|\d{2} anni\b|\d{2} jahre alt|\d{2} jaar oud|in (?:my|his|her) (?:early |mid |late )?` +
		`(?:twenties|thirties|forties|fifties|sixties))|\d{2}岁|\d{2}歳`)
	partPattern = regexp.MustCompile(`(?:[^\n,;|·•]|, *\d)+`)
	wordPattern = regexp.MustCompile(`[\pL\pM][\pL\pM\pN]*(?:['’_-][\pL\pN]+)*\.?`)
)

// redact returns a text without what tells who the person is.
func (t *texts) redact(text string) string {
	if text == "" {
		return ""
	}
	text = emailPattern.ReplaceAllString(text, contactMark)
	text = urlPattern.ReplaceAllString(text, contactMark)
	text = digitPattern.ReplaceAllStringFunc(text, func(number string) string {
		digits := onlyDigits(number)
		isOwn := t.phone != "" && strings.HasSuffix(digits, t.phone)
		isInternational := strings.HasPrefix(number, "+") && len(digits) >= 8
		if isOwn || isInternational {
			return contactMark
		}
		return number
	})
	text = agePattern.ReplaceAllString(text, ageMark)
	text = t.withoutPersonalData(text)
	text = t.withoutName(text)
	return tidy(wordPattern.ReplaceAllStringFunc(text, t.word))
}

// withoutName replaces the person's name and its parts, which must be capitalized, and drops "Mr." and the like before
// them.
func (t *texts) withoutName(text string) string {
	if t.name == "" {
		return text
	}
	text = strings.ReplaceAll(text, t.name, nameMark)
	text = wordPattern.ReplaceAllStringFunc(text, func(word string) string {
		stem := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(word, "."), "'s"), "’s")
		first, _ := utf8.DecodeRuneInString(word)
		if !t.names[strings.ToLower(stem)] || !unicode.IsUpper(first) && len(stem) < minAccount {
			return word
		}
		return nameMark + strings.TrimPrefix(word, stem)
	})
	for strings.Contains(text, nameMark+" "+nameMark) {
		text = strings.ReplaceAll(text, nameMark+" "+nameMark, nameMark)
	}
	return t.honorific.ReplaceAllLiteralString(text, nameMark)
}

// withoutPersonalData replaces the parts of a text that are personal data with their label: "Date of birth: May 1990".
// A part ends at a line end, a semicolon, a bar, a bullet, or a comma that no number follows.
func (t *texts) withoutPersonalData(text string) string {
	return partPattern.ReplaceAllStringFunc(text, func(part string) string {
		trimmed := strings.TrimSpace(part)
		if !t.isPersonal(strings.ToLower(trimmed)) {
			return part
		}
		return strings.Replace(part, trimmed, personalMark, 1)
	})
}

// isPersonal reports whether a part of a text, in lower case, is a label of personal data with its value: a short text
// after a colon, or a few words with a number.
func (t *texts) isPersonal(part string) bool {
	return slices.ContainsFunc(t.labels, func(label string) bool {
		value, ok := strings.CutPrefix(part, label)
		if !ok || value == "" {
			return false
		}
		next, _ := utf8.DecodeRuneInString(value)
		if last, _ := utf8.DecodeLastRuneInString(label); unicode.IsLetter(next) && !unicode.Is(unicode.Han, last) {
			return false // another word
		}
		words := len(strings.Fields(value))
		labeled := strings.HasPrefix(strings.TrimSpace(value), ":") || strings.HasPrefix(value, "：")
		return labeled && words <= 8 || words <= 4 && strings.ContainsFunc(value, unicode.IsDigit)
	})
}

// word returns what replaces a word, or the word itself.
func (t *texts) word(word string) string {
	bare, dot := strings.CutSuffix(word, ".")
	lower := strings.ToLower(bare)
	replacement, ok := t.forms.words[lower]
	// The loop shortens the ending, so the longest known one wins.
	for i := 0; !ok && i < len(lower); i++ {
		var ending string
		if ending, ok = t.forms.endings[lower[i:]]; ok {
			replacement = lower[:i] + ending
		}
	}

	if !ok {
		return word
	}

	if first, _ := utf8.DecodeRuneInString(word); unicode.IsUpper(first) {
		first, size := utf8.DecodeRuneInString(replacement)
		replacement = string(unicode.ToUpper(first)) + replacement[size:]
	}

	// The dot may end an abbreviation or a sentence, so it stays.
	if dot {
		replacement += "."
	}

	return replacement
}

// tidy removes the spaces that dropped words leave.
func tidy(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(strings.Join(strings.FieldsFunc(line, func(r rune) bool { return r == ' ' }), " "))
	}
	return strings.Join(lines, "\n")
}

func onlyDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, text)
}
