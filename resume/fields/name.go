package fields

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"freelancer-matching/resume"
)

// maxNameLines is the number of lines in a section that may contain the name, and of lines below the name that may
// contain the job title.
const maxNameLines = 8

// A naming is a candidate for the name of the person. The candidate with the highest score wins; among equals, the
// first.
type naming struct {
	name  string
	line  *line // nil if a label announced the name
	score int
}

// name returns the name of the person. A labeled name always wins. The other candidates are the first lines of the head
// and of headers, and, if they have the largest letters, those of the first sections.
func (e *Extractor) name(p *page, all []*section, c *contactReader) naming {
	if name := e.nameOf(c.labeledName, ""); name != "" {
		return naming{name: name}
	}
	local, _, _ := strings.Cut(c.email, "@")
	local = key(local)
	largest := 0.0
	for _, s := range all {
		for _, l := range s.lines[:min(len(s.lines), maxNameLines)] {
			if l.Page <= 1 && l.Part != resume.Footer {
				largest = max(largest, l.Size)
			}
		}
	}
	var best naming
	for n, s := range all {
		isHead := s.kind == head || s.kind == margin
		if !isHead && n > 3 {
			continue
		}
		for i, l := range s.lines[:min(len(s.lines), maxNameLines)] {
			if !isHead && (l.Size == 0 || l.Size < largest) {
				continue
			}
			name, nameLine := e.nameIn(s.lines, i, local)
			isInEmail := inEmail(name, local)
			if name == "" || !isInEmail && !prominent(p, l, largest) {
				continue
			}
			score := 8 - i
			for _, rule := range []struct {
				applies bool
				points  int
			}{
				{isInEmail, 8},
				{l.Size > 0 && l.Size > largest-.2, 6},
				{l.index == 0, 2},
				{l.Bold, 1},
				{l.Part != resume.Body, -2},
				{l.Page > 1, -4},
				{!strings.Contains(name, " ") && !unspaced(name), -12},
			} {
				if rule.applies {
					score += rule.points
				}
			}
			if score > best.score {
				best = naming{name, nameLine, score}
			}
		}
	}
	return best
}

// prominent reports whether a line is one of the first two in the document, or has the largest letters and these are
// larger than running text.
func prominent(p *page, l *line, largest float64) bool {
	if l.index <= p.lines[0].index+1 {
		return true
	}
	return l.Size > 0 && l.Size > largest-.2 && 2*l.Size >= 1.15*float64(p.body.size)
}

// nameIn returns the name in the first part of line i, and the line where the name ends. If line i and the next have
// one word of the same size each, both are the name. A single word counts only if it is in local, the local part of the
// email address.
func (e *Extractor) nameIn(lines []*line, i int, local string) (string, *line) {
	l := lines[i]
	text := l.text
	if parts := splitHeader(text); len(parts) > 0 {
		text = parts[0]
	}
	oneWord := !strings.Contains(text, " ")
	if oneWord && !wide(text) && i+1 < len(lines) {
		next := lines[i+1]
		if next.Size == l.Size && l.Size > 0 && !strings.Contains(next.text, " ") {
			if name := e.nameOf(text+" "+next.text, local); name != "" {
				return name, next
			}
		}
	}
	candidates := []string{text}
	if before, _, ok := strings.Cut(text, ","); ok {
		candidates = append(candidates, before)
	}
	if before, _, ok := strings.Cut(text, "/"); ok && wide(text) {
		candidates = append(candidates, before)
	}
	for _, candidate := range candidates {
		if name := e.nameOf(candidate, local); name != "" {
			return name, l
		}
	}
	if inEmail(text, local) && nameWord(text) && len(e.words.spokenIn(text)) == 0 && len(text) < 30 {
		return text, l
	}
	return "", nil
}

// inEmail reports whether the local part of the email address contains a word of a name.
func inEmail(name, local string) bool {
	found, _ := wordsInEmail(key(name), local)
	return found > 0
}

// wordsInEmail counts the words of a key that have more than two bytes, and those of them in the local part of the
// email address.
func wordsInEmail(k, local string) (found, words int) {
	for word := range strings.FieldsSeq(k) {
		if len(word) > 2 {
			words++
			if strings.Contains(local, word) {
				found++
			}
		}
	}
	return found, words
}

// nameOf returns text as the name of a person, "" if it cannot be one. A name has two to six capitalized words, and is
// not a title, heading, company, place or skill.
func (e *Extractor) nameOf(text, local string) string {
	text = strings.TrimRight(withoutBrackets(text), " ,.;:")
	text = e.words.withoutHonorifics(text)
	if text == "" || utf8.RuneCountInString(text) > 50 || strings.ContainsAny(text, "0123456789@:;/!?&+_=\"“”") {
		return ""
	}
	words := strings.Fields(strings.ReplaceAll(text, ",", " "))
	joined := strings.ReplaceAll(text, " ", "")
	characters := utf8.RuneCountInString(text)
	if len(words) == 1 && unspaced(text) {
		if characters < 2 || characters > 6 {
			return ""
		}
	} else if len(words) < 2 || len(words) > 6 {
		return ""
	}
	main := 0 // words besides particles
	for _, word := range words {
		if e.words.particles[word] {
			continue
		}
		if !nameWord(word) {
			return ""
		}
		main++
	}
	if main == 0 || main == 1 && !unspaced(text) || e.notName(text, local) {
		return ""
	}
	switch {
	case unspaced(joined) && characters == 2*len(words)-1: // 高 策
		return joined
	case capitals(text):
		return e.words.titleCase(text)
	default:
		return text
	}
}

