package people

import (
	"slices"
	"strings"
	"unicode"

	"github.com/freelancer-matching/service/internal/matching"
)

const (
	// minID is the number of characters of the shortest ID that is searched for in running text. A shorter one, such as
	// 17, would be found everywhere.
	minID = 6
	// minNameWords is the number of words of the shortest name that is searched for.
	minNameWords = 2
)

// traces are the texts by which a subject is recognized.
type traces struct {
	subject Subject  // with the IDs of resumes
	names   []string // each with single spaces between words of letters, and around it
	urls    []string // without scheme, in lower case
}

func newTraces(s Subject) traces { return traces{subject: s} }

// learn adds the name and the profile address of a record.
func (t *traces) learn(f *matching.Freelancer) {
	if f.ID != "" && !slices.Contains(t.subject.IDs, f.ID) {
		t.subject.IDs = append(t.subject.IDs, f.ID)
	}
	name := words(f.Name)
	if strings.Count(name, " ") > minNameWords && !slices.Contains(t.names, name) {
		t.names = append(t.names, name)
	}
	if url := bare(f.ProfileURL); url != "" && !slices.Contains(t.urls, url) {
		t.urls = append(t.urls, url)
	}
}

// bare returns a web address without its scheme and a slash at its end, in lower case.
func bare(url string) string {
	url = lower(url)
	if _, rest, hasScheme := strings.Cut(url, "://"); hasScheme {
		url = rest
	}
	return strings.Trim(url, "/ ")
}

// words returns the words of a text in lower case, with single spaces between and around them: " ada lovelace pdf ".
func words(text string) string {
	fields := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' })
	return " " + strings.Join(fields, " ") + " "
}

// mention reports whether one of the texts of a record contains an address.
func (t *traces) mention(f *matching.Freelancer) bool {
	return slices.ContainsFunc(texts(f), t.hasEmail)
}

// hasEmail reports whether a text contains one of the addresses.
func (t *traces) hasEmail(text string) bool {
	if len(t.subject.Emails) == 0 || !strings.Contains(text, "@") {
		return false
	}
	text = lower(text)
	return slices.ContainsFunc(t.subject.Emails, func(email string) bool { return indexWhole(text, email) >= 0 })
}

// occurIn reports whether a text contains an address, a long ID, the profile address or the full name, or is an ID.
func (t *traces) occurIn(text string) bool {
	return t.occurInRunning(text) || slices.Contains(t.subject.IDs, text) ||
		slices.ContainsFunc(t.subject.IDs, func(id string) bool {
			return strings.HasPrefix(text, id+" ") // as in a dead letter about an ID with two names
		})
}

// occurInRunning reports whether a text contains an address, a long ID, the profile address or the full name.
func (t *traces) occurInRunning(text string) bool {
	if text == "" {
		return false
	}
	folded := lower(text)
	spaced := words(text)
	contains := func(part string) bool { return indexWhole(folded, part) >= 0 }
	return t.hasEmail(text) || slices.ContainsFunc(t.urls, contains) ||
		slices.ContainsFunc(t.subject.IDs, func(id string) bool { return len(id) >= minID && contains(lower(id)) }) ||
		slices.ContainsFunc(t.names, func(name string) bool { return strings.Contains(spaced, name) })
}

// longIDs returns the IDs that are long enough to be searched for in running text.
func (t *traces) longIDs() []string {
	return slices.DeleteFunc(slices.Clone(t.subject.IDs), func(id string) bool { return len(id) < minID })
}

// indexWhole returns where a part occurs in a text and is not part of a longer word, number or address, or -1.
func indexWhole(text, part string) int {
	for from := 0; ; {
		i := strings.Index(text[from:], part)
		if i < 0 {
			return -1
		}
		i += from
		if !endsInside(text[:i]) && !beginsInside(text[i+len(part):]) {
			return i
		}
		from = i + 1
	}
}

// endsInside reports whether the text before a part belongs to the same word or address. Punctuation does only after a
// letter or digit: a hyphen may begin a line.
func endsInside(before string) bool {
	n := len(before)
	return n > 0 && isAlphanumeric(before[n-1]) ||
		n > 1 && strings.IndexByte("._+%-", before[n-1]) >= 0 && isAlphanumeric(before[n-2])
}

// beginsInside reports whether the text after a part continues the word or address. Punctuation does only before a
// letter or digit: a full stop may end a sentence.
func beginsInside(after string) bool {
	n := len(after)
	return n > 0 && isAlphanumeric(after[0]) ||
		n > 1 && strings.IndexByte("._-", after[0]) >= 0 && isAlphanumeric(after[1])
}

func isAlphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// lower converts ASCII letters to lower case. Unlike strings.ToLower, it keeps the position of every byte.
func lower(text string) string {
	b := []byte(text)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// redact replaces the addresses in a text.
func (t *traces) redact(text string) string {
	for _, email := range t.subject.Emails {
		var b strings.Builder
		for i := indexWhole(lower(text), email); i >= 0; i = indexWhole(lower(text), email) {
			b.WriteString(text[:i] + "[erased]")
			text = text[i+len(email):]
		}
		text = b.String() + text
	}
	return text
}
