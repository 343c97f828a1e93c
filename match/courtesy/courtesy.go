// Package courtesy leaves out what people write around a brief without saying anything about the work: greetings,
// thanks, sign-offs with signatures, and talk about applying. The words are in words.txt, for each supported language.
package courtesy

import (
	_ "embed" // for the words
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/freelancer-matching/service/internal/analysis"
)

//go:embed words.txt
var wordsFile string

// languages are the languages of words.txt.
const languages = "en de fr es pt it"

// A meaning holds, for each kind of word, the set of languages in which a word is of that kind.
type meaning struct {
	greeting, thanks, closing, phrase, any uint8 // bit sets; any is the union with the kind "other"
}

// A Filter leaves out polite phrases. It is safe for concurrent use.
type Filter struct {
	words map[string]meaning // by folded word
}

// New returns a Filter with the words of words.txt.
func New() (*Filter, error) { return parse(wordsFile) }

func parse(file string) (*Filter, error) {
	f := &Filter{words: make(map[string]meaning)}
	bits := make(map[string]uint8)
	for i, language := range strings.Fields(languages) {
		bits[language] = 1 << i
	}

	head := ""
	for number, line := range strings.Split(file, "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}

		// An indented line continues the list of the line above it.
		words := line
		if !strings.HasPrefix(line, " ") && line != "" {
			var ok bool
			if head, words, ok = strings.Cut(line, ":"); !ok {
				return nil, fmt.Errorf("words.txt: line %d has no colon", number+1)
			}
		}

		language, kind, _ := strings.Cut(head, " ")
		for word := range strings.FieldsSeq(words) {
			if err := f.add(analysis.Fold(word), kind, bits[language]); err != nil {
				return nil, fmt.Errorf("words.txt: line %d: %w", number+1, err)
			}
		}
	}

	return f, nil
}

func (f *Filter) add(word, kind string, language uint8) error {
	m := f.words[word]
	switch kind {
	case "greeting":
		m.greeting |= language
	case "thanks":
		m.thanks |= language
	case "closing":
		m.closing |= language
	case "phrase":
		m.phrase |= language
	case "other":
	default:
		// An unknown kind gets the same error as an unknown language, whose bit is 0.
		language = 0
	}

	if language == 0 {
		return fmt.Errorf("unknown language or kind of word %q", word)
	}

	m.any |= language
	f.words[word] = m

	return nil
}

const (
	// maxGreetingLines is the number of lines that can begin with a greeting of a person.
	maxGreetingLines = 3
	// maxName is the maximum number of words of the name after a greeting or a sign-off.
	maxName = 2
	// maxSignatureLines and maxSignatureWords limit a signature: its lines, and the words in each.
	maxSignatureLines = 6
	maxSignatureWords = 8
)

// A clause is a part of a line up to a comma, a dash or the end of a sentence.
type clause struct {
	start, end int // byte offsets; end includes the sign that ends the clause
	words      int
	meaning           // the languages in which all words are listed, and the kinds of some of them
	greets     bool   // the first word is a greeting
	name       bool   // the words that aren't listed could be a name: each starts with a capital letter
	names      int    // the number of words that aren't listed
	sign       byte   // the sign that ends the clause, 0 at the end of the line
	unknown    string // the first word that isn't listed
}

// polite reports whether a clause says nothing about the work.
func (c *clause) polite() bool { return c.any&(c.greeting|c.thanks|c.closing|c.phrase) != 0 }

// Without returns a text without polite phrases, line by line. A text that consists of nothing else stays as it is. The
// text should have no markup. It takes time linear in the length of the text.
func (f *Filter) Without(text string) string {
	var out []byte
	var clauses []clause
	cut := false

	for rest, lines := text, 0; rest != ""; lines++ {
		line, following, _ := strings.Cut(rest, "\n")
		clauses = f.clauses(clauses[:0], line)
		f.markNames(clauses, rest, lines < maxGreetingLines)
		start := len(out)
		for i := range clauses {
			c := &clauses[i]
			if c.polite() {
				cut = true
				continue
			}
			out = append(out, line[c.start:c.end]...)
		}

		isGap := line == "" && len(out) > 0
		if len(out) > start || isGap {
			out = append(out, '\n')
		}

		n := len(clauses)
		closes := n > 0 && clauses[n-1].any&clauses[n-1].closing != 0
		if closes && signature(following) {
			break
		}

		rest = following
	}

	// A text of nothing but greetings is kept, so that a brief never loses all its words.
	if !cut || !hasWord(out) {
		return text
	}

	return strings.TrimSpace(string(out))
}

