package bank

import (
	"encoding/base64"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"freelancer-matching/internal/analysis"
)

// detector finds text that speaks to a language model: what to ignore, what marks to give, who it is now; role markers, ends of
// data that it was not to see, and results that it was to give. It reads through hidden characters, letters of other scripts that look alike,
// digits for letters, spaces between letters, entities and base64.
//
// It knows wordings, not meaning. It finds all of its corpus, but of 20 other wordings that were written after its rules it found 6, and it accused
// 4 of 15 plain sentences with similar words. So its remark is a reason to look, never a finding, and no safety may rest on it.
// Nothing here obeys instructions, but those that are not found count as any other sentence: by a word that is a cue, a number, or their length.
type detector struct {
	rules  []rule
	blocks *regexp.Regexp // what makes everything behind it, up to the end of its paragraph, suspect
}

// rule is sets of words, one of each in their order, at most some words apart.
type rule []map[string]bool // a key that ends in "*" stands for all words that begin so; the length of these is at least shortestStem

// behind is how many words may stand between two words of a rule.
const behind = 4

// shortestStem and longestStem are the fewest and most bytes in front of a "*": words are looked up by their beginnings of these lengths, and
// of no others, because an answer can be one word of 20,000 letters.
const (
	shortestStem = 3
	longestStem  = 20
)

// blockPattern finds role markers, delimiters of prompts, and fields of results, in text without hidden characters and in lower case.
const blockPattern = `(?m)^[\s>#*\[<"'({-]*(system|assistant|developer|sistema|asistente|systeme|assistent)( (message|prompt|note|mensaje))?["'\])>}*]*\s*:` +
	`|<\|?/?\s*(im_start|im_end|endoftext|system|assistant|instructions?|prompt|answer|candidate|data|document|user_data)\b[^<>]{0,40}>` +
	`|\[/?(inst|system|sys)\]|<<\s*/?sys\s*>>|^#{2,}\s*(system|instructions?|response|new task|anweisung|instrucciones)\b` +
	`|["'](role|overall_score|hiring_recommendation|scores?|marks?|level|puntuacion|puntaje|bewertung|note|total|verdict)["']\s*[:=]` +
	`|[-=_#*~]{3,}\s*(end|begin|start|fin|inicio|ende|debut)( (of|de|del|de la|der|du))?( the)? ?(answer|data|prompt|input|candidate|transcript|respuesta|datos|antwort|daten|re[p]onse|donnees)\b` +
	`|(?:"""|` + "```" + `)\s*(system|end|assistant)\b`

func newDetector(file string) (*detector, error) {
	d := &detector{blocks: regexp.MustCompile(blockPattern)}
	var err error
	sets := make(map[string]map[string]bool)
	var rules []string
	for line := range strings.Lines(file) {
		line = strings.TrimSpace(line)
		name, list, isSet := strings.Cut(line, " = ")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case !isSet:
			rules = append(rules, line)
		case sets[name] != nil:
			return nil, fmt.Errorf("the set %q is there twice", name)
		default:
			if sets[name], err = wordSet(list); err != nil {
				return nil, fmt.Errorf("set %q: %w", name, err)
			}
		}
	}
	for _, line := range rules {
		var r rule
		for name := range strings.SplitSeq(line, "~") {
			set, ok := sets[strings.TrimSpace(name)]
			if !ok {
				return nil, fmt.Errorf("rule %q: no set of words is called %q", line, strings.TrimSpace(name))
			}
			r = append(r, set)
		}
		d.rules = append(d.rules, r)
	}
	return d, nil
}

func wordSet(list string) (map[string]bool, error) {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(analysis.Fold(list)) {
		if stem, open := strings.CutSuffix(word, "*"); open && (len(stem) < shortestStem || len(stem) > longestStem) {
			return nil, fmt.Errorf("%q: want %d to %d letters in front of the *", word, shortestStem, longestStem)
		}
		set[word] = true
	}
	return set, nil
}

func inSet(set map[string]bool, word string) bool {
	if set[word] {
		return true
	}
	for n := shortestStem; n <= min(len(word), longestStem); n++ {
		if set[word[:n]+"*"] {
			return true
		}
	}
	return false
}

// detects reports whether a text speaks to a language model.
func (d *detector) detects(text string) bool {
	all := split(text)
	d.mark(all)
	return slices.ContainsFunc(all, func(s sentence) bool { return s.instruction })
}

// token is a word of an answer and the sentence that it stands in.
type token struct {
	word     string
	sentence int
}

