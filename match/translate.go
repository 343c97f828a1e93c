package match

import (
	"fmt"
	"strings"

	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/internal/dictionary"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/taxonomy"
)

// writtenWeight is the weight of a word as written in a brief that is read in English. It finds freelancers who
// describe themselves in the language of the brief. English words weigh 1.
const writtenWeight = .25

// A reading is how a brief in another language is read in English.
type reading struct {
	language analysis.Language // English if the brief is read as it is
	words    []dictionary.Word
	unknown  int
}

// translated reports whether the brief is read in English.
func (r *reading) translated() bool { return r.language != analysis.English }

// languageOf returns the language of a brief, or English if there is no dictionary to read it with.
func (r *briefReader) languageOf(brief *matching.Brief) analysis.Language {
	if r.dictionary == nil {
		return analysis.English
	}
	return r.dictionary.Language(brief.JobTitle + "\n" + brief.Description)
}

// inEnglish returns a brief whose title and description are in English, and how they are read. language is the
// language of the brief. A brief in English, or in a language that the dictionary doesn't have, is returned as it is.
func (r *briefReader) inEnglish(brief *matching.Brief, language analysis.Language) (*matching.Brief, reading) {
	how := reading{language: language}
	if !how.translated() {
		return brief, how
	}
	english := *brief
	english.JobTitle = how.read(r, brief.JobTitle)
	english.Description = how.read(r, brief.Description)
	return &english, how
}

// written returns the language in which the brief is written.
func (d *demand) written() analysis.Language {
	if d.reading.translated() {
		return d.reading.language
	}
	return d.language
}

// read reads a text of the brief in English and records its words.
func (r *reading) read(reader *briefReader, text string) string {
	result := reader.dictionary.Read(text, r.language, namedSkills(reader.taxonomy, text))
	r.words = append(r.words, result.Words...)
	r.unknown += result.Unknown
	return result.Text
}

// skill returns the skills that a name means. A name that isn't known as written is read in English.
func (r *reading) skill(reader *briefReader, name string, list []string) []taxonomy.Resolution {
	all := reader.taxonomy.ResolveAll(name, list...)
	if !r.translated() || knownAll(all) {
		return all
	}
	english := reader.dictionary.Read(name, r.language, nil)
	if len(english.Words) == 0 {
		return all
	}
	r.words = append(r.words, english.Words...)
	return reader.taxonomy.ResolveAll(english.Text, list...)
}

func knownAll(all []taxonomy.Resolution) bool {
	for _, r := range all {
		if !r.Known {
			return false
		}
	}
	return true
}

// byTerm returns, by index term, the words of the brief that the reading replaced by an English word with that term.
func (r *reading) byTerm(a *analysis.Analyzer) map[string]string {
	if !r.translated() {
		return nil
	}
	written := make(map[string]string)
	for _, w := range r.words {
		for _, term := range a.AppendStems(nil, w.English, analysis.English) {
			if _, taken := written[term]; !taken {
				written[term] = w.Written
			}
		}
	}
	return written
}

// languageNames holds the English names of the languages that briefs are read in.
var languageNames = map[analysis.Language]string{
	analysis.Spanish: "Spanish", analysis.French: "French", analysis.German: "German",
	analysis.Portuguese: "Portuguese", analysis.Italian: "Italian",
}

// note returns the note that the brief was read in English, or nothing.
func (r *reading) note() []matching.Skipped {
	if !r.translated() {
		return nil
	}
	kept := ""
	switch r.unknown {
	case 0:
	case 1:
		kept = "; 1 word isn't in it and was used as written"
	default:
		kept = fmt.Sprintf("; %d words aren't in it and were used as written", r.unknown)
	}
	return []matching.Skipped{{
		Feature: matching.SkippedLanguage,
		Reason: "the brief is in " + languageNames[r.language] +
			" and was also read in English, word by word, with a dictionary" + kept,
	}}
}

// quoteWritten returns an English word with the word of the brief that it stands for.
func quoteWritten(word, written string) string {
	if written == "" || strings.EqualFold(word, written) {
		return word
	}
	return word + ` (from "` + written + `")`
}