// markNames makes the names after a greeting at the beginning of a text, and after a sign-off at its end, polite. A
// name that occurs in the rest of the text again is not one of a person.
func (f *Filter) markNames(clauses []clause, rest string, first bool) {
	if len(clauses) == 0 {
		return
	}

	limit := maxName
	if clauses[0].sign == 0 {
		limit = 1 // a line without a comma could be a headline
	}

	c := &clauses[0]
	greetsByName := first && c.greets && c.name && c.names > 0 && c.names <= limit
	if greetsByName && strings.Count(rest, c.unknown) == 1 {
		c.any = c.greeting
	}

	last := len(clauses) - 1
	c = &clauses[last]
	couldBeName := last > 0 && !c.polite() && c.name && c.words <= maxName
	if couldBeName && c.end == len(rest) {
		before := &clauses[last-1]
		if thanks := before.any & (before.thanks | before.closing); thanks != 0 {
			c.any = thanks
			c.thanks = thanks
		}
	}
}

// signature reports whether the rest of a text can be what people write below a sign-off: a few short lines.
func signature(rest string) bool {
	lines := 0
	for line := range strings.SplitSeq(strings.TrimSpace(rest), "\n") {
		words := 0
		for range strings.FieldsSeq(line) {
			words++
			if words > maxSignatureWords {
				return false
			}
		}
		if words > 0 {
			lines++
		}
		if lines > maxSignatureLines || strings.HasSuffix(line, ":") { // a heading: the text continues
			return false
		}
	}
	return true
}

// clauses appends the clauses of a line.
func (f *Filter) clauses(dst []clause, line string) []clause {
	for i := 0; i < len(line); {
		c := f.clause(line, i)
		dst = append(dst, c)
		i = c.end
	}
	return dst
}

// clause returns the clause that starts at line[start]. It ends after the first word that a sign follows, or with the
// line.
func (f *Filter) clause(line string, start int) clause {
	// The clause may have any meaning until a word rules it out.
	c := clause{start: start, end: start, meaning: meaning{any: 1<<8 - 1}, name: true}

	for c.end < len(line) && c.sign == 0 {
		rest := line[c.end:]
		field, _, hasSpace := strings.Cut(rest, " ")
		c.end += len(field)
		if hasSpace {
			c.end++
		}

		word, sign := trimSign(field)
		if c.words == 0 {
			c.greets = f.words[analysis.Fold(word)].greeting != 0
		}

		f.addWords(&c, word)
		c.sign = sign
	}

	if c.words == 0 {
		c.any = 0
	}

	return c
}

// trimSign returns a word without the signs around it, and the sign that ends a clause, or 0.
func trimSign(field string) (word string, sign byte) {
	word = strings.TrimRightFunc(field, func(r rune) bool {
		switch r {
		case ',', ';', ':', '.', '!', '?', '…', '–', '—', ')', '(', '|', '-', '~':
			if r < utf8.RuneSelf {
				sign = byte(r)
			} else {
				sign = '-'
			}
			return true
		}
		return unicode.In(r, unicode.So, unicode.Sk) || r == '"' || r == '\'' || r == '”' || r == '’' || r == '*'
	})
	return word, sign
}

// addWords adds the words of a field to a clause. Addresses, numbers and amounts say nothing about the work.
func (f *Filter) addWords(c *clause, field string) {
	isURL := strings.Contains(field, "://") || strings.HasPrefix(field, "www.")
	if isURL || strings.Contains(field, "@") {
		c.words++
		return
	}

	for field != "" {
		r, size := utf8.DecodeRuneInString(field)
		if !wordRune(r) {
			// A clause with C++ or C# is about the work.
			if r == '+' || r == '#' {
				c.any = 0
			}
			field = field[size:]
			continue
		}

		length := strings.IndexFunc(field, func(r rune) bool { return !wordRune(r) })
		if length < 0 {
			length = len(field)
		}
		word := field[:length]
		field = field[length:]

		c.words++
		isNumber := !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsDigit(r) })
		if !isNumber {
			f.addWord(c, word)
		}
	}
}

func (f *Filter) addWord(c *clause, word string) {
	if c.any == 0 && !c.name {
		return // nothing can change what the clause is
	}
	m := f.words[analysis.Fold(word)]
	c.any &= m.any
	c.greeting |= m.greeting
	c.thanks |= m.thanks
	c.closing |= m.closing
	c.phrase |= m.phrase
	if m.any == 0 {
		c.names++
		if c.unknown == "" {
			c.unknown = word
		}
		r, _ := utf8.DecodeRuneInString(word)
		c.name = c.name && unicode.IsUpper(r)
	}
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) }

func hasWord(text []byte) bool { return strings.ContainsFunc(string(text), wordRune) }