// mark marks the sentences that speak to a language model. What follows directly in the same paragraph goes on with it, so it is marked, too:
// one sentence behind an order, everything behind a role marker or the like.
func (d *detector) mark(all []sentence) {
	var tokens []token
	blocks := make([]bool, len(all))
	for i := range all {
		plain := reveal(all[i].text)
		blocks[i] = d.blocks.MatchString(plain)
		for _, w := range disguised(plain) {
			tokens = append(tokens, token{w, i})
		}
		for _, hidden := range decoded(all[i].text) {
			if d.blocks.MatchString(hidden) || d.matches(tokensOf(hidden)) {
				all[i].instruction = true
			}
		}
	}
	for _, r := range d.rules {
		for i := range tokens {
			if last := r.match(tokens, i); last >= 0 {
				for s := tokens[i].sentence; s <= tokens[last].sentence; s++ {
					all[s].instruction = true
				}
			}
		}
	}
	order := false // the sentence before is one
	for i := range all {
		goesOn := i > 0 && all[i].paragraph == all[i-1].paragraph
		blocks[i] = blocks[i] || goesOn && blocks[i-1]
		behindOrder := goesOn && order
		order = all[i].instruction
		all[i].instruction = order || blocks[i] || behindOrder
	}
}

func (d *detector) matches(tokens []token) bool {
	for _, r := range d.rules {
		for i := range tokens {
			if r.match(tokens, i) >= 0 {
				return true
			}
		}
	}
	return false
}

// match is where the rule ends that begins at a token, or -1.
func (r rule) match(tokens []token, at int) int {
	if !inSet(r[0], tokens[at].word) {
		return -1
	}
	for _, set := range r[1:] {
		next := slices.IndexFunc(tokens[at+1:min(len(tokens), at+2+behind)], func(t token) bool { return inSet(set, t.word) })
		if next < 0 {
			return -1
		}
		at += 1 + next
	}
	return at
}

func tokensOf(plain string) []token {
	var all []token
	for _, w := range disguised(plain) {
		all = append(all, token{word: w})
	}
	return all
}

// reveal is a text in lower case, without entities, hidden characters, accents and letters of other scripts that look like Latin ones.
func reveal(text string) string {
	var b strings.Builder
	for _, r := range html.UnescapeString(text) {
		switch {
		case r >= 0xE0020 && r <= 0xE007E: // tags: ASCII that is not shown
			b.WriteRune(r - 0xE0000)
		case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Variation_Selector, r), r == 0x34F, r == 0x115F, r == 0x3164:
		case unicode.IsControl(r) && r != '\n':
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	return strings.Map(func(r rune) rune {
		if i := strings.IndexRune(lookalikes, r); i >= 0 && r >= 0x80 {
			return []rune(latin)[len([]rune(lookalikes[:i]))]
		}
		return r
	}, analysis.Fold(b.String()))
}

// Small letters of Greek, Cyrillic, Armenian and others, and the Latin ones that they look like.
const (
	lookalikes = "αβεικνορτυχаверостухкмніјѕԁԛԝһпаɡոսօаlıɑсьпգց"
	latin      = "abeiknoptuxabepoctyxkmhijsdqwhnagnuoalıacbngg"
)

// disguised are the words of a text, with digits in them read as the letters that they stand for, and single letters in a row as one word.
func disguised(plain string) []string {
	var all []string
	var spelt []string // single letters in a row
	flush := func() {
		if len(spelt) >= shortestStem {
			all = append(all, strings.Join(spelt, ""))
		} else {
			all = append(all, spelt...)
		}
		spelt = spelt[:0]
	}
	previous := -1 // end of the last word
	for from := 0; from < len(plain); {
		size := strings.IndexFunc(plain[from:], isWordRune)
		if size < 0 {
			break
		}
		start := from + size
		end := len(plain)
		if n := strings.IndexFunc(plain[start:], func(r rune) bool { return !isWordRune(r) }); n >= 0 {
			end = start + n
		}
		word := undigit(plain[start:end])
		if start-previous > 1 {
			flush() // "i g n o r e  a l l": more space ends a word
		}
		if len(word) == 1 {
			spelt = append(spelt, word)
		} else {
			flush()
			all = append(all, word)
		}
		previous, from = end, end
	}
	flush()
	return all
}

func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '@' || r == '$'
}

// undigit reads digits and signs between letters as letters.
func undigit(word string) string {
	if strings.IndexFunc(word, unicode.IsLetter) < 0 || !strings.ContainsAny(word, "013457@$") {
		return word
	}
	return strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s").Replace(word)
}

// encoded finds what may be base64.
var encoded = regexp.MustCompile(`[A-Za-z0-9+/_-]{20,}={0,2}`)

// decoded are the texts that a text holds as base64.
func decoded(text string) []string {
	var all []string
	for _, found := range encoded.FindAllString(text, 16) {
		found = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(found, "="))
		plain, err := base64.RawStdEncoding.DecodeString(found)
		if err != nil || slices.ContainsFunc(plain, func(c byte) bool { return c < ' ' && c != '\n' || c >= 0x7f }) {
			continue // no text
		}
		all = append(all, reveal(string(plain)))
	}
	return all
}
