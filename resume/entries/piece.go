package entries

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/wording"
)

// A piece is a part of the header of an entry that no plausible separator divides. One piece, or several adjacent ones
// together, are a title, a place and so on.
type piece struct {
	wording.Range           // in the text of its line
	line          int       // index in the window
	sep           separator // between the piece before and this one
}

// A separator is what stands between two pieces.
type separator uint8

const (
	byLine        separator = iota // a line break
	byWrap                         // a line break within a phrase: "Head of" and "Sales"
	byFull                         // a line break where the next word doesn't fit in the line
	byAlike                        // another line break between lines that look alike
	byTab                          // a wide gap
	byBar                          // | or · or ;
	byDash                         // a dash between spaces
	byComma                        // a comma
	bySlash                        // a slash between spaces
	byTightSlash                   // a slash between words: "Web/Mobile"
	byColon                        // a colon
	byPreposition                  // "Engineer at Acme"
	byBracket                      // one of a pair of brackets
	bySpace                        // only a space, where two names seem to meet: "Engineer Acme Inc."
	byPlace                        // the same before a place: "Acme Chicago, IL"
	byEmployer                     // the same beside a word for an employer: "Engineer Company Name"
	numSeparators
)

// joinWeights says how much a separator speaks for leaving the pieces around it together, in log odds.
var joinWeights = [numSeparators]float64{
	byLine: -8, byWrap: 1, byFull: .5, byAlike: -3, byTab: -8, byBar: -4, byDash: -1.2, byComma: -.4, bySlash: -.6,
	byTightSlash: 3, byColon: -1.5,
	byPreposition: -3, byBracket: .2, bySpace: 2, byPlace: 0, byEmployer: -4,
}

// maxLinePieces bounds the pieces of a line. A line with more is running text, and one piece.
const maxLinePieces = 14

// pieces splits a line of a header at every plausible separator, and appends its pieces to all.
func (h *headerReader) pieces(all []piece, line int, text string) []piece {
	c := cutter{words: h.words, text: text, line: line}
	first := byLine
	for _, phrase := range h.words.EmployerAfter {
		if strings.HasPrefix(text, phrase[1:]) {
			c.start = len(phrase) - 1
			first = byPreposition
		}
	}

	if !wording.Sentence(text[c.start:]) {
		c.cut()
	}

	// Too many pieces are running text that has no full stop.
	if len(c.pieces) == 0 || len(c.pieces) > maxLinePieces {
		c.pieces = nil
		c.start = 0
		c.sep = byLine
		c.take(len(text), len(text), byLine)
	}

	if len(c.pieces) > 0 {
		c.pieces[0].sep = first
	}

	return append(all, c.pieces...)
}

// A cutter cuts one line into pieces.
type cutter struct {
	words  *lexicon.Lexicon
	text   string
	line   int
	pieces []piece
	start  int       // of the next piece
	sep    separator // before the next piece
}

// take appends the piece that ends at an offset, unless it is empty. The next one starts at next, after sep.
func (c *cutter) take(end, next int, sep separator) {
	const ends = " \t,;|·•–—-:/■▪●"
	start := end - len(strings.TrimLeft(c.text[c.start:end], ends))
	end = start + len(strings.TrimRight(c.text[start:end], ends))
	if end > start {
		c.pieces = append(c.pieces, piece{wording.Range{Start: start, End: end}, c.line, c.sep})
		c.sep = sep
	} else if joinWeights[sep] < joinWeights[c.sep] {
		c.sep = sep
	}
	c.start = next
}

// cut cuts the line.
func (c *cutter) cut() {
	c.sep = bySpace
	for i := c.start; i < len(c.text); {
		r, size := utf8.DecodeRuneInString(c.text[i:])
		next := i + size

		// Commas inside a place or an employer don't separate, so both are looked for first.
		if n := c.townAt(i); n > 0 {
			c.takeSpaced(i, i, byPlace)
			c.take(i+n, i+n, byPlace)
			i += n
			continue
		}

		if n := c.employerAt(i); n > 0 {
			c.takeSpaced(i, i, byEmployer)
			c.take(i+n, i+n, byEmployer)
			i += n
			continue
		}

		if r == '(' || r == '[' {
			i = c.cutBrackets(i, next)
			continue
		}

		if sep, end := c.separator(r, i, next); end > 0 {
			c.takeSpaced(i, end, sep)
			next = end
		}
		i = next
	}

	c.takeSpaced(len(c.text), len(c.text), byTab)
}

// cutBrackets cuts at a pair of brackets, of which the first one is at an offset and the text inside starts at inside.
// It returns where to go on.
func (c *cutter) cutBrackets(at, inside int) int {
	length := strings.IndexAny(c.text[inside:], ")]\t")
	if length <= 0 || c.text[inside+length] == '\t' {
		return inside // the brackets aren't closed in this cell
	}

	end := inside + length
	text := c.text[inside:end]

	// "(Hons)" and "(1.3)" belong to the degree before them.
	if key := wording.Key(text); c.words.Degrees[key] || c.words.Grades[key] {
		return end + 1
	}

	c.takeSpaced(at, inside, byBracket)
	if c.namesHost(text) {
		for i := inside; i < end; i++ {
			if c.text[i] == ',' && !c.legalFollows(i+1) {
				c.take(i, i+1, byComma)
			}
		}
	}

	c.take(end, end+1, byBracket)
	return end + 1
}

