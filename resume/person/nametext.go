package person

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/wording"
)

// nameTexts recognizes the names of people in texts.
type nameTexts struct{ *lexicon.Lexicon }

// nameOf returns text as the name of a person, "" if it cannot be one: without honorifics, degrees, dates of birth and
// the name of the document, in title case if it is in capitals. A name has two to six capitalized words, or two to six
// characters in scripts without spaces. local is the local part of the email address: a name with two of its words may
// be in lower case.
func (d nameTexts) nameOf(text, local string) string {
	text = d.bareName(text)
	characters := utf8.RuneCountInString(text)
	if characters == 0 || characters > 50 {
		return ""
	}

	if strings.ContainsAny(text, "0123456789@:;/!?&+_=\"“”") {
		return ""
	}

	// Chinese and Japanese names have no spaces, so their characters count instead of their words.
	words := strings.Fields(strings.ReplaceAll(text, ",", " "))
	length := len(words)
	if len(words) == 1 && unspaced(text) {
		length = characters
	}
	if length < 2 || length > 6 {
		return ""
	}

	mainWords, ok := d.mainWords(words, text, local)
	if !ok || mainWords == 0 {
		return ""
	}

	// One word and a particle are a name only if the word is known as one.
	oneWord := mainWords == 1 && len(words) < 3 && !unspaced(text)
	if oneWord && !d.GivenNames[wording.Key(words[0])] {
		return ""
	}

	// The dictionaries are consulted last, because they are slower than the form of the words.
	if d.notName(text) {
		return ""
	}

	joined := strings.Join(words, "")
	spacedOut := unspaced(joined) && characters == 2*len(words)-1 // 高 策
	switch {
	case spacedOut:
		return joined
	case wording.Capitals(text):
		return d.titleCase(text)
	default:
		return text
	}
}

// mainWords counts the words of a text besides particles, such as "van". It returns false if a word can't be one of a
// name.
func (d nameTexts) mainWords(words []string, text, local string) (count int, ok bool) {
	inEmail, _ := wordsInEmail(wording.Key(text), local)
	for i, word := range words {
		// A particle precedes another word. In capitals, it may also be the first word of a name.
		isParticle := d.Particles[strings.ToLower(word)] && i < len(words)-1
		if isParticle && (i > 0 || wording.FirstIsLower(word)) {
			continue
		}

		lowerCase := inEmail > 1 && nameWord(strings.ToTitle(word))
		if !nameWord(word) && !lowerCase {
			return 0, false
		}
		count++
	}
	return count, true
}

// notName reports whether a text is a heading, a label, a place or a degree, and never a name.
func (d nameTexts) notName(text string) bool {
	k := wording.Key(text)
	compact := strings.ReplaceAll(k, " ", "")
	isLabel := wording.Wide(k) && (d.Headings[compact] != "" || d.Labels[compact] != "" || d.Furigana[compact])
	return isLabel || d.Headings[d.WithoutModifiers(k)] != "" || len(d.MergedKinds(text)) > 0 ||
		d.Place(text) == lexicon.PlaceByName || d.StartsWithDegree(text)
}

// bareName removes what often surrounds a name on its line: the name of the document before or after it, brackets, a
// date of birth, honorifics and degrees.
func (d nameTexts) bareName(text string) string {
	text = withoutNickname(d.withoutTitle(text))
	text = strings.TrimRight(wording.WithoutBrackets(text), " ,;:–—-")
	if i := strings.IndexAny(text, "0123456789*†"); i > 0 {
		text = strings.TrimRight(text[:i], " ,;:.–—-*(")
	}
	text = d.withoutBirth(text)
	for _, possessive := range []string{"'s", "’s", "´s"} {
		text = strings.TrimSuffix(text, possessive)
	}
	text = strings.TrimRight(d.withoutHonorifics(text), " ,;:")
	if !d.endsInSuffix(text) && !endsInInitial(text) {
		text = strings.TrimRight(text, ".")
	}
	return text
}

