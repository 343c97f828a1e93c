package sections

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/odds"
	"github.com/freelancer-matching/service/resume/page"
	"github.com/freelancer-matching/service/resume/wording"
)

// A heading is a line that was recognized as one, or the first cell of such a line.
type heading struct {
	lexicon.HeadingName

	rest      string // the other cells of a line whose first cell is the heading
	guessed   bool   // only a part of the words is in the dictionary
	continued bool   // the line has the second half of a heading: "EXPERIENCE" below "WORK"
	inline    bool   // the section starts on the same line, after a colon: "SKILLS: Go, SQL"
}

// A headingReader recognizes the headings of a page. Each line that has the shape of a heading is a candidate, whose
// words and looks are features. A candidate with a positive score is a heading.
type headingReader struct {
	*Reader
	page   *page.Page
	known  map[int]knownWords // what the dictionary knows about lines
	found  map[int]heading    // so far
	styles map[page.Style]counts
	levels map[int]counts // by the level of Word's heading styles
	level  int            // of the headings of sections; 0 if unknown
	beside int            // lines whose first cell is a heading
	colons int            // headings with a colon at the end
	keys   map[string]int // how many short lines have a key, or have it before a colon
	plain  bool           // most headings look like running text
	first  int            // the first line with a heading of the dictionary
	common page.Style     // the style of headings if the dictionary knows none of them
}

// A knownWords is a heading by its words, before its looks are considered.
type knownWords struct {
	heading
	lexicon.HeadingMatch
}

// counts counts the lines of a style, and the headings of the dictionary among them.
type counts struct{ lines, headings int }

// agree reports whether headings have this style.
func (c counts) agree() bool { return c.headings >= 2 && 3*c.headings >= c.lines }

// findHeadings returns the headings of a page by the index of their line.
func (r *Reader) findHeadings(p *page.Page) map[int]heading {
	reader := &headingReader{
		Reader: r, page: p, known: make(map[int]knownWords), styles: make(map[page.Style]counts),
		levels: make(map[int]counts), keys: make(map[string]int), first: len(p.Lines), found: make(map[int]heading),
	}

	found := reader.found // the reader looks at the headings above a line
	for i := range p.Lines {
		reader.count(i)
	}
	reader.findStyle()

	// The looks of all lines are known from here on, and decide what the words leave open.
	for i := 0; i < len(p.Lines); i++ {
		if _, ok := found[i]; ok {
			continue
		}

		if h, second, rest, ok := reader.broken(i); ok {
			found[i] = h
			found[second] = heading{HeadingName: lexicon.HeadingName{Kind: h.Kind}, rest: rest, continued: true}
		} else if h, ok := reader.at(i); ok {
			found[i] = h
		}
	}

	return found
}

// count looks up the words of a line, and counts its style.
func (r *headingReader) count(i int) {
	l := &r.page.Lines[i]
	of := r.styles[l.Style()]
	level := r.levels[l.Heading]
	of.lines++
	level.lines++

	if headingShape(l) {
		r.keys[l.Key]++
	}

	// Only whole headings on lines of their own show how the document writes headings.
	if h, w := r.lookUp(l); w > lexicon.UnknownWords {
		r.known[i] = knownWords{h, w}
		switch {
		case w < lexicon.WeakWords || h.Kind == lexicon.Title || l.Bullet:
		case h.inline:
			r.keys[h.Key]++
		case len(l.Cells) > 1:
			r.beside++
		default:
			count(&r.colons, strings.HasSuffix(l.Text, ":"))
			of.headings++
			level.headings++
			r.first = min(r.first, i)
		}
	}

	r.styles[l.Style()] = of
	r.levels[l.Heading] = level
}

