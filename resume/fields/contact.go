package fields

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"freelancer-matching/resume"
	"freelancer-matching/taxonomy"
)

const (
	maxContact      = 600  // bytes of a line that is read for contacts
	maxLinks        = 30   // of a person
	maxDocumentLink = 1000 // hyperlinks of a document that are read
	maxCandidates   = 100  // for one field of the contact
)

// A personReader reads who the person is: the contact, the name and the job title.
type personReader struct {
	words    *dictionary
	names    nameTexts
	dates    *dates
	titles   *titles
	taxonomy *taxonomy.Taxonomy
}

func newPersonReader(words *dictionary, d *dates, j *titles, t *taxonomy.Taxonomy) *personReader {
	return &personReader{words, nameTexts{words}, d, j, t}
}

// A contactReader collects the candidates for the contact details of the person, and what labels announce.
type contactReader struct {
	*personReader
	emails, phones, locations   []candidate[string]
	links                       []resume.ContactLink
	labeledNames, labeledTitles []string
	likelyNames                 set // words of the first lines, which may be the name
	at                          setting
}

// A setting is where a text with contact details stands.
type setting struct {
	kind       kind // of the section
	inContacts bool // in a section or a sidebar of contact details
	label      string
	beside     bool // an email address or a phone number is in the same line
	sentence   bool
	titled     bool // the line has a job title
	near       bool // the lines before or after have contact details
	top        bool // the first line of its section
	announces  bool // what follows in the line may be the value of the text
}

// contact reads the sections with contact details. It searches the other sections for email addresses and phone
// numbers only if these lack them.
func (r *personReader) contact(doc *resume.Document, all []*section) *contactReader {
	c := &contactReader{personReader: r}
	c.likelyNames = c.firstWords(all)
	read := make(map[int]bool)
	for _, s := range all {
		if s.kind != head && s.kind != margin && s.kind != contact {
			continue
		}
		before := ""

		for i := 0; i < len(s.lines); i++ {
			l := *s.lines[i]
			read[l.index] = true
			next := ""

			if i+1 < len(s.lines) && len(s.lines[i+1].cells) == 1 {
				next = s.lines[i+1].text
			}

			if dividesAddress(l.text, next) {
				i++
				l.text = l.text + next
				next = ""
				read[s.lines[i].index] = true
			}

			c.at = setting{
				kind: s.kind, inContacts: s.kind == contact || l.Part == resume.Sidebar,
				label: c.words.labels[key(before)],
				near:  hasAddress(before) && (hasAddress(next) || next == ""),
				top:   i == 0,
			}

			c.read(l.text, next)
			c.readNextName(s.lines[i:])
			before = l.text
		}
	}

	if len(c.emails) == 0 || len(c.phones) == 0 {
		c.readElsewhere(all)
	}

	for _, link := range doc.Links[:min(len(doc.Links), maxDocumentLink)] {
		c.readLink(link, read[link.Line])
	}

	return c
}

// firstWords returns the words of the texts that look like names in the first lines of the head and of headers.
func (c *contactReader) firstWords(all []*section) set {
	words := make(set)
	for _, s := range all {
		if s.kind != head && s.kind != margin {
			continue
		}
		for _, l := range s.lines[:min(len(s.lines), maxNameLines)] {
			for _, part := range c.names.nameParts(l, "") {
				for word := range strings.FieldsSeq(key(c.names.nameOf(part.text, ""))) {
					if len(word) > 2 {
						words[word] = true
					}
				}
			}
		}
	}
	return words
}

// readElsewhere searches all sections except the references for email addresses and labeled phone numbers. The lines
// around an email address are read as contact details.
func (c *contactReader) readElsewhere(all []*section) {
	needsEmail := len(c.emails) == 0
	needsPhone := len(c.phones) == 0
	blocks := 0
	for _, s := range all {
		if s.is(references) {
			continue
		}

		for i, l := range s.lines {
			text := truncate(l.text, maxContact)
			label, value, _ := cutLabel(text)
			c.at = setting{kind: s.kind, label: c.words.labels[key(label)], sentence: sentence(text)}

			if from, to := findEmail(text); to > 0 && needsEmail {
				c.addEmail(text[from:to], text[:from])
				if c.emails[len(c.emails)-1].score > 0 && blocks < 3 {
					blocks++
					c.readBlock(s.lines, i)
					continue
				}
			}

			if from, to := findPhone(value); needsPhone && to > 0 && c.at.label == "phone" {
				if len(c.dates.find(value)) == 0 {
					c.addPhone(value[from:to], label)
				}
			}
		}
	}
}

