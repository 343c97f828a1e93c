package fields

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"freelancer-matching/resume"
)

const (
	maxContact      = 600  // bytes of a line that is read for contacts
	maxLinks        = 30   // of a person
	maxDocumentLink = 1000 // hyperlinks of a document that are read
)

// A contactReader collects the contact details in a document.
type contactReader struct {
	*Extractor
	email        string
	phone        string // as written
	phoneLabeled bool
	location     string
	locationRank placeRank
	links        []resume.ContactLink
	labeledTitle string
	labeledName  string
}

// contact reads the sections with contact details. It searches other sections only if these lack an email address or a
// phone number.
func (e *Extractor) contact(doc *resume.Document, all []*section) *contactReader {
	c := &contactReader{Extractor: e}
	read := make(map[int]bool)
	for _, s := range all {
		if s.kind != head && s.kind != margin && s.kind != contact {
			continue
		}
		for i := 0; i < len(s.lines); i++ {
			l := *s.lines[i]
			read[l.index] = true
			next := ""
			if i+1 < len(s.lines) && len(s.lines[i+1].cells) == 1 {
				next = s.lines[i+1].text
			}
			if dividesAddress(l.text, next) {
				i++
				l.text, next = l.text+next, ""
				read[s.lines[i].index] = true
			}
			c.read(l.text, next, s.kind == contact || l.Part == resume.Sidebar)
		}
	}
	if c.email == "" || c.phone == "" {
		c.readElsewhere(all)
	}
	for _, link := range doc.Links[:min(len(doc.Links), maxDocumentLink)] {
		c.readLink(link, read[link.Line])
	}
	return c
}

// readElsewhere searches all sections except the references for an email address and a labeled phone number.
func (c *contactReader) readElsewhere(all []*section) {
	for _, s := range all {
		if s.is(references) {
			continue
		}
		for _, l := range s.lines {
			text := truncate(l.text, maxContact)
			if from, to := findEmail(text); to > 0 && c.email == "" {
				c.email = text[from:to]
			}
			label, value, _ := cutLabel(text)
			from, to := findPhone(value)
			if c.words.labels[key(label)] == "phone" && to > 0 && c.phone == "" && len(c.dates.find(value)) == 0 {
				c.phone = value[from:to]
			}
		}
	}
}

// readLink reads the target of a hyperlink. near reports whether the link is on a line with contact details. The target
// replaces an email address that is cut off at the end of a line.
func (c *contactReader) readLink(link resume.Link, near bool) {
	url := clean(link.URL)
	scheme, rest, _ := strings.Cut(url, ":")
	onNoLine := link.Line < 0
	switch strings.ToLower(scheme) {
	case "mailto":
		from, to := findEmail(rest)
		if to > 0 && (near || onNoLine) && strings.Contains(rest[from:to], c.email) {
			c.email = rest[from:to]
		}
	case "tel":
		if near && c.phone == "" && hasDigit(rest) {
			c.phone = rest
		}
	case "http", "https":
		if near || onNoLine && linkKind(url) != "website" {
			c.addLink(url)
		}
	}
}

// read reads the contact details in a line, and looks for places in the rest. inContacts reports whether the line is in
// a section or a sidebar of contact details, where a text in the form of a place is likely to be one.
func (c *contactReader) read(text, next string, inContacts bool) {
	text = spelledAddress.Replace(truncate(text, maxContact))
	before, after, _ := strings.Cut(text, " at ")
	if strings.Contains(after, " dot ") && !strings.Contains(text, "@") {
		text = before + "@" + strings.ReplaceAll(after, " dot ", ".")
	}
	c.readLabels(text, next)
	text, hasEmail := c.takeEmails(text)
	text, hasPhone := c.takePhones(c.takeLinks(text))
	for _, part := range splitHeader(text) {
		if label, value, ok := cutLabel(part); ok {
			if c.words.labels[key(label)] != "location" {
				continue
			}
			part = value
		}
		rank := c.words.place(part)
		likely := (hasEmail || hasPhone || inContacts) && strings.Count(part, ",") == 1
		if rank == placeByName && !c.words.remote[key(part)] || rank == placeByForm && likely {
			c.setLocation(part, rank)
		}
	}
}

