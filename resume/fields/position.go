package fields

import (
	"slices"
	"strings"

	"freelancer-matching/resume"
)

// A header is the header of a position, split into its parts.
type header struct {
	title, company, location string
	sure                     bool // the title was recognized by its words
	titleFirst               bool // the title comes before the company
	above                    bool // the company is above the line with the date, and more of its positions may follow
}

// positions returns the entries of the sections about experience, and the time that they cover.
func (e *Extractor) positions(p *page, all []*section, today date) (positions []resume.Position, covered []period) {
	for _, s := range all {
		if !s.is(experience) {
			continue
		}
		items := e.entries(p, s)
		if len(items) == 0 {
			items = e.undatedPositions(p, s)
		}
		headers := e.headers(items)
		for i, it := range items {
			h := &headers[i]
			if h.title == "" && h.company == "" {
				continue
			}
			if p, ok := it.span.period(today); ok {
				covered = append(covered, p)
			}
			ownLinesAbove := slices.ContainsFunc(it.fragments, func(f fragment) bool { return f.before })
			if h.company == "" && i > 0 && headers[i-1].above && !ownLinesAbove { // another position at this company
				h.company, h.above = headers[i-1].company, true
			}
			onlyCompany := h.title == "" && it.description == ""
			if onlyCompany && i+1 < len(items) && items[i+1].adjacent && headers[i+1].company == "" {
				continue // the positions at this company follow
			}
			positions = append(positions, resume.Position{
				Title:       h.title,
				Company:     h.company,
				Location:    h.location,
				Start:       it.span.from.String(),
				End:         it.span.to.String(),
				Current:     it.span.current,
				Months:      it.span.months(today),
				Description: it.description,
			})
		}
	}
	return positions[:min(len(positions), maxEntries)], covered
}

// headers splits the headers of the items of a section. If the words of a header don't show which part is the title,
// the order of most other headers decides.
func (e *Extractor) headers(items []item) []header {
	headers := make([]header, len(items))
	titleFirst, companyFirst := 0, 0
	for i := range items {
		headers[i] = e.header(items[i].fragments, true)
		switch h := headers[i]; {
		case !h.sure || h.company == "":
		case h.titleFirst:
			titleFirst++
		default:
			companyFirst++
		}
	}
	for i := range items {
		if !headers[i].sure && companyFirst > titleFirst {
			headers[i] = e.header(items[i].fragments, false)
		}
	}
	return headers
}

// header splits one header. titleFirst is the order of title and company to assume if the words don't show it.
func (e *Extractor) header(fragments []fragment, titleFirst bool) header {
	var h header
	rest := slices.DeleteFunc(e.refine(fragments), func(f fragment) bool {
		if e.words.place(f.text) == placeByName && e.titleScore(f) == 0 {
			if h.location == "" {
				h.location = f.text
			}
			return true
		}
		return e.words.contracts[f.key]
	})
	if len(rest) > 0 {
		title := e.titleByWords(rest)
		h.sure = title >= 0
		if !h.sure {
			title = e.titleByOrder(rest, titleFirst)
		}
		if title >= 0 {
			h.title = rest[title].text
		}
		if company := e.companyAt(rest, title); company >= 0 {
			h.company, h.titleFirst, h.above = rest[company].text, title < company, rest[company].before
		}
		for _, f := range rest {
			isOther := f.text != h.title && f.text != h.company
			if isOther && h.location == "" && e.words.place(f.text) == placeByForm {
				h.location = f.text
			}
		}
	}
	e.words.splitCompany(&h)
	return h
}

// titleByWords returns the index of the fragment that reads most like a title, -1 if none does. Signs of a company
// count against a fragment.
func (e *Extractor) titleByWords(fragments []fragment) int {
	title, best := -1, 0
	for i, f := range fragments {
		if score := 2*e.titleScore(f) - e.companyScore(f); score > best && !f.employer {
			title, best = i, score
		}
	}
	return title
}

// titleByOrder returns the index of the fragment that is the title by its position, -1 if none is. No fragment reads
// like a title.
func (e *Extractor) titleByOrder(fragments []fragment, titleFirst bool) int {
	isCompany := func(f fragment) bool { return e.companyScore(f) > 1 }
	switch {
	case len(fragments) == 1 && (e.companyScore(fragments[0]) > 0 || !titleFirst):
		return -1
	case len(fragments) > 1 && slices.ContainsFunc(fragments, isCompany):
		return slices.IndexFunc(fragments, func(f fragment) bool { return !isCompany(f) })
	case titleFirst:
		return 0
	default:
		return 1
	}
}

// companyAt returns the index of the fragment that is most likely the company, other than the title, -1 if there is
// none.
func (e *Extractor) companyAt(fragments []fragment, title int) int {
	company, best := -1, -1
	for i, f := range fragments {
		score := 2 * e.companyScore(f)
		if f.employer {
			score += 3
		}
		if e.words.place(f.text) == placeByForm {
			score -= 2
		}
		if i != title && score > best {
			company, best = i, score
		}
	}
	if company < 0 {
		isOther := func(f fragment) bool { return title < 0 || f.text != fragments[title].text }
		company = slices.IndexFunc(fragments, isOther)
	}
	return company
}

