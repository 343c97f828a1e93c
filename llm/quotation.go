package llm

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// quotable finds quotations in a text. Models see texts in NFKC, and change spaces, quotation marks and the case of the
// first letter. A quotation with such differences is still verbatim.
type quotable struct {
	source  string
	plain   string
	origins []span // for each byte of plain: the part of source that it comes from
}

// span is a part of a source.
type span struct{ start, end int }

func newQuotable(source string) *quotable {
	q := &quotable{source: source}
	var plain strings.Builder
	var pieces norm.Iter
	pieces.InitString(norm.NFKC, source)
	afterSpace := true
	for !pieces.Done() {
		start := pieces.Pos()
		for _, r := range string(pieces.Next()) {
			if r = normalizeRune(r); r < 0 || r == ' ' && afterSpace {
				continue
			}
			afterSpace = r == ' '
			plain.WriteRune(r)
			for range utf8.RuneLen(r) {
				q.origins = append(q.origins, span{start, pieces.Pos()})
			}
		}
	}
	q.plain = plain.String()
	return q
}

// normalizeRune maps interchangeable characters to one of them, and invisible ones to -1.
func normalizeRune(r rune) rune {
	switch r = visible(r); {
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

// minQuotation is the minimum number of letters and digits in a quotation. A shorter one shows nothing.
const minQuotation = 8

// find returns the part of the source that a quotation quotes.
func (q *quotable) find(quotation string) (verbatim string, ok bool) {
	wanted := strings.Trim(newQuotable(quotation).plain, ` "'.…-`)
	if countLetters(wanted) < min(minQuotation, countLetters(q.plain)) || wanted == "" {
		return "", false
	}
	start := strings.Index(q.plain, wanted)
	if start < 0 {
		return "", false
	}
	return q.source[q.origins[start].start:q.origins[start+len(wanted)-1].end], true
}

// countLetters counts the letters and digits of a text.
func countLetters(text string) int {
	n := 0
	for _, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}