// notName reports whether a text that looks like a name says something else. If the email address has two of its words,
// it is a name: Anna Koch is not a cook.
func (e *Extractor) notName(text, local string) bool {
	d, k := e.words, key(text)
	if d.headings[d.withoutModifiers(k)] != "" || len(d.mergedKinds(text)) > 0 || d.place(text) == placeByName ||
		d.startsWithDegree(text) {
		return true
	}
	if found, words := wordsInEmail(k, local); found > 1 && 3*found >= 2*words {
		return false
	}
	if d.endsLegal(k) || d.labels[k] != "" || d.schools.any(k) || e.titleScore(newFragment(text, false)) > 1 {
		return true
	}
	for word := range strings.FieldsSeq(k) {
		inWord := func(part string) bool { return strings.Contains(word, part) }
		if len(word) > 2 && d.titles.words[word] || len(word) > 4 && d.headings[word] != "" ||
			d.organizations.words[word] || d.notInNames[word] ||
			slices.ContainsFunc(d.titles.parts, inWord) || slices.ContainsFunc(d.schools.parts, inWord) {
			return true
		}
	}
	if mentions := e.taxonomy.Extract(text); len(mentions) > 0 && 2*(mentions[0].End-mentions[0].Start) > len(text) {
		return true
	}
	return e.taxonomy.Resolve(text).Known
}

// nameWord reports whether a word may be part of a name: it consists of letters, the first of which is not lower case.
func nameWord(word string) bool {
	first, size := utf8.DecodeRuneInString(word)
	return unicode.IsLetter(first) && !unicode.IsLower(first) && !strings.ContainsFunc(word[size:], func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.Is(unicode.M, r) && !strings.ContainsRune("'’-.‐", r)
	})
}

// unspaced reports whether a text is in scripts that write names without a space.
func unspaced(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana)
	})
}

// withoutHonorifics removes honorifics, degrees and the title of the document from a name: "Dr. Ada Quill, PhD", "Ada
// Quill CV".
func (d *dictionary) withoutHonorifics(text string) string {
	if i := strings.LastIndexByte(text, ' '); i > 0 {
		if k := key(text[i:]); d.headings[k] == title || d.headingsAtTop[k] {
			text = text[:i]
		}
	}
	if before, after, ok := strings.Cut(text, ","); ok && len(after) < 25 {
		after = strings.TrimSpace(after)
		if strings.Contains(after, ".") || capitals(after) ||
			d.startsWithDegree(after) && strings.ContainsFunc(after[1:], unicode.IsUpper) { // PhD, but not a first name
			text = before
		}
	}
	for {
		first, rest, several := strings.Cut(text, " ")
		first = strings.ToLower(first)
		if !several || !d.honorifics[first] && !d.honorifics[strings.TrimRight(first, ".")] {
			return text
		}
		text = strings.TrimSpace(rest)
	}
}

// titleCase returns a name in capitals as it is usually written, with particles in lower case.
func (d *dictionary) titleCase(text string) string {
	var b strings.Builder
	start := true
	for _, r := range text {
		if !start {
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
		start = !unicode.IsLetter(r) && !unicode.Is(unicode.M, r)
	}
	words := strings.Fields(b.String())
	for i, word := range words {
		lower := strings.ToLower(word)
		if i > 0 && i < len(words)-1 && len(word) > 1 && d.particles[lower] {
			words[i] = lower
		}
	}
	return strings.Join(words, " ")
}

// jobTitle returns the job title: after a label, next to the name, or in the first lines below it. Lines with contact
// details and places don't count.
func (e *Extractor) jobTitle(all []*section, c *contactReader, n naming) string {
	if c.labeledTitle != "" && utf8.RuneCountInString(c.labeledTitle) < 80 {
		return c.labeledTitle
	}
	const maxLines = 4
	for _, s := range all {
		name := slices.Index(s.lines, n.line) // -1: the first lines of the head
		if s.kind != head && name < 0 {
			continue
		}
		if name >= 0 {
			if parts := splitHeader(n.line.text); len(parts) > 1 && e.isTitle(parts[1]) {
				return parts[1]
			}
		}
		seen := 0
		for _, l := range s.lines[name+1 : min(len(s.lines), name+1+maxNameLines)] {
			isContact := webAddress(l.text) != "" || countDigits(l.text) >= minDigits || strings.Contains(l.text, "@")
			if !isContact && e.words.place(l.text) < placeByName {
				seen++
			}
			if seen > maxLines {
				break
			}
			if title := e.titleIn(l.text); title != "" {
				return title
			}
		}
	}
	return ""
}

// titleIn returns a line if all its parts are job titles, or else its first part that is one.
func (e *Extractor) titleIn(text string) string {
	if utf8.RuneCountInString(text) > 100 || strings.ContainsAny(text, "@:。") ||
		wide(text) && utf8.RuneCountInString(text) > 24 {
		return ""
	}
	parts := splitHeader(text)
	first := slices.IndexFunc(parts, e.isTitle)
	if first < 0 {
		return ""
	}
	allTitles := !slices.ContainsFunc(parts, func(part string) bool { return !e.isTitle(part) })
	if allTitles && !strings.Contains(text, "\t") {
		return text
	}
	return parts[first]
}

func (e *Extractor) isTitle(text string) bool {
	f := newFragment(text, false)
	return e.titleScore(f) > 0 && !sentence(text) && strings.Count(text, " ") < 12 && !strings.HasSuffix(text, ".") &&
		!hasDigit(text) && e.words.place(text) < placeByName && e.words.headings[f.key] == ""
}