// lookUp returns what the dictionary knows about the first cell of a line, or about its text before a colon.
func (r *headingReader) lookUp(l *page.Line) (heading, lexicon.HeadingMatch) {
	if len(l.Cells) == 0 {
		return heading{}, lexicon.UnknownWords
	}
	label, text, ok := strings.Cut(l.Text, ":")
	isLabel := ok && len(label) < len(l.Cells[0]) && len(label) <= wording.MaxHeading
	if isLabel && strings.TrimSpace(text) != "" {
		name, w := r.words.LookUpHeading(label)
		h := heading{HeadingName: name, rest: strings.TrimSpace(text), inline: true}
		if w < lexicon.WeakWords || h.Kind == lexicon.Title {
			return heading{}, lexicon.UnknownWords
		}

		return h, w
	}

	if l.Key == "" || utf8.RuneCountInString(l.Cells[0]) > wording.MaxHeading {
		return heading{}, lexicon.UnknownWords
	}

	// "Resume" is what the document calls itself in its first lines, and something else further below.
	name, w := r.words.LookUpHeading(l.Cells[0])
	h := heading{HeadingName: name}
	if r.words.HeadingsAtTop[h.Key] && l.Index < 3 {
		h.Kind = lexicon.Title
		w = lexicon.ExactWords
	}

	if len(l.Cells) > 1 {
		h.rest = strings.Join(l.Cells[1:], "\t")
	}
	h.guessed = w == lexicon.PartWords

	return h, w
}

// findStyle finds the level of section headings, and, if the dictionary knows fewer than two headings, the style that
// headings have in common: the most prominent one of three or more lines that aren't names of jobs or schools.
func (r *headingReader) findStyle() {
	r.findLevel()

	total := r.beside
	plain := 0
	least := 0 // the prominence of the headings of the dictionary
	for style, of := range r.styles {
		if of.headings > 0 {
			least = style.Prominence()
		}
		total += of.headings
		if style == r.page.Body {
			plain += of.headings
		}
	}

	r.plain = 2*plain > total && plain > 1
	if total > 1 {
		return
	}

	// Names of jobs and schools also stand out, so a style that they use is not the style of headings.
	others := make(map[page.Style]int)
	for i := range r.page.Lines {
		if l := &r.page.Lines[i]; !headingShape(l) || r.readsAsEntry(l) {
			others[l.Style()]++
		}
	}

	body := r.page.Body
	for style, of := range r.styles {
		prominent := style.Size > body.Size || style.Caps || style.Bold && !body.Bold
		mayBeHeadings := of.lines >= 3 && prominent && 4*others[style] <= of.lines && style.Prominence() >= least
		if mayBeHeadings && style.Prominence() > r.common.Prominence() {
			r.common = style
		}
	}
}

// findLevel finds the level of Word's heading styles that the sections have. A heading of the dictionary says more
// about a level than the number of its lines. Only one line, such as the name, is not the level of sections.
func (r *headingReader) findLevel() {
	const levels = 9
	best := 0
	for level := 1; level <= levels; level++ { // the first level wins a tie
		of := r.levels[level]
		score := 3*of.headings + min(of.lines, 2) - 1
		if of.lines > 1 && score > best {
			r.level = level
			best = score
		}
	}
}

// readsAsEntry reports whether a line reads like the header of an entry: a job, a degree, a school or a place.
func (r *headingReader) readsAsEntry(l *page.Line) bool {
	f := wording.NewFragment(l.Text)
	return r.titles.TitleScore(f) > 1 || r.words.CompanyScore(f) > 0 || r.words.DegreeEnd(l.Text) > 0 ||
		r.words.Place(l.Text) == lexicon.PlaceByName
}

// headingShape reports whether a line is as short and simple as a heading.
func headingShape(l *page.Line) bool {
	return !l.Bullet && len(l.Cells) == 1 && l.Key != "" && utf8.RuneCountInString(l.Text) <= wording.MaxHeading &&
		strings.Count(l.Key, " ") < 6 && !strings.ContainsAny(l.Text, "@|0123456789") &&
		!strings.HasSuffix(l.Text, ".") && !strings.Contains(l.Text, ", ")
}

