package fields

import (
	"slices"
	"strings"
	"unicode/utf8"

	"freelancer-matching/resume"
)

// maxNameLines is the number of lines in a section that may contain the name, and of lines below the name that may
// contain the job title.
const maxNameLines = 8

// A naming is a name, as far as it was found in a line.
type naming struct {
	name string
	line *line // where the name ends; nil if a label announced it
}

func sameName(a, b naming) bool { return key(a.name) == key(b.name) }

// A nameReader collects the candidates for the name of the person.
type nameReader struct {
	*personReader
	page     *page
	mailbox  string  // local part of the email address, as a key
	profiles string  // the paths of links, as keys
	largest  float64 // size of the largest letters in the lines that may contain the name
	all      []candidate[naming]
}

// name returns the best candidate for the name of the person. Candidates are what follows a label, and texts in the
// first lines of the head, of headers and of footers. In the first sections, only lines with the largest letters count.
func (r *personReader) name(p *page, all []*section, c *contactReader) (best choice[naming], ok bool) {
	mailbox, _, _ := strings.Cut(c.result("").Email, "@")
	n := &nameReader{personReader: r, page: p, mailbox: key(mailbox), profiles: c.profiles()}
	for _, s := range all {
		for _, l := range s.lines[:min(len(s.lines), maxNameLines)] {
			if l.Page <= 1 && l.Part != resume.Footer {
				n.largest = max(n.largest, l.Size)
			}
		}
	}

	for _, text := range c.labeledNames {
		if name := r.names.nameOf(text, n.mailbox); name != "" {
			n.all = append(n.all, newCandidate(naming{name: name}, "label", n.features(name, nil, 0, namePart{})...))
		}
	}

	for i, s := range all {
		isHead := s.kind == head || s.kind == margin
		if !isHead && i > 3 {
			continue
		}

		for i, l := range s.lines[:min(len(s.lines), maxNameLines)] {
			if isHead || l.Size >= n.largest-.2 && n.larger(l) {
				n.readLine(s.lines, i)
			}
		}
	}

	n.addUse()
	if best, ok = choose(n.all, sameName); best.score <= 0 {
		return choice[naming]{}, false
	}

	return best, ok
}

// readLine adds the candidates that start in line i: its parts, and the lines joined with the next one or two if each
// has a part of the name.
func (n *nameReader) readLine(lines []*line, i int) {
	l := lines[i]
	for _, part := range n.names.nameParts(l, n.mailbox) {
		if name := n.names.nameOf(part.text, n.mailbox); name != "" {
			n.add(name, l, l, i, part)
		} else if part.order == 0 && n.partOfName(part.text) {
			n.add(part.text, l, l, i, part)
		}
	}
	joined := l.text
	for j := i + 1; j < min(len(lines), i+3) && n.joins(lines[j-1], lines[j]); j++ {
		joined += " " + lines[j].text
		if name := n.names.nameOf(joined, n.mailbox); name != "" {
			n.add(name, l, lines[j], i, namePart{})
		}
	}
}

// A namePart is a text in a line that may be a name.
type namePart struct {
	text   string
	order  int  // parts of the line before it
	titled bool // it follows or precedes what the document calls itself
}

// nameParts returns the texts in a line that may be a name: its parts at wide gaps, bars and dashes, each also without
// what follows a comma, or what precedes a colon.
func (d nameTexts) nameParts(l *line, mailbox string) []namePart {
	if letters, ok := withoutSpacing(l.cells); ok {
		return []namePart{{text: d.splitLetters(letters, mailbox)}}
	}
	const maxParts = 4
	var all []namePart
	titled := false
	for i, part := range splitHeader(truncate(l.text, 4*maxHeader)) {
		if i == maxParts {
			break
		}
		bare := d.withoutTitle(part)
		if titled = titled || bare != part; d.isTitle(part) {
			continue
		}

		part = bare
		all = append(all, namePart{part, i, titled})

		if before, _, ok := strings.Cut(part, ","); ok {
			all = append(all, namePart{before, i, titled})
		}

		if before, _, ok := strings.Cut(part, "/"); ok && wide(part) {
			all = append(all, namePart{before, i, titled})
		}

		if _, value, ok := cutLabel(part); ok {
			all = append(all, namePart{value, i, titled})
		}
	}

	return all
}

// joins reports whether a line may continue the name in the line above it: both consist of words of names, and they
// look alike or the email address has a word of each.
func (n *nameReader) joins(above, l *line) bool {
	if len(above.cells) > 1 || len(l.cells) > 1 || l.Part != above.Part || wide(l.text) || above.Heading != l.Heading {
		return false
	}
	alike := l.Size > 0 && l.Size == above.Size && l.Bold == above.Bold && 2*l.Size > float64(n.page.body.size)+.9
	if !alike && (!inEmail(above.text, n.mailbox) || !inEmail(l.text, n.mailbox)) {
		return false
	}
	for _, text := range []string{above.text, l.text} {
		for word := range strings.FieldsSeq(text) {
			if !nameWord(word) && !n.words.particles[strings.ToLower(word)] {
				return false
			}
		}
	}
	return n.titles.titleScore(newFragment(l.text)) == 0
}

// partOfName reports whether a single word may be all that the document says of the name: it is in the email address.
func (n *nameReader) partOfName(text string) bool {
	return inEmail(text, n.mailbox) && nameWord(text) && len(n.words.spokenIn(text)) == 0 && len(text) < 30 &&
		!strings.Contains(text, " ")
}