// employerAt returns the length of a phrase in place of an employer that starts at a word, or 0.
func (c *cutter) employerAt(i int) int {
	insideWord := i > c.start && c.text[i-1] != ' '
	if insideWord || !wording.Capitalized(c.text[i:]) {
		return 0
	}
	words := wording.WordRanges(c.text[i:], 3, func(r rune) bool { return !strings.ContainsRune(" ,;|()\t", r) })
	for _, w := range words {
		if part := c.text[i : i+w.End]; wording.Capitalized(part) && c.words.EmployerWords[wording.Key(part)] {
			return w.End
		}
	}
	return 0
}

// townAt returns the length of a town with its region that starts at a word, or 0.
func (c *cutter) townAt(i int) int {
	if i > c.start && c.text[i-1] != ' ' {
		return 0
	}
	n := c.words.TownAt(c.text[i:])
	if n == 0 {
		return 0
	}
	before := strings.TrimRight(c.text[c.start:i], " ")
	if wording.FirstIsLower(before[strings.LastIndexByte(before, ' ')+1:]) { // "University of Chicago, IL"
		return 0
	}
	return n
}

// namesHost reports whether a text in brackets has an organization and its place: "(Acme Inc., Chicago, IL)".
func (c *cutter) namesHost(text string) bool {
	parts := strings.Split(text, ", ")
	if len(parts) < 2 {
		return false
	}
	inCountry := len(parts) > 2 && c.words.CountryCode(parts[len(parts)-1]) != ""
	return inCountry || c.words.IsOrganization(wording.Key(parts[0]))
}

// separator returns the separator at an offset and where it ends; 0 means that no separator is there.
func (c *cutter) separator(r rune, i, next int) (sep separator, end int) {
	// The same sign separates between spaces, and joins inside a word: "Acme-Works".
	before, _ := utf8.DecodeLastRuneInString(c.text[:i])
	after, _ := utf8.DecodeRuneInString(c.text[next:])

	switch r {
	case '\t':
		return byTab, next
	case '|', '•', '·', '∣', '●', '▪', '■', '‖', '⋅', '◦':
		return byBar, next
	case ';':
		return byBar, next
	case '–', '—', '-', '―', '‐', '‑', '~':
		// A dash beside one space may be a typo, but beside a digit it belongs to a number or a range.
		betweenSpaces := before == ' ' && after == ' '
		besideSpace := before == ' ' || after == ' '
		besideDigit := unicode.IsDigit(before) || unicode.IsDigit(after)
		strayDash := besideSpace && !besideDigit
		if betweenSpaces || strayDash || r == '—' {
			return byDash, next
		}

	case '/':
		if before == ' ' || after == ' ' {
			return bySlash, next
		}

		betweenLetters := unicode.IsLetter(before) && unicode.IsLetter(after)
		if betweenLetters && !strings.Contains(c.word(i), ".") { // not in a web address
			return byTightSlash, next
		}

	case ',', '、', '،':
		if !unicode.IsDigit(after) && !c.legalFollows(next) {
			return byComma, next
		}

	case ':':
		if after == ' ' || after == '\t' {
			return byColon, next
		}

	case ' ':
		for _, phrase := range c.words.EmployerAfter {
			if i > 0 && strings.HasPrefix(c.text[i:], phrase) {
				return byPreposition, i + len(phrase)
			}
		}
		for _, phrase := range c.words.EmployerWithin {
			if i > 0 && strings.HasPrefix(c.text[i:], phrase) && c.namesEmployer(i+len(phrase)) {
				return byPreposition, i + len(phrase)
			}
		}
	}

	return 0, 0
}

// namesEmployer reports whether the words at an offset name an organization, or something with its town: "OK Weinheim".
// A department, as in "Sachbearbeiter im Einkauf", doesn't count.
func (c *cutter) namesEmployer(i int) bool {
	name := c.text[i:]
	if end := strings.IndexAny(name, ",;|()\t"); end >= 0 {
		name = name[:end]
	}

	key := wording.Key(name)
	first, last, several := strings.Cut(key, " ")
	last = last[strings.LastIndexByte(last, ' ')+1:]
	withTown := several && c.words.SoundsLikeTown(last) && !c.words.Departments[first]
	return wording.Capitalized(name) && (withTown || c.words.IsOrganization(key))
}

// word returns the word around an offset.
func (c *cutter) word(i int) string {
	start := strings.LastIndexAny(c.text[:i], " \t") + 1
	length := strings.IndexAny(c.text[i:], " \t")
	if length < 0 {
		return c.text[start:]
	}
	return c.text[start : i+length]
}

// legalFollows reports whether a legal form follows an offset: "Acme, Inc.".
func (c *cutter) legalFollows(i int) bool {
	rest := c.wordAfter(i)
	k := wording.Key(rest)
	return c.words.Legal[strings.ReplaceAll(k, " ", "")] && (strings.HasSuffix(rest, ".") || len(k) > 2)
}

