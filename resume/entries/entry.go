package entries

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/freelancer-matching/service/resume/dates"
	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/odds"
	"github.com/freelancer-matching/service/resume/page"
	"github.com/freelancer-matching/service/resume/sections"
	"github.com/freelancer-matching/service/resume/wording"
	"github.com/freelancer-matching/service/taxonomy"
)

// An EntryReader divides sections into entries, each with a header and a description.
type EntryReader struct {
	words     *lexicon.Lexicon
	dates     *dates.Finder
	dateLines *dateLines
	headers   *headerReader
}

// NewEntryReader returns a reader that finds entries by their dates and reads their headers.
func NewEntryReader(words *lexicon.Lexicon, d *dates.Finder, t *taxonomy.Taxonomy) *EntryReader {
	return &EntryReader{words, d, &dateLines{words, d}, &headerReader{words, t}}
}

// ordered returns a reader that reads the dates of a page in the order of day and month that the page shows.
func (e *EntryReader) ordered(p *page.Page) *EntryReader {
	d := e.dates.Ordered(func(yield func(string) bool) {
		for i := range p.Lines {
			if !yield(p.Lines[i].Text) {
				return
			}
		}
	})
	return &EntryReader{e.words, d, &dateLines{e.words, d}, e.headers}
}

// An item is what a section says about one position or one degree.
type item struct {
	reading                // of the header
	span        dates.Span // the zero span if the item has no date
	adjacent    bool       // its header follows that of the item before, without text between them
	shared      bool       // it has the same employer as the position before
	group       bool       // an employer whose positions follow
	relation    relation   // by its layout
	description string
}

// An anchor is a line whose date starts an entry.
type anchor struct {
	line int // index in the section
	span dates.Span
}

// entries splits a section into entries by its dates. It returns nil if no date starts an entry. The header of an entry
// consists of the line with the date and of some lines above and below it. Which ones, and what their parts are, is
// chosen by score, for all entries of the section together (order.go).
func (e *EntryReader) entries(p *page.Page, s *sections.Section, g *grammar) []item {
	e = e.ordered(p)
	s = e.dateLines.withWholeDates(s)
	anchors := e.dateLines.anchors(s, g)
	around := e.layout(p, s, anchors, g)
	windows := make([]*window, len(anchors))
	for k, a := range anchors {
		from := around.tops[k]
		to := len(s.Lines)

		if k > 0 {
			from = max(from, anchors[k-1].line+1)
		}

		if k+1 < len(anchors) {
			to = anchors[k+1].line
		}
		w := &window{grammar: g, relation: around.related[k], school: around.schools[k] - max(from, a.line-maxBefore)}
		e.fill(w, p, s, a, from, to)
		windows[k] = w
	}

	// A date in running text is no entry. Dropping it first leaves its lines to the entry before.
	anchors, windows = dropText(anchors, windows)
	readings := readAll(anchors, windows)
	if !s.Is(lexicon.Volunteer) {
		anchors, windows, readings = e.withoutActivities(anchors, windows, readings)
	}

	items := make([]item, len(anchors))
	for k, a := range anchors {
		end := len(s.Lines)
		if k+1 < len(anchors) {
			end = anchors[k+1].line - readings[k+1].above
		}
		items[k] = item{reading: readings[k], span: a.span, relation: windows[k].relation}
		items[k].description = page.Describe(s.Lines[a.line+1+readings[k].below : end])
		items[k].adjacent = k > 0 && items[k-1].description == ""
	}

	return items
}

// withoutActivities drops the entries about posters, committees and memberships, and leaves their text to the entry
// before. It reads the other entries once more, because the dropped ones took part in the choice of the order.
func (e *EntryReader) withoutActivities(
	anchors []anchor, windows []*window, readings []reading,
) ([]anchor, []*window, []reading) {
	n := 0
	for k, w := range windows {
		if !e.isActivity(w, &readings[k]) {
			anchors[n] = anchors[k]
			windows[n] = w
			n++
		}
	}
	if n == len(anchors) {
		return anchors, windows, readings
	}

	return anchors[:n], windows[:n], readAll(anchors[:n], windows[:n])
}

// isActivity reports whether an entry is about a poster, a committee or a membership, by the line with its date or the
// one with its title.
func (e *EntryReader) isActivity(w *window, r *reading) bool {
	named := lead
	if r.texts[lead] == "" {
		named = host
	}
	return e.words.Activity(w.texts[w.date]) || e.words.Activity(w.texts[w.date+r.lines[named]])
}

