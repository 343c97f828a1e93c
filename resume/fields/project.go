package fields

import (
	"slices"
	"strings"
	"unicode/utf8"

	"freelancer-matching/resume"
)

// A projectReader reads the sections about projects.
type projectReader struct {
	dates       *dates
	calibration calibration
}

func newProjectReader(d *dates, c calibration) *projectReader { return &projectReader{d, c} }

// projects returns the entries of the sections about projects. An entry starts with its name, which may be followed by
// a date, a web address and a description on the same line.
func (r *projectReader) projects(p *page, doc *resume.Document, all []*section) []resume.Project {
	links := linksByLine(doc)
	var list []resume.Project
	for _, s := range all {
		if s.kind != projects {
			continue
		}
		for _, block := range blocks(s.lines, func(i int) float64 { return r.startsProject(p, s.lines, i) }) {
			c := r.project(block, links)
			if c.score > 0 && len(list) < maxEntries {
				c.value.Confidence = r.calibration.confidence("projects", c.score)
				list = append(list, c.value)
			}
		}
	}
	return list
}

// blocks divides lines at those whose score as the start of an entry is positive.
func blocks(lines []*line, starts func(i int) float64) [][]*line {
	var all [][]*line
	for i := range lines {
		if i == 0 || starts(i) > 0 {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], lines[i])
	}
	return all
}

// linksByLine returns the first web address of each line of a document that has a link.
func linksByLine(doc *resume.Document) map[int]string {
	links := make(map[int]string)
	for _, l := range doc.Links {
		if links[l.Line] == "" && strings.HasPrefix(l.URL, "http") {
			links[l.Line] = l.URL
		}
	}
	return links
}

// startsProject returns how much line i of a section starts a project.
func (r *projectReader) startsProject(p *page, lines []*line, i int) float64 {
	before := lines[i-1]
	l := lines[i]
	onlyItems := !slices.ContainsFunc(lines, func(l *line) bool { return !l.Bullet })
	stands := p.distinct(l) && !p.distinct(before) || l.Size > before.Size+.4

	return sum(
		feature{"most lines start nothing", true, -1.5},
		feature{"all lines are list items", l.Bullet && onlyItems, 3},
		feature{"list item below another line", l.Bullet && !onlyItems, -3},
		feature{"follows a list item", !l.Bullet && before.Bullet, 1.5},
		feature{"gap above", l.startsParagraph(), 2},
		feature{"stands out from the line above", stands, 2},
		feature{"as prominent as the line above", p.distinct(l) && p.distinct(before), -1},
		feature{"date", len(r.dates.find(truncate(l.text, 3*maxHeader))) > 0, 1},
		feature{"only a date or an address", r.dates.onlyDate(l.text) || addressIn(l.text) == l.text, -4},
		feature{"several cells", len(l.cells) > 1, .5},
		feature{"a name before a colon or a dash", nameBefore(l.text) > 0, 1},
		feature{"starts in lower case", firstIsLower(l.text), -3},
		feature{"running text", sentence(l.text) && nameBefore(l.text) == 0, -2},
		feature{"the line above is unfinished", unfinished(before.text), -2},
	)
}

// onlyDate reports whether a text is nothing but a date.
func (d *dates) onlyDate(text string) bool {
	rest, date := d.separate(text)
	return date != "" && strings.TrimSpace(rest) == ""
}

// addressIn returns the first word of a text that is a web address, or "".
func addressIn(text string) string {
	for word := range strings.FieldsSeq(truncate(text, maxText)) {
		if word = strings.Trim(word, "()[]<>,;"); webAddress(word) != "" {
			return word
		}
	}
	return ""
}

// nameBefore returns the length of a short name at the start of a text, before a colon or a dash: "Tidepool: a
// scheduler", "Tidepool – a scheduler". It returns 0 if nothing separates them.
func nameBefore(text string) int {
	const maxName = 50 // bytes
	for i, r := range truncate(text, maxName) {
		spaced := strings.HasSuffix(text[:i], " ") && strings.HasPrefix(text[i+utf8.RuneLen(r):], " ")
		if i > 0 && (r == ':' && !strings.HasPrefix(text[i:], "://") || strings.ContainsRune("–—-|", r) && spaced) {
			return i
		}
	}
	return 0
}

// project reads the block of a project.
func (r *projectReader) project(block []*line, links map[int]string) candidate[resume.Project] {
	var found resume.Project
	header := block[0].text
	described := block[1:]

	for i, l := range block {
		if address := addressIn(l.text); address != "" && found.URL == "" {
			found.URL = webAddress(address)
		} else if found.URL == "" {
			found.URL = links[l.index]
		}

		spans := r.dates.find(truncate(l.text, 3*maxHeader))
		if len(spans) == 0 || found.Start+found.End != "" || i > 0 && !r.dates.onlyDate(l.text) {
			continue
		}
		s := spans[len(spans)-1]
		found.Start, found.End = s.from.String(), s.to.String()

		if i == 0 {
			header = r.dates.without(header, s)
		}
	}

	if address := addressIn(header); address != "" {
		header = strings.Replace(header, address, "", 1)
	}

	described = slices.DeleteFunc(slices.Clone(described), func(l *line) bool {
		return r.dates.onlyDate(l.text) || addressIn(l.text) == l.text
	})
	rest := ""

	if i := nameBefore(header); i > 0 {
		header, rest = header[:i], strings.TrimLeft(header[i:], " :–—-|")
	}

	if name, cells, ok := strings.Cut(strings.TrimSpace(header), "\t"); ok {
		header = name
		rest = strings.TrimSpace(cells + " " + rest)
	}

	found.Name = strings.Trim(header, " \t,;:()–—-|")
	found.Description = strings.TrimSpace(strings.ReplaceAll(rest, "\t", " ") + "\n" + describe(described))
	return newCandidate(found, "section",
		feature{"an entry", true, .5},
		feature{"short name", strings.Count(found.Name, " ") < 8, .7},
		feature{"running text", sentence(found.Name), -1.5},
		feature{"starts in lower case", firstIsLower(found.Name), -1},
		feature{"date", found.Start != "", .5},
		feature{"web address", found.URL != "", .5},
		feature{"description", found.Description != "", .5},
		feature{"no name", utf8.RuneCountInString(found.Name) < 2, -9},
	)
}