// readBlock reads a line with an email address, and up to two lines before and after it, as contact details. The lines
// are as short as such details are.
func (c *contactReader) readBlock(lines []*line, i int) {
	short := func(l *line) bool {
		return l.Part == lines[i].Part && len(l.text) < maxHeader && !l.Bullet && !sentence(l.text)
	}
	from := i
	to := i + 1
	for ; from > 0 && i-from < 2 && short(lines[from-1]); from-- {
	}
	for ; to < len(lines) && to-i < 3 && short(lines[to]); to++ {
	}
	for _, l := range lines[from:to] {
		c.at = setting{kind: contact, near: true}
		c.read(l.text, "")
	}
}

// readLink reads the target of a hyperlink. near reports whether the link is on a line with contact details. The target
// corrects an email address that is cut off at the end of a line, or has an icon before it.
func (c *contactReader) readLink(link resume.Link, near bool) {
	url := clean(link.URL)
	scheme, rest, _ := strings.Cut(url, ":")
	onNoLine := link.Line < 0
	c.at = setting{kind: head, label: "web"}

	switch strings.ToLower(scheme) {
	case "mailto":
		from, to := findEmail(strings.ReplaceAll(rest, "%40", "@"))
		if to == 0 || !near && !onNoLine {
			return
		}
		address := strings.ReplaceAll(rest, "%40", "@")[from:to]
		for i, email := range c.emails {
			if strings.Contains(address, email.value) || strings.HasSuffix(email.value, address) {
				c.emails[i].value = address
				c.emails[i].score = email.score + 1
				return
			}
		}

		c.addEmail(address, "")

	case "tel":
		if near && len(c.phones) == 0 && hasDigit(rest) {
			c.addPhone(rest, "tel")
		}

	case "http", "https":
		if near || onNoLine && linkKind(url) != "website" {
			c.addLink(url, "")
		}
	}
}

// read reads the contact details in a line, and looks for places in the rest.
func (c *contactReader) read(text, next string) {
	text = c.words.divideLabels(restoreAddress(truncate(text, maxContact), c.words))
	c.readLabels(text, next)
	c.at.sentence = prose(text)
	c.at.titled = c.titles.titleScore(newFragment(text)) > 0
	lineLabel := c.at.label
	whole := text
	text, hasEmail := c.takeEmails(text)
	text, hasPhone := c.takePhones(c.takeLinks(text))
	c.at.beside = hasEmail || hasPhone
	c.at.near = c.at.near || c.at.beside
	label := lineLabel // of the part before, or of the line before
	for _, part := range splitHeader(text) {
		if before, value, ok := cutLabel(part); ok {
			label = cmp.Or(c.words.labels[key(before)], "unknown")
			part = value
		}

		if label != "birth" && label != "unknown" {
			c.at.label = label
			c.at.announces = announces(whole, part)
			c.addLocation(c.withoutIcon(part))
		}

		label = c.words.labels[key(part)]
	}
}

// hasAddress reports whether a text has an email address or a phone number.
func hasAddress(text string) bool {
	_, email := findEmail(truncate(text, maxContact))
	_, phone := findPhone(truncate(text, maxContact))
	return email > 0 || phone > 0
}

// divideLabels puts a wide gap before each label within a text, so that the value before it ends there: "Address: Leeds
// Phone: 7654321".
func (d *contactWords) divideLabels(text string) string {
	if strings.Count(text, ":") < 2 {
		return text
	}
	words := strings.Split(text, " ")
	for i := len(words) - 1; i > 0; i-- {
		if strings.HasSuffix(words[i], ":") && d.labels[key(words[i])] != "" {
			if d.labels[key(words[i-1]+" "+words[i])] != "" && i > 1 {
				i--
			}
			words[i] = "\t" + words[i]
		}
	}
	return strings.Join(words, " ")
}

