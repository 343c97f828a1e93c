package lexicon

import (
	"slices"
	"strings"

	"github.com/freelancer-matching/service/resume/wording"
)

// A HeadingMatch is how well the dictionary knows the words of a heading.
type HeadingMatch uint8

// The matches of headings, from the weakest to the strongest.
const (
	UnknownWords HeadingMatch = iota
	PartWords                 // the first or the last word is a heading
	JoinedWords               // several headings, or a heading with modifiers: "Skills & Tools"
	WeakWords                 // a heading that is also an ordinary word
	ExactWords
)

// A HeadingName is a heading by its words.
type HeadingName struct {
	Kind, Also Kind // "" if the dictionary doesn't know the words
	Key        string
}

// LookUpHeading returns the heading that a text is by its words. The kinds of unknown words are "".
func (d *HeadingWords) LookUpHeading(text string) (HeadingName, HeadingMatch) {
	text = headingText(text)
	k := wording.Key(text)
	found := HeadingName{Kind: d.ExactHeading(k), Key: k}
	switch {
	case k == "":
		return HeadingName{}, UnknownWords
	case found.Kind != "" && d.weak[k]:
		return found, WeakWords
	case found.Kind != "":
		return found, ExactWords
	}

	if named := d.MergedKinds(text); len(named) > 0 && strings.Count(k, " ") <= 6 {
		found.Kind = named[0]
		if len(named) > 1 && named[1] != named[0] {
			found.Also = named[1]
		}
		return found, JoinedWords
	}

	if found.Kind = d.guess(k); found.Kind != "" {
		return found, PartWords
	}

	return found, UnknownWords
}

// headingText returns the words of a heading without its number and its decoration: "2. Skills:", "[ Skills ]".
func headingText(text string) string {
	number, rest, ok := strings.Cut(text, " ")
	mayBeNumber := ok && len(number) > 1 && len(number) < 5
	if mayBeNumber {
		last := number[len(number)-1]
		count := strings.Trim(number[:len(number)-1], "0123456789")
		isCount := strings.Trim(count, "IVX") == "" || len(number) == 2 && wording.Capital(count) // "2", "IV", "A"
		endsNumber := last == '.' || last == ')'
		if isCount && endsNumber {
			text = rest
		}
	}
	if strings.IndexAny(text, "([") == 0 {
		return strings.TrimFunc(text, func(r rune) bool { return !wording.LetterOrMark(r) })
	}
	return wording.WithoutBrackets(text)
}

// ExactHeading returns the kind of a heading in the dictionary, "" for other keys. It also recognizes long headings
// that lost their spaces, and spaced ones: "E D U C A T I O N".
func (d *HeadingWords) ExactHeading(k string) Kind {
	known := d.Headings[k]
	mayLackSpaces := len(k) >= 8 && !wording.Wide(k)
	if known != "" || !mayLackSpaces {
		return known
	}
	return d.compact[strings.ReplaceAll(k, " ", "")]
}

// NamesSection reports whether a text ends with a word for experience that isn't an ordinary word: "Professional
// Trading Experience".
func (d *HeadingWords) NamesSection(text string) bool {
	k := wording.Key(headingText(text))
	last := k[strings.LastIndexByte(k, ' ')+1:]
	return last != k && d.Headings[last] == Experience && !d.weak[last]
}

// WeakHeading reports whether a heading is also an ordinary word.
func (d *HeadingWords) WeakHeading(k string) bool { return d.weak[k] }

// MergedKinds returns the kinds of a heading that joins several, which may have modifiers: "Skills & Tools",
// "Ausbildung und Sprachen". It returns nil if one of the parts is unknown.
func (d *HeadingWords) MergedKinds(text string) []Kind {
	var named []Kind
	for _, part := range d.splitJoined(text) {
		key := d.WithoutModifiers(wording.Key(part))
		switch known := d.ExactHeading(key); {
		case known != "" && known != Title:
			named = append(named, known)
		case key == "" || d.modifiers[key]:
		default:
			return nil
		}
	}
	return named
}

// splitJoined splits a heading at the signs and words that join two headings.
func (d *HeadingWords) splitJoined(text string) []string {
	var all []string
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune("&/+,、|·", r) }) {
		start := 0
		words := strings.Fields(part)
		for i, word := range words {
			if d.Joiners[strings.ToLower(word)] {
				all = append(all, strings.Join(words[start:i], " "))
				start = i + 1
			}
		}
		all = append(all, strings.Join(words[start:], " "))
	}
	return all
}

// WithoutModifiers takes up to three modifiers off both ends of a key, until a heading is left.
func (d *HeadingWords) WithoutModifiers(key string) string {
	for range 3 {
		first, rest, several := strings.Cut(key, " ")
		if d.Headings[key] != "" || !several {
			return key
		}
		last := strings.LastIndexByte(key, ' ')
		switch {
		case d.modifiers[first]:
			key = rest
		case d.modifiers[key[last+1:]]:
			key = key[:last]
		default:
			return key
		}
	}
	return key
}

// guess returns the kind of a heading that is not in the dictionary, by its last or its first word; "" if neither is a
// heading.
func (d *HeadingWords) guess(key string) Kind {
	words := strings.Fields(key)
	if len(words) < 2 {
		return ""
	}
	for _, word := range []string{words[len(words)-1], words[0]} {
		known := d.Headings[word]
		if known != "" && !slices.Contains([]Kind{Title, Other, Contact, Summary}, known) {
			return known
		}
	}
	return ""
}

// IsDocumentTitle reports whether a text is what documents call themselves.
func (d *HeadingWords) IsDocumentTitle(text string) bool {
	k := wording.Key(text)
	return d.Headings[k] == Title || d.HeadingsAtTop[k]
}