// withoutNickname removes a nickname in quotes after the first word: 'William "Bill" Moss'.
func withoutNickname(text string) string {
	from := strings.IndexAny(text, "\"“„")
	if from <= 0 {
		return text
	}
	_, size := utf8.DecodeRuneInString(text[from:])
	length := strings.IndexAny(text[from+size:], "\"”“")
	if length < 0 {
		return text
	}
	_, end := utf8.DecodeRuneInString(text[from+size+length:])
	return strings.TrimRight(text[:from], " ") + text[from+size+length+end:]
}

// withoutBirth removes a label of personal data at the end of a text: "Ada Quill, born".
func (d nameTexts) withoutBirth(text string) string {
	for range 3 {
		i := strings.LastIndexByte(text, ' ')
		if i < 0 || d.Labels[wording.Key(text[i:])] != "birth" {
			break
		}
		text = strings.TrimRight(text[:i], " ,;:.–—-")
	}
	return text
}

// withoutTitle removes what a document calls itself, before or after a name: "Resume of Ada Quill", "Ada Quill CV".
// Up to two words may stand between them.
func (d nameTexts) withoutTitle(text string) string {
	words := strings.Fields(text)
	for n := min(3, len(words)-1); n > 0; n-- {
		if d.IsDocumentTitle(strings.Join(words[:n], " ")) {
			words = words[n:]
			for len(words) > 2 && !nameWord(words[0]) && !wording.HasDigit(words[0]) {
				words = words[1:] // "of", "–", "von"
			}
			break
		}
	}
	for n := min(3, len(words)-1); n > 0; n-- {
		if d.IsDocumentTitle(strings.Join(words[len(words)-n:], " ")) {
			words = words[:len(words)-n]
			break
		}
	}
	return strings.Trim(strings.Join(words, " "), " :,|–—-")
}

// withoutHonorifics removes honorifics before a name, and degrees and certificates after it: "Dr. Ada Quill, PhD",
// "Dipl.-Ing. Ada Quill", "Ada Quill BSc PMP". It keeps suffixes such as "Jr." and "III".
func (d nameTexts) withoutHonorifics(text string) string {
	words := strings.Fields(text)
	for len(words) > 1 && d.honorific(words[0]) {
		words = words[1:]
	}
	var suffix []string

	// Suffixes may stand before or after degrees, so they are kept aside until all degrees are gone.
	for len(words) > 1 {
		last := strings.Trim(words[len(words)-1], ",;")
		switch {
		case d.NameSuffixes[strings.ToLower(strings.TrimRight(last, "."))]:
			suffix = append([]string{last}, suffix...)
		case !d.credential(last):
			words = append(words, suffix...)
			for i := range words[:len(words)-len(suffix)] {
				if i == len(words)-len(suffix)-1 {
					words[i] = strings.TrimRight(words[i], ",;")
				}
			}
			return strings.Join(words, " ")
		}

		words = words[:len(words)-1]
	}

	return strings.Join(append(words, suffix...), " ")
}

// honorific reports whether a word is a title before a name: one of the dictionary, or an abbreviation that is no
// initial, such as "Dipl.-Ing." and "Mag.".
func (d nameTexts) honorific(word string) bool {
	lower := strings.ToLower(strings.TrimRight(word, ","))
	if d.Honorifics[lower] || d.Honorifics[strings.TrimRight(lower, ".")] {
		return true
	}
	stem := strings.TrimRight(lower, ".")
	return stem != lower && utf8.RuneCountInString(stem) > 2 && firstIsLowerAfter(word) && stem != "chr" && stem != "wm"
}

// firstIsLowerAfter reports whether the second character of a word is in lower case: "Ing.", but not "J.R.".
func firstIsLowerAfter(word string) bool {
	_, size := utf8.DecodeRuneInString(word)
	return wording.FirstIsLower(word[size:])
}

