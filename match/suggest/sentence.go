package suggest

import (
	"cmp"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/freelancer-matching/service/internal/value"
)

// A token is a word or a sign of a text.
type token struct {
	word     string // in lower case
	capitals bool
	from, to int // in the text
	mention  *mention
}

// A sentence is a part of a text in the form that rules match.
type sentence struct {
	// text holds the words in lower case with one space between them. A mention is its classes in angle brackets, such as
	// <LN> for a language that is also a nationality.
	text     string
	mentions []mention
	classes  string // of all mentions
	hourly   bool   // the words say that amounts are per hour
	original string
	tokens   []token
	starts   []int // position of each token in text
}

// verbatim returns the original words between two positions of the text.
func (s *sentence) verbatim(from, to int) string {
	first, _ := slices.BinarySearch(s.starts, from)
	last, _ := slices.BinarySearch(s.starts, to)
	if first >= last {
		return ""
	}
	words := s.original[s.tokens[first].from:s.tokens[last-1].to]
	if !strings.Contains(words, "(") { // or the last bracket closes one
		words = strings.TrimRight(words, ")")
	}
	return strings.TrimRight(strings.Join(strings.Fields(words), " "), " (,;:/–-")
}

var (
	offsetPattern = regexp.MustCompile(`^(?i:utc|gmt)\s?[+−-]\s?\d{1,2}(?::\d{2})?`)
	initials      = regexp.MustCompile(`^(?:[A-Za-z]\.){2,3}`) // U.S.
	hourlyPattern = regexp.MustCompile(`(?i)\bhourly\b|\bper hour\b|\bstundensatz\b`)
)

// tokens returns the words, numbers, abbreviations such as U.S., offsets from UTC, and other signs of a text. It leaves
// out hyphens between words, and points.
func tokens(text string) []token {
	// English words have about five letters.
	list := make([]token, 0, len(text)/5)
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		end := i + size
		isGap := unicode.IsSpace(r) || r == '.' || r == '-' && isInnerHyphen(text, i)
		if isGap {
			i = end
			continue
		}

		switch {
		case unicode.IsLetter(r):
			end = i + wordLength(text[i:])
		case unicode.IsDigit(r):
			for end < len(text) && text[end] >= '0' && text[end] <= '9' {
				end++
			}
		}

		// Typographic apostrophes are replaced, so that names need one spelling. Capitals tell "US" from "us".
		list = append(list, token{
			word: strings.ReplaceAll(strings.ToLower(text[i:end]), "’", "'"), from: i, to: end,
			capitals: !strings.ContainsFunc(text[i:end], func(r rune) bool { return unicode.ToUpper(r) != r }),
		})

		i = end
	}

	return list
}

// isInnerHyphen reports whether the hyphen at i connects two words, as in "UK-based".
func isInnerHyphen(text string, i int) bool {
	hasNeighbors := i > 0 && i+1 < len(text)
	return hasNeighbors && joins(text[i-1]) && joins(text[i+1])
}

// joins reports whether a hyphen next to a byte connects it.
func joins(b byte) bool { return b > ' ' && b != '-' }

// wordLength returns the length in bytes of the word at the beginning of a text.
func wordLength(text string) int {
	switch text[0] {
	case 'u', 'U', 'g', 'G':
		if m := offsetPattern.FindString(text); m != "" {
			return len(m)
		}
	}
	if len(text) > 1 && text[1] == '.' {
		if m := initials.FindString(text); m != "" {
			return len(m)
		}
	}
	for i, r := range text {
		apostrophe := (r == '\'' || r == '’') && startsWithLetter(text[i+utf8.RuneLen(r):])
		if !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) && !apostrophe {
			return i
		}
	}
	return len(text)
}

func startsWithLetter(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLetter(r)
}

// sentences returns the sentences of a text.
func (n *names) sentences(text string) iter.Seq[*sentence] {
	return func(yield func(*sentence) bool) {
		for part := range n.split(text) {
			if s := n.read(part); !yield(s) {
				return
			}
		}
	}
}

// split cuts a text at line breaks, semicolons, bullets, and at points, exclamation and question marks that end a
// sentence.
func (n *names) split(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start := 0
		for i, r := range text {
			ends := false
			switch r {
			case '\n', '\r', ';', '•', '●', '!', '?', '。':
				ends = true
			case '.':
				next := i + 1
				ends = next >= len(text) || strings.ContainsRune(" \t\n\r\"')", rune(text[next]))
				ends = ends && !n.shortened[strings.ToLower(text[strings.LastIndexAny(text[:i], " \t\n(")+1:i])] &&
					(i < 2 || text[i-2] != '.') // U.S.
			}

			if ends {
				if part := text[start:i]; strings.TrimSpace(part) != "" && !yield(part) {
					return
				}
				start = i + len(string(r))
			}
		}

		if part := text[start:]; strings.TrimSpace(part) != "" {
			yield(part)
		}
	}
}

