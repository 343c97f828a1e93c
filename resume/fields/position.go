package fields

import (
	"slices"
	"strings"

	"freelancer-matching/resume"
)

// header is a header of an entry whose parts were told apart.
type header struct {
	title, company, location string
	sure                     bool // the title was told by its words
	titleFirst               bool
	above                    bool // the company stands in a line above the one with the time: others may follow below it
}

// positions are the entries of the experience, with the time that they cover.
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
			h := headers[i]
			if h.title == "" && h.company == "" {
				continue
			}
			if p, ok := it.span.period(today); ok {
				covered = append(covered, p)
			}
			onlyTitle := !slices.ContainsFunc(it.fragments, func(f fragment) bool { return f.before })
			if h.company == "" && i > 0 && headers[i-1].above && onlyTitle {
				h.company, h.above = headers[i-1].company, true
				headers[i] = h
			}
			if h.title == "" && it.description == "" && i+1 < len(items) && items[i+1].adjacent && headers[i+1].company == "" {
				continue // a company, whose positions follow
			}
			positions = append(positions, resume.Position{
				Title: h.title, Company: h.company, Location: h.location,
				Start: it.span.from.String(), End: it.span.to.String(), Current: it.span.current,
				Months: it.span.months(today), Description: it.description,
			})
		}
	}
	return positions[:min(len(positions), maxEntries)], covered
}

// headers tells the parts of headers apart. Where the words do not say which is the title, the order of the other
// entries does.
func (e *Extractor) headers(items []item) []header {
	headers := make([]header, len(items))
	votes := 0
	for i := range items {
		headers[i] = e.header(items[i].fragments, true)
		if h := headers[i]; h.sure && h.company != "" {
			votes += 2*btoi(h.titleFirst) - 1
		}
	}
	for i := range items {
		if !headers[i].sure {
			headers[i] = e.header(items[i].fragments, votes >= 0)
		}
	}
	return headers
}

// header tells the parts of one header apart.
func (e *Extractor) header(fragments []fragment, titleFirst bool) (h header) {
	rest := e.refine(fragments)
	defer e.words.splitCompany(&h)
	rest = slices.DeleteFunc(rest, func(f fragment) bool {
		if e.words.place(f.text) == 2 && e.titleScore(f) == 0 {
			if h.location == "" {
				h.location = f.text
			}
			return true
		}
		return contractType(f.key)
	})
	if len(rest) == 0 {
		return h
	}
	at, sure := e.titleAt(rest)
	switch {
	case sure:
		h.sure = true
	case len(rest) == 1:
		if e.companyScore(rest[0]) > 0 || !titleFirst {
			h.company, h.above = rest[0].text, rest[0].before
		} else {
			h.title = rest[0].text
		}
		return h
	case slices.ContainsFunc(rest, func(f fragment) bool { return e.companyScore(f) > 1 }):
		at = slices.IndexFunc(rest, func(f fragment) bool { return e.companyScore(f) <= 1 })
	case titleFirst:
		at = 0
	default:
		at = 1
	}
	if at >= 0 {
		h.title = rest[at].text
	}
	if company := e.companyAt(rest, at); company >= 0 && company != at {
		h.company, h.titleFirst, h.above = rest[company].text, at < company, rest[company].before
	}
	for _, f := range rest {
		if f.text != h.title && f.text != h.company && h.location == "" && e.words.place(f.text) == 1 {
			h.location = f.text
		}
	}
	return h
}

// titleAt is the fragment that is the title by its words.
func (e *Extractor) titleAt(fragments []fragment) (at int, sure bool) {
	at, best := -1, 0
	for i, f := range fragments {
		if score := 2*e.titleScore(f) - e.companyScore(f); score > best && !f.behindAt {
			at, best = i, score
		}
	}
	return at, at >= 0
}

// companyAt is the fragment, besides the title, that is the likeliest company; -1 where there is none.
func (e *Extractor) companyAt(fragments []fragment, title int) int {
	company, most := -1, -1
	for i, f := range fragments {
		score := 2*e.companyScore(f) + 3*btoi(f.behindAt) - 2*btoi(e.words.place(f.text) == 1)
		if i != title && score > most {
			company, most = i, score
		}
	}
	if company < 0 {
		company = slices.IndexFunc(fragments, func(f fragment) bool { return title < 0 || f.text != fragments[title].text })
	}
	return company
}

