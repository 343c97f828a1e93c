package achievements

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/dates"
	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/odds"
	"github.com/freelancer-matching/service/resume/page"
	"github.com/freelancer-matching/service/resume/sections"
	"github.com/freelancer-matching/service/resume/wording"
)

// A PublicationReader reads the sections about publications.
type PublicationReader struct {
	words       *lexicon.Lexicon
	dates       *dates.Finder
	calibration odds.Calibration
}

// NewPublicationReader returns a reader whose confidences c calibrates.
func NewPublicationReader(words *lexicon.Lexicon, d *dates.Finder, c odds.Calibration) *PublicationReader {
	return &PublicationReader{words, d, c}
}

// Read returns the entries of the sections about publications.
func (r *PublicationReader) Read(p *page.Page, doc *resume.Document, all []*sections.Section) []resume.Publication {
	links := linksByLine(doc)
	var list []resume.Publication
	for _, s := range all {
		if s.Kind != lexicon.Publications {
			continue
		}
		for _, block := range blocks(s.Lines, func(i int) float64 { return r.startsPublication(p, s.Lines, i) }) {
			c := r.publication(p, block, links)
			if c.Score > 0 && len(list) < page.MaxEntries {
				c.Value.Confidence = r.calibration.Confidence("publications", c.Score)
				list = append(list, c.Value)
			}
		}
	}
	return list
}

// startsPublication returns how much line i of a section starts a publication.
func (r *PublicationReader) startsPublication(p *page.Page, lines []*page.Line, i int) float64 {
	before := lines[i-1]
	l := lines[i]
	_, numbered := withoutNumber(l.Text)
	dated := len(r.dates.Find(wording.Truncate(l.Text, wording.MaxText))) > 0
	datedAbove := len(r.dates.Find(wording.Truncate(before.Text, wording.MaxText))) > 0
	return odds.Sum(
		odds.If("most lines start nothing", true, -1.5),
		odds.If("number", numbered, 4),
		odds.If("list item", l.Bullet, 3),
		odds.If("gap above", l.StartsParagraph(), 1.5),
		odds.If("stands out from the line above", p.Distinct(l) && !p.Distinct(before) || l.Size > before.Size+.4, 2),
		odds.If("the line above ends an entry", strings.HasSuffix(before.Text, ".") || datedAbove, .8),
		odds.If("both lines have a date", dated && datedAbove, 1),
		odds.If("only a date or an address", r.dates.OnlyDate(l.Text) || addressIn(l.Text) == l.Text, -4),
		odds.If("starts in lower case", wording.FirstIsLower(l.Text), -3),
		odds.If("the line above is unfinished", unfinished(before.Text), -2),
	)
}

// withoutNumber removes the number of an entry: "[3]", "3.", "(3)".
func withoutNumber(text string) (rest string, ok bool) {
	number, rest, found := strings.Cut(text, " ")
	digits := strings.Trim(number, "[]().")
	marked := found && digits != number // "3 ways to …" is a title
	isNumber := digits != "" && len(digits) <= 3 && strings.Trim(digits, "0123456789") == ""
	if !marked || !isNumber {
		return text, false
	}

	return strings.TrimSpace(rest), true
}

// publication reads the block of a publication. The candidates for its title are the text in quotes, the first line of
// a block whose first line stands out, and the sentences and cells.
func (r *PublicationReader) publication(
	p *page.Page, block []*page.Line, links map[int]string,
) odds.Candidate[resume.Publication] {
	var b strings.Builder
	var found resume.Publication
	for _, l := range block {
		if found.URL == "" {
			found.URL = links[l.Index]
		}

		// An address on a line of its own is more likely that of the publication than one in the text.
		address := addressIn(l.Text)
		better := found.URL == "" || address == l.Text
		if address != "" && better {
			found.URL = lexicon.WebAddress(address)
		}

		if address != l.Text {
			wording.JoinLine(&b, l.Text, len(block) > 1 && l == block[1] && p.Distinct(block[0]) && !p.Distinct(l))
		}
	}

	text, _ := withoutNumber(b.String())
	if spans := r.dates.Find(text); len(spans) > 0 {
		found.Date = spans[0].From.String()
		for _, s := range spans {
			if s.Single() && strings.HasSuffix(text[:s.Start], "(") { // APA: "(2019)"
				found.Date = s.From.String()
			}
		}
	}

	title, strength := r.publicationTitle(text)
	found.Title = title.text
	found.Publisher = r.publisher(text[title.end:])

	return odds.NewCandidate(found, title.source,
		odds.If("the title", true, strength-.5),
		odds.If("date", found.Date != "", .7),
		odds.If("publisher", found.Publisher != "", .5),
		odds.If("no title", utf8.RuneCountInString(found.Title) < 4, -9),
	)
}

// A titleRange is a candidate for the title of a publication, with the offset at which it ends.
type titleRange struct {
	text, source string
	end          int
}

