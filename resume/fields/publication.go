package fields

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"freelancer-matching/resume"
)

// A publicationReader reads the sections about publications.
type publicationReader struct {
	words       *dictionary
	dates       *dates
	calibration calibration
}

func newPublicationReader(words *dictionary, d *dates, c calibration) *publicationReader {
	return &publicationReader{words, d, c}
}

// publications returns the entries of the sections about publications.
func (r *publicationReader) publications(p *page, doc *resume.Document, all []*section) []resume.Publication {
	links := linksByLine(doc)
	var list []resume.Publication
	for _, s := range all {
		if s.kind != publications {
			continue
		}
		for _, block := range blocks(s.lines, func(i int) float64 { return r.startsPublication(p, s.lines, i) }) {
			c := r.publication(p, block, links)
			if c.score > 0 && len(list) < maxEntries {
				c.value.Confidence = r.calibration.confidence("publications", c.score)
				list = append(list, c.value)
			}
		}
	}
	return list
}

// startsPublication returns how much line i of a section starts a publication.
func (r *publicationReader) startsPublication(p *page, lines []*line, i int) float64 {
	before := lines[i-1]
	l := lines[i]
	_, numbered := withoutNumber(l.text)
	dated := len(r.dates.find(truncate(l.text, maxText))) > 0
	datedAbove := len(r.dates.find(truncate(before.text, maxText))) > 0
	return sum(
		feature{"most lines start nothing", true, -1.5},
		feature{"number", numbered, 4},
		feature{"list item", l.Bullet, 3},
		feature{"gap above", l.startsParagraph(), 1.5},
		feature{"stands out from the line above", p.distinct(l) && !p.distinct(before) || l.Size > before.Size+.4, 2},
		feature{"the line above ends an entry", strings.HasSuffix(before.text, ".") || datedAbove, .8},
		feature{"both lines have a date", dated && datedAbove, 1},
		feature{"only a date or an address", r.dates.onlyDate(l.text) || addressIn(l.text) == l.text, -4},
		feature{"starts in lower case", firstIsLower(l.text), -3},
		feature{"the line above is unfinished", unfinished(before.text), -2},
	)
}

// withoutNumber removes the number of an entry: "[3]", "3.", "(3)".
func withoutNumber(text string) (rest string, ok bool) {
	number, rest, found := strings.Cut(text, " ")
	digits := strings.Trim(number, "[]().")
	if !found || digits == number || digits == "" || len(digits) > 3 || strings.Trim(digits, "0123456789") != "" {
		return text, false
	}
	return strings.TrimSpace(rest), true
}

// publication reads the block of a publication. The candidates for its title are the text in quotes, the first line of
// a block whose first line stands out, and the sentences and cells.
func (r *publicationReader) publication(p *page, block []*line, links map[int]string) candidate[resume.Publication] {
	var b strings.Builder
	var found resume.Publication
	for _, l := range block {
		if found.URL == "" {
			found.URL = links[l.index]
		}

		if address := addressIn(l.text); address != "" && (found.URL == "" || address == l.text) {
			found.URL = webAddress(address)
		}

		if addressIn(l.text) != l.text {
			joinLine(&b, l.text, len(block) > 1 && l == block[1] && p.distinct(block[0]) && !p.distinct(l))
		}
	}

	text, _ := withoutNumber(b.String())
	if spans := r.dates.find(text); len(spans) > 0 {
		found.Date = spans[0].from.String()
		for _, s := range spans {
			if s.single() && strings.HasSuffix(text[:s.start], "(") { // APA: "(2019)"
				found.Date = s.from.String()
			}
		}
	}

	title, strength := r.publicationTitle(text)
	found.Title = title.text
	found.Publisher = r.publisher(text[title.end:])

	return newCandidate(found, title.source,
		feature{"the title", true, strength - .5},
		feature{"date", found.Date != "", .7},
		feature{"publisher", found.Publisher != "", .5},
		feature{"no title", utf8.RuneCountInString(found.Title) < 4, -9},
	)
}

// A titleRange is a candidate for the title of a publication, with the offset at which it ends.
type titleRange struct {
	text, source string
	end          int
}

// publicationTitle returns the title in the text of a publication, and the strength of the choice.
func (r *publicationReader) publicationTitle(text string) (title titleRange, strength float64) {
	var all []candidate[titleRange]
	add := func(start, end int, source string) {
		part := strings.Trim(text[start:end], " \t\n.,;:“”\"„«»|–—-")
		words := strings.Count(part, " ") + 1
		all = append(all, newCandidate(titleRange{part, source, end}, source,
			feature{"in quotes", source == "quotes", 4},
			feature{"above other text", strings.HasPrefix(text[end:], "\n"), 1.5},
			feature{"first", start == 0, 1},
			feature{"after the year", afterYear(text[:start]), 1.5},
			feature{"several words", words > 2, 1},
			feature{"a single word", words == 1, -1},
			feature{"authors", initials(part), -3},
			feature{"words for publications", r.words.publications.any(key(part)), -1.5},
			feature{"dates", len(r.dates.find(part)) > 0, -1},
			feature{"far from the start", start > 0, -.3 * float64(len(all))},
			feature{"empty", part == "", -9},
		))
	}
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

	start := 0
	const maxParts = 20
	for i := 0; i < len(text) && len(all) < maxParts; i++ {
		next := text[i:]
		sentenceEnd := strings.HasPrefix(next, ". ") && !endsWithInitial(text[:i]) || strings.HasPrefix(next, "? ")
		if sentenceEnd || text[i] == '\t' || text[i] == '\n' || strings.HasPrefix(next, " | ") ||
			strings.HasPrefix(next, " – ") || strings.HasPrefix(next, " — ") || strings.HasPrefix(next, " - ") ||
			strings.HasPrefix(next, ", ") && !initials(text[start:]) {
			add(start, i, "parts")
			start = i + 1
		}
	}

	add(start, len(text), "parts")
	best, _ := choose(all, nil)
	return best.value, best.strength()
}

// afterYear reports whether a text ends with a number in brackets: "Quill, A. (2019).".
func afterYear(text string) bool {
	text = strings.TrimRight(text, " .,")
	return strings.HasSuffix(text, ")") && hasDigit(text[max(0, len(text)-len("(2019)")):])
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
		if word == "al." || unicode.IsUpper(first) && strings.HasPrefix(word[size:], ".") && len(word) < 8 {
			return true
		}
	}
	return false
}

// publisher returns the journal, the conference or the publisher after a title: the text up to a number or a date.
func (r *publicationReader) publisher(text string) string {
	text = strings.TrimLeft(text, " \t\n.,;:“”\"«»|–—-")
	for _, label := range r.words.publishers {
		if rest, ok := cutPrefixFold(text, label+" "); ok {
			text = rest
			break
		}
	}

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
		last := key(text[i+1:])
		if i < 0 || r.words.months[last] == 0 && last != "vol" && last != "no" && last != "pp" && last != "doi" {
			break
		}
		text = strings.TrimRight(text[:i], " ,.")
	}

	if initials(text) || utf8.RuneCountInString(text) > maxHeading || utf8.RuneCountInString(text) < 2 {
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