// at returns the heading at a line, if that is one.
func (r *headingReader) at(i int) (heading, bool) {
	l := &r.page.Lines[i]
	known, ok := r.known[i]
	if known.Kind == lexicon.Title && known.HeadingMatch == lexicon.ExactWords {
		return heading{HeadingName: lexicon.HeadingName{Kind: lexicon.Title}}, !l.Bullet
	}
	if !ok && !headingShape(l) {
		return heading{}, false
	}
	return known.heading, r.score(i, known) > 0
}

// score returns how much a line is a heading, in log odds.
func (r *headingReader) score(i int, known knownWords) float64 {
	p := r.page
	l := &p.Lines[i]
	text := l.Cells[0]
	if known.inline {
		text, _, _ = strings.Cut(text, ":")
	}

	match := known.HeadingMatch
	listed := match > lexicon.PartWords
	named := match > lexicon.JoinedWords
	joined := match == lexicon.JoinedWords

	// A heading is usually alone on its line, but layouts with two columns put it beside its section.
	beside := len(l.Cells) > 1 && !known.inline
	besideItsKind := beside && named && r.mayStandBeside(known.Kind, l)
	alone := !beside && !l.Bullet

	// Headings stand out from running text. Only a part of the line may be in capitals.
	partOfLine := beside || known.inline
	capitals := l.Caps || partOfLine && wording.Capitals(text)
	bold := l.Bold && !p.Body.Bold
	larger := 2*l.Size > float64(p.Body.Size)+.9 // half points
	distinct := p.Distinct(l)
	apart := l.Gap > .3 || l.Style().Size != p.Body.Size
	standsOut := distinct || capitals || apart && alone

	// The headings of a document look alike.
	byLevel := l.Heading > 0 && l.Heading == r.level
	ofOtherLevel := l.Heading > 0 && r.level > 0 && !byLevel
	style := r.styles[l.Style()]
	looksKnown := !p.Flat && l.Size > 0 && distinct
	commonLook := r.common != page.Style{} && l.Style() == r.common
	looksLikeOthers := looksKnown && style.agree() || commonLook
	onlyHeadings := style.headings >= 4 && 2*style.headings >= style.lines
	othersArePlain := !p.Flat && r.plain
	colon := strings.HasSuffix(text, ":") && l.Gap > .3
	aboveOthers := i < r.first && r.first < len(p.Lines)
	above, belowHeading := r.found[i-1]
	belowHeading = belowHeading && above.rest == "" && above.Kind != lexicon.Title && p.Lines[i-1].Part == l.Part
	belowLarger := belowHeading && p.Lines[i-1].Style().Prominence() > l.Style().Prominence()

	endsSentence := strings.HasSuffix(text, ".") || strings.HasSuffix(text, ",")
	digitsOrAddress := wording.HasDigit(text) || strings.Contains(text, "@")
	repeated := r.keys[cmp.Or(known.Key, l.Key)] > 1

	score := odds.Sum(
		odds.If("most lines are no headings", true, -3),
		odds.If("words of the dictionary", match == lexicon.ExactWords, 4.5),
		odds.If("ordinary words of the dictionary", match == lexicon.WeakWords, 2.5),
		odds.If("joined or modified words of the dictionary", joined, 2.2),
		odds.If("begins or ends with a word of the dictionary", match == lexicon.PartWords, .5),
		odds.If("stands out", standsOut, 1),
		odds.If("no line of the page stands out", p.Flat && listed && alone, 1),
		odds.If("other headings don't stand out", othersArePlain && joined && alone, 1),
		odds.If("bold", bold, .5),
		odds.If("larger", larger, .5),
		odds.If("capitals", capitals, .5),
		odds.If("heading style of sections", byLevel, 2.5),
		odds.If("heading style of something else", ofOtherLevel && !listed, -2),
		odds.If("looks like other headings", looksLikeOthers, 2),
		odds.If("no other lines have this look", looksLikeOthers && onlyHeadings, 1),
		odds.If("ends with a colon, as other headings do", colon && r.colons > 1, 2.5),
		odds.If("above all other headings", aboveOthers && !listed && !byLevel, -2),
		odds.If("right below a heading that stands out more", belowLarger && !listed, -4),
		odds.If("lower case", wording.FirstIsLower(text) && !p.Flat, -2),
		odds.If("ends like a sentence", endsSentence, -6),
		odds.If("list item", l.Bullet, -2.5),
		odds.If("digits or an address", digitsOrAddress && !named, -6),
		odds.If("beside other text", beside, -2.5),
		odds.If("beside other text, as other headings are", beside && r.beside > 1, 1),
		odds.If("text follows after a colon", known.inline, -2.5),
		odds.If("the same words elsewhere", repeated && (!listed || known.inline), -4),
		odds.If("beside text of its kind", besideItsKind, 1),
		odds.If("beside text of another kind", beside && !besideItsKind, -6),
	)

	// The taxonomy is slow, so it is consulted only for the few lines that may be headings so far.
	if score > 0 && !named {
		score += odds.Sum(
			odds.If("reads like a job, a school or a place", !listed && r.readsAsEntry(l), -1),
			odds.If("has no word of the dictionary either", match == lexicon.UnknownWords && r.readsAsEntry(l), -1),
			odds.If("last line", i == len(p.Lines)-1, -2),
		)
	}

	return score
}

