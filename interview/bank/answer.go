package bank

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/freelancer-matching/service/internal/analysis"
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

// markCopied marks the sentences that mostly consist of runs of words from the sources.
func markCopied(all []sentence, sources []string) {
	// The sources may be much longer than the answer, so only the answer's runs are kept and looked for in them.
	isCopied := make(map[string]bool) // the runs of the answer, and whether a source has them
	for i := range all {
		for _, run := range runsOf(all[i].words, copiedRun) {
			isCopied[string(run)] = false
		}
	}

	if len(isCopied) == 0 {
		return // every sentence is shorter than a run
	}

	for _, source := range sources {
		sourceWords := words(analysis.Fold(prefix(source, maxAnswerBytes)))
		for _, run := range runsOf(sourceWords, copiedRun) {
			if copied, inAnswer := isCopied[string(run)]; inAnswer && !copied {
				isCopied[string(run)] = true
			}
		}
	}

	for i := range all {
		s := &all[i]
		copied := countCopied(s.words, isCopied)
		s.copied = copied > 0 && float64(copied) >= mostlyCopied*float64(len(s.words))
	}
}

// countCopied returns the number of words that belong to copied runs.
func countCopied(words []string, isCopied map[string]bool) int {
	copied := 0
	counted := 0 // the words before this one are counted, as overlapping runs share words
	for start, run := range runsOf(words, copiedRun) {
		if isCopied[string(run)] {
			end := start + copiedRun
			copied += end - max(start, counted)
			counted = end
		}
	}
	return copied
}

// markRepeated marks the sentences that mostly repeat earlier ones.
func markRepeated(all []sentence) {
	seen := make(map[string]bool)
	for i := range all {
		s := &all[i]
		total := 0
		repeated := 0
		for _, run := range runsOf(s.words, min(repeatedRun, len(s.words))) {
			// A sentence without words has one empty run.
			if len(run) == 0 {
				continue
			}

			total++
			if seen[string(run)] {
				repeated++
			} else {
				seen[string(run)] = true
			}
		}

		s.repeated = repeated > 0 && float64(repeated) >= mostlyRepeated*float64(total)
	}
}

// runsOf yields all runs of a number of words, as text with spaces between the words, and where each starts. A run is
// valid until the next one, so that it needs no memory of its own.
func runsOf(words []string, length int) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		var run []byte
		for start := range len(words) - length + 1 {
			run = run[:0]
			for i, word := range words[start : start+length] {
				if i > 0 {
					run = append(run, ' ')
				}
				run = append(run, word...)
			}

			if !yield(start, run) {
				return
			}
		}
	}
}
