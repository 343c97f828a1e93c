package fields

import (
	"slices"
	"strings"
	"unicode/utf8"

	"freelancer-matching/resume"
)

// maxContact bounds a line that is read for contacts, maxLinks the list of links.
const (
	maxContact = 600 // bytes
	maxLinks   = 30
)

// contactFinder collects the contact of a person.
type contactFinder struct {
	*Extractor
	email    string
	phones   []string // as written, the likeliest first
	labelled bool     // the first phone is called one
	places   [4][]string
	links    []resume.ContactLink
	title    string // behind a label
	name     string // behind a label
}

// contact reads the sections that say how to reach the person.
func (e *Extractor) contact(doc *resume.Document, all []*section) *contactFinder {
	c := &contactFinder{Extractor: e}
	near := make(map[int]bool)
	for _, s := range all {
		if s.kind != head && s.kind != margin && s.kind != contact {
			continue
		}
		for i := 0; i < len(s.lines); i++ {
			l := s.lines[i]
			near[l.index] = true
			next := ""
			if i+1 < len(s.lines) && len(s.lines[i+1].cells) == 1 {
				next = s.lines[i+1].text
			}
			if dividesAddress(l.text, next) {
				whole := *l
				whole.text, next = l.text+next, ""
				l = &whole
				i++
				near[s.lines[i].index] = true
			}
			c.read(l, next, s.kind == contact || l.Part == resume.Sidebar)
		}
	}
	if c.email == "" || len(c.phones) == 0 {
		c.elsewhere(all)
	}
	for _, link := range doc.Links[:min(len(doc.Links), 1000)] {
		c.target(link, near[link.Line])
	}
	return c
}

// elsewhere looks for an address of e-mail and a labelled phone in the other sections.
func (c *contactFinder) elsewhere(all []*section) {
	for _, s := range all {
		if s.is(references) {
			continue
		}
		for _, l := range s.lines {
			text := cut(l.text, maxContact)
			if from, to := findEmail(text); to > 0 && c.email == "" {
				c.email = text[from:to]
			}
			label, value, ok := cutLabel(text)
			if ok && c.words.labels[key(label)] == "phone" {
				if from, to := findPhone(value); to > 0 && len(c.dates.find(value)) == 0 {
					c.phones = append(c.phones, value[from:to])
				}
			}
		}
	}
}

// target takes the target of a hyperlink.
func (c *contactFinder) target(link resume.Link, near bool) {
	url := clean(link.URL)
	scheme, rest, _ := strings.Cut(url, ":")
	switch strings.ToLower(scheme) {
	case "mailto":
		from, to := findEmail(rest)
		if to > 0 && (c.email == "" || strings.Contains(rest[from:to], c.email)) && (near || link.Line < 0) {
			c.email = rest[from:to] // that in the text may be cut by the end of a line
		}
	case "tel":
		if near && len(c.phones) == 0 && strings.ContainsAny(rest, "0123456789") {
			c.phones = append(c.phones, rest)
		}
	case "http", "https":
		if kind := linkKind(url); near || link.Line < 0 && kind != "website" {
			c.addLink(url)
		}
	}
}

// read takes everything out of a line that is a contact; what is left may be a place.
func (c *contactFinder) read(l *line, next string, labels bool) {
	text := deobfuscate(cut(l.text, maxContact))
	c.labels(text, next)
	reached := false
	for from, to := findEmail(text); to > 0; from, to = findEmail(text) {
		if c.email == "" {
			c.email = text[from:to]
		}
		text = text[:from] + "\t" + text[to:]
		reached = true
	}
	text = c.takeLinks(text)
	for from, to := findPhone(text); to > 0; from, to = findPhone(text) {
		number := text[from:to]
		before := key(text[:from])
		if strings.HasSuffix(before, "fax") || strings.HasSuffix(before, "传真") {
			text = text[:from] + "\t" + text[to:]
			continue
		}
		if digits(number) >= 7 && !c.isDate(number) {
			c.addPhone(number, before)
			reached = true
		}
		text = text[:from] + "\t" + text[to:]
	}
	for _, part := range splitHeader(text) {
		if label, value, ok := cutLabel(part); ok {
			if c.words.labels[key(label)] != "location" {
				continue
			}
			part = value
		}
		rank := c.words.place(part)
		switch {
		case rank == 2 && !c.remoteOnly(part):
			c.places[2] = append(c.places[2], part)
		case rank == 1 && (reached || labels) && strings.Count(part, ",") == 1:
			c.places[1] = append(c.places[1], part)
		}
	}
}

