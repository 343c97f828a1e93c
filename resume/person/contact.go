package person

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/odds"
	"github.com/freelancer-matching/service/resume/page"
	"github.com/freelancer-matching/service/resume/sections"
	"github.com/freelancer-matching/service/resume/wording"
)

const (
	maxContact      = 600  // bytes of a line that is read for contacts
	maxLinks        = 30   // of a person
	maxDocumentLink = 1000 // hyperlinks of a document that are read
	maxCandidates   = 100  // for one field of the contact
)

// A Contacts collects the candidates for the contact details of the person, and what labels announce.
type Contacts struct {
	*Reader
	emails, phones, locations   []odds.Candidate[string]
	links                       []resume.ContactLink
	labeledNames, labeledTitles []string
	likelyNames                 lexicon.Set // words of the first lines, which may be the name
	at                          setting
}

// A setting is where a text with contact details stands.
type setting struct {
	kind       lexicon.Kind // of the section
	inContacts bool         // in a section or a sidebar of contact details
	label      string
	beside     bool // an email address or a phone number is in the same line
	sentence   bool
	titled     bool // the line has a job title
	near       bool // the lines before or after have contact details
	above      bool // the line after has contact details
	top        bool // the first line of its section
	announces  bool // what follows in the line may be the value of the text
}

// Contact reads the sections with contact details. It searches the other sections for email addresses and phone
// numbers only if these lack them.
func (r *Reader) Contact(doc *resume.Document, all []*sections.Section) *Contacts {
	c := &Contacts{Reader: r}
	c.likelyNames = c.firstWords(all)
	read := make(map[int]bool)
	for _, s := range all {
		if !mayHaveContact(s.Kind) {
			continue
		}
		before := ""

		for i := 0; i < len(s.Lines); i++ {
			l := *s.Lines[i]
			read[l.Index] = true
			next := ""

			if i+1 < len(s.Lines) && len(s.Lines[i+1].Cells) == 1 {
				next = s.Lines[i+1].Text
			}

			// Narrow columns break long addresses, even twice.
			for range 2 {
				if !dividesAddress(l.Text, next) {
					break
				}
				i++
				l.Text += next
				next = ""
				read[s.Lines[i].Index] = true
				if i+1 < len(s.Lines) && len(s.Lines[i+1].Cells) == 1 {
					next = s.Lines[i+1].Text
				}
			}

			c.at = setting{
				kind: s.Kind, inContacts: s.Kind == lexicon.Contact || l.Part == resume.Sidebar,
				label: c.words.Labels[wording.Key(before)],
				near:  hasAddress(before) && (hasAddress(next) || next == ""),
				above: hasAddress(next),
				top:   i == 0,
			}

			c.read(l.Text, next)
			c.readNextName(s.Lines[i:])
			before = l.Text
		}
	}

	// Other sections also have addresses of employers and referees, so they are the last resort.
	if len(c.emails) == 0 || len(c.phones) == 0 {
		c.readElsewhere(all)
	}

	if len(c.locations) == 0 {
		c.readClosing(all)
	}

	for _, link := range doc.Links[:min(len(doc.Links), maxDocumentLink)] {
		c.readLink(link, read[link.Line])
	}

	return c
}

// mayHaveContact reports whether all lines of a kind of section are read as contact details.
func mayHaveContact(k lexicon.Kind) bool {
	return k == lexicon.Head || k == lexicon.Margin || k == lexicon.Contact
}

// firstWords returns the words of the texts that look like names in the first lines of the head and of headers.
func (c *Contacts) firstWords(all []*sections.Section) lexicon.Set {
	words := make(lexicon.Set)
	for _, s := range all {
		if s.Kind != lexicon.Head && s.Kind != lexicon.Margin {
			continue
		}
		for _, l := range s.Lines[:min(len(s.Lines), maxNameLines)] {
			for _, part := range c.names.nameParts(l, "") {
				for word := range strings.FieldsSeq(wording.Key(c.names.nameOf(part.text, ""))) {
					if len(word) > 2 {
						words[word] = true
					}
				}
			}
		}
	}
	return words
}

// readClosing reads the place in the last lines of a document, where some people sign: "Place: Leeds".
func (c *Contacts) readClosing(all []*sections.Section) {
	const closing = 4 // lines
	if len(all) == 0 {
		return
	}

	lines := all[len(all)-1].Lines
	for _, l := range lines[max(0, len(lines)-closing):] {
		label, value, ok := wording.CutLabel(l.Text)
		isPlace := ok && c.words.Label(label) == "location" && c.words.Place(value) == lexicon.PlaceByName
		if isPlace && len(c.locations) < maxCandidates {
			c.locations = append(c.locations, c.locationCandidate(value, "label", lexicon.PlaceByLabel))
		}
	}
}

