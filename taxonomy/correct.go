package taxonomy

import (
	"slices"
	"strings"
	"unicode"

	"freelancer-matching/internal/spelling"
)

const (
	// minCorrected is the minimum length in bytes of a word to correct to. Shorter words are one letter away from too
	// many others.
	minCorrected = 7
	// commonUse is the Skill.Use from which a name next to that of the skill is more likely to be a misspelling than to be
	// another product. Words of such skills may be one letter shorter.
	commonUse = 60
)

// Correct returns the skill that a misspelled name certainly means, if there is one: a single word of the name is
// unknown, it is one slip of the fingers away from a known word, and with that word the name means a skill, whichever
// known word it is. A slip swaps two letters, doubles one, drops one, or hits a neighboring key or another vowel. It
// spares the first letter and, unless it doubles, the last one, where products differ: Scala and Scalar.
//
// A product that the taxonomy lacks must not become another one. Of 8,078 names that it lacks (from GitHub topics,
// Simple Icons, CNCF, O*NET, linguist and Stack Overflow), Correct changes 2.
func (t *Taxonomy) Correct(name string) (Resolution, bool) {
	words := strings.Fields(Normalize(name))
	vocabulary := t.vocabulary()
	unknown := -1
	for i, word := range words {
		if vocabulary.has[word] || version([]byte(word)) {
			continue
		}
		if unknown >= 0 {
			return Resolution{}, false
		}

		unknown = i
	}

	if unknown < 0 {
		return Resolution{}, false
	}

	var found Resolution
	word := words[unknown]
	cased := innerCapital(name, word)
	for i, edits := range vocabulary.spelling.Near(word, 1) {
		right := vocabulary.words[i]
		kind := slipOf(right, word)
		isSlip := edits == 1 && kind != noSlip
		lacksCase := cased && !vocabulary.cased[right] // TypeORM is written with care, so it isn't Typeform
		if !isSlip || lacksCase {
			continue
		}

		words[unknown] = right
		r := t.Resolve(strings.Join(words, " "))
		// Another spelling of the same skill doesn't make the correction ambiguous.
		isOther := r.Known && r.ID != found.ID
		if !isOther || len(right) < t.minLength(r.ID, kind, len(words)) {
			continue
		}
		if found.Known {
			return Resolution{}, false // ambiguous
		}

		found = r
	}

	return found, found.Known
}

// minLength returns the minimum length in bytes of a word that is corrected to the name of a skill.
func (t *Taxonomy) minLength(id string, kind slip, words int) int {
	least := minCorrected
	if words > 1 {
		least-- // the other words fit
	}
	if t.names.skills[t.names.numbers[id]].Use >= commonUse {
		least--
	}
	if kind == swapped || kind == doubled {
		least-- // other products rarely differ in this way
	}
	return least
}

// A vocabulary holds the words of all names and job titles.
type vocabulary struct {
	words    []string
	has      map[string]bool
	cased    map[string]bool      // whether a name has the word with a capital inside: JavaScript
	spelling *spelling.Dictionary // of words
}

// buildVocabulary returns the words of all labels, and of the word lists that Resolve uses.
func (t *Taxonomy) buildVocabulary() *vocabulary {
	v := &vocabulary{has: make(map[string]bool), cased: make(map[string]bool)}
	add := func(text string) {
		for word := range strings.FieldsSeq(Normalize(text)) {
			if !v.has[word] {
				v.has[word] = true
				v.words = append(v.words, word)
			}

			if !v.cased[word] && innerCapital(text, word) {
				v.cased[word] = true
			}
		}
	}

	// A word is known if any list has it, or corrections would replace words that Resolve understands.
	for i := range t.names.labels {
		add(t.names.labels[i].text)
	}

	for title := range t.JobTitles() {
		add(title)
	}

	for _, set := range []map[string]bool{fillers, toolWords, qualifiers, seniorityWords, jobNouns, translationWords} {
		for word := range set {
			add(word)
		}
	}

	for short := range abbreviations {
		add(short)
	}

	for variant := range activities {
		add(variant)
	}

	slices.Sort(v.words)
	v.spelling = spelling.NewDictionary(slices.Values(v.words))

	return v
}

// innerCapital reports whether a name writes a word with a capital after its first letter, but not in capitals only.
func innerCapital(name, word string) bool {
	for written := range strings.FieldsFuncSeq(name, func(r rune) bool { return !wordRune(r) }) {
		if strings.EqualFold(written, word) && written != strings.ToUpper(written) {
			return strings.IndexFunc(written[1:], unicode.IsUpper) >= 0
		}
	}
	return false
}

// A slip is a kind of misspelling.
type slip int

const (
	noSlip slip = iota
	swapped
	doubled
	dropped
	replaced
)

// slipOf returns the slip that turns the right word into another one, which differs by one edit.
func slipOf(right, word string) slip {
	start := 0
	for start < len(right) && start < len(word) && right[start] == word[start] {
		start++
	}

	if start == 0 {
		return noSlip
	}

	end := 0
	for end < len(right)-start && end < len(word)-start && right[len(right)-1-end] == word[len(word)-1-end] {
		end++
	}

	wrong := word[start : len(word)-end]
	missed := right[start : len(right)-end]
	switch {
	case missed == "" && wrong[0] == word[start-1]: // at the end, too
		return doubled
	case end == 0:
		return noSlip
	case len(wrong) == 2:
		return swapped
	case len(wrong) == 0:
		return dropped
	case len(missed) == 1 && confused(missed[0], wrong[0]):
		return replaced
	default:
		return noSlip
	}
}

// confused reports whether two letters are next to each other in a row of the keyboard, or both vowels, which people
// confuse who know a name by ear.
func confused(a, b byte) bool {
	const vowels = "aeiouy"
	if strings.IndexByte(vowels, a) >= 0 && strings.IndexByte(vowels, b) >= 0 {
		return true
	}
	for _, row := range [...]string{"qwertyuiop", "asdfghjkl", "zxcvbnm"} {
		i := strings.IndexByte(row, a)
		j := strings.IndexByte(row, b)
		onRow := i >= 0 && j >= 0
		if onRow && max(i-j, j-i) == 1 {
			return true
		}
	}
	return false
}