func (c *contactFinder) remoteOnly(text string) bool { return c.words.remote[key(text)] }

// isDate reports whether a number is a date or the years of a time.
func (c *contactFinder) isDate(number string) bool {
	return len(c.dates.find(number)) > 0 && digits(number) <= 8 || len(c.dates.find(number)) == 1 && digits(number) == 8
}

func (c *contactFinder) addPhone(number, before string) {
	i := strings.LastIndexByte(before, ' ')
	labelled := c.words.labels[before[i+1:]] == "phone" || c.words.labels[before] == "phone"
	if labelled && !c.labelled {
		c.labelled = true
		c.phones = slices.Insert(c.phones, 0, number)
		return
	}
	c.phones = append(c.phones, number)
}

// labels takes values that a label says the meaning of, beside it or in the next line.
func (c *contactFinder) labels(text, next string) {
	for part := range strings.SplitSeq(strings.ReplaceAll(strings.ReplaceAll(text, "，", ","), "|", "\t"), "\t") {
		label, value, ok := cutLabel(part)
		if !ok {
			if c.words.labels[key(part)] != "" && utf8.RuneCountInString(part) < 25 {
				label, value, ok = part, after(text, part), true
				if value == "" {
					value = next
				}
			}
		}
		if !ok || value == "" || len(value) > 120 {
			continue
		}
		switch c.words.labels[key(label)] {
		case "name":
			if c.name == "" {
				c.name = strings.TrimSpace(value)
			}
		case "title":
			if c.title == "" && c.words.labels[key(value)] == "" {
				c.title = strings.TrimSpace(value)
			}
		case "location":
			if from, to := findEmail(value); to > from || digits(value) > 9 || strings.Contains(value, "://") {
				continue
			}
			if _, _, labelled := cutLabel(value); !labelled {
				c.places[3] = append(c.places[3], strings.TrimSpace(value))
			}
		}
	}
}

// after is the cell behind one.
func after(text, cell string) string {
	_, rest, _ := strings.Cut(text, cell+"\t")
	rest, _, _ = strings.Cut(rest, "\t")
	return rest
}

// cutLabel divides "Label: value".
func cutLabel(text string) (label, value string, ok bool) {
	i := strings.IndexAny(text, ":：")
	if i <= 0 || i > 60 || strings.HasPrefix(text[i:], "://") {
		return "", "", false
	}
	_, size := utf8.DecodeRuneInString(text[i:])
	return strings.TrimSpace(text[:i]), strings.TrimSpace(text[i+size:]), true
}

// result is the contact, with the number of the phone in international form where its country is told.
func (c *contactFinder) result(speech string) resume.Contact {
	found := resume.Contact{Email: c.email, Links: c.links}
	for _, places := range slices.Backward(c.places[:]) {
		if len(places) > 0 {
			found.Location = places[0]
			break
		}
	}
	country := c.words.country(found.Location)
	if country == "" && speech == "ja" {
		country = "JP"
	}
	for _, number := range c.phones {
		if found.Phone = phone(number, country); found.Phone != "" {
			break
		}
	}
	return found
}

// deobfuscate writes an address of e-mail that is spelt out with its signs.
func deobfuscate(text string) string {
	if !strings.Contains(text, "at") && !strings.Contains(text, "AT") && !strings.Contains(text, "@") {
		return text
	}
	for _, sign := range []struct{ from, to string }{
		{" [at] ", "@"},
		{"[at]", "@"},
		{" (at) ", "@"},
		{"(at)", "@"},
		{" [dot] ", "."},
		{"[dot]", "."},
		{" (dot) ", "."},
		{"(dot)", "."},
		{"{at}", "@"},
		{" AT ", " at "},
		{" DOT ", " dot "},
		{" @ ", "@"},
	} {
		text = strings.ReplaceAll(text, sign.from, sign.to)
	}
	if before, rest, ok := strings.Cut(text, " at "); ok && strings.Contains(rest, " dot ") && !strings.Contains(text, "@") {
		return before + "@" + strings.ReplaceAll(rest, " dot ", ".")
	}
	return text
}
