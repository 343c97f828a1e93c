package match

import (
	"slices"
	"strings"
	"unicode"

	"freelancer-matching/internal/matching"
	"freelancer-matching/ranking"
)

// headword is a word of the title, the headline or the skills, as the brief writes it, with what is searched for it.
type headword struct {
	word  string
	terms []string
}

// longestHeadword is in bytes; what is longer is a link, or a sentence in a script without spaces, which no explanation
// should repeat.
const longestHeadword = 64

// addHeadwords adds the words of a text that are searched for, each once.
func (d *demand) addHeadwords(s *Service, text string) {
	for _, word := range writtenApart(text) {
		if len(word) > longestHeadword {
			continue
		}
		terms := s.analyzer.AppendStems(nil, word, d.language)
		known := func(h headword) bool { return slices.Equal(h.terms, terms) }
		if len(terms) > 0 && !slices.ContainsFunc(d.headwords, known) {
			word = strings.TrimLeft(strings.TrimRight(word, notInWord+"."), notInWord)
			d.headwords = append(d.headwords, headword{word: word, terms: terms})
		}
	}
}

// writtenApart is the words of a text as a reader tells them apart: between spaces, and a run of ideographs, which have
// none between them, apart from other letters.
func writtenApart(text string) []string {
	var words []string
	between := func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("，、；：。！？", r) }
	for run := range strings.FieldsFuncSeq(text, between) {
		start, ideographs := 0, false
		for i, r := range run {
			if is := unicode.Is(unicode.Han, r); is != ideographs {
				if i > start {
					words = append(words, run[start:i])
				}
				start, ideographs = i, is
			}
		}
		words = append(words, run[start:])
	}
	return words
}

// notInWord is what is punctuation at the edge of a word, not a part of a name such as C++ or .NET.
const notInWord = `,;:!?"'()[]{}*_|-“”‘’…–—•`

// facts are what the explanation of one candidate can name: words found and not found, and the skills behind evidence
// that is not for the required skill itself.
func (d *demand) facts(s *Service, f *matching.Freelancer, evidence []matching.Evidence) (facts ranking.Facts) {
	has := make(map[string]bool)
	var terms []string
	terms = s.analyzer.AppendStems(terms, f.JobTitle, d.language)
	for _, skill := range f.Skills {
		terms = s.analyzer.AppendStems(terms, skill, d.language)
	}
	for _, term := range s.analyzer.AppendStems(terms, f.Description, d.language) {
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
	for i, wanted := range d.skills {
		facts.Through[i] = s.through(wanted, evidence[i], f.Skills)
	}
	return facts
}

// through is the listed skill that implies the wanted one or is of its family, where that is the evidence.
func (s *Service) through(wanted requirement, evidence matching.Evidence, listed []string) string {
	for _, name := range listed {
		skill, _ := s.taxonomy.Skill(s.taxonomy.Resolve(name).ID)
		switch {
		case evidence == matching.Implied && slices.Contains(skill.Implies, wanted.id),
			evidence == matching.Sibling && skill.Family != "" && skill.Family == wanted.family:
			return skill.Name
		}
	}
	return ""
}
