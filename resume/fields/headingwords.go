package fields

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A headingMatch is how well the dictionary knows the words of a heading.
type headingMatch uint8

const (
	unknownWords headingMatch = iota
	partWords                 // the first or the last word is a heading
	joinedWords               // several headings, or a heading with modifiers: "Skills & Tools"
	weakWords                 // a heading that is also an ordinary word
	exactWords
)

// A headingName is a heading by its words.
type headingName struct {
	kind, also kind // "" if the dictionary doesn't know the words
	key        string
}

// lookUpHeading returns the heading that a text is by its words. The kinds of unknown words are "".
func (d *headingWords) lookUpHeading(text string) (headingName, headingMatch) {
	text = headingText(text)
	k := key(text)
	h := headingName{kind: d.exactHeading(k), key: k}
	switch {
	case k == "":
		return headingName{}, unknownWords
	case h.kind != "" && d.weak[k]:
		return h, weakWords
	case h.kind != "":
		return h, exactWords
	}

	if named := d.mergedKinds(text); len(named) > 0 && strings.Count(k, " ") <= 6 {
		h.kind = named[0]
		if len(named) > 1 && named[1] != named[0] {
			h.also = named[1]
		}
		return h, joinedWords
	}

	if h.kind = d.guess(k); h.kind != "" {
		return h, partWords
	}

	return h, unknownWords
}

// headingText returns the words of a heading without its number and its decoration: "2. Skills:", "[ Skills ]".
func headingText(text string) string {
	if number, rest, ok := strings.Cut(text, " "); ok && len(number) > 1 && len(number) < 5 {
		last := number[len(number)-1]
		count := strings.Trim(number[:len(number)-1], "0123456789")
		if (last == '.' || last == ')') && (strings.Trim(count, "IVX") == "" || len(number) == 2 && capital(count)) {
			text = rest
		}
	}
	if strings.IndexAny(text, "([") == 0 {
		return strings.TrimFunc(text, func(r rune) bool { return !letterOrMark(r) })
	}
	return withoutBrackets(text)
}

// capital reports whether a text is a single capital.
func capital(text string) bool {
	r, size := utf8.DecodeRuneInString(text)
	return size == len(text) && unicode.IsUpper(r)
}

// exactHeading returns the kind of a heading in the dictionary, "" for other keys. It also recognizes long headings
// that lost their spaces, and spaced ones: "E D U C A T I O N".
func (d *headingWords) exactHeading(k string) kind {
	if known := d.headings[k]; known != "" || len(k) < 8 || wide(k) {
		return known
	}
	return d.compact[strings.ReplaceAll(k, " ", "")]
}

// mergedKinds returns the kinds of a heading that joins several, which may have modifiers: "Skills & Tools",
// "Ausbildung und Sprachen". It returns nil if one of the parts is unknown.
func (d *headingWords) mergedKinds(text string) []kind {
	var named []kind
	for _, part := range d.splitJoined(text) {
		k := d.withoutModifiers(key(part))
		switch known := d.exactHeading(k); {
		case known != "" && known != title:
			named = append(named, known)
		case k == "" || d.modifiers[k]:
		default:
			return nil
		}
	}
	return named
}

// splitJoined splits a heading at the signs and words that join two headings.
func (d *headingWords) splitJoined(text string) []string {
	var all []string
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune("&/+,、|·", r) }) {
		start := 0
		words := strings.Fields(part)
		for i, word := range words {
			if d.joiners[strings.ToLower(word)] {
				all = append(all, strings.Join(words[start:i], " "))
				start = i + 1
			}
		}
		all = append(all, strings.Join(words[start:], " "))
	}
	return all
}

// withoutModifiers takes up to three modifiers off both ends of a key, until a heading is left.
func (d *headingWords) withoutModifiers(k string) string {
	for range 3 {
		first, rest, several := strings.Cut(k, " ")
		if d.headings[k] != "" || !several {
			return k
		}
		last := strings.LastIndexByte(k, ' ')
		switch {
		case d.modifiers[first]:
			k = rest
		case d.modifiers[k[last+1:]]:
			k = k[:last]
		default:
			return k
		}
	}
	return k
}

// guess returns the kind of a heading that is not in the dictionary, by its last or its first word; "" if neither is a
// heading.
func (d *headingWords) guess(k string) kind {
	words := strings.Fields(k)
	if len(words) < 2 {
		return ""
	}
	for _, word := range []string{words[len(words)-1], words[0]} {
		known := d.headings[word]
		if known != "" && !slices.Contains([]kind{title, other, contact, summary}, known) {
			return known
		}
	}
	return ""
}

// withoutBrackets drops the first bracketed part of a text, or else colons at its end.
func withoutBrackets(text string) string {
	open := strings.IndexAny(text, "([")
	if open < 0 {
		return strings.TrimRight(text, ": ")
	}
	length := strings.IndexAny(text[open:], ")]")
	if length < 0 {
		return text
	}
	return strings.TrimSpace(text[:open] + text[open+length+1:])
}
