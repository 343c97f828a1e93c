package draft

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/freelancer-matching/service/resume/wording"
)

var (
	// factPart matches a part of a text that may be a personal fact: up to a sentence end or a separator. A comma before
	// a year or a postal code separates nothing: "May 3, 1990", "Elm Street 12, 12345 Town".
	factPart = regexp.MustCompile(`(?:[^\n,;|·•.]|\.\S|, *\d{3})+`)

	emailAddress = regexp.MustCompile(`[\pL\pN._%+-]+@[\pL\pN.-]+\.\pL{2,}`)
	phoneNumber  = regexp.MustCompile(`\+\d[\d ()./-]{6,}\d`)
)

// withoutFacts returns a text without personal facts, such as the date of birth, the marital status, parents and
// streets, and without contact details. n is the number of parts that it left out.
func (w *Writer) withoutFacts(text string) (rest string, n int) {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		kept, omitted := w.lineWithoutFacts(line)
		n += omitted
		if omitted == 0 || kept != "" {
			lines = append(lines, kept)
		}
	}
	return strings.Join(lines, "\n"), n
}

func (w *Writer) lineWithoutFacts(line string) (rest string, n int) {
	var kept strings.Builder
	parts := factPart.FindAllStringIndex(line, -1)
	for i, at := range parts {
		if w.isFact(line[at[0]:at[1]]) {
			n++
			continue
		}

		// The separator after a part stays with it.
		end := len(line)
		if i+1 < len(parts) {
			end = parts[i+1][0]
		}
		kept.WriteString(line[at[0]:end])
	}

	if n == 0 {
		return line, 0
	}

	// If the end was left out, the last separator separates nothing.
	rest = strings.Trim(kept.String(), " ,;|·•")
	if !strings.ContainsFunc(rest, unicode.IsLetter) {
		rest = ""
	}
	return rest, n
}

// isFact reports whether a part of a text is a personal fact or a contact detail.
func (w *Writer) isFact(part string) bool {
	part = strings.TrimSpace(part)
	if emailAddress.MatchString(part) || phoneNumber.MatchString(part) || w.words.IsStreet(part) {
		return true
	}

	key := wording.Key(part)
	return w.words.IsPersonalFact(key) || w.labelsFact(part)
}

// labelsFact reports whether a part of a text starts with a label of personal facts and has a value after it: a few
// words after a colon, or up to six words with a number, as in "born 1990". "Location" and "Mobile" are also words of
// projects, so that an address and a phone number need digits.
func (w *Writer) labelsFact(part string) bool {
	const (
		maxLabel      = 5 // words
		maxLabeled    = 10
		maxUnlabeled  = 6
		addressDigits = 3
		phoneDigits   = 7
	)

	words := wording.WordRanges(part, maxLabel, func(r rune) bool { return unicode.IsLetter(r) || r == '\'' || r == '’' })
	for _, word := range words {
		value := part[word.End:]
		count := len(strings.Fields(value))
		first, _ := utf8.DecodeRuneInString(strings.TrimLeft(value, " "))
		labeled := (first == ':' || first == '：') && count <= maxLabeled
		digits := wording.CountDigits(value)

		switch w.words.Labels[wording.Key(part[:word.End])] {
		case "birth":
			if labeled || count > 0 && count <= maxUnlabeled && hasNumber(value) {
				return true
			}
		case "location":
			if labeled && digits >= addressDigits {
				return true
			}
		case "phone":
			if labeled && digits >= phoneDigits {
				return true
			}
		}
	}

	return false
}

// hasNumber reports whether a word of a text is a number or a date, unlike "3D".
func hasNumber(text string) bool {
	for word := range strings.FieldsSeq(text) {
		if wording.HasDigit(word) && !strings.ContainsFunc(word, unicode.IsLetter) {
			return true
		}
	}
	return false
}
