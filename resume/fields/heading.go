package fields

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"freelancer-matching/resume"
)

// A heading is a line that was recognized as one, or the first cell of such a line.
type heading struct {
	headingName

	rest      string // the other cells of a line whose first cell is the heading
	guessed   bool   // only a part of the words is in the dictionary
	continued bool   // the line has the second half of a heading: "EXPERIENCE" below "WORK"
	inline    bool   // the section starts on the same line, after a colon: "SKILLS: Go, SQL"
}

// A headingReader recognizes the headings of a page. Each line that has the shape of a heading is a candidate, whose
// words and looks are features. A candidate with a positive score is a heading.
type headingReader struct {
	*sectionReader
	page   *page
	known  map[int]knownWords // what the dictionary knows about lines
	styles map[style]counts
	levels map[int]counts // by the level of Word's heading styles
	level  int            // of the headings of sections; 0 if unknown
	beside int            // lines whose first cell is a heading
	colons int            // headings with a colon at the end
	keys   map[string]int // how many short lines have a key, or have it before a colon
	plain  bool           // most headings look like running text
	first  int            // the first line with a heading of the dictionary
	common style          // the style of headings if the dictionary knows none of them
}

// A knownWords is a heading by its words, before its looks are considered.
type knownWords struct {
	heading
	headingMatch
}

// counts counts the lines of a style, and the headings of the dictionary among them.
type counts struct{ lines, headings int }

// agree reports whether headings have this style.
func (c counts) agree() bool { return c.headings >= 2 && 3*c.headings >= c.lines }

// findHeadings returns the headings of a page by the index of their line.
func (s *sectionReader) findHeadings(p *page) map[int]heading {
	r := &headingReader{
		sectionReader: s, page: p, known: make(map[int]knownWords), styles: make(map[style]counts),
		levels: make(map[int]counts), keys: make(map[string]int), first: len(p.lines),
	}

	found := make(map[int]heading)
	for i := range p.lines {
		r.count(i)
	}
	r.findStyle()

	for i := 0; i < len(p.lines); i++ {
		if _, ok := found[i]; ok {
			continue
		}

		if h, second, rest, ok := r.broken(i); ok {
			found[i] = h
			found[second] = heading{headingName: headingName{kind: h.kind}, rest: rest, continued: true}
		} else if h, ok := r.at(i); ok {
			found[i] = h
		}
	}

	return found
}

// count looks up the words of a line, and counts its style.
func (r *headingReader) count(i int) {
	l := &r.page.lines[i]
	of := r.styles[l.style()]
	level := r.levels[l.Heading]
	of.lines++
	level.lines++

	if headingShape(l) {
		r.keys[l.key]++
	}

	if h, w := r.lookUp(l); w > unknownWords {
		r.known[i] = knownWords{h, w}
		switch {
		case w < weakWords || h.kind == title || l.Bullet:
		case h.inline:
			r.keys[h.key]++
		case len(l.cells) > 1:
			r.beside++
		default:
			count(&r.colons, strings.HasSuffix(l.text, ":"))
			of.headings++
			level.headings++
			r.first = min(r.first, i)
		}
	}

	r.styles[l.style()] = of
	r.levels[l.Heading] = level
}

// lookUp returns what the dictionary knows about the first cell of a line, or about its text before a colon.
func (r *headingReader) lookUp(l *line) (heading, headingMatch) {
	if len(l.cells) == 0 {
		return heading{}, unknownWords
	}
	label, text, ok := strings.Cut(l.text, ":")
	if ok && strings.TrimSpace(text) != "" && len(label) < len(l.cells[0]) && len(label) <= maxHeading {
		name, w := r.words.lookUpHeading(label)
		h := heading{headingName: name, rest: strings.TrimSpace(text), inline: true}
		if w < weakWords || h.kind == title {
			return heading{}, unknownWords
		}

		return h, w
	}

	if l.key == "" || utf8.RuneCountInString(l.cells[0]) > maxHeading {
		return heading{}, unknownWords
	}
	name, w := r.words.lookUpHeading(l.cells[0])
	h := heading{headingName: name}
	if r.words.headingsAtTop[h.key] && l.index < 3 {
		h.kind = title
		w = exactWords
	}

	if len(l.cells) > 1 {
		h.rest = strings.Join(l.cells[1:], "\t")
	}
	h.guessed = w == partWords

	return h, w
}