// readElsewhere searches all sections except the references for email addresses and labeled phone numbers. The lines
// around an email address are read as contact details.
func (c *Contacts) readElsewhere(all []*sections.Section) {
	needsEmail := len(c.emails) == 0
	needsPhone := len(c.phones) == 0
	blocks := 0
	for _, s := range all {
		if s.Is(lexicon.References) {
			continue
		}

		for i, l := range s.Lines {
			text := wording.Truncate(l.Text, maxContact)
			label, value, _ := wording.CutLabel(text)
			c.at = setting{kind: s.Kind, label: c.words.Labels[wording.Key(label)], sentence: wording.Sentence(text)}

			// Contact details at the end of a document stand around the email address.
			if from, to := findEmail(text); to > 0 && needsEmail {
				c.addEmail(text[from:to], text[:from])
				if c.emails[len(c.emails)-1].Score > 0 && blocks < 3 {
					blocks++
					c.readBlock(s.Lines, i)
					continue
				}
			}

			// Outside the contact details, only a label tells a phone number from other numbers.
			if !needsPhone || c.at.label != "phone" {
				continue
			}

			if from, to := findPhone(value); to > 0 && len(c.dates.Find(value)) == 0 {
				c.addPhone(value[from:to], label)
			}
		}
	}
}

// readBlock reads a line with an email address, and up to two lines before and after it, as contact details. The lines
// are as short as such details are.
func (c *Contacts) readBlock(lines []*page.Line, i int) {
	short := func(l *page.Line) bool {
		return l.Part == lines[i].Part && len(l.Text) < wording.MaxHeader && !l.Bullet && !wording.Sentence(l.Text)
	}

	const around = 2 // lines before it, and after it
	from := i
	for from > 0 && i-from < around && short(lines[from-1]) {
		from--
	}

	to := i + 1
	for to < len(lines) && to-i <= around && short(lines[to]) {
		to++
	}

	for _, l := range lines[from:to] {
		c.at = setting{kind: lexicon.Contact, near: true}
		c.read(l.Text, "")
	}
}

// readLink reads the target of a hyperlink. near reports whether the link is on a line with contact details. The target
// corrects an email address that is cut off at the end of a line, or has an icon before it.
func (c *Contacts) readLink(link resume.Link, near bool) {
	url := page.Clean(link.URL)
	scheme, rest, _ := strings.Cut(url, ":")
	onNoLine := link.Line < 0
	c.at = setting{kind: lexicon.Head, label: "web"}

	switch strings.ToLower(scheme) {
	case "mailto":
		from, to := findEmail(strings.ReplaceAll(rest, "%40", "@"))
		if to == 0 {
			return
		}

		// A link within a description belongs to somebody else.
		if !near && !onNoLine {
			return
		}

		address := strings.ReplaceAll(rest, "%40", "@")[from:to]

		// The visible text may be cut off or have an icon before it; the target is complete.
		for i, email := range c.emails {
			if strings.Contains(address, email.Value) || strings.HasSuffix(email.Value, address) {
				c.emails[i].Value = address
				c.emails[i].Score = email.Score + 1
				return
			}
		}

		c.addEmail(address, "")

	case "tel":
		mayBeNumber := near && wording.HasDigit(rest)
		if mayBeNumber && len(c.phones) == 0 {
			c.addPhone(rest, "tel")
		}

	case "http", "https":
		maybePersonal := near || onNoLine && linkKind(url) != "website"
		if maybePersonal {
			c.addLink(url, "")
		}
	}
}

// read reads the contact details in a line, and looks for places in the rest.
func (c *Contacts) read(text, next string) {
	text = c.words.DivideLabels(restoreAddress(wording.Truncate(text, maxContact), c.words))
	c.readLabels(text, next)
	c.at.sentence = prose(text)
	c.at.titled = c.titles.TitleScore(wording.NewFragment(text)) > 0
	lineLabel := c.at.label
	whole := text

	// Addresses and numbers are removed first, because what is left may be a place.
	text, hasEmail := c.takeEmails(text)
	text, hasPhone := c.takePhones(c.takeLinks(text))
	c.at.beside = hasEmail || hasPhone
	c.at.near = c.at.near || c.at.beside
	label := lineLabel // of the part before, or of the line before
	for _, part := range wording.SplitHeader(text) {
		if before, ok := strings.CutSuffix(part, ":"); ok {
			label = cmp.Or(c.words.Labels[wording.Key(before)], "unknown")
			continue
		}
		if before, value, ok := wording.CutLabel(part); ok {
			label = cmp.Or(c.words.Labels[wording.Key(before)], "unknown")
			part = value
		}

		if label != "birth" && label != "unknown" {
			c.at.label = label
			c.at.announces = announces(whole, part)
			c.addLocation(c.withoutIcon(part))
		}

		label = c.words.Labels[wording.Key(part)]
	}
}