// prose reports whether the words of a text that aren't addresses read like a sentence.
func prose(text string) bool {
	words := slices.DeleteFunc(strings.Fields(text), func(word string) bool { return strings.ContainsAny(word, "@/") })
	return len(words) > 4 && sentence(strings.Join(words, " "))
}

// spacedLabel matches a label of two Chinese characters with a gap between them: "姓    名:".
var spacedLabel = regexp.MustCompile(`([\p{Han}])[\t ]+([\p{Han}] ?[:\t])`)

// readLabels reads labeled values. A value follows a colon, or is in the next cell or on the next line.
func (c *contactReader) readLabels(text, next string) {
	text = spacedLabel.ReplaceAllString(text, "$1$2")
	cells := strings.FieldsFunc(text, func(r rune) bool { return r == '\t' || r == '|' })
	for i, part := range cells {
		label, value, ok := cutLabel(part)
		if !ok && utf8.RuneCountInString(part) < 32 {
			label = strings.TrimSpace(part)
			value = next

			if i+1 < len(cells) {
				value = cells[i+1]
			} else if kana(value) {
				continue
			}
		}

		value = strings.TrimSpace(value)
		if value == "" || len(value) > 120 {
			continue
		}

		switch c.words.label(label) {
		case "name":
			if len(c.labeledNames) < maxCandidates && c.words.label(value) == "" {
				c.labeledNames = append(c.labeledNames, value)
			}

		case "title":
			if len(c.labeledTitles) < maxCandidates && c.words.label(value) == "" {
				c.labeledTitles = append(c.labeledTitles, value)
			}

		case "location":
			_, email := findEmail(value)
			_, _, labeled := cutLabel(value)
			isAddress := countDigits(value) <= 9 && !strings.Contains(value, "://")
			if email == 0 && !labeled && isAddress && c.words.label(value) == "" {
				c.locations = append(c.locations, c.locationCandidate(value, "label", placeByLabel))
			}
		}
	}
}

// label returns what a text is a label of. Labels in scripts without spaces may have some: "氏 名".
func (d *contactWords) label(text string) string {
	k := key(text)
	if wide(k) {
		if compact := strings.ReplaceAll(k, " ", ""); d.labels[k] == "" {
			if d.furigana[compact] {
				return "furigana"
			}
			return d.labels[compact]
		}
	}
	return d.labels[k]
}

// readNextName reads the name in a form whose labels have lines of their own above the values: the first line below
// that is neither a label nor how the name is spoken.
func (c *contactReader) readNextName(lines []*line) {
	if len(lines[0].cells) > 1 || c.words.label(lines[0].text) != "name" {
		return
	}
	for _, l := range lines[1:min(len(lines), 6)] {
		if label := c.words.label(l.text); label != "" || kana(l.text) {
			continue
		}
		c.labeledNames = append(c.labeledNames, l.text)
		return
	}
}

// kana reports whether a text is in kana only, as the reading of a name is.
func kana(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.In(r, unicode.Hiragana, unicode.Katakana) && r != ' ' && r != 'ー'
	})
}

// cutLabel splits "Label: value".
func cutLabel(text string) (label, value string, ok bool) {
	label, value, ok = strings.Cut(text, ":")
	if label == "" || !ok || len(label) > 60 || strings.HasPrefix(value, "//") {
		return "", "", false
	}
	return strings.TrimSpace(label), strings.TrimSpace(value), true
}

// A contactChoice is the contact with the strengths of its fields.
type contactChoice struct {
	resume.Contact
	email, phone, location float64
}

// result chooses the contact. The country of the location determines the country code of the phone number. A Japanese
// resume without a location is assumed to be from Japan.
func (c *contactReader) result(language string) contactChoice {
	found := contactChoice{Contact: resume.Contact{Links: c.links}}
	if best, ok := choose(c.emails, strings.EqualFold); ok && best.score > 0 {
		found.Email, found.email = best.value, best.strength()
	}
	if best, ok := choose(c.locations, sameTitle); ok && best.score > 0 {
		found.Location, found.location = best.value, best.strength()
	}
	country := c.words.country(found.Location)
	if country == "" && language == "ja" {
		country = "JP"
	}
	if best, ok := choose(c.phones, samePhone); ok && best.score > 0 {
		found.Phone = phone(best.value, country)
		found.phone = best.score
	}
	return found
}

func samePhone(a, b string) bool { return a == b }