// findStyle finds the level of section headings, and, if the dictionary knows fewer than two headings, the style that
// headings have in common: the most prominent one of three or more lines that aren't names of jobs or schools.
func (r *headingReader) findStyle() {
	most := 0
	for level := 1; level < 10; level++ { // the first level wins a tie
		c := r.levels[level]
		if n := 3*c.headings + min(c.lines, 2) - 1; n > most && c.lines > 1 {
			r.level = level
			most = n
		}
	}

	total := r.beside
	plain := 0
	for s, c := range r.styles {
		total += c.headings
		if s == r.page.body {
			plain += c.headings
		}
	}

	r.plain = 2*plain > total && plain > 1
	if total > 1 {
		return
	}
	entries := make(map[style]int)
	for i := range r.page.lines {
		if l := &r.page.lines[i]; !headingShape(l) || r.readsAsEntry(l) {
			entries[l.style()]++
		}
	}

	for s, c := range r.styles {
		stands := s.size > r.page.body.size || s.caps || s.bold && !r.page.body.bold
		if c.lines >= 3 && stands && 4*entries[s] <= c.lines && s.prominence() > r.common.prominence() {
			r.common = s
		}
	}
}

// prominence orders styles: larger letters come before capitals, and capitals before bold ones.
func (s style) prominence() int {
	n := 4 * s.size
	if s.caps {
		n += 2
	}
	if s.bold {
		n++
	}
	return n
}

// readsAsEntry reports whether a line reads like the header of an entry: a job, a degree, a school or a place.
func (r *headingReader) readsAsEntry(l *line) bool {
	f := newFragment(l.text)
	return r.titles.titleScore(f) > 1 || r.words.companyScore(f) > 0 || r.words.degreeEnd(l.text) > 0 ||
		r.words.place(l.text) == placeByName
}

// headingShape reports whether a line is as short and simple as a heading.
func headingShape(l *line) bool {
	return !l.Bullet && len(l.cells) == 1 && l.key != "" && utf8.RuneCountInString(l.text) <= maxHeading &&
		strings.Count(l.key, " ") < 6 && !strings.ContainsAny(l.text, "@|0123456789") &&
		!strings.HasSuffix(l.text, ".") && !strings.Contains(l.text, ", ")
}

// at returns the heading at a line, if that is one.
func (r *headingReader) at(i int) (heading, bool) {
	l := &r.page.lines[i]
	known, ok := r.known[i]
	if known.kind == title && known.headingMatch == exactWords {
		return heading{headingName: headingName{kind: title}}, !l.Bullet
	}
	if !ok && !headingShape(l) {
		return heading{}, false
	}
	return known.heading, r.score(i, known) > 0
}

