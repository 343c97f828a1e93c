package llm

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// quotable is a text in which quotations are looked for. Models see texts in NFKC, and set spaces, quotation marks and the
// first letter of a quotation as they like; none of that makes another quotation.
type quotable struct {
	source string
	plain  string
	places []span // of each byte of plain: the piece of source that it was made of
}

// span is a piece of a source.
type span struct{ start, end int }

// newQuotable reads a text.
func newQuotable(source string) *quotable {
	q := &quotable{source: source}
	var plain strings.Builder
	var pieces norm.Iter
	pieces.InitString(norm.NFKC, source)
	blank := true // nothing before, or a space
	for !pieces.Done() {
		start := pieces.Pos()
		for _, r := range string(pieces.Next()) {
			if r = likeAll(r); r < 0 || r == ' ' && blank {
				continue
			}
			blank = r == ' '
			plain.WriteRune(r)
			for range utf8.RuneLen(r) {
				q.places = append(q.places, span{start, pieces.Pos()})
			}
		}
	}
	q.plain = plain.String()
	return q
}

// likeAll is a character as all are that may stand for it, or -1 for one that cannot be seen.
func likeAll(r rune) rune {
	switch r = seen(r); {
	case r < 0:
		return -1
	case unicode.IsSpace(r):
		return ' '
	case strings.ContainsRune("‘’‚‛`´", r):
		return '\''
	case strings.ContainsRune("“”„‟«»", r):
		return '"'
	case strings.ContainsRune("‐‑‒–—−", r):
		return '-'
	}
	if lower := unicode.ToLower(r); utf8.ValidRune(lower) {
		return lower
	}
	return r
}

// shortestQuotation is the fewest letters and digits of a quotation. With fewer it shows nothing.
const shortestQuotation = 8

// find is the part of the source that a quotation quotes.
func (q *quotable) find(quotation string) (verbatim string, ok bool) {
	wanted := strings.Trim(newQuotable(quotation).plain, ` "'.…-`)
	if letters(wanted) < min(shortestQuotation, letters(q.plain)) || wanted == "" {
		return "", false
	}
	start := strings.Index(q.plain, wanted)
	if start < 0 {
		return "", false
	}
	return q.source[q.places[start].start:q.places[start+len(wanted)-1].end], true
}

// letters counts the letters and digits of a text.
func letters(text string) int {
	n := 0
	for _, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}
