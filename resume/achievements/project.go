package achievements

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/dates"
	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/odds"
	"github.com/freelancer-matching/service/resume/page"
	"github.com/freelancer-matching/service/resume/sections"
	"github.com/freelancer-matching/service/resume/wording"
)

// A ProjectReader reads the sections about projects.
type ProjectReader struct {
	dates       *dates.Finder
	calibration odds.Calibration
}

// NewProjectReader returns a reader whose confidences c calibrates.
func NewProjectReader(d *dates.Finder, c odds.Calibration) *ProjectReader {
	return &ProjectReader{d, c}
}

// Read returns the entries of the sections about projects. An entry starts with its name, which may be followed by
// a date, a web address and a description on the same line.
func (r *ProjectReader) Read(p *page.Page, doc *resume.Document, all []*sections.Section) []resume.Project {
	links := linksByLine(doc)
	var list []resume.Project
	for _, s := range all {
		if s.Kind != lexicon.Projects {
			continue
		}
		for _, block := range blocks(s.Lines, func(i int) float64 { return r.startsProject(p, s.Lines, i) }) {
			c := r.project(block, links)
			if c.Score > 0 && len(list) < page.MaxEntries {
				c.Value.Confidence = r.calibration.Confidence("projects", c.Score)
				list = append(list, c.Value)
			}
		}
	}
	return list
}

// blocks divides lines at those whose score as the start of an entry is positive.
func blocks(lines []*page.Line, starts func(i int) float64) [][]*page.Line {
	var all [][]*page.Line
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
func (r *ProjectReader) startsProject(p *page.Page, lines []*page.Line, i int) float64 {
	before := lines[i-1]
	l := lines[i]
	onlyItems := !slices.ContainsFunc(lines, func(l *page.Line) bool { return !l.Bullet })
	stands := p.Distinct(l) && !p.Distinct(before) || l.Size > before.Size+.4

	return odds.Sum(
		odds.If("most lines start nothing", true, -1.5),
		odds.If("all lines are list items", l.Bullet && onlyItems, 3),
		odds.If("list item below another line", l.Bullet && !onlyItems, -3),
		odds.If("follows a list item", !l.Bullet && before.Bullet, 1.5),
		odds.If("gap above", l.StartsParagraph(), 2),
		odds.If("stands out from the line above", stands, 2),
		odds.If("as prominent as the line above", p.Distinct(l) && p.Distinct(before), -1),
		odds.If("date", len(r.dates.Find(wording.Truncate(l.Text, 3*wording.MaxHeader))) > 0, 1),
		odds.If("only a date or an address", r.dates.OnlyDate(l.Text) || addressIn(l.Text) == l.Text, -4),
		odds.If("several cells", len(l.Cells) > 1, .5),
		odds.If("a name before a colon or a dash", nameBefore(l.Text) > 0, 1),
		odds.If("starts in lower case", wording.FirstIsLower(l.Text), -3),
		odds.If("running text", wording.Sentence(l.Text) && nameBefore(l.Text) == 0, -2),
		odds.If("the line above is unfinished", unfinished(before.Text), -2),
	)
}

// addressIn returns the first word of a text that is a web address, or "".
func addressIn(text string) string {
	for word := range strings.FieldsSeq(wording.Truncate(text, wording.MaxText)) {
		if word = strings.Trim(word, "()[]<>,;"); lexicon.WebAddress(word) != "" {
			return word
		}
	}
	return ""
}

// nameBefore returns the length of a short name at the start of a text, before a colon or a dash: "Tidepool: a
// scheduler", "Tidepool – a scheduler". It returns 0 if nothing separates them.
func nameBefore(text string) int {
	const maxName = 50 // bytes
	for i, r := range wording.Truncate(text, maxName) {
		if i == 0 {
			continue
		}

		spaced := strings.HasSuffix(text[:i], " ") && strings.HasPrefix(text[i+utf8.RuneLen(r):], " ")
		colon := r == ':' && !strings.HasPrefix(text[i:], "://")
		dash := spaced && strings.ContainsRune("–—-|", r)
		if colon || dash {
			return i
		}
	}
	return 0
}

// project reads the block of a project.
func (r *ProjectReader) project(block []*page.Line, links map[int]string) odds.Candidate[resume.Project] {
	var found resume.Project
	header := block[0].Text
	described := block[1:]

	for i, l := range block {
		if address := addressIn(l.Text); address != "" && found.URL == "" {
			found.URL = lexicon.WebAddress(address)
		} else if found.URL == "" {
			found.URL = links[l.Index]
		}

		spans := r.dates.Find(wording.Truncate(l.Text, 3*wording.MaxHeader))
		dated := found.Start+found.End != ""
		if len(spans) == 0 || dated {
			continue
		}

		// A date in the description is something that the project is about.
		if i > 0 && !r.dates.OnlyDate(l.Text) {
			continue
		}

		s := spans[len(spans)-1]
		found.Start, found.End = s.From.String(), s.To.String()

		if i == 0 {
			header = r.dates.Without(header, s)
		}
	}

	// The name would otherwise end with the address.
	if address := addressIn(header); address != "" {
		header = strings.Replace(header, address, "", 1)
	}

	described = slices.DeleteFunc(slices.Clone(described), func(l *page.Line) bool {
		return r.dates.OnlyDate(l.Text) || addressIn(l.Text) == l.Text
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
	found.Description = strings.TrimSpace(strings.ReplaceAll(rest, "\t", " ") + "\n" + page.Describe(described))
	return odds.NewCandidate(found, "section",
		odds.If("an entry", true, .5),
		odds.If("short name", strings.Count(found.Name, " ") < 8, .7),
		odds.If("running text", wording.Sentence(found.Name), -1.5),
		odds.If("starts in lower case", wording.FirstIsLower(found.Name), -1),
		odds.If("date", found.Start != "", .5),
		odds.If("web address", found.URL != "", .5),
		odds.If("description", found.Description != "", .5),
		odds.If("no name", utf8.RuneCountInString(found.Name) < 2, -9),
	)
}
