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

// A contactReader collects what a document says about how to reach the person.
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

// contact reads the sections that say how to reach the person. Only if these lack an email address or a phone number,
// it looks for them in other sections.
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

// readElsewhere looks for an email address and a labeled phone number in all sections but the references.
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

// readLink reads the target of a hyperlink. near tells whether it is on a line with contacts. The target of a link
// replaces an email address that a line end cuts off.
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

// read reads the contacts in a line. What is left of it may name places. placesOnly tells whether the line stands where
// a text that has the form of a place surely is one.
func (c *contactReader) read(text, next string, placesOnly bool) {
	text = spelledAddress.Replace(truncate(text, maxContact))
	before, behind, _ := strings.Cut(text, " at ")
	if strings.Contains(behind, " dot ") && !strings.Contains(text, "@") {
		text = before + "@" + strings.ReplaceAll(behind, " dot ", ".")
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
		likely := (hasEmail || hasPhone || placesOnly) && strings.Count(part, ",") == 1
		if rank == placeByName && !c.words.remote[key(part)] || rank == placeByForm && likely {
			c.setLocation(part, rank)
		}
	}
}

// setLocation sets the location, unless one is known that at least as surely is a place.
func (c *contactReader) setLocation(text string, rank placeRank) {
	if rank > c.locationRank {
		c.location, c.locationRank = text, rank
	}
}

// takeEmails takes the email addresses out of a text, and keeps the first of the document.
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

// takePhones takes the numbers that look like phone numbers out of a text, and keeps the first labeled number of the
// document, or else the first one. Fax numbers and dates do not count.
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

// readLabels reads the values that a label announces: behind a colon, in the next cell, or in the next line.
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

// result returns the contact. The country of the location tells the country code of the phone number; a Japanese
// resume without one is from Japan.
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

// spelledAddress puts the signs into an email address whose signs are spelled out.
var spelledAddress = strings.NewReplacer(
	" [at] ", "@", "[at]", "@", " (at) ", "@", "(at)", "@", "{at}", "@", " @ ", "@", " AT ", " at ",
	" [dot] ", ".", "[dot]", ".", " (dot) ", ".", "(dot)", ".", " DOT ", " dot ",
)
