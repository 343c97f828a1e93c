package interviewer

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/freelancer-matching/service/llm/sanitize"

	"golang.org/x/text/unicode/norm"
)

// quotable finds quotations in a text. Models see texts in NFKC and without names and contact details, and change
// spaces, quotation marks and the case of the first letter. A quotation with such differences is still verbatim.
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
			r = normalizeRune(r)
			repeatsSpace := r == ' ' && afterSpace
			if r < 0 || repeatsSpace {
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
	switch r = sanitize.Visible(r); {
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
	start, end := q.index(sanitize.SplitAtRedactions(wanted))
	if end <= start {
		return "", false
	}
	return q.source[q.origins[start].start:q.origins[end-1].end], true
}

// maxRedacted is the maximum length, in bytes, of what one or several placeholders in a row stand for.
const maxRedacted = 200

// index returns where the plain text has the parts of a quotation, in order. Between two parts is what was redacted. It
// returns 0, 0 if the text does not have them.
func (q *quotable) index(parts []string) (start, end int) {
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	if len(parts) == 0 || countLetters(strings.Join(parts, " ")) < min(minQuotation, countLetters(q.plain)) {
		return 0, 0
	}
	for from := 0; ; from = start + 1 {
		at := strings.Index(q.plain[from:], parts[0])
		if at < 0 {
			return 0, 0
		}
		start = from + at
		end = from + at + len(parts[0])
		if end = q.follow(end, parts[1:]); end > 0 {
			return start, end
		}
	}
}

// follow returns the end of the parts if each begins shortly after the one before, or else 0.
func (q *quotable) follow(end int, parts []string) int {
	for _, part := range parts {
		at := strings.Index(q.plain[end:min(len(q.plain), end+maxRedacted+len(part))], part)
		if at < 0 {
			return 0
		}
		end += at + len(part)
	}
	return end
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
