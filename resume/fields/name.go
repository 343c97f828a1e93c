package fields

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"freelancer-matching/resume"
)

// maxNameLines is how many lines of a part are looked at for a name.
const maxNameLines = 8

// naming is where a name was found.
type naming struct {
	name  string
	line  *line // nil: behind a label
	score int
}

// name is the name of the person: short, in capitals or with capitals, no title, place or skill, most often in the
// largest letters, and often the same as in the address of e-mail.
func (e *Extractor) name(p *page, all []*section, c *contactFinder) naming {
	if name := e.nameOf(c.name, ""); name != "" {
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
		if s.kind != head && s.kind != margin && n > 3 {
			continue
		}
		for i, l := range s.lines[:min(len(s.lines), maxNameLines)] {
			if s.kind != head && s.kind != margin && (l.Size == 0 || l.Size < largest) {
				continue
			}
			found := e.nameIn(s.lines, i, l, local)
			if found.name == "" || !agrees(found.name, local) && !prominent(p, l, largest) {
				continue
			}
			found.score -= i
			if l.Part != resume.Body {
				found.score -= 2
			}
			if l.Size > 0 && l.Size > largest-.2 {
				found.score += 6
			}
			if l.Page > 1 {
				found.score -= 4
			}
			if found.score > best.score {
				best = found
			}
		}
	}
	return best
}

// prominent reports whether a line stands or looks as a name does: the first of the document, or in the largest letters,
// well above those of running text.
func prominent(p *page, l *line, largest float64) bool {
	if l.index <= p.lines[0].index+1 {
		return true
	}
	return l.Size > largest-.2 && 2*l.Size >= 1.15*float64(p.body.size) && l.Size > 0
}

// nameIn reads a name from the first part of a line, or from two lines that have a word each.
func (e *Extractor) nameIn(lines []*line, i int, l *line, local string) naming {
	text := l.text
	if parts := splitHeader(text); len(parts) > 0 {
		text = parts[0]
	}
	if i+1 < len(lines) && !strings.Contains(text, " ") && lines[i+1].Size == l.Size && l.Size > 0 && !strings.Contains(lines[i+1].text, " ") &&
		!wide(text) {
		if joined := e.nameOf(text+" "+lines[i+1].text, local); joined != "" {
			return naming{name: joined, line: lines[i+1], score: 8 + 8*btoi(agrees(joined, local))}
		}
	}
	name := e.nameOf(text, local)
	if name == "" {
		if before, _, ok := strings.Cut(text, ","); ok {
			name = e.nameOf(before, local)
		}
	}
	if name == "" && wide(text) {
		if before, _, ok := strings.Cut(text, "/"); ok {
			name = e.nameOf(before, local)
		}
	}
	if name == "" {
		// A name of one word only where the address has it.
		if word := strings.TrimSpace(text); agrees(word, local) && nameWord(word) && len(e.words.spokenIn(word)) == 0 && len(word) < 30 {
			return naming{name: word, line: l, score: 4}
		}
		return naming{}
	}
	return naming{name: name, line: l, score: 8 + 8*btoi(agrees(name, local)) + btoi(l.Bold) + 2*btoi(l.index == 0)}
}

// agrees reports whether the address of e-mail has a word of the name.
func agrees(name, local string) bool {
	for word := range strings.FieldsSeq(key(name)) {
		if len(word) > 2 && strings.Contains(local, word) {
			return true
		}
	}
	return false
}

// agreesMostly reports whether the address of e-mail has two words of the name, and most of the longer ones.
func agreesMostly(name, local string) bool {
	words, agree := 0, 0
	for word := range strings.FieldsSeq(name) {
		if len(word) > 2 {
			words++
			agree += btoi(strings.Contains(local, word))
		}
	}
	return agree > 1 && 3*agree >= 2*words
}

// nameOf is a text as a name, "" where it cannot be one.
func (e *Extractor) nameOf(text, local string) string {
	text = strings.TrimRight(withoutBrackets(text), " ,.;:")
	text = e.withoutHonours(text)
	if text == "" || utf8.RuneCountInString(text) > 50 || strings.ContainsAny(text, "0123456789@:;/!?&+_=\"“”") {
		return ""
	}
	words := strings.Fields(strings.ReplaceAll(text, ",", " "))
	if len(words) == 1 && unspaced(text) {
		if n := utf8.RuneCountInString(text); n < 2 || n > 6 {
			return ""
		}
	} else if len(words) < 2 || len(words) > 6 {
		return ""
	}
	capitalised := 0
	for _, word := range words {
		if particle(word) {
			continue
		}
		if !nameWord(word) {
			return ""
		}
		capitalised++
	}
	k := key(text)
	if capitalised == 0 || capitalised == 1 && !unspaced(text) || e.notName(text, k, agreesMostly(k, local)) {
		return ""
	}
	switch {
	case unspaced(strings.ReplaceAll(text, " ", "")) && utf8.RuneCountInString(text) == 2*len(words)-1:
		return strings.ReplaceAll(text, " ", "") // 高 策
	case capitals(text):
		return titleCase(text)
	default:
		return text
	}
}

// notName reports whether a text that looks like a name says something else.
func (e *Extractor) notName(text, k string, agrees bool) bool {
	if e.words.headings[k] != "" || e.words.headings[e.words.unmodified(k)] != "" || len(e.words.merged(text)) > 0 || e.words.place(text) == 2 {
		return true
	}
	if e.startsWithDegree(fragment{text: text, key: k}) {
		return true
	}
	if agrees {
		return false // Anna Koch is no cook
	}
	if e.words.endsLegal(k) || e.words.labels[k] != "" || e.words.schools.any(k) {
		return true
	}
	for word := range strings.FieldsSeq(k) {
		if len(word) > 2 && e.words.titles.words[word] || e.words.organisations.words[word] {
			return true
		}
		if e.words.headings[word] != "" && len(word) > 4 || stopWord(word) {
			return true
		}
		for _, part := range slices.Concat(e.words.titles.parts, e.words.schools.parts) {
			if strings.Contains(word, part) {
				return true
			}
		}
	}
	if e.titleScore(fragment{text: text, key: k}) > 1 {
		return true
	}
	if mentions := e.taxonomy.Extract(text); len(mentions) > 0 && 2*(mentions[0].End-mentions[0].Start) > len(text) {
		return true
	}
	return e.taxonomy.Resolve(text).Known
}