// score returns how much a line is a heading, in log odds.
func (r *headingReader) score(i int, known knownWords) float64 {
	p := r.page
	l := &r.page.lines[i]
	text := l.cells[0]
	w := known.headingMatch

	if known.inline {
		text, _, _ = strings.Cut(text, ":")
	}
	listed := w > partWords
	named := w > joinedWords
	beside := len(l.cells) > 1 && !known.inline
	ofKind := beside && named && r.mayStandBeside(known.kind, l)
	caps := l.caps || (beside || known.inline) && capitals(text)
	bold := l.Bold && !p.body.bold
	larger := 2*l.Size > float64(p.body.size)+.9
	byLevel := l.Heading > 0 && l.Heading == r.level
	of := r.styles[l.style()]
	byStyle := !p.flat && l.Size > 0 && p.distinct(l) && of.agree() || r.common != style{} && l.style() == r.common
	colon := strings.HasSuffix(text, ":") && l.Gap > .3
	stands := p.distinct(l) || caps || (l.Gap > .3 || l.style().size != p.body.size) && !beside && !l.Bullet
	score := sum(
		feature{"most lines are no headings", true, -3},
		feature{"words of the dictionary", w == exactWords, 4.5},
		feature{"ordinary words of the dictionary", w == weakWords, 2.5},
		feature{"joined or modified words of the dictionary", w == joinedWords, 2.2},
		feature{"begins or ends with a word of the dictionary", w == partWords, .5},
		feature{"stands out", stands, 1},
		feature{"no line of the page stands out", p.flat && listed && !beside && !l.Bullet, 1},
		feature{"other headings don't stand out", !p.flat && r.plain && w == joinedWords && !beside && !l.Bullet, 1},
		feature{"bold", bold, .5},
		feature{"larger", larger, .5},
		feature{"capitals", caps, .5},
		feature{"heading style of sections", byLevel, 2.5},
		feature{"heading style of something else", l.Heading > 0 && r.level > 0 && !byLevel && !listed, -2},
		feature{"looks like other headings", byStyle, 2},
		feature{"no other lines have this look", byStyle && of.headings >= 4 && 2*of.headings >= of.lines, 1},
		feature{"ends with a colon, as other headings do", colon && r.colons > 1, 2.5},
		feature{"above all other headings", !listed && !byLevel && i < r.first && r.first < len(p.lines), -2},
		feature{"lower case", firstIsLower(text) && !p.flat, -2},
		feature{"ends like a sentence", strings.HasSuffix(text, ".") || strings.HasSuffix(text, ","), -6},
		feature{"list item", l.Bullet, -2.5},
		feature{"digits or an address", !named && (hasDigit(text) || strings.Contains(text, "@")), -6},
		feature{"beside other text", beside, -2.5},
		feature{"beside other text, as other headings are", beside && r.beside > 1, 1},
		feature{"text follows after a colon", known.inline, -2.5},
		feature{"the same words elsewhere", (!listed || known.inline) && r.keys[cmp.Or(known.key, l.key)] > 1, -4},
		feature{"beside text of its kind", ofKind, 1},
		feature{"beside text of another kind", beside && !ofKind, -6},
	)
	if score > 0 && !named { // the taxonomy is consulted for few lines only
		score += sum(
			feature{"reads like a job, a school or a place", !listed && r.readsAsEntry(l), -1},
			feature{"has no word of the dictionary either", w == unknownWords && r.readsAsEntry(l), -1},
			feature{"last line", i == len(p.lines)-1, -2},
		)
	}

	return score
}

// mayStandBeside reports whether the cell after a heading may be the section of that heading.
func (r *headingReader) mayStandBeside(k kind, l *line) bool {
	return k != other && (k != languages || len(r.words.spokenIn(l.cells[1])) > 0)
}

// maxBetween is how many lines of a section may be beside the first half of a heading in the margin.
const maxBetween = 3

// broken recognizes a heading that continues on the next line, or in the margin a few lines below: "WORK" and
// "EXPERIENCE". It returns the heading, the index of the line with the second half, and the rest of that line.
func (r *headingReader) broken(i int) (h heading, second int, rest string, ok bool) {
	l := &r.page.lines[i]
	if !r.halfHeading(l) {
		return heading{}, 0, "", false
	}

	for second = i + 1; second < min(len(r.page.lines), i+1+maxBetween); second++ {
		next := &r.page.lines[second]
		if next.Part != l.Part {
			break
		}

		if r.halfHeading(next) && capitals(l.cells[0]) == capitals(next.cells[0]) {
			name, w := r.words.lookUpHeading(l.cells[0] + " " + next.cells[0])
			besides := len(l.cells) > 1 && len(next.cells) > 1 && r.beside > 0
			stand := r.page.distinct(l) && r.page.distinct(next)
			if w == exactWords || w == weakWords || w == joinedWords && (besides || stand) {
				h = heading{headingName: name, rest: strings.Join(l.cells[1:], "\t")}
				return h, second, strings.Join(next.cells[1:], "\t"), true
			}
		}

		if len(l.cells) == 1 || len(next.cells) > 1 {
			break // only in the margin, text may be between the halves
		}
	}

	return heading{}, 0, "", false
}

// halfHeading reports whether the first cell of a line has the shape of a half of a heading.
func (r *headingReader) halfHeading(l *line) bool {
	return !l.Bullet && len(l.cells) > 0 && l.key != "" && len(l.cells[0]) <= maxHeading &&
		strings.Count(l.cells[0], " ") < 3 && !hasDigit(l.cells[0]) && !strings.ContainsAny(l.cells[0], ",.:|@") &&
		l.Part != resume.Header && l.Part != resume.Footer
}