// mayStandBeside reports whether the cell after a heading may be the section of that heading.
func (r *headingReader) mayStandBeside(k lexicon.Kind, l *page.Line) bool {
	return k != lexicon.Other && (k != lexicon.Languages || len(r.words.SpokenIn(l.Cells[1])) > 0)
}

// maxBetween is how many lines of a section may be beside the first half of a heading in the margin.
const maxBetween = 3

// broken recognizes a heading that continues on the next line, or in the margin a few lines below: "WORK" and
// "EXPERIENCE". It returns the heading, the index of the line with the second half, and the rest of that line.
func (r *headingReader) broken(i int) (h heading, second int, rest string, ok bool) {
	l := &r.page.Lines[i]
	if !r.halfHeading(l) {
		return heading{}, 0, "", false
	}

	for second = i + 1; second < min(len(r.page.Lines), i+1+maxBetween); second++ {
		next := &r.page.Lines[second]
		if next.Part != l.Part {
			break
		}

		if r.halfHeading(next) && wording.Capitals(l.Cells[0]) == wording.Capitals(next.Cells[0]) {
			name, w := r.words.LookUpHeading(l.Cells[0] + " " + next.Cells[0])

			// Almost any two words can be joined, so their looks must agree with the dictionary.
			bothInMargin := len(l.Cells) > 1 && len(next.Cells) > 1 && r.beside > 0
			bothDistinct := r.page.Distinct(l) && r.page.Distinct(next)
			known := w == lexicon.ExactWords || w == lexicon.WeakWords
			joined := w == lexicon.JoinedWords && (bothInMargin || bothDistinct)
			if known || joined {
				h = heading{HeadingName: name, rest: strings.Join(l.Cells[1:], "\t")}
				return h, second, strings.Join(next.Cells[1:], "\t"), true
			}
		}

		if len(l.Cells) == 1 || len(next.Cells) > 1 {
			break // only in the margin, text may be between the halves
		}
	}

	return heading{}, 0, "", false
}

// halfHeading reports whether the first cell of a line has the shape of a half of a heading.
func (r *headingReader) halfHeading(l *page.Line) bool {
	return !l.Bullet && len(l.Cells) > 0 && l.Key != "" && len(l.Cells[0]) <= wording.MaxHeading &&
		strings.Count(l.Cells[0], " ") < 3 && !wording.HasDigit(l.Cells[0]) && !strings.ContainsAny(l.Cells[0], ",.:|@") &&
		l.Part != resume.Header && l.Part != resume.Footer
}