func stopWord(word string) bool {
	switch word {
	case "the", "and", "of", "for", "with", "in", "at", "to", "und", "mit", "fur", "et", "pour", "dans", "con", "para", "your", "my", "last",
		"updated", "page", "company", "city", "state", "personal", "professional", "confidential":
		return true
	default:
		return false
	}
}

// nameWord reports whether a word may be a part of a name: letters with a capital first, or of a script without case.
func nameWord(word string) bool {
	first, size := utf8.DecodeRuneInString(word)
	if unicode.IsLower(first) || !unicode.IsLetter(first) {
		return false
	}
	for _, r := range word[size:] {
		if !unicode.IsLetter(r) && !unicode.Is(unicode.M, r) && !strings.ContainsRune("'’-.‐", r) {
			return false
		}
	}
	return true
}

// unspaced reports whether a text is of a script whose names are written without a space.
func unspaced(text string) bool {
	for _, r := range text {
		if !unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana) {
			return false
		}
	}
	return text != ""
}

// particle reports whether a word is one that stands in names in small letters.
func particle(word string) bool {
	switch word {
	case "de", "del", "della", "di", "da", "das", "do", "dos", "du", "des", "la", "le", "van", "von", "der", "den", "ter", "ten", "zu", "zum", "y",
		"e", "i", "bin", "ibn", "al", "el", "af", "av", "of", "san", "st", "ben", "bint", "d’", "d'":
		return true
	default:
		return false
	}
}

// withoutHonours takes titles and degrees off a name.
func (e *Extractor) withoutHonours(text string) string {
	if i := strings.LastIndexByte(text, ' '); i > 0 && (e.words.headings[key(text[i:])] == title || key(text[i:]) == "resume") {
		text = text[:i] // John Doe Resume
	}
	if before, behind, ok := strings.Cut(text, ","); ok && len(behind) < 25 && (strings.Contains(behind, ".") || capitals(strings.TrimSpace(behind)) ||
		strings.Contains(behind, "PhD")) {
		text = before
	}
	for {
		first, rest, ok := strings.Cut(text, " ")
		if !ok {
			return text
		}
		switch strings.ToLower(strings.TrimRight(first, ".")) {
		case "dr", "prof", "mr", "mrs", "ms", "herr", "frau", "dipl", "dipl.-ing", "dipl.-inf", "sr", "sra", "ing", "mme", "m", "dra", "miss", "sir":
			if strings.ToLower(first) == "m" {
				return text
			}
			text = strings.TrimSpace(rest)
		default:
			return text
		}
	}
}

// titleCase is a name in capitals as it is usually written.
func titleCase(text string) string {
	var b strings.Builder
	start := true
	for _, r := range text {
		switch {
		case start:
			b.WriteRune(r)
		default:
			b.WriteRune(unicode.ToLower(r))
		}
		start = !unicode.IsLetter(r) && !unicode.Is(unicode.M, r)
	}
	words := strings.Fields(b.String())
	for i, word := range words {
		if lower := strings.ToLower(word); i > 0 && i < len(words)-1 && len(word) > 1 && particle(lower) {
			words[i] = lower
		}
	}
	return strings.Join(words, " ")
}

// jobTitle is the title beside or below the name.
func (e *Extractor) jobTitle(all []*section, c *contactFinder, n naming) string {
	if c.title != "" && utf8.RuneCountInString(c.title) < 80 {
		return c.title
	}
	named := n.line
	for _, s := range all {
		if s.kind != head && (named == nil || !slices.Contains(s.lines, named)) {
			continue
		}
		from := 0
		for i, l := range s.lines {
			if n.line == l {
				if parts := splitHeader(l.text); len(parts) > 1 && e.titled(parts[1]) {
					return parts[1]
				}
				from = i + 1
			}
		}
		seen := 0
		for _, l := range s.lines[from:min(len(s.lines), from+maxNameLines)] {
			if webAddress(l.text) == "" && digits(l.text) < minDigits && e.words.place(l.text) < 2 && !strings.Contains(l.text, "@") {
				seen++
			}
			if seen > 4 {
				break
			}
			if title := e.titleIn(l.text); title != "" {
				return title
			}
		}
	}
	return ""
}

// titleIn is a line as a job title, or its first part that is one.
func (e *Extractor) titleIn(text string) string {
	if utf8.RuneCountInString(text) > 100 || strings.ContainsAny(text, "@:。，") || wide(text) && utf8.RuneCountInString(text) > 24 {
		return ""
	}
	parts := splitHeader(text)
	all := len(parts) > 0 && !strings.Contains(text, "\t")
	for _, part := range parts {
		all = all && e.titled(part)
	}
	if all {
		return text
	}
	for _, part := range parts {
		if e.titled(part) {
			return part
		}
	}
	return ""
}

func (e *Extractor) titled(text string) bool {
	k := key(text)
	return e.titleScore(fragment{text: text, key: k}) > 0 && !sentence(text) && strings.Count(text, " ") < 12 && !strings.HasSuffix(text, ".") &&
		!strings.ContainsAny(text, "0123456789") && e.words.place(text) < 2 && e.words.headings[k] == ""
}
