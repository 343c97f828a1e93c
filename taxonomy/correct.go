package taxonomy

import (
	"slices"
	"strings"
	"unicode"

	"github.com/freelancer-matching/service/internal/spelling"
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
	unknown, ok := vocabulary.onlyUnknown(words)
	if !ok {
		return Resolution{}, false
	}

	var found Resolution
	word := words[unknown]
	cased := innerCapital(name, word)
	for i, edits := range vocabulary.spelling.Near(word, 1) {
		right := vocabulary.words[i]
		kind := spelling.SlipOf(right, word)
		isSlip := edits == 1 && kind != spelling.NoSlip
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

		// Two skills are one slip away, and nothing says which was meant.
		if found.Known {
			return Resolution{}, false
		}

		found = r
	}

	return found, found.Known
}

// minLength returns the minimum length in bytes of a word that is corrected to the name of a skill.
func (t *Taxonomy) minLength(id string, kind spelling.Slip, words int) int {
	least := minCorrected
	if words > 1 {
		least-- // the other words fit
	}
	if t.names.skills[t.names.numbers[id]].Use >= commonUse {
		least--
	}
	if kind == spelling.Swapped || kind == spelling.Doubled {
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

// onlyUnknown returns the index of the word that isn't in the vocabulary and is no version. It returns false unless
// there is exactly one.
func (v *vocabulary) onlyUnknown(words []string) (index int, ok bool) {
	for i, word := range words {
		if v.has[word] || version([]byte(word)) {
			continue
		}
		if ok {
			return 0, false
		}
		index = i
		ok = true
	}
	return index, ok
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