// publicationTitle returns the title in the text of a publication, and the strength of the choice.
func (r *PublicationReader) publicationTitle(text string) (title titleRange, strength float64) {
	var all []odds.Candidate[titleRange]
	add := func(start, end int, source string) {
		part := strings.Trim(text[start:end], " \t\n.,;:“”\"„«»|–—-")
		words := strings.Count(part, " ") + 1
		all = append(all, odds.NewCandidate(titleRange{part, source, end}, source,
			odds.If("in quotes", source == "quotes", 4),
			odds.If("above other text", strings.HasPrefix(text[end:], "\n"), 1.5),
			odds.If("first", start == 0, 1),
			odds.If("after the year", afterYear(text[:start]), 1.5),
			odds.If("several words", words > 2, 1),
			odds.If("a single word", words == 1, -1),
			odds.If("authors", initials(part), -3),
			odds.If("words for publications", r.words.Publications.Any(wording.Key(part)), -1.5),
			odds.If("dates", len(r.dates.Find(part)) > 0, -1),
			odds.If("far from the start", start > 0, -.3*float64(len(all))),
			odds.If("empty", part == "", -9),
		))
	}

	// Quotation marks show the title without doubt in the usual styles of citation.
	for _, quotes := range []string{"“”", "\"\"", "„“", "«»", "„”"} {
		open, _ := utf8.DecodeRuneInString(quotes)
		closing, _ := utf8.DecodeLastRuneInString(quotes)

		if i := strings.IndexRune(text, open); i >= 0 {
			from := i + utf8.RuneLen(open)
			if length := strings.IndexRune(text[from:], closing); length > 0 {
				add(from, from+length, "quotes")
			}
		}
	}

	// Otherwise, every stop, comma or dash may end the title, but not the stop of an initial.
	start := 0
	const maxParts = 20
	for i := 0; i < len(text) && len(all) < maxParts; i++ {
		if endsPart(text, start, i) {
			add(start, i, "parts")
			start = i + 1
		}
	}

	add(start, len(text), "parts")
	best, _ := odds.Choose(all, nil)
	return best.Value, best.Strength()
}

// endsPart reports whether the part of a citation that starts at start may end at offset i.
func endsPart(text string, start, i int) bool {
	next := text[i:]
	switch {
	case strings.HasPrefix(next, ". "):
		return !endsWithInitial(text[:i])
	case strings.HasPrefix(next, ", "): // commas separate authors as well
		return !initials(text[start:])
	case text[i] == '\t', text[i] == '\n', strings.HasPrefix(next, "? "), strings.HasPrefix(next, " | "):
		return true
	default:
		return strings.HasPrefix(next, " – ") || strings.HasPrefix(next, " — ") || strings.HasPrefix(next, " - ")
	}
}

// afterYear reports whether a text ends with a number in brackets: "Quill, A. (2019).".
func afterYear(text string) bool {
	text = strings.TrimRight(text, " .,")
	return strings.HasSuffix(text, ")") && wording.HasDigit(text[max(0, len(text)-len("(2019)")):])
}

// endsWithInitial reports whether a text ends with the initial of a name: "Quill, A".
func endsWithInitial(text string) bool {
	last, size := utf8.DecodeLastRuneInString(text)
	before, _ := utf8.DecodeLastRuneInString(text[:len(text)-size])
	return unicode.IsUpper(last) && (before == ' ' || before == '.' || before == '-')
}

// initials reports whether a text has an initial of a name with its dot, or "et al.".
func initials(text string) bool {
	for word := range strings.FieldsSeq(text) {
		word = strings.Trim(word, ",;:&()")
		first, size := utf8.DecodeRuneInString(word)
		initial := unicode.IsUpper(first) && strings.HasPrefix(word[size:], ".") && len(word) < 8
		if word == "al." || initial {
			return true
		}
	}
	return false
}

// issueWords introduce the number of an issue, its pages, or an identifier.
var issueWords = lexicon.SetOf([]string{"vol", "no", "pp", "doi"})

// publisher returns the journal, the conference or the publisher after a title: the text up to a number or a date.
func (r *PublicationReader) publisher(text string) string {
	text = strings.TrimLeft(text, " \t\n.,;:“”\"«»|–—-")
	for _, label := range r.words.Publishers {
		if rest, ok := cutPrefixFold(text, label+" "); ok {
			text = rest
			break
		}
	}

	// Volumes, pages and years follow the name of a journal and begin with a digit or a bracket.
	ends := func(r rune) bool { return unicode.IsDigit(r) || strings.ContainsRune("\n\t(", r) }
	if end := strings.IndexFunc(text, ends); end >= 0 {
		text = text[:end]
	}

	if end := strings.Index(text, ". "); end > 0 && !endsWithInitial(text[:end]) {
		text = text[:end]
	}
	text = strings.Trim(text, " .,;:|–—-")
	for { // ", vol", ", January"
		i := strings.LastIndexAny(text, ", ")
		if i < 0 {
			break
		}

		last := wording.Key(text[i+1:])
		if r.words.Months[last] == 0 && !issueWords[last] {
			break
		}

		text = strings.TrimRight(text[:i], " ,.")
	}

	// Authors follow the title in some styles, and they are no publisher.
	length := utf8.RuneCountInString(text)
	fits := length >= 2 && length <= wording.MaxHeading
	if !fits || initials(text) {
		return ""
	}

	return text
}

// cutPrefixFold removes a prefix in any case from a text, and reports whether the text had it.
func cutPrefixFold(text, prefix string) (rest string, ok bool) {
	if len(text) < len(prefix) || !strings.EqualFold(text[:len(prefix)], prefix) {
		return text, false
	}
	return text[len(prefix):], true
}