// hasAddress reports whether a text has an email address or a phone number.
func hasAddress(text string) bool {
	_, email := findEmail(wording.Truncate(text, maxContact))
	_, phone := findPhone(wording.Truncate(text, maxContact))
	return email > 0 || phone > 0
}

// prose reports whether the words of a text that aren't addresses read like a sentence.
func prose(text string) bool {
	words := slices.DeleteFunc(strings.Fields(text), func(word string) bool {
		isIcon := utf8.RuneCountInString(word) == 1
		return isIcon || strings.ContainsAny(word, "@/")
	})
	return len(words) > 4 && wording.Sentence(strings.Join(words, " "))
}

// spacedLabel matches a label of two Chinese characters with a gap between them: "姓    名:".
var spacedLabel = regexp.MustCompile(`([\p{Han}])[\t ]+([\p{Han}] ?[:\t])`)

// readLabels reads labeled values. A value follows a colon, or is in the next cell or on the next line.
func (c *Contacts) readLabels(text, next string) {
	text = spacedLabel.ReplaceAllString(text, "$1$2")
	cells := strings.FieldsFunc(text, func(r rune) bool { return r == '\t' || r == '|' })
	for i, part := range cells {
		label, value, ok := wording.CutLabel(part)
		if !ok && utf8.RuneCountInString(part) < 32 {
			label = strings.TrimSpace(part)
			value = next

			if i+1 < len(cells) {
				value = cells[i+1]
			} else if wording.Kana(value) {
				continue
			}
		}

		// Longer texts after a colon are sentences.
		value = strings.TrimSpace(value)
		if value == "" || len(value) > 120 {
			continue
		}

		switch c.words.Label(label) {
		case "name":
			if len(c.labeledNames) < maxCandidates && c.words.Label(value) == "" {
				c.labeledNames = append(c.labeledNames, value)
			}

		case "title":
			if len(c.labeledTitles) < maxCandidates && c.words.Label(value) == "" {
				c.labeledTitles = append(c.labeledTitles, value)
			}

		case "location":
			_, email := findEmail(value)
			_, _, labeled := wording.CutLabel(value)
			isLabel := labeled || c.words.Label(value) != ""
			isAddress := email == 0 && wording.CountDigits(value) <= 9 && !strings.Contains(value, "://")
			if isAddress && !isLabel {
				c.locations = append(c.locations, c.locationCandidate(value, "label", lexicon.PlaceByLabel))
			}
		}
	}
}

// readNextName reads the name in a form whose labels have lines of their own above the values: the first line below
// that is neither a label nor how the name is spoken.
func (c *Contacts) readNextName(lines []*page.Line) {
	if len(lines[0].Cells) > 1 || c.words.Label(lines[0].Text) != "name" {
		return
	}
	for _, l := range lines[1:min(len(lines), 6)] {
		if label := c.words.Label(l.Text); label != "" || wording.Kana(l.Text) {
			continue
		}
		c.labeledNames = append(c.labeledNames, l.Text)
		return
	}
}

// A ContactChoice is the contact with the strengths of its fields.
type ContactChoice struct {
	resume.Contact

	EmailStrength, PhoneStrength, LocationStrength float64
}

// Result chooses the contact. The country of the location determines the country code of the phone number. A Japanese
// resume without a location is assumed to be from Japan.
func (c *Contacts) Result(language string) ContactChoice {
	found := ContactChoice{Contact: resume.Contact{Links: c.links}}
	if best, ok := odds.Choose(c.emails, strings.EqualFold); ok && best.Score > 0 {
		found.Email, found.EmailStrength = best.Value, best.Strength()
	}
	if best, ok := odds.Choose(c.locations, sameTitle); ok && best.Score > 0 {
		found.Location, found.LocationStrength = best.Value, best.Strength()
	}
	country := c.words.Country(found.Location)
	if country == "" && language == "ja" {
		country = "JP"
	}
	if best, ok := odds.Choose(c.phones, samePhone); ok && best.Score > 0 {
		found.Phone = phone(best.Value, country)
		found.PhoneStrength = best.Score
	}
	return found
}

func samePhone(a, b string) bool { return a == b }
