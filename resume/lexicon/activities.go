package lexicon

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/freelancer-matching/service/resume/wording"
)

// Activity reports whether the header of an entry is about a poster, a committee or a membership, which people list
// among their jobs and degrees: "Program committee, ABC". A seat in the management of a company is a job, and so is
// what starts with a job title: "Engineer, Acme, member of the works council".
func (d *activityWords) Activity(header string) bool {
	whole := wording.Key(header)
	ofBody := d.bodies.Any(whole) && !d.governs(whole)
	for _, part := range wording.SplitHeader(header) {
		for piece := range strings.FieldsFuncSeq(part, func(r rune) bool { return strings.ContainsRune(",:()", r) }) {
			k := wording.Key(piece)
			isMember := ofBody && d.members[k]
			if isMember || endsWith(d.activities, k) || d.membership(k) {
				return true
			}
			if isTitle, _ := d.TitleWords(piece, strings.Fields(k)); isTitle {
				return false
			}
		}
	}
	return false
}

// membership reports whether a key has both words: "member of the works council", "committee member".
func (d *activityWords) membership(k string) bool {
	return (startsWith(d.members, k) || endsWith(d.members, k)) && d.bodies.Any(k) && !d.governs(k)
}

// governs reports whether a key has a word for the management of a company.
func (d *activityWords) governs(k string) bool {
	return slices.ContainsFunc(strings.Fields(k), func(word string) bool { return d.governing[word] })
}

// Greets reports whether a text welcomes the reader, or tells about the person as a sentence does: "Hello", "I'm Ada".
func (d *activityWords) Greets(text string) bool {
	k := wording.Key(text)
	exclaims := strings.HasSuffix(text, "!") && !d.Titles.Any(k) // but "Engineer at Yahoo!"
	return startsWith(d.greetings, k) || exclaims || d.Narrates(text)
}

// Narrates reports whether a text is a sentence of a person about themselves: "In 2019 I moved to Lyon". After another
// word, "I" is a number: "Engineer I at Acme".
func (d *activityWords) Narrates(text string) bool {
	words := strings.Fields(text)
	for i := range len(words) - 1 {
		isNumber := words[i] == "I" && i > 0 && endsWithLetter(words[i-1])
		if d.pronouns[words[i]] && !isNumber && wording.FirstIsLower(words[i+1]) {
			return true
		}
	}
	return false
}

func endsWithLetter(word string) bool {
	last, _ := utf8.DecodeLastRuneInString(word)
	return unicode.IsLetter(last)
}

// startsWith reports whether a key is one of phrases, or starts with one.
func startsWith(phrases Set, k string) bool {
	for i, r := range k {
		if r == ' ' && phrases[k[:i]] {
			return true
		}
	}
	return phrases[k]
}

// endsWith reports whether a key is one of phrases, or ends with one.
func endsWith(phrases Set, k string) bool {
	for i, r := range k {
		if r == ' ' && phrases[k[i+1:]] {
			return true
		}
	}
	return phrases[k]
}
