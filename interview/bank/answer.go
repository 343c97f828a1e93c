package bank

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"freelancer-matching/internal/analysis"
)

// The bounds of what is read of an answer, and when a part of it says nothing new.
const (
	mostAnswerBytes = 20_000 // beyond, nothing counts; it bounds the time
	copiedRun       = 6      // words in a row that stand in the question, its rubric or the project: copied from there
	mostlyCopied    = 0.6    // share of copied words from which a sentence counts as copied
	mostlySaid      = 0.7    // share of runs of three words from which a sentence says again what was said
	saidRun         = 3
)

// sentence is one sentence of an answer.
type sentence struct {
	text  string   // verbatim, without space around it
	words []string // as they are compared: folded
	exact []string // in lower case, with accents
	stems map[analysis.Language][]string

	copied, repeated bool
}

// counts reports whether what the sentence says is the writer's, and new.
func (s *sentence) counts() bool {
	return !s.copied && !s.repeated && len(s.words) > 0
}

// evidence is the sentence as it is quoted: verbatim, cut where it is very long.
func (s *sentence) evidence() string {
	const most = 300
	if len(s.text) <= most {
		return s.text
	}
	end := most
	for !utf8.RuneStart(s.text[end]) {
		end--
	}
	if space := strings.LastIndexByte(s.text[:end], ' '); space > 0 {
		end = space
	}
	return s.text[:end]
}

// split are the sentences of a text. A full stop ends one where space follows it, so that "Node.js" and "2.5" stay whole.
func split(text string) []sentence {
	var all []sentence
	add := func(part string) {
		part = strings.TrimFunc(part, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("-*•·", r) })
		if part == "" {
			return
		}
		all = append(all, sentence{
			text: part, words: words(analysis.Fold(part)), exact: words(strings.ToLower(norm.NFC.String(part))),
		})
	}
	start := 0
	for i, r := range text {
		next := i + utf8.RuneLen(r)
		if r == utf8.RuneError {
			_, size := utf8.DecodeRuneInString(text[i:])
			next = i + size
		}
		switch r {
		case '\n', '\r', '。', '！', '？', '\u2028', '\u2029':
		case '.', '!', '?', ';':
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

// words are the runs of letters, digits and the signs inside of names and numbers in a text.
func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r) && !strings.ContainsRune("+#%€$£", r)
	})
}

// read are the sentences of an answer, with those marked that do not count: sources are texts that the writer had before.
func (j *Judge) read(answer string, sources ...string) []sentence {
	if len(answer) > mostAnswerBytes {
		end := mostAnswerBytes
		for end > 0 && !utf8.RuneStart(answer[end]) {
			end--
		}
		answer = answer[:end]
	}
	answer = strings.ToValidUTF8(answer, " ")
	all := split(answer)
	markCopied(all, sources)
	markRepeated(all)
	return all
}

// markCopied marks the sentences that mostly consist of runs of words of the sources.
func markCopied(all []sentence, sources []string) {
	runs := make(map[string]bool)
	for _, source := range sources {
		if len(source) > mostAnswerBytes {
			source = strings.ToValidUTF8(source[:mostAnswerBytes], " ")
		}
		w := words(analysis.Fold(source))
		for i := range len(w) - copiedRun + 1 {
			runs[strings.Join(w[i:i+copiedRun], " ")] = true
		}
	}
	for i := range all {
		s := &all[i]
		copied := make([]bool, len(s.words))
		for from := range len(s.words) - copiedRun + 1 {
			if runs[strings.Join(s.words[from:from+copiedRun], " ")] {
				for k := range copiedRun {
					copied[from+k] = true
				}
			}
		}
		n := 0
		for _, c := range copied {
			if c {
				n++
			}
		}
		s.copied = n > 0 && float64(n) >= mostlyCopied*float64(len(s.words))
	}
}

// markRepeated marks the sentences that say again what was said.
func markRepeated(all []sentence) {
	said := make(map[string]bool)
	for i := range all {
		s := &all[i]
		run := min(saidRun, len(s.words))
		total, again := 0, 0
		for from := range len(s.words) - run + 1 {
			key := strings.Join(s.words[from:from+run], " ")
			if key == "" {
				continue
			}
			total++
			if said[key] {
				again++
			}
			said[key] = true
		}
		s.repeated = again > 0 && float64(again) >= mostlySaid*float64(total)
	}
}