// credential reports whether a word after a name is a degree or a certificate: it is in the dictionary, or has dots or
// capitals inside in the way of abbreviations, such as "Ph.D." and "MSc".
func (d nameTexts) credential(word string) bool {
	k := wording.Key(word)
	abbreviation := wording.Capitals(word) || strings.Contains(word, ".")
	isDegree := len(k) > 1 && d.Degrees[k] && abbreviation
	if isDegree || d.Credentials[strings.ReplaceAll(k, " ", "")] {
		return true
	}

	letters := strings.TrimRight(word, ".")
	return len(letters) < 7 && d.Degrees[wording.Key(letters)] &&
		strings.ContainsFunc(letters[min(1, len(letters)):], unicode.IsUpper)
}

// endsInSuffix reports whether a name ends with a suffix that has a period: "Jr.".
func (d nameTexts) endsInSuffix(text string) bool {
	last := strings.ToLower(text[strings.LastIndexByte(text, ' ')+1:])
	return strings.HasSuffix(last, ".") && d.NameSuffixes[strings.TrimRight(last, ".")]
}

func endsInInitial(text string) bool {
	last := text[strings.LastIndexByte(text, ' ')+1:]
	return len(last) == 2 && last[1] == '.'
}

// withoutSpacing joins the letters of letter-spaced cells: "H E D D A", "Q U I L L". ok is false if the cells aren't
// letter-spaced.
func withoutSpacing(cells []string) (text string, ok bool) {
	var words []string
	for _, cell := range cells {
		letters := strings.Fields(cell)
		long := func(l string) bool { return utf8.RuneCountInString(l) > 1 || !wording.LetterOrMark([]rune(l)[0]) }
		if len(letters) < 2 || slices.ContainsFunc(letters, long) {
			return "", false
		}
		words = append(words, strings.Join(letters, ""))
	}
	letters := utf8.RuneCountInString(strings.Join(words, ""))
	return strings.Join(words, " "), len(words) > 0 && letters > 4 && !wording.Wide(cells[0])
}

// splitLetters divides a letter-spaced name whose words stand as close as its letters: after a word that the email
// address starts with, or after a given name.
func (d nameTexts) splitLetters(letters, mailbox string) string {
	if strings.Contains(letters, " ") {
		return letters
	}
	first, _, _ := strings.Cut(mailbox, " ")
	lower := strings.ToLower(letters)
	rest, ok := strings.CutPrefix(lower, first)
	startsWithMailbox := ok && first != "" && rest != ""
	if startsWithMailbox {
		return letters[:len(first)] + " " + letters[len(first):]
	}
	for i := len(letters) - 2; i > 2; i-- {
		if d.GivenNames[lower[:i]] {
			return letters[:i] + " " + letters[i:]
		}
	}
	return letters
}

// nameWord reports whether a word may be part of a name: it consists of letters, the first of which is not lower case.
func nameWord(word string) bool {
	for _, prefix := range []string{"d'", "d’", "l'", "l’", "al-", "el-", "bin-", "ibn-"} {
		word = strings.TrimPrefix(word, prefix)
	}
	first, size := utf8.DecodeRuneInString(word)
	return unicode.IsLetter(first) && !unicode.IsLower(first) && !strings.ContainsFunc(word[size:], func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.Is(unicode.M, r) && !strings.ContainsRune("'’`-.‐", r)
	})
}

// unspaced reports whether a text is in scripts that write names without a space.
func unspaced(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana)
	})
}

// titleCase returns a name in capitals as it is usually written, with particles in lower case.
func (d nameTexts) titleCase(text string) string {
	var b strings.Builder
	start := true
	for _, r := range text {
		if !start {
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
		start = !unicode.IsLetter(r) && !unicode.Is(unicode.M, r)
	}

	words := strings.Fields(b.String())
	for i, word := range words {
		lower := strings.ToLower(word)
		switch {
		case i > 0 && i < len(words)-1 && len(word) > 1 && d.Particles[lower]:
			words[i] = lower
		case i > 0 && d.NameSuffixes[lower]: // III
			words[i] = strings.ToUpper(word)
		}
	}

	return strings.Join(words, " ")
}