// read finds the mentions of a sentence.
func (n *names) read(text string) *sentence {
	s := &sentence{original: text, tokens: n.findNames(n.findMoney(text, tokens(text)))}

	// Every rule needs a mention, and most sentences have none.
	if !slices.ContainsFunc(s.tokens, func(t token) bool { return t.mention != nil }) {
		return s
	}

	s.hourly = hourlyPattern.MatchString(text)
	var b strings.Builder
	for i, t := range s.tokens {
		if i > 0 {
			b.WriteByte(' ')
		}

		s.starts = append(s.starts, b.Len())

		if t.mention == nil {
			b.WriteString(t.word)
			continue
		}

		m := *t.mention
		m.at = b.Len()
		s.mentions = append(s.mentions, m)

		// Rules are written for classes of names. They see <L> instead of "German", so one pattern covers all
		// languages.
		class := m.class()
		s.classes += class
		b.WriteString("<" + class + ">")
	}

	s.text = b.String()
	return s
}

// findMoney replaces the tokens of each amount of money by one mention.
func (n *names) findMoney(text string, list []token) []token {
	// The pattern of all currencies is slow, so it runs only on sentences that can have an amount.
	if !strings.ContainsAny(text, "0123456789") || !slices.ContainsFunc(list, n.isCurrency) {
		return list
	}

	for _, offsets := range n.money.FindAllStringSubmatchIndex(text, -1) {
		group := func(i int) string {
			if offsets[2*i] < 0 {
				return "" // an optional group without a match
			}
			return text[offsets[2*i]:offsets[2*i+1]]
		}

		// Of a range, the highest amount counts, because it is the most that the client pays.
		amount := parseAmount(cmp.Or(group(moneyHighest), group(moneyAmount)))
		currency := n.currencies[strings.ToLower(cmp.Or(group(signBefore), group(signBetween), group(signAfter)))]
		if amount == 0 || currency == "" {
			continue // a number of something else
		}

		from := offsets[0]
		to := offsets[1]
		perHour := group(moneyPerHour) != ""
		isOtherPrice := !perHour && otherUnit.MatchString(text[to:]) // such as a price per day
		if isOtherPrice {
			continue
		}

		found := &mention{amount: amount, currency: currency, perHour: perHour}
		if group(moneyHighest) != "" {
			found.lowest = min(parseAmount(group(moneyAmount)), amount)
		}
		list = replaceTokens(list, from, to, found)
	}

	return list
}

// replaceTokens replaces the tokens of a part of the text, given by its offsets in bytes, by a mention.
func replaceTokens(list []token, from, to int, m *mention) []token {
	first := slices.IndexFunc(list, func(t token) bool { return t.to > from })
	if first < 0 {
		return list
	}

	end := first
	for end < len(list) && list[end].from < to {
		end++
	}

	return slices.Replace(list, first, end, token{from: from, to: to, mention: m})
}

// isCurrency reports whether a token is the sign or the name of a currency.
func (n *names) isCurrency(t token) bool {
	_, ok := n.currencies[t.word]
	return ok || len(t.word) == 1 && t.word[0] == '$'
}

// parseAmount returns the number in "1,200", "12.50" or "12,50".
func parseAmount(text string) float64 {
	if i := strings.LastIndexAny(text, ".,"); i >= 0 {
		fraction := ""
		if len(text)-i-1 != 3 {
			text, fraction = text[:i], "."+text[i+1:]
		}
		text = strings.NewReplacer(".", "", ",", "").Replace(text) + fraction
	}
	amount, _ := strconv.ParseFloat(text, 64)
	return amount
}

// findNames replaces the tokens of each name by one mention, the longest name first. It reuses the memory of list.
func (n *names) findNames(list []token) []token {
	found := list[:0] // never reaches the token before the one that is read, which nameAt may need
	for i := 0; i < len(list); {
		m, length := n.nameAt(list, i)
		if m == nil {
			found = append(found, list[i])
			i++
			continue
		}
		found = append(found, token{from: list[i].from, to: list[i+length-1].to, mention: m})
		i += length
	}
	return found
}

// nameAt returns the longest name that starts at a token, and its number of tokens.
func (n *names) nameAt(list []token, at int) (*mention, int) {
	t := &list[at]
	if t.mention != nil {
		return nil, 0
	}

	// The longest name wins: "South Sudan" before "Sudan".
	for length := min(n.longest[t.word], len(list)-at); length > 0; length-- {
		name := t.word
		for _, next := range list[at+1 : at+length] {
			name += " " + next.word
		}
		m, ok := n.mentions[name]
		isName := ok && (length > 1 || !isCommonWord(list, at, &m))
		if isName {
			return &m, length
		}
	}

	hasOffset := len(t.word) > len("utc") && (strings.HasPrefix(t.word, "utc") || strings.HasPrefix(t.word, "gmt"))
	if hasOffset {
		// Offsets such as utc+2 are too many for a list.
		if zone, _ := value.TimeZone(strings.ReplaceAll(t.word, " ", "")); zone != "" {
			return &mention{zone: zone}, 1
		}
	}

	return nil, 0
}

// isCommonWord reports whether a short name is just a word, because it is not in capitals: "us", "est" and "ist". After
// "the", "us" is the country.
func isCommonWord(list []token, at int, m *mention) bool {
	t := &list[at]
	if t.capitals {
		return false
	}
	return t.word == "us" && (at == 0 || list[at-1].word != "the") || m.class() == "Z" && len(t.word) <= len("cest")
}

// longestFirst sorts texts by falling length, so that an alternative comes before its own beginning.
func longestFirst(list []string) []string {
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return list
}