// takeSpaced takes the piece that ends at an offset like take, and divides it where two names seem to meet.
func (c *cutter) takeSpaced(end, next int, sep separator) {
	start, text := c.start, c.text[c.start:end]
	mayMeet := len(text) <= wording.MaxHeader && strings.Contains(text, " ") && !wording.Wide(text)
	if mayMeet {
		for _, at := range c.meetings(text) {
			meeting := bySpace
			switch {
			case sep == byComma && c.words.KnownPlace(wording.Key(text[at:])) && c.words.CountryCode(c.wordAfter(next)) != "",
				c.sep == byComma && c.words.CountryCode(strings.TrimSpace(text[:at])) != "":
				meeting = byPlace
			}
			c.take(start+at, start+at, meeting)
		}
	}
	c.take(end, next, sep)
}

// followsTitle reports whether the next piece stands after a comma or a dash that ends a job title.
func (c *cutter) followsTitle() bool {
	if n := len(c.pieces); n > 0 && (c.sep == byComma || c.sep == byDash) {
		before := c.text[c.pieces[n-1].Start:c.pieces[n-1].End]
		outside, _ := c.words.TitleWords(before, strings.Fields(wording.Key(before)))
		return outside
	}
	return false
}

// wordAfter returns the first word after an offset.
func (c *cutter) wordAfter(i int) string {
	rest := strings.TrimLeft(c.text[i:], " ")
	if end := strings.IndexAny(rest, " \t,|()"); end >= 0 {
		rest = rest[:end]
	}
	return rest
}

// meetings returns the offsets in a text, at most three, where two names seem to meet with only a space between them.
func (c *cutter) meetings(text string) []int {
	const maxWords, maxMeetings = 14, 3
	words := wording.WordRanges(text, maxWords, func(r rune) bool { return r != ' ' })
	if len(words) < 2 || len(words) == maxWords {
		return nil
	}

	keys := make([]string, len(words))
	for i, w := range words {
		keys[i] = wording.Key(text[w.Start:w.End])
	}

	var found []int
	for i := 1; i < len(words) && len(found) < maxMeetings; i++ {
		before := text[words[i-1].Start:words[i-1].End]
		rest := text[words[i].Start:]
		first, _ := utf8.DecodeRuneInString(rest)

		// A name continues with a small letter, and a new one starts with a capital.
		startsName := unicode.IsUpper(first) && !wording.FirstIsLower(before)
		if startsName && c.namesMeet(text, words, keys, i) {
			found = append(found, words[i].Start)
		}
	}

	return found
}

// namesMeet reports whether a name starts at word i of a text: after a legal form, between a job title and an
// organization, at a school, or at a place. keys belong to the words.
func (c *cutter) namesMeet(text string, words []wording.Range, keys []string, i int) bool {
	d := c.words
	this := keys[i]
	before := keys[i-1]
	last := keys[len(keys)-1]
	rest := text[words[i].Start:]
	goesOn := i < len(words)-1

	// "Acme Inc. Engineer"
	afterLegalForm := d.Legal[before] && !d.Legal[this]
	if afterLegalForm && i > 1 {
		return true
	}

	// "Engineer Acme Inc." and "Engineer Chicago"
	endsInOrganization := d.Legal[last] || d.Organizations.Has(last) || d.Schools.Has(last)
	placeAfter := d.KnownPlace(wording.Key(rest))
	afterTitle := d.TitleWord(before) && !d.TitleWord(this)
	ofName := i == 1 && c.followsTitle() // "Treasurer, Student Data Club"
	if afterTitle && !ofName && (endsInOrganization || placeAfter) {
		return true
	}

	// "Acme Bank Senior Engineer"
	afterOrganization := d.Organizations.Has(before) && !d.Organizations.Has(this) && i > 1
	endsInTitle := goesOn && d.TitleWord(last)
	if afterOrganization && endsInTitle {
		return true
	}

	// "BSc University of X"
	schoolBefore := d.Schools.Has(before)
	schoolStarts := goesOn && d.Schools.Has(this) && wording.FirstIsLower(text[words[i+1].Start:])
	isPlace := d.KnownPlace(before) // "Karlsruhe Institute of Technology"
	if schoolStarts && !schoolBefore && !isPlace {
		return true
	}

	// "BSc Eastmere College", whose school has at most three words
	shortSchool := goesOn && d.Schools.Has(last) && i >= len(words)-3
	if shortSchool && d.DegreeEnd(text[:words[i].Start]) > 0 {
		return true
	}

	// "Chicago Software Engineer"
	placeBefore := d.KnownPlace(before)
	titleAfter := goesOn && (d.TitleWord(last) || d.StartsWithDegree(rest))
	if placeBefore && titleAfter {
		return true
	}

	// "Acme Chicago"; a country alone is often part of a name
	isCity := placeAfter && d.Countries[wording.Key(rest)] == ""
	afterName := !placeBefore && !schoolBefore && !d.Organizations.Has(before)
	return isCity && afterName
}
