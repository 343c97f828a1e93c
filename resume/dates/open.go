package dates

import (
	"strings"

	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/wording"
)

// maxPhrase is the number of words of the longest phrases beside a date.
const maxPhrase = 4

// dashes are the signs that may follow a date whose end is left open.
const dashes = "-–—‒−―→>~"

// Extended returns a single date of an entry together with the words around it that make it a range: "until 2010",
// "March 2012 onwards", "heute – 2019", and "2020 –" at the end of a cell. It returns other spans unchanged.
func (d *Finder) Extended(text string, s Span) Span {
	if !s.Single() || s.From.Year == 0 {
		return s
	}

	before := strings.TrimRight(text[:s.Start], " (")
	if start, ok := lastPhrase(before, d.words.OpenUntil); ok {
		s.From, s.To, s.Start = Date{}, s.From, start
		return s
	}
	if newest := strings.TrimRight(before, " "+dashes); newest != before {
		if start, ok := lastPhrase(newest, d.words.Present); ok {
			s.Current, s.Start = true, start
			return s
		}
	}

	cell, _, _ := strings.Cut(text[s.End:], "\t")
	after := strings.TrimLeft(cell, " )")
	if end := firstPhrase(after, d.words.Onward); end > 0 {
		s.Current, s.End = true, s.End+len(cell)-len(after)+end
		return s
	}

	// The placeholder in "2010 – ?" says that the end is unknown.
	if onlyDash := strings.Trim(after, " )"+dashes) == ""; onlyDash && strings.ContainsAny(after, dashes) {
		s.Current, s.End = true, s.End+len(cell)
	}
	return s
}

// lastPhrase returns the start of the longest phrase of a set at the end of a text.
func lastPhrase(text string, phrases lexicon.Set) (start int, ok bool) {
	at := len(text)
	for range maxPhrase {
		at = strings.LastIndexAny(text[:at], " \t|,;(") // -1: the first word
		if phrases[wording.Key(text[at+1:])] {
			start, ok = at+1, true
		}
		if at < 0 || text[at] != ' ' {
			break
		}
	}
	return start, ok
}

// firstPhrase returns the length of the longest phrase of a set at the start of a text, 0 without one.
func firstPhrase(text string, phrases lexicon.Set) (length int) {
	inWord := func(r rune) bool { return !strings.ContainsRune(" ,;|()\t", r) }
	for _, w := range wording.WordRanges(text, maxPhrase, inWord) {
		if phrases[wording.Key(text[:w.End])] {
			length = w.End
		}
	}
	return length
}
