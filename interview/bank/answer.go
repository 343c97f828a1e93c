package bank

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"freelancer-matching/internal/analysis"
)

const (
	maxAnswerBytes = 20_000 // limits the time; the rest of a longer text is ignored
	copiedRun      = 6      // consecutive words in common with question, rubric or project that count as copied
	mostlyCopied   = 0.6    // share of copied words from which a sentence counts as copied
	repeatedRun    = 3      // consecutive words in common with an earlier sentence that count as repeated
	mostlyRepeated = 0.7    // share of repeated runs from which a sentence counts as repeated
)

// A sentence is one sentence of an answer.
type sentence struct {
	text    string     // verbatim, without surrounding space
	words   []string   // folded for comparison
	clauses [][]string // the words, divided at commas
	exact   []string   // in lowercase, with accents
	stems   map[analysis.Language][]string

	mentioned *mentioned // nil until Judge.mentioned has looked for skills

	copied, repeated bool
}

// counts reports whether the sentence is neither copied nor repeated.
func (s *sentence) counts() bool {
	return !s.copied && !s.repeated && len(s.words) > 0
}

// evidence returns the sentence as a verbatim quotation, shortened if it is very long.
func (s *sentence) evidence() string {
	text := prefix(s.text, 300)
	if space := strings.LastIndexByte(text, ' '); space > 0 && len(text) < len(s.text) {
		return text[:space]
	}
	return text
}

// prefix returns the longest prefix of a text that has at most maxBytes bytes and ends between two characters.
func prefix(text string, maxBytes int) string {
	if len(text) <= maxBytes {
		return text
	}
	for maxBytes > 0 && !utf8.RuneStart(text[maxBytes]) {
		maxBytes--
	}
	return text[:maxBytes]
}

// split returns the sentences of a text. A period ends a sentence only if space follows, so that "Node.js" and "2.5"
// stay whole.
func split(text string) []sentence {
	var all []sentence
	add := func(part string) {
		part = strings.TrimFunc(part, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("-*•·", r) })
		if part == "" {
			return
		}
		s := sentence{text: part, exact: words(strings.ToLower(norm.NFC.String(part)))}
		s.clauses = clauses(analysis.Fold(part))
		s.words = slices.Concat(s.clauses...)
		all = append(all, s)
	}

	start := 0
	for i, r := range text {
		next := i + utf8.RuneLen(r)
		switch r {
		case '\n', '\r', '。', '！', '？', '\u2028', '\u2029':
		case '.', '!', '?', ';':
			// The dots in "Node.js" and "3.5" don't end a sentence.
			if following, _ := utf8.DecodeRuneInString(text[next:]); next < len(text) && !unicode.IsSpace(following) {
				continue
			}

		default:
			continue
		}

		add(text[start:next])
		start = next
	}

	add(text[start:])
	return all
}

// clauses returns the words of each part of a sentence between commas, colons, parentheses and dashes.
func clauses(sentence string) [][]string {
	var all [][]string
	add := func(part string) {
		if w := words(part); len(w) > 0 {
			all = append(all, w)
		}
	}

	start := 0
	for i, r := range sentence {
		switch r {
		case ',', ':': // but not in "1,200" or "16:9"
			if following, _ := utf8.DecodeRuneInString(sentence[i+1:]); unicode.IsDigit(following) {
				continue
			}

		case '(', ')', '–', '—', '，', '、':
		default:
			continue
		}

		add(sentence[start:i])
		start = i + utf8.RuneLen(r)
	}

	add(sentence[start:])
	return all
}

// words returns the words of a text: runs of letters, digits, and the signs that names and numbers contain.
func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r) && !strings.ContainsRune("+#%€$£", r)
	})
}

// read returns the sentences of an answer and marks those that do not count. Sources are texts that the writer had
// seen.
func (j *Judge) read(answer string, sources ...string) []sentence {
	all := split(strings.ToValidUTF8(prefix(answer, maxAnswerBytes), " "))
	markCopied(all, sources)
	markRepeated(all)
	return all
}

// markCopied marks the sentences that mostly consist of word sequences from the sources. The sources may be much longer
// than the answer, so it looks for the answer's runs in them rather than the other way round.
func markCopied(all []sentence, sources []string) {
	copiedRuns := make(map[string]bool) // the runs of the answer, and whether a source has them
	var key []byte
	for i := range all {
		w := all[i].words
		for from := range len(w) - copiedRun + 1 {
			key = appendRun(key[:0], w[from:from+copiedRun])
			copiedRuns[string(key)] = false
		}
	}

	if len(copiedRuns) == 0 {
		return
	}

	for _, source := range sources {
		w := words(analysis.Fold(prefix(source, maxAnswerBytes)))
		for from := range len(w) - copiedRun + 1 {
			key = appendRun(key[:0], w[from:from+copiedRun])
			if copied, found := copiedRuns[string(key)]; found && !copied {
				copiedRuns[string(key)] = true
			}
		}
	}

	// Overlapping runs share words, which count once.
	for i := range all {
		s := &all[i]
		copied, end := 0, 0 // copied words before end
		for from := range len(s.words) - copiedRun + 1 {
			key = appendRun(key[:0], s.words[from:from+copiedRun])
			if copiedRuns[string(key)] {
				copied += from + copiedRun - max(from, end)
				end = from + copiedRun
			}
		}

		s.copied = copied > 0 && float64(copied) >= mostlyCopied*float64(len(s.words))
	}
}

// markRepeated marks the sentences that mostly repeat earlier ones.
func markRepeated(all []sentence) {
	seen := make(map[string]bool)
	var key []byte
	for i := range all {
		s := &all[i]
		run := min(repeatedRun, len(s.words))
		total, repeated := 0, 0
		for from := range len(s.words) - run + 1 {
			key = appendRun(key[:0], s.words[from:from+run])
			// A sentence without words has one empty run.
			if len(key) == 0 {
				continue
			}
			total++

			if seen[string(key)] {
				repeated++
			} else {
				seen[string(key)] = true
			}
		}

		s.repeated = repeated > 0 && float64(repeated) >= mostlyRepeated*float64(total)
	}
}

// appendRun appends words, separated by spaces. Unlike strings.Join, it needs no memory for each run.
func appendRun(to []byte, run []string) []byte {
	for i, word := range run {
		if i > 0 {
			to = append(to, ' ')
		}
		to = append(to, word...)
	}
	return to
}