// fill fills a window with the line of an anchor and the lines around it that may be its header, within lines from to
// to of the section.
func (e *EntryReader) fill(w *window, p *page.Page, s *sections.Section, a anchor, from, to int) {
	start := max(from, a.line-maxBefore)
	end := min(to, a.line+maxAfter+1)
	w.date = a.line - start

	for i := start; i < end; i++ {
		l := s.Lines[i]
		text := l.Text
		lineScore := 0.0
		switch {
		case i == a.line:
			text = e.dates.Without(text, a.span)
		case len(text) > 3*wording.MaxHeader:
			text = wording.Truncate(text, wording.MaxHeader)
			lineScore = impossible
		default:
			lineScore = e.lineScore(p, s, i, i < a.line)
		}

		// Lines below the date continue a header and never start one.
		startScore := 0.0
		if i == 0 {
			startScore = firstLine
		} else if i <= a.line {
			startScore = e.startScore(p, s, i)
		}

		w.breaks = append(w.breaks, byLine)
		besideDate := i == a.line || i-1 == a.line
		if i > start && !besideDate {
			w.breaks[i-start] = lineBreak(s, i)
		}

		w.texts = append(w.texts, text)
		w.lineScores = append(w.lineScores, lineScore)
		w.startScores = append(w.startScores, startScore)
	}

	w.cut(e.headers)
}

// lineBreak returns what stands between two lines of a section, of which the second has index i.
func lineBreak(s *sections.Section, i int) separator {
	before := s.Lines[i-1]
	l := s.Lines[i]
	alike := l.Style() == before.Style() && l.Gap <= page.ParagraphGap && !l.Bullet
	hasCells := len(l.Cells) > 1 || len(before.Cells) > 1
	if !alike || hasCells {
		return byLine
	}

	word, _, _ := strings.Cut(l.Text, " ")
	if utf8.RuneCountInString(before.Text)+1+utf8.RuneCountInString(word) > longestLine(s) {
		return byFull
	}
	return byAlike
}

// longestLine returns the number of characters of the longest line of a section.
func longestLine(s *sections.Section) int {
	longest := 0
	for _, l := range s.Lines {
		longest = max(longest, utf8.RuneCountInString(l.Text))
	}
	return longest
}

// What lines look like, in log odds: how much it speaks for a line to be a part of the header of an entry, or its
// start.
const (
	impossible   = -50
	asBullet     = -5   // a list item
	asText       = -4   // it reads like running text, or continues some
	asSentence   = -1.8 // it ends with a stop
	asLabel      = -2.5 // it ends with a colon
	asRest       = -1.2 // it starts with a small letter
	asDistinct   = .7   // it stands out
	asApart      = -1.8 // there is a gap between it and the other lines of the header
	afterGap     = .6   // the header starts after a gap
	belowOutcast = -1   // the header starts below a line that stands out
	firstLine    = .8   // the header starts with the first line of the section
)

// lineScore returns how much a line looks like a part of a header, above or below its date.
func (e *EntryReader) lineScore(p *page.Page, s *sections.Section, i int, above bool) float64 {
	l := s.Lines[i]
	apart := s.Lines[i].Gap > .5

	if above {
		apart = s.Lines[i+1].Gap > .5
	}
	text := l.Text
	for _, phrase := range e.words.EmployerAfter { // "at Acme"
		text = strings.TrimPrefix(text, phrase[1:])
	}

	first, _ := utf8.DecodeRuneInString(text)
	runningText := wording.Sentence(text)
	divided := i > 0 && page.HeaderShape(s.Lines[i-1]) && wrapsPhrase(s.Lines[i-1].Text, l.Text) // "Head of" and "sales"
	continued := i > 0 && !divided && page.Wrapped(p, s.Lines[i-1], l)
	stop := strings.HasSuffix(l.Text, ".")

	return odds.Sum(
		odds.If("list item", l.Bullet, asBullet),
		odds.If("running text", runningText && (above || !e.summarizes(l)) || continued, asText),
		odds.If("a stop at the end", stop && !e.words.EndsLegal(l.Key) && !wording.Abbreviated(l.Text), asSentence),
		odds.If("a colon at the end", strings.HasSuffix(l.Text, ":"), asLabel),
		odds.If("a small letter first", unicode.IsLower(first) && !divided, asRest),
		odds.If("stands out", p.Distinct(l) && !runningText, asDistinct),
		odds.If("a gap", apart, asApart),
	)
}

// summarizes reports whether a line may be the summary of an employer, which some resumes have above the title.
func (e *EntryReader) summarizes(l *page.Line) bool {
	return !l.Bullet && l.Gap <= page.ParagraphGap && len(l.Text) <= wording.MaxHeader
}

// startScore returns how much speaks for a header that starts at a line that isn't the first of its section.
func (e *EntryReader) startScore(p *page.Page, s *sections.Section, i int) float64 {
	before := s.Lines[i-1]
	outcast := p.Distinct(before) && page.HeaderShape(before) && s.Lines[i].Gap <= .5
	return odds.Sum(
		odds.If("a gap above", s.Lines[i].Gap > page.ParagraphGap, afterGap),
		odds.If("a heading above", outcast, belowOutcast),
	)
}
