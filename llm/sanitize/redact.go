package sanitize

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// What is sent instead of a part of a text.
const (
	redactedLink    = "[link]"    // an address on the web, or of email
	redactedNumber  = "[number]"  // a telephone number
	redactedName    = "[name]"    // a word of a person's name
	redactedContact = "[contact]" // a name in a messenger
)

// redactions finds all placeholders. Quotations are in lower case.
var redactions = regexp.MustCompile(`\[(?:link|number|name|contact)\]`)

var (
	linkPattern  = regexp.MustCompile(`(?i)\b(?:https?://|www\.)\S+|[^\s@]+@[^\s@]+\.\pL{2,}`)
	phonePattern = regexp.MustCompile(`\+?\d[\d ()./-]{7,}\d`)
	wordPattern  = regexp.MustCompile(`[\pL\pM]+`)
)

// minPhoneDigits is the minimum number of digits in a telephone number. A range of two years has eight.
const minPhoneDigits = 9

//go:embed data/names.txt
var nameData string

// contacts finds names and contact details by the words in data/names.txt.
var contacts = mustReadContacts(nameData)

// contactPatterns finds names and contact details. Each name pattern has the name in its only group.
type contactPatterns struct {
	names     []*regexp.Regexp
	profile   *regexp.Regexp // an address such as github.com/jane
	messenger *regexp.Regexp // the groups are the messenger with its separator, and the name
}

// mustReadContacts compiles the patterns. It panics if the file lacks a section.
func mustReadContacts(file string) contactPatterns {
	sections := map[string][]string{}
	section := ""
	for line := range strings.Lines(file) {
		line = strings.TrimSpace(line)
		if name, found := strings.CutPrefix(line, "== "); found {
			section = name
		} else if line != "" && !strings.HasPrefix(line, "#") {
			sections[section] = append(sections[section], strings.ReplaceAll(regexp.QuoteMeta(line), " ", `[ \t]+`))
		}
	}

	// Without one of the sections, contacts would stay in the texts unnoticed.
	anyOf := func(section string) string {
		if len(sections[section]) == 0 {
			panic(fmt.Sprintf("data/names.txt has no section %q", section))
		}
		return "(?:" + strings.Join(sections[section], "|") + ")"
	}

	// A name has up to three capitalized words, with particles such as "van der" between them.
	const (
		word  = `\p{Lu}[\pL\pM'’-]*`
		name  = `(` + word + `(?:[ \t]+(?:(?:de|del|da|do|dos|di|van|von|der|den|la|le|el|bin|al)[ \t]+)*` + word + `){0,2})`
		start = `(?:^|[^\pL\pN])`
	)

	return contactPatterns{
		names: []*regexp.Regexp{
			// "Dr. Jane Doe"
			regexp.MustCompile(start + anyOf("titles") + `\.?[ \t]+` + name),
			// "My name is Jane Doe"
			regexp.MustCompile(start + `(?i:` + anyOf("introductions") + `),?[ \t]+` + name),
			// "Contact: Jane Doe"
			regexp.MustCompile(start + `(?i:` + anyOf("labels") + `)[ \t]*:[ \t]*` + name),
			// "Best regards," with the name behind it or on the next line
			regexp.MustCompile(`(?m)^[ \t]*(?i:` + anyOf("closings") + `)[ \t]*(?:[,.!–—-]*[ \t]*\n\s*|[,–—-][ \t]*)` + name +
				`[ \t]*\.?[ \t]*$`),
		},
		// "github.com/jane"
		profile: regexp.MustCompile(`(?i)(?:[\pL\pN-]+\.)?\b` + anyOf("hosts") + `/\S+`),
		// "Skype: jane.doe", whose name begins with an @ or has a digit or a sign, because other words follow messengers, too
		messenger: regexp.MustCompile(start + `((?i:` + anyOf("messengers") + `)(?:[ \t]+(?i:id|name|handle))?[ \t]*` +
			`(?:[:=][ \t]*|[ \t]))(@[\pL\pN._-]{2,}|[\pL\pN._:+-]*[\pN._:][\pL\pN._:+-]*[\pL\pN])`),
	}
}

// A nameSet holds the words of people's names.
type nameSet map[string]bool

// add adds the words of a name. It skips short ones, because initials also occur as ordinary words.
func (s nameSet) add(name string) {
	for _, word := range wordPattern.FindAllString(norm.NFC.String(name), -1) {
		if utf8.RuneCountInString(word) > 2 || !isASCII(word) {
			s[word] = true
		}
	}
}

// addFrom adds the names of people that a text introduces as such.
func (s nameSet) addFrom(text string) {
	for _, pattern := range contacts.names {
		for _, m := range pattern.FindAllStringSubmatch(norm.NFC.String(text), -1) {
			for word := range strings.FieldsSeq(m[1]) {
				if first, _ := utf8.DecodeRuneInString(word); unicode.IsUpper(first) { // not "van der"
					s.add(word)
				}
			}
		}
	}
}

// redact replaces the words of names, addresses, links, telephone numbers and names in messengers.
func redact(text string, names nameSet) string {
	text = linkPattern.ReplaceAllString(norm.NFC.String(text), redactedLink)
	text = contacts.profile.ReplaceAllString(text, redactedLink)
	text = redactMessengers(text)

	// Years, prices and versions look like telephone numbers, but have fewer digits.
	text = phonePattern.ReplaceAllStringFunc(text, func(number string) string {
		digits := 0
		for _, r := range number {
			if unicode.IsDigit(r) {
				digits++
			}
		}

		if digits < minPhoneDigits {
			return number
		}
		return redactedNumber
	})

	if len(names) == 0 {
		return text
	}

	return wordPattern.ReplaceAllStringFunc(text, func(word string) string {
		if names[word] {
			return redactedName
		}
		return word
	})
}

// redactMessengers replaces the names after the name of a messenger.
func redactMessengers(text string) string {
	var out strings.Builder
	end := 0
	for _, m := range contacts.messenger.FindAllStringSubmatchIndex(text, -1) {
		out.WriteString(text[end:m[4]])
		out.WriteString(redactedContact)
		end = m[5]
	}
	return out.String() + text[end:]
}

// Redact returns the texts without contact details, and without names: those given, and those that one of the texts
// introduces. Every text of a task's data passes it before it is sent: profiles, project descriptions, questions and
// answers alike. No task needs what it removes.
func Redact(texts []string, given []string) []string {
	names := make(nameSet)
	for _, name := range given {
		names.add(name)
	}
	for _, text := range texts {
		names.addFrom(text)
	}
	redacted := make([]string, len(texts))
	for i, text := range texts {
		redacted[i] = redact(text, names)
	}
	return redacted
}

// HasContact reports whether Redact would remove a link, a telephone number or a name in a messenger from a text.
func HasContact(text string) bool { return redactions.MatchString(redact(text, nil)) }

// HasLink reports whether a text contains an address on the web, or of email.
func HasLink(text string) bool { return linkPattern.MatchString(text) }

// SplitAtRedactions returns the parts of a text between the placeholders that Redact writes, in lower case as they are.
func SplitAtRedactions(text string) []string { return redactions.Split(text, -1) }

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r > unicode.MaxASCII }) < 0
}
