package person

import (
	"slices"
	"strings"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/odds"
	"github.com/freelancer-matching/service/resume/page"
	"github.com/freelancer-matching/service/resume/sections"
	"github.com/freelancer-matching/service/resume/wording"
)

// maxNameLines is the number of lines in a section that may contain the name, and of lines below the name that may
// contain the job title.
const maxNameLines = 8

// A Naming is a name, as far as it was found in a line.
type Naming struct {
	Name string
	line *page.Line // where the name ends; nil if a label announced it
}

func sameName(a, b Naming) bool { return wording.Key(a.Name) == wording.Key(b.Name) }

// A nameReader collects the candidates for the name of the person.
type nameReader struct {
	*Reader
	page     *page.Page
	mailbox  string  // local part of the email address, as a key
	profiles string  // the paths of links, as keys
	largest  float64 // size of the largest letters in the lines that may contain the name
	all      []odds.Candidate[Naming]
}

// Name returns the best candidate for the name of the person. Candidates are what follows a label, and texts in the
// first lines of the head, of headers and of footers. In the first sections, only lines with the largest letters count.
func (r *Reader) Name(p *page.Page, all []*sections.Section, c *Contacts) (best odds.Choice[Naming], ok bool) {
	mailbox, _, _ := strings.Cut(c.Result("").Email, "@")
	n := &nameReader{Reader: r, page: p, mailbox: wording.Key(mailbox), profiles: c.profiles()}
	for _, s := range all {
		for _, l := range s.Lines[:min(len(s.Lines), maxNameLines)] {
			if l.Page <= 1 && l.Part != resume.Footer {
				n.largest = max(n.largest, l.Size)
			}
		}
	}

	// A label is the best evidence, but templates also label names of employers and referees.
	for _, text := range c.labeledNames {
		if name := r.names.nameOf(text, n.mailbox); name != "" {
			n.all = append(n.all, odds.NewCandidate(Naming{Name: name}, "label", n.features(name, nil, 0, namePart{})...))
		}
	}

	for i, s := range all {
		atTop := s.Kind == lexicon.Contact && i < 2 // "Personal information", as the forms of Europass start
		isHead := s.Kind == lexicon.Head || s.Kind == lexicon.Margin || atTop
		if !isHead && i > 3 {
			continue
		}

		for i, l := range s.Lines[:min(len(s.Lines), maxNameLines)] {
			hasLargest := l.Size >= n.largest-.2 && n.larger(l)
			if isHead || hasLargest {
				n.readLine(s.Lines, i)
			}
		}
	}

	n.addUse()
	if best, ok = odds.Choose(n.all, sameName); best.Score <= 0 {
		return odds.Choice[Naming]{}, false
	}

	return best, ok
}

// readLine adds the candidates that start in line i: its parts, and the lines joined with the next one or two if each
// has a part of the name.
func (n *nameReader) readLine(lines []*page.Line, i int) {
	l := lines[i]
	for _, part := range n.names.nameParts(l, n.mailbox) {
		if name := n.names.nameOf(part.text, n.mailbox); name != "" {
			n.add(name, l, l, i, part)
		} else if part.partsBefore == 0 && n.partOfName(part.text) {
			n.add(part.text, l, l, i, part)
		}
	}

	joined := l.Text
	for j := i + 1; j < min(len(lines), i+3) && n.joins(lines[j-1], lines[j]); j++ {
		joined += " " + lines[j].Text
		if name := n.names.nameOf(joined, n.mailbox); name != "" {
			n.add(name, l, lines[j], i, namePart{})
		}
	}
}

// A namePart is a text in a line that may be a name.
type namePart struct {
	text        string
	partsBefore int  // parts of the line before it
	besideTitle bool // it follows or precedes what the document calls itself, such as "Resume"
}

// nameParts returns the texts in a line that may be a name: its parts at wide gaps, bars and dashes, each also without
// what follows a comma, or what precedes a colon.
func (d nameTexts) nameParts(l *page.Line, mailbox string) []namePart {
	if letters, ok := withoutSpacing(l.Cells); ok {
		return []namePart{{text: d.splitLetters(letters, mailbox)}}
	}

	const maxParts = 4
	var all []namePart
	besideTitle := false
	for i, part := range wording.SplitHeader(wording.Truncate(l.Text, 4*wording.MaxHeader)) {
		if i == maxParts {
			break
		}

		// "Resume of Ada Kaya", or "Resume" in a part of its own, makes the parts after it likelier names.
		text := d.withoutTitle(part)
		besideTitle = besideTitle || text != part
		if d.IsDocumentTitle(part) {
			continue
		}

		variants := []string{text}
		if before, _, ok := strings.Cut(text, ","); ok {
			variants = append(variants, before)
		}

		if before, _, ok := strings.Cut(text, "/"); ok && wording.Wide(text) {
			variants = append(variants, before)
		}

		if _, value, ok := wording.CutLabel(text); ok {
			variants = append(variants, value)
		}

		for _, variant := range variants {
			all = append(all, namePart{variant, i, besideTitle})
		}
	}

	return all
}