// splitCompany splits a location such as "Granite & Birch, Chicago, IL" if the header has no other company.
func (d *dictionary) splitCompany(h *header) {
	first, rest, ok := strings.Cut(h.location, ", ")
	if h.company != "" || !ok || d.knownPlace(key(first)) || hasDigit(first) {
		return
	}
	if strings.Contains(rest, ", ") && d.place(rest) == placeByName {
		h.company, h.location = first, rest
	}
}

// refine splits fragments at commas and brackets into titles, companies and places.
func (e *Extractor) refine(fragments []fragment) []fragment {
	var all []fragment
	parts := 0 // that may be a title or a company
	for _, f := range fragments {
		text, place := e.words.splitPlace(f.text)
		if text != "" {
			rest := newFragment(text, f.before)
			rest.employer = f.employer
			all = append(all, rest)
		}
		if place != "" {
			all = append(all, newFragment(place, f.before))
		}
	}
	for _, f := range all {
		if e.words.place(f.text) < placeByName && !e.words.contracts[f.key] {
			parts++
		}
	}
	var divided []fragment
	for _, f := range all {
		if left, right, ok := e.splitTitle(f, parts == 1); ok {
			divided = append(divided, newFragment(left, f.before), newFragment(right, f.before))
		} else {
			divided = append(divided, f)
		}
	}
	return divided
}

// splitTitle splits "Title, Company" and "Company, Title" at a comma where one of these is true:
//
//   - one side reads like a title, and only the other like a company;
//   - one side is certainly a company, and nothing contradicts it;
//   - the fragment is alone in its header, the comma is the last, and one side reads like a title.
func (e *Extractor) splitTitle(f fragment, alone bool) (left, right string, ok bool) {
	parts := strings.Split(f.text, ", ")
	for i := 1; i < len(parts); i++ {
		if e.words.legal[key(parts[i])] {
			continue
		}
		left, right = strings.Join(parts[:i], ", "), strings.Join(parts[i:], ", ")
		l, r := newFragment(left, false), newFragment(right, false)
		leftTitle, rightTitle := e.titleScore(l), e.titleScore(r)
		leftCompany, rightCompany := e.companyScore(l), e.companyScore(r)
		switch {
		case leftTitle > 0 && rightTitle == 0 && rightCompany > 0,
			rightTitle > 0 && leftTitle == 0 && leftCompany > 0,
			rightCompany == sureCompany && rightTitle == 0 && leftCompany == 0,
			leftCompany == sureCompany && leftTitle == 0 && rightCompany == 0,
			alone && i == len(parts)-1 && (leftTitle > 0) != (rightTitle > 0):
			return left, right, true
		}
	}
	return "", "", false
}

// splitPlace removes the place from the end of a fragment: "Acme, Berlin, Germany", "Acme (Berlin)".
func (d *dictionary) splitPlace(text string) (rest, place string) {
	if d.place(text) == placeByName {
		return "", text
	}
	if before, inside, ok := strings.Cut(text, "("); ok {
		inside, after, closed := strings.Cut(inside, ")")
		if closed && strings.TrimSpace(after) == "" && d.place(inside) == placeByName {
			return strings.TrimSpace(before), strings.TrimSpace(inside)
		}
	}
	parts := strings.Split(text, ", ")
	for n := min(3, len(parts)-1); n > 0; n-- {
		tail := strings.Join(parts[len(parts)-n:], ", ")
		first := key(parts[len(parts)-n])
		otherwise := d.titles.any(first) || d.legal[first] || d.organizations.any(first) || d.schools.any(first)
		if !otherwise && d.place(tail) == placeByName {
			return strings.Join(parts[:len(parts)-n], ", "), tail
		}
	}
	return text, ""
}

// titleScore returns how much a fragment reads like a job title, from 0 to 3. A noun for jobs counts most as the first
// or the last word.
func (e *Extractor) titleScore(f fragment) int {
	words := strings.Fields(f.key)
	if len(words) == 0 || len(words) > 12 || e.words.endsLegal(f.key) {
		return 0
	}
	score := 0
	for i, word := range words {
		switch {
		case !e.words.titles.has(word):
		case i == 0 || i == len(words)-1 || wide(word):
			score = 2
		default:
			score = max(score, 1)
		}
	}
	if score == 0 && len(words) > 1 && e.words.seniority[words[0]] {
		score = 1
	}
	if _, ok := e.taxonomy.JobTitle(f.text); ok {
		score++
	}
	return score
}

// sureCompany is the score of a company that is recognized by its legal form.
const sureCompany = 3

// companyScore returns how much a fragment reads like an organization, from 0 to sureCompany.
func (e *Extractor) companyScore(f fragment) int {
	switch {
	case e.words.endsLegal(f.key):
		return sureCompany
	case e.words.schools.any(f.key):
		return 2
	case e.words.organizations.any(f.key):
		return 1
	default:
		return 0
	}
}

// endsLegal reports whether a key ends with a legal form, as the names of companies do. The single letters of "S. A.
// S." belong together.
func (d *dictionary) endsLegal(k string) bool {
	words := strings.Fields(k)
	last := ""
	for i := len(words) - 1; i > 0; i-- {
		last = words[i] + last
		if d.legal[last] {
			return true
		}
		if len(words[i]) > 1 {
			return false
		}
	}
	return false
}
