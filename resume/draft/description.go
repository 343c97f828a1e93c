package draft

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/wording"
)

// maxDescription bounds the description of a draft in bytes.
const maxDescription = 6_000

// employerMark replaces the names of employers.
const employerMark = "[employer]"

// description returns the summary followed by the titles and descriptions of the positions. It names no employers,
// because the present one need not know that somebody offers their work, and has neither personal facts nor contact
// details. omitted says how many of these it lacks.
func (w *Writer) description(r *resume.Resume) (text, omitted string) {
	var b strings.Builder
	facts := 0
	employers := newEmployers(r)
	publish := func(text string) string {
		text, n := w.withoutFacts(text)
		facts += n
		return employers.hide(text)
	}

	b.WriteString(publish(r.Summary))
	for _, p := range r.Experience {
		text := publish(p.Title)
		if described := publish(p.Description); described != "" {
			text = strings.TrimPrefix(text+"\n"+described, "\n")
		}

		// The description ends between positions rather than within one.
		if text == "" || b.Len()+len(text) > maxDescription {
			break
		}

		if b.Len() > 0 {
			b.WriteString("\n\n")
		}

		b.WriteString(text)
	}

	if facts > 0 {
		omitted = fmt.Sprintf("Personal facts and contact details were left out: %d.", facts)
	}
	return b.String(), omitted
}

// employers are the names of employers, the longest first.
type employers []string

// newEmployers returns the names of the employers in a resume, with and without their legal form. Very short names are
// left out, because they are also words.
func newEmployers(r *resume.Resume) employers {
	const minLength = 3 // characters
	var names employers
	add := func(name string) {
		if utf8.RuneCountInString(name) >= minLength {
			names = append(names, name)
		}
	}

	for _, p := range slices.Concat(r.Experience, r.Volunteering) {
		add(p.Company)
		if i := strings.LastIndexByte(p.Company, ' '); i > 0 && legalForm.MatchString(p.Company[i+1:]) {
			add(strings.TrimRight(p.Company[:i], " ,"))
		}
	}

	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return slices.Compact(names)
}

// legalForm matches the last word of a company's name if it is an abbreviated legal form: "GmbH", "Inc.", "S.A.".
var legalForm = regexp.MustCompile(`^(?:GmbH|AG|KG|OHG|UG|SE|SA|S\.A\.|SAS|SARL|S\.L\.|SL|BV|B\.V\.|NV|AB|AS|A/S|Oy|` +
	`Ltd\.?|LLC|LLP|PLC|plc|Inc\.?|Corp\.?|Co\.?|Ltda\.?|S\.p\.A\.|SpA|S\.r\.l\.|Srl|Pty|Pvt)$`)

// hide replaces the names of employers in a text.
func (e employers) hide(text string) string {
	for _, name := range e {
		text = replaceWord(text, name, employerMark)
	}
	return text
}

// replaceWord replaces a name where it isn't part of a longer word.
func replaceWord(text, name, replacement string) string {
	var b strings.Builder
	for {
		at := strings.Index(text, name)
		if at < 0 {
			b.WriteString(text)
			return b.String()
		}

		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(name):])
		found := name
		if !partOfWord(before) && !partOfWord(after) {
			found = replacement
		}
		b.WriteString(text[:at] + found)
		text = text[at+len(name):]
	}
}

// partOfWord reports whether a character beside a name makes it a part of a longer word. Scripts without spaces have
// no such borders.
func partOfWord(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r)) && !wording.WideRune(r)
}