// joins reports whether a line may continue the name in the line above it: both consist of words of names, and they
// look alike or the email address has a word of each.
func (n *nameReader) joins(above, l *page.Line) bool {
	tabular := len(above.Cells) > 1 || len(l.Cells) > 1
	apart := l.Part != above.Part || above.Heading != l.Heading
	if tabular || apart {
		return false
	}

	// Names in Chinese and Japanese are too short to be broken.
	if wording.Wide(l.Text) {
		return false
	}

	alike := l.Size > 0 && l.Size == above.Size && l.Bold == above.Bold && 2*l.Size > float64(n.page.Body.Size)+.9
	ofOneName := alike || inEmail(above.Text, n.mailbox) && inEmail(l.Text, n.mailbox)
	if !ofOneName {
		return false
	}

	for _, text := range []string{above.Text, l.Text} {
		for word := range strings.FieldsSeq(text) {
			if !nameWord(word) && !n.words.Particles[strings.ToLower(word)] {
				return false
			}
		}
	}
	return n.titles.TitleScore(wording.NewFragment(l.Text)) == 0
}

// partOfName reports whether a single word may be all that the document says of the name: it is in the email address.
func (n *nameReader) partOfName(text string) bool {
	return inEmail(text, n.mailbox) && nameWord(text) && len(n.words.SpokenIn(text)) == 0 && len(text) < 30 &&
		!strings.Contains(text, " ")
}

// add adds a candidate that was found in a line and ends in the same or a later one. before counts the lines of the
// section before it.
func (n *nameReader) add(name string, l, last *page.Line, before int, part namePart) {
	source := "first lines"
	if l.Part == resume.Header || l.Part == resume.Footer {
		source = "header or footer"
	}
	n.all = append(n.all, odds.NewCandidate(Naming{Name: name, line: last}, source,
		append(n.features(name, l, before, part), odds.If("continues on the next line", l != last, 1.5))...))
}

// features returns what speaks for and against a name, with weights in log odds. l is the line where the name starts,
// and linesBefore counts the lines of its section above it; l is nil if the name follows a label.
func (n *nameReader) features(name string, l *page.Line, linesBefore int, part namePart) []odds.Feature {
	key := wording.Key(name)
	features := n.wordFeatures(name, key)
	features = append(features, odds.If("after a label", l == nil, 8))
	if l == nil {
		return features
	}

	lineOfDocument := l.Index - n.page.Lines[0].Index
	repeats := l.Part == resume.Header || l.Part == resume.Footer // on each page
	later := lineOfDocument > 1 && !repeats
	larger := n.larger(l)

	return append(features,
		odds.If("in the first line", lineOfDocument == 0, 2.5),
		odds.If("in the second line", lineOfDocument == 1, 1.5),
		odds.If("in a later line", later, -.3*float64(linesBefore)),
		odds.If("after other parts of the line", part.partsBefore > 0 && !part.besideTitle, -1.5),
		odds.If("beside what the document calls itself", part.besideTitle, 2),
		odds.If("has the largest letters", l.Size >= n.largest-.2 && larger, 2.5),
		odds.If("larger than running text", larger, 1.5),
		odds.If("bold or capitals", l.Bold || l.Caps, .5),
		odds.If("in a header or footer", repeats, -1),
		odds.If("not on the first page", l.Page > 1, -2),
	)
}

// wordFeatures returns what the words of a name say about it, wherever it stands.
func (n *nameReader) wordFeatures(name, key string) []odds.Feature {
	inEmail, words := wordsInEmail(key, n.mailbox)
	inLinks, _ := wordsInEmail(key, n.profiles)

	// Many names are also words: Anna Koch, anna.koch@…, is not a cook.
	confirmed := inEmail > 1 && 3*inEmail >= 2*words
	titleScore := n.titles.TitleScore(wording.NewFragment(name))
	spaces := strings.Count(name, " ")

	return []odds.Feature{
		odds.If("any", true, -1),
		odds.If("words in the email address", inEmail > 1, 5),
		odds.If("a word in the email address", inEmail == 1, 3),
		odds.If("words in the address of a profile", inLinks > 1, 3),
		odds.If("a word in the address of a profile", inLinks == 1, 1.5),
		odds.If("has a usual given name", n.words.HasGivenName(key), 2),
		odds.If("a single word", spaces == 0 && !unspaced(name), -3.5),
		odds.If("more than four words", spaces > 3, -1),
		odds.If("a job title", titleScore > 1 && !confirmed, -7),
		odds.If("a word of job titles", titleScore == 1 && !confirmed, -3),
		odds.If("the name of something else", !confirmed && n.namesOther(name), -7),
	}
}