// splitCompany divides "Granite & Birch, Chicago, IL", which reads as a place, where nothing else is the company.
func (d *dictionary) splitCompany(h *header) {
	first, rest, ok := strings.Cut(h.location, ", ")
	if h.company != "" || !ok || d.known(key(first)) || strings.ContainsAny(first, "0123456789") {
		return
	}
	if strings.Contains(rest, ", ") && d.place(rest) == 2 {
		h.company, h.location = first, rest
	}
}

// refine divides fragments at commas and brackets, where that parts a place, or a title from a company.
func (e *Extractor) refine(fragments []fragment) []fragment {
	var all []fragment
	for _, f := range fragments {
		text, place := e.words.splitPlace(f.text)
		if text != "" {
			all = append(all, fragment{text: text, key: key(text), behindAt: f.behindAt, before: f.before})
		}
		if place != "" {
			all = append(all, fragment{text: place, key: key(place), before: f.before})
		}
	}
	parts := 0
	for _, f := range all {
		parts += btoi(e.words.place(f.text) < 2 && !contractType(f.key))
	}
	var divided []fragment
	for _, f := range all {
		left, right, ok := e.splitTitle(f, parts == 1)
		if !ok {
			divided = append(divided, f)
			continue
		}
		divided = append(divided, fragment{text: left, key: key(left), before: f.before}, fragment{text: right, key: key(right), before: f.before})
	}
	return divided
}

// splitTitle divides "Title, Company" and "Company, Title". Where there are other parts, both must be told by words.
func (e *Extractor) splitTitle(f fragment, alone bool) (left, right string, ok bool) {
	parts := strings.Split(strings.ReplaceAll(f.text, "，", ", "), ", ")
	for i := 1; i < len(parts); i++ {
		if e.words.legal[key(parts[i])] {
			continue
		}
		left, right = strings.Join(parts[:i], ", "), strings.Join(parts[i:], ", ")
		l, r := fragment{text: left, key: key(left)}, fragment{text: right, key: key(right)}
		lt, rt, lc, rc := e.titleScore(l), e.titleScore(r), e.companyScore(l), e.companyScore(r)
		if lt > 0 && rc > 0 && rt == 0 || rt > 0 && lc > 0 && lt == 0 {
			return left, right, true
		}
		if rc == 3 && rt+lc == 0 || lc == 3 && rc == 0 && lt == 0 {
			return left, right, true
		}
		if alone && i == len(parts)-1 && (lt > 0) != (rt > 0) {
			return left, right, true
		}
	}
	return "", "", false
}

// splitPlace divides the place off the end of a fragment: "Acme, Berlin, Germany", "Acme (Berlin)".
func (d *dictionary) splitPlace(text string) (rest, place string) {
	if d.place(text) == 2 {
		return "", text
	}
	if before, inside, ok := strings.Cut(text, "("); ok {
		inside, after, closed := strings.Cut(inside, ")")
		if closed && strings.TrimSpace(after) == "" && d.place(inside) == 2 {
			return strings.TrimSpace(before), strings.TrimSpace(inside)
		}
	}
	parts := strings.Split(text, ", ")
	for n := min(3, len(parts)-1); n > 0; n-- {
		tail := strings.Join(parts[len(parts)-n:], ", ")
		first := key(parts[len(parts)-n])
		if d.place(tail) == 2 && !d.titles.any(first) && !d.legal[first] && !d.organisations.any(first) && !d.schools.any(first) {
			return strings.Join(parts[:len(parts)-n], ", "), tail
		}
	}
	return text, ""
}

// titleScore is how much a fragment reads as a job title: 0 to 3.
func (e *Extractor) titleScore(f fragment) int {
	words := strings.Fields(f.key)
	if len(words) == 0 || len(words) > 12 || e.words.endsLegal(f.key) {
		return 0
	}
	score := 0
	for i, word := range words {
		if !e.words.titles.has(word) {
			continue
		}
		score = max(score, 1)
		if i == 0 || i == len(words)-1 || wide(word) {
			score = 2
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

// companyScore is how much a fragment reads as an organisation: 0 to 3.
func (e *Extractor) companyScore(f fragment) int {
	switch {
	case e.words.endsLegal(f.key):
		return 3
	case e.words.schools.any(f.key):
		return 2
	case e.words.organisations.any(f.key):
		return 1
	default:
		return 0
	}
}

// contractType reports whether a part of a header says how one was employed.
func contractType(k string) bool {
	switch k {
	case "full time", "part time", "contract", "freelance", "permanent", "temporary", "self employed", "cdi", "cdd", "vollzeit", "teilzeit",
		"tiempo completo", "temps plein", "jornada completa", "internship full time", "befristet", "unbefristet", "hybrid", "on site":
		return true
	default:
		return false
	}
}