// setLocation sets the location unless the current one is at least as certain.
func (c *contactReader) setLocation(text string, rank placeRank) {
	if rank > c.locationRank {
		c.location, c.locationRank = text, rank
	}
}

// takeEmails removes the email addresses from a text, and keeps the first one in the document.
func (c *contactReader) takeEmails(text string) (rest string, ok bool) {
	for from, to := findEmail(text); to > 0; from, to = findEmail(text) {
		if c.email == "" {
			c.email = text[from:to]
		}
		text = text[:from] + "\t" + text[to:]
		ok = true
	}
	return text, ok
}

// takePhones removes everything that looks like a phone number from a text. It keeps the first labeled number in the
// document, or else the first number. Fax numbers and dates don't count.
func (c *contactReader) takePhones(text string) (rest string, ok bool) {
	for from, to := findPhone(text); to > 0; from, to = findPhone(text) {
		number, before := text[from:to], key(text[:from])
		text = text[:from] + "\t" + text[to:]
		isFax := slices.ContainsFunc(c.words.faxes, func(fax string) bool { return strings.HasSuffix(before, fax) })
		isDate := countDigits(number) <= 8 && len(c.dates.find(number)) > 0
		if isFax || isDate {
			continue
		}
		ok = true
		lastWord := before[strings.LastIndexByte(before, ' ')+1:]
		labeled := c.words.labels[lastWord] == "phone" || c.words.labels[before] == "phone"
		if c.phone == "" || labeled && !c.phoneLabeled {
			c.phone, c.phoneLabeled = number, labeled
		}
	}
	return text, ok
}

// readLabels reads labeled values. A value follows a colon, or is in the next cell or on the next line.
func (c *contactReader) readLabels(text, next string) {
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\t' || r == '|' }) {
		label, value, ok := cutLabel(part)
		if !ok && utf8.RuneCountInString(part) < 25 {
			label = part
			_, value, _ = strings.Cut(text, part+"\t")
			if value, _, _ = strings.Cut(value, "\t"); value == "" {
				value = next
			}
		}
		value = strings.TrimSpace(value)
		if value == "" || len(value) > 120 {
			continue
		}
		switch c.words.labels[key(label)] {
		case "name":
			c.labeledName = cmp.Or(c.labeledName, value)
		case "title":
			if c.words.labels[key(value)] == "" {
				c.labeledTitle = cmp.Or(c.labeledTitle, value)
			}
		case "location":
			_, email := findEmail(value)
			_, _, labeled := cutLabel(value)
			if email == 0 && !labeled && countDigits(value) <= 9 && !strings.Contains(value, "://") {
				c.setLocation(value, placeByLabel)
			}
		}
	}
}

// cutLabel splits "Label: value".
func cutLabel(text string) (label, value string, ok bool) {
	label, value, ok = strings.Cut(text, ":")
	if label == "" || !ok || len(label) > 60 || strings.HasPrefix(value, "//") {
		return "", "", false
	}
	return strings.TrimSpace(label), strings.TrimSpace(value), true
}

// result returns the contact. The country of the location determines the country code of the phone number. A Japanese
// resume without a location is assumed to be from Japan.
func (c *contactReader) result(language string) resume.Contact {
	found := resume.Contact{Email: c.email, Location: c.location, Links: c.links}
	country := c.words.country(found.Location)
	if country == "" && language == "ja" {
		country = "JP"
	}
	if c.phone != "" {
		found.Phone = phone(c.phone, country)
	}
	return found
}

// spelledAddress restores the signs of an email address that is spelled out: "ada [at] example [dot] org".
var spelledAddress = strings.NewReplacer(
	" [at] ", "@", "[at]", "@", " (at) ", "@", "(at)", "@", "{at}", "@", " @ ", "@", " AT ", " at ",
	" [dot] ", ".", "[dot]", ".", " (dot) ", ".", "(dot)", ".", " DOT ", " dot ",
)
