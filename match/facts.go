package match

import (
	"slices"
	"strings"
	"unicode"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/ranking"
	"github.com/freelancer-matching/service/taxonomy"
)

// A headword is a word of the title, the headline or the skills.
type headword struct {
	word  string   // as written in the brief
	terms []string // its index terms
}

// maxHeadwordBytes is the length of the longest word that an explanation repeats. Anything longer is a link, or a
// sentence in a script without spaces.
const maxHeadwordBytes = 64

// setHeadwords sets the words of the places of reference, for the explanation of an answer.
func (d *demand) setHeadwords(reader *briefReader, places []place) {
	written := d.reading.byTerm(reader.analyzer)
	for _, p := range places {
		if p.reference {
			d.addHeadwords(reader, p.text, written)
		}
	}
}

// addHeadwords adds the words of a text that have index terms, each once. Those that the brief has in another language
// are followed by the word as written, which written holds by term.
func (d *demand) addHeadwords(reader *briefReader, text string, written map[string]string) {
	for _, word := range splitWords(text) {
		if len(word) > maxHeadwordBytes {
			continue
		}
		terms := reader.analyzer.AppendStems(nil, word, d.language)
		known := func(h headword) bool { return slices.Equal(h.terms, terms) }
		if len(terms) > 0 && !slices.ContainsFunc(d.headwords, known) {
			word = strings.TrimLeft(strings.TrimRight(word, punctuation+"."), punctuation)
			word = quoteWritten(word, written[terms[0]])
			d.headwords = append(d.headwords, headword{word: word, terms: terms})
		}
	}
}

// splitWords splits a text at spaces, at punctuation of East Asian scripts, and between ideographs and other
// characters.
func splitWords(text string) []string {
	var words []string
	between := func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("，、；：。！？", r) }
	for run := range strings.FieldsFuncSeq(text, between) {
		start, ideographs := 0, false
		for i, r := range run {
			if is := unicode.Is(unicode.Han, r); is != ideographs {
				if i > start {
					words = append(words, run[start:i])
				}
				start = i
				ideographs = is
			}
		}
		words = append(words, run[start:])
	}
	return words
}

// punctuation lists the characters removed from both ends of a word. It lacks those of names such as C++ and .NET.
const punctuation = `,;:!?"'()[]{}*_|-“”‘’…–—•`

// facts returns what the explanation of a candidate can name: words found and missing, and the listed skills that imply
// a wanted skill or are related to it.
func (d *demand) facts(
	reader *briefReader, freelancer *matching.Freelancer, evidence []matching.Evidence,
) (facts ranking.Facts) {
	has := make(map[string]bool)
	terms := reader.analyzer.AppendStems(nil, freelancer.JobTitle, d.language)
	for _, skill := range freelancer.Skills {
		terms = reader.analyzer.AppendStems(terms, skill, d.language)
	}

	for _, term := range reader.analyzer.AppendStems(terms, freelancer.Description, d.language) {
		has[term] = true
	}

	for _, h := range d.headwords {
		if slices.ContainsFunc(h.terms, func(term string) bool { return !has[term] }) {
			facts.MissingWords = append(facts.MissingWords, h.word)
		} else {
			facts.FoundWords = append(facts.FoundWords, h.word)
		}
	}

	facts.Through = make([]string, len(d.skills))
	facts.Contradicted = make([]bool, len(d.skills))
	for i, wanted := range d.skills {
		facts.Through[i] = through(reader.taxonomy, wanted, evidence[i], freelancer.Skills)
		// A skill that texts name and the freelancer lists has stronger evidence.
		facts.Contradicted[i] = evidence[i] == matching.InText && listsSkill(reader.taxonomy, freelancer.Skills, wanted.id)
	}

	return facts
}

// through returns the listed skill that the evidence comes from: one that implies the wanted skill, or one of the same
// family. It returns "" for other kinds of evidence.
func through(known *taxonomy.Taxonomy, wanted requirement, evidence matching.Evidence, listed []string) string {
	for _, name := range listed {
		skill, _ := known.Skill(known.Resolve(name).ID)
		switch {
		case evidence == matching.Implied && slices.Contains(skill.Implies, wanted.id),
			evidence == matching.Sibling && skill.Family != "" && skill.Family == wanted.family:
			return skill.Name
		}
	}
	return ""
}
