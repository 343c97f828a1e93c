package headers

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// headerForms returns the words of a header in the forms in which to look it up: as a whole, without a part in
// brackets, and without ignored words and numbers at its ends.
func headerForms(header string) (forms [][]string) {
	if len(header) > maxHeader {
		return nil
	}
	whole := Words(header)
	if len(whole) == 0 {
		return nil
	}

	forms = append(forms, whole)
	words := whole

	if start := strings.IndexAny(header, brackets); start > 0 {
		if bare := Words(header[:start]); len(bare) > 0 && len(bare) < len(whole) {
			words = bare
			forms = append(forms, bare)
		}
	}

	prefixes, suffixes := 0, 0
	v := vocabulary()
	for prefixes < len(words)-1 && v.ignoredPrefixes[words[prefixes]] {
		prefixes++
	}

	for suffixes < len(words)-1 && isIgnoredSuffix(v, words[len(words)-1-suffixes]) {
		suffixes++
	}

	for n := 1; n <= prefixes+suffixes; n++ { // leave out as few words as possible
		for suffix := min(n, suffixes); suffix >= 0 && n-suffix <= prefixes; suffix-- {
			if n < len(words) {
				forms = append(forms, words[n-suffix:len(words)-suffix])
			}
		}
	}

	return forms
}

// isIgnoredSuffix reports whether a word at the end of a header says nothing about its meaning, such as a currency, or
// the number of "skill 2".
func isIgnoredSuffix(v *vocabularyData, word string) bool {
	return v.ignoredSuffixes[word] || len(word) <= len("100") && strings.Trim(word, "0123456789") == ""
}

// Words splits a header into words in lower case without accents. "Hourly_Rate", "hourlyRate" and "Hourly rate"
// have the same words.
func Words(header string) []string {
	var b strings.Builder
	runes := []rune(header)
	for i, r := range runes {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r):
			if i > 0 && isWordStart(runes, i) {
				b.WriteByte(' ')
			}
			b.WriteRune(r)
		default:
			b.WriteString(signWord(r))
		}
	}
	return strings.Fields(foldHeader(b.String()))
}

// isWordStart reports whether a word begins at a letter or digit within a run of them, as in "hourlyRate", "URLPath"
// and "skill1".
func isWordStart(runes []rune, i int) bool {
	previous := runes[i-1]
	r := runes[i]
	switch {
	case unicode.IsUpper(r):
		nextIsLower := i+1 < len(runes) && unicode.IsLower(runes[i+1])
		return unicode.IsLower(previous) || unicode.IsDigit(previous) || unicode.IsUpper(previous) && nextIsLower
	case unicode.IsDigit(r):
		return unicode.IsLetter(previous)
	}
	return unicode.IsDigit(previous)
}

// signWord returns the word for a sign between spaces, or a space.
func signWord(r rune) string {
	switch r {
	case '%':
		return " percent "
	case '#', '№':
		return " number "
	case '€':
		return " eur "
	case '$':
		return " usd "
	case '£':
		return " gbp "
	}
	return " "
}

// letters has the letters that decomposition leaves as they are.
var letters = strings.NewReplacer("ß", "ss", "ø", "o", "æ", "ae", "œ", "oe", "ł", "l", "đ", "d", "ı", "i")

// foldHeader returns a text in lower case and without accents.
func foldHeader(s string) string {
	return letters.Replace(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(s)))
}

// umlauts has the two letters that stand for an umlaut where it can't be written.
var umlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "Ä", "Ae", "Ö", "Oe", "Ü", "Ue")

// spellings returns a header of the vocabulary and, if it has umlauts, its spelling with two letters for each.
func spellings(header string) []string {
	if other := umlauts.Replace(header); other != header {
		return []string{header, other}
	}
	return []string{header}
}

// wordsKey returns the words of a header in the singular and in alphabetical order, each once and with its usual
// spelling. If ignore is set, it leaves out the words that the language ignores.
func (l *language) wordsKey(words []string, ignore bool) string {
	list := make([]string, 0, len(words))
	for _, word := range words {
		if ignore && l.ignored[word] {
			continue
		}
		word = singular(word)
		if usual, ok := l.same[word]; ok {
			word = usual
		}
		list = append(list, word)
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), " ")
}

// singular cuts the ending off a plural: "skills", "technologies". Words such as "status" may lose a letter too, which
// does no harm, because they are only compared.
func singular(word string) string {
	if stem, ok := strings.CutSuffix(word, "ies"); ok && len(stem) > 2 {
		return stem + "y"
	}
	if stem, ok := strings.CutSuffix(word, "s"); ok && len(stem) > 2 && !strings.HasSuffix(stem, "s") {
		return stem
	}
	return word
}
