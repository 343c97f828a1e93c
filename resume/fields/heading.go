package fields

import (
	"slices"
	"strings"
	"unicode/utf8"

	"freelancer-matching/resume"
)

// A heading is a line that was recognized as one.
type heading struct {
	kind, also kind
	key        string
	rest       string // the rest of a line whose first cell is the heading
	sure       bool   // recognized by the dictionary alone
}

// findHeadings returns the headings of a page by the index of their line. These are the headings in the dictionary, and
// lines that look like them if few other lines do.
func (d *dictionary) findHeadings(p *page) map[int]heading {
	found := make(map[int]heading)
	first := len(p.lines)
	headingStyles, allStyles := make(map[style]int), make(map[style]int)
	levels := make(map[int]int)
	for i := range p.lines {
		l := &p.lines[i]
		allStyles[l.style()]++
		h, ok := d.heading(p, l)
		if !ok {
			continue
		}
		found[i] = h
		first = min(first, i)
		if h.sure && h.rest == "" && h.kind != title {
			headingStyles[l.style()]++
			levels[l.Heading]++
		}
	}
	for i := first; i < len(p.lines); i++ {
		l := &p.lines[i]
		if _, ok := found[i]; ok || !headingShape(l) || l.Part == resume.Header || l.Part == resume.Footer {
			continue
		}
		n := headingStyles[l.style()]
		byStyle := !p.flat && l.Size > 0 && p.distinct(l) && n >= 2 && 3*n >= allStyles[l.style()]
		byLevel := l.Heading > 0 && levels[l.Heading] >= 2
		if byStyle || byLevel {
			found[i] = heading{kind: d.guess(l.key), key: l.key}
		}
	}
	return found
}

// headingShape reports whether a line is as short and simple as a heading.
func headingShape(l *line) bool {
	return !l.Bullet && len(l.cells) == 1 && l.key != "" && utf8.RuneCountInString(l.text) <= maxHeading &&
		strings.Count(l.key, " ") < 6 && !strings.ContainsAny(l.text, "@|0123456789") &&
		!strings.HasSuffix(l.text, ".") && !strings.Contains(l.text, ", ")
}

// heading recognizes a line that is a heading, or starts with one, by the dictionary.
func (d *dictionary) heading(p *page, l *line) (heading, bool) {
	if l.Bullet || len(l.cells) == 0 || l.key == "" || utf8.RuneCountInString(l.cells[0]) > maxHeading {
		return heading{}, false
	}
	text := l.cells[0]
	k := key(withoutBrackets(text))
	exact := d.exactHeading(k)
	distinct := p.flat || p.distinct(l) || l.Gap > .3 || l.style().size != p.body.size
	switch {
	case d.headings[k] == title, d.headingsAtTop[k] && l.index < 3:
		return heading{kind: title}, true
	case len(l.cells) > 1: // a heading beside its section: in the first column of a table, or in the margin
		looks := l.caps || capitals(text) || !p.flat && p.distinct(l)
		if exact == "" || !looks || !d.mayStandBeside(exact, l.cells[1]) {
			return heading{}, false
		}
		return heading{kind: exact, key: k, rest: strings.Join(l.cells[1:], "\t"), sure: true}, true
	case strings.HasSuffix(text, "."), strings.HasSuffix(text, ","):
		return heading{}, false
	case exact != "" && (distinct || !d.weak[k] && !firstIsLower(text)):
		return heading{kind: exact, key: k, sure: true}, true
	case !distinct, strings.Contains(text, "@"), hasDigit(text), strings.Count(k, " ") > 6:
		return heading{}, false
	}
	named := d.mergedKinds(withoutBrackets(text))
	if len(named) == 0 {
		return heading{}, false
	}
	h := heading{kind: named[0], key: k}
	if len(named) > 1 && named[1] != named[0] {
		h.also = named[1]
	}
	return h, true
}

// exactHeading returns the kind of a heading in the dictionary, "" for other keys. It also recognizes long headings
// that lost their spaces.
func (d *dictionary) exactHeading(k string) kind {
	if known := d.headings[k]; known != "" || len(k) < 8 || wide(k) {
		return known
	}
	return d.compact[strings.ReplaceAll(k, " ", "")]
}

// mayStandBeside reports whether the cell after a heading may be the section of that heading.
func (d *dictionary) mayStandBeside(k kind, cell string) bool {
	return k != other && (k != languages || len(d.spokenIn(cell)) > 0)
}

// mergedKinds returns the kinds of a heading that joins several, which may have modifiers: "Skills & Tools",
// "Ausbildung und Sprachen". It returns nil if one of the parts is unknown.
func (d *dictionary) mergedKinds(text string) []kind {
	var named []kind
	for _, part := range d.splitJoined(text) {
		k := d.withoutModifiers(key(part))
		switch known := d.headings[k]; {
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
func (d *dictionary) splitJoined(text string) []string {
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
func (d *dictionary) withoutModifiers(k string) string {
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

// guess returns the kind of a heading that is not in the dictionary, by its last or its first word.
func (d *dictionary) guess(k string) kind {
	words := strings.Fields(k)
	if len(words) < 2 {
		return other
	}
	for _, word := range []string{words[len(words)-1], words[0]} {
		known := d.headings[word]
		if known != "" && !slices.Contains([]kind{title, other, contact, summary}, known) {
			return known
		}
	}
	return other
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