// larger reports whether the letters of a line are larger than running text.
func (n *nameReader) larger(l *page.Line) bool {
	return l.Size > 0 && 2*l.Size >= 1.15*float64(n.page.Body.Size)
}

// addUse adds what the rest of the document says about the candidates: a name's words rarely occur in lower case.
func (n *nameReader) addUse() {
	inText := n.wordsInText()
	for i, c := range n.all {
		name := c.Value.Name
		words := 0
		found := 0
		for word := range strings.FieldsSeq(strings.ToLower(name)) {
			if len(word) > 2 && !n.words.Particles[word] {
				words++
				if inText[word] {
					found++
				}
			}
		}

		// Some people write their whole name in lower case as a matter of style.
		if found == 0 || strings.ToLower(name) == name {
			continue
		}

		// A job title or a slogan also occurs in sentences. Given names such as "Grace" are words, too, so they lose less.
		use := odds.If("some of its words are in the running text", true, -1.5)
		if found == words {
			use = odds.If("all its words are in the running text", true, -7)
			if n.words.HasGivenName(wording.Key(name)) {
				use = odds.If("all its words are in the running text, but one is a given name", true, -3)
			}
		}

		n.all[i].Features = append(n.all[i].Features, use)
		n.all[i].Score += use.Weight
	}
}

// wordsInText returns the words of all candidates in lower case, with whether the document has the word like that.
func (n *nameReader) wordsInText() map[string]bool {
	used := make(map[string]bool)
	for _, c := range n.all {
		for word := range strings.FieldsSeq(strings.ToLower(c.Value.Name)) {
			used[word] = false
		}
	}

	for i := range n.page.Lines {
		for word := range strings.FieldsSeq(n.page.Lines[i].Text) {
			word = strings.Trim(word, ",.;:()")
			if _, ofName := used[word]; ofName {
				used[word] = true
			}
		}
	}

	return used
}

// namesOther reports whether a text that looks like a name is a heading, a label, a degree, an organization, a place or
// a skill, or has a word that no name has.
func (r *Reader) namesOther(text string) bool {
	d := r.words
	k := wording.Key(text)
	before, _, _ := strings.Cut(text, ",")
	isOrganization := d.EndsLegal(k) || d.EndsLegal(wording.Key(before)) || d.Schools.Any(k)
	if isOrganization || d.Labels[k] != "" {
		return true
	}

	instructs := func(act string) bool { return d.ActsOnObject(" "+k+" ", act) }
	if slices.ContainsFunc(d.Acts, instructs) {
		return true
	}

	for word := range strings.FieldsSeq(k) {
		if r.neverInName(word) {
			return true
		}
	}

	// A skill that is most of the text is what the text names.
	if mentions := r.taxonomy.Extract(text); len(mentions) > 0 && 2*(mentions[0].End-mentions[0].Start) > len(text) {
		return true
	}

	return r.taxonomy.Resolve(text).Known
}

// neverInName reports whether a word, given as a key, is one of job titles, headings, organizations or schools, or
// another word that no name has.
func (r *Reader) neverInName(word string) bool {
	d := r.words

	// Shorter words are too often parts of names.
	ofTitle := len(word) > 2 && d.Titles.Words[word]
	ofHeading := len(word) > 4 && d.Headings[word] != ""
	if ofTitle || ofHeading {
		return true
	}

	if d.Organizations.Words[word] || d.NotInNames[word] {
		return true
	}

	inWord := func(part string) bool { return strings.Contains(word, part) }
	return slices.ContainsFunc(d.Titles.Parts, inWord) || slices.ContainsFunc(d.Schools.Parts, inWord)
}

// inEmail reports whether the local part of the email address contains a word of a name.
func inEmail(name, local string) bool {
	found, _ := wordsInEmail(wording.Key(name), local)
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
func (c *Contacts) profiles() string {
	var b strings.Builder
	for _, link := range c.Result("").Links {
		b.WriteString(wording.Truncate(wording.Key(link.URL), wording.MaxHeader) + " ")
		if b.Len() > maxContact {
			break
		}
	}
	return b.String()
}