// add adds a candidate that was found in a line and ends in the same or a later one. before counts the lines of the
// section before it.
func (n *nameReader) add(name string, l, last *line, before int, part namePart) {
	source := "first lines"
	if l.Part == resume.Header || l.Part == resume.Footer {
		source = "header or footer"
	}
	n.all = append(n.all, newCandidate(naming{name: name, line: last}, source,
		append(n.features(name, l, before, part), feature{"continues on the next line", l != last, 1.5})...))
}

// features describes a name, and the line where it starts; the line is nil after a label.
func (n *nameReader) features(name string, l *line, before int, part namePart) []feature {
	d := n.words
	k := key(name)
	inAddress, words := wordsInEmail(k, n.mailbox)
	inLinks, _ := wordsInEmail(k, n.profiles)
	wholeAddress := inAddress > 1 && 3*inAddress >= 2*words // Anna Koch, anna.koch@…, is not a cook
	titled := n.titles.titleScore(newFragment(name))
	all := []feature{
		{"any", true, -1},
		{"after a label", l == nil, 8},
		{"words in the email address", inAddress > 1, 5},
		{"a word in the email address", inAddress == 1, 3},
		{"words in the address of a profile", inLinks > 1, 3},
		{"a word in the address of a profile", inLinks == 1, 1.5},
		{"has a usual given name", d.hasGivenName(k), 2},
		{"a single word", !strings.Contains(name, " ") && !unspaced(name), -3.5},
		{"more than four words", strings.Count(name, " ") > 3, -1},
		{"a job title", titled > 1 && !wholeAddress, -7},
		{"a word of job titles", titled == 1 && !wholeAddress, -3},
		{"the name of something else", !wholeAddress && n.namesOther(name), -7},
	}

	if l == nil {
		return all
	}
	order := l.index - n.page.lines[0].index
	repeats := l.Part == resume.Header || l.Part == resume.Footer

	return append(all,
		feature{"in the first line", order == 0, 2.5},
		feature{"in the second line", order == 1, 1.5},
		feature{"in a later line", order > 1 && !repeats, -.3 * float64(before)},
		feature{"after other parts of the line", part.order > 0 && !part.titled, -1.5},
		feature{"beside what the document calls itself", part.titled, 2},
		feature{"has the largest letters", l.Size >= n.largest-.2 && n.larger(l), 2.5},
		feature{"larger than running text", n.larger(l), 1.5},
		feature{"bold or capitals", l.Bold || l.caps, .5},
		feature{"in a header or footer", repeats, -1},
		feature{"not on the first page", l.Page > 1, -2},
	)
}

// larger reports whether the letters of a line are larger than running text.
func (n *nameReader) larger(l *line) bool {
	return l.Size > 0 && 2*l.Size >= 1.15*float64(n.page.body.size)
}

// addUse adds what the rest of the document says about the candidates: a name's words rarely occur in lower case.
func (n *nameReader) addUse() {
	used := make(map[string]bool)
	for _, c := range n.all {
		for word := range strings.FieldsSeq(strings.ToLower(c.value.name)) {
			used[word] = false
		}
	}

	for i := range n.page.lines {
		for word := range strings.FieldsSeq(n.page.lines[i].text) {
			word = strings.Trim(word, ",.;:()")
			if before, known := used[word]; known && !before {
				used[word] = true
			}
		}
	}

	for i, c := range n.all {
		inText, words := 0, 0
		for word := range strings.FieldsSeq(strings.ToLower(c.value.name)) {
			if len(word) > 2 && !n.words.particles[word] {
				words++
				if used[word] {
					inText++
				}
			}
		}

		given := n.words.hasGivenName(key(c.value.name))
		isStyle := strings.ToLower(c.value.name) == c.value.name // the whole name is in lower case
		all := inText > 0 && inText == words && !isStyle
		for _, f := range []feature{
			{"all its words are in the running text", all && !given, -7},
			{"all its words are in the running text, but one is a given name", all && given, -3},
			{"some of its words are in the running text", inText > 0 && inText < words && !isStyle, -1.5},
		} {
			if f.applies {
				n.all[i].features = append(n.all[i].features, f)
				n.all[i].score += f.weight
			}
		}
	}
}

// namesOther reports whether a text that looks like a name is a heading, a label, a degree, an organization, a place or
// a skill, or has a word that no name has.
func (r *personReader) namesOther(text string) bool {
	d := r.words
	k := key(text)
	before, _, _ := strings.Cut(text, ",")
	instructs := func(act string) bool { return d.actsOnObject(" "+k+" ", act) }
	if slices.ContainsFunc(d.acts, instructs) || d.endsLegal(k) || d.endsLegal(key(before)) ||
		d.labels[k] != "" || d.schools.any(k) {
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

	if mentions := r.taxonomy.Extract(text); len(mentions) > 0 && 2*(mentions[0].End-mentions[0].Start) > len(text) {
		return true
	}

	return r.taxonomy.Resolve(text).Known
}

// hasGivenName reports whether a key has a given name of the dictionary at its start or its end.
func (d *nameWords) hasGivenName(k string) bool {
	first, _, _ := strings.Cut(k, " ")
	last := k[strings.LastIndexByte(k, ' ')+1:]
	return d.givenNames[first] || d.givenNames[last]
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

// profiles returns the paths and hosts of the person's links as a key.
func (c *contactReader) profiles() string {
	var b strings.Builder
	for _, link := range c.result("").Links {
		b.WriteString(truncate(key(link.URL), maxHeader) + " ")
		if b.Len() > maxContact || utf8.RuneCountInString(link.URL) == 0 {
			break
		}
	}
	return b.String()
}
