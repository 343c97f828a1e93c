package entries

import (
	"cmp"
	"strings"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/odds"
	"github.com/freelancer-matching/service/resume/page"
	"github.com/freelancer-matching/service/resume/sections"
	"github.com/freelancer-matching/service/resume/wording"
)

// A DegreeReader reads the sections about education.
type DegreeReader struct {
	words       *lexicon.Lexicon
	entries     *EntryReader
	calibration odds.Calibration
}

// NewDegreeReader returns a reader of the entries that e finds. c calibrates its confidences.
func NewDegreeReader(words *lexicon.Lexicon, e *EntryReader, c odds.Calibration) *DegreeReader {
	return &DegreeReader{words, e, c}
}

// Read returns the entries of the sections about education.
func (r *DegreeReader) Read(p *page.Page, all []*sections.Section) []resume.Degree {
	var degrees []resume.Degree
	for _, s := range all {
		if !s.Is(lexicon.Education) {
			continue
		}
		items := r.entries.entries(p, s, &degreeGrammar)
		if len(items) == 0 {
			items = r.entries.undatedDegrees(s)
		}
		completeHosts(items)
		schoolsBelow(items)

		for _, it := range items {
			if it.group {
				continue
			}

			d := degreeOf(r.words, &it.reading)
			d.Start, d.End = it.span.From.String(), it.span.To.String()

			// A single date of a degree is when it was awarded.
			if it.span.Single() {
				d.Start, d.End = "", d.Start
			}

			if d.Degree != "" || d.Institution != "" {
				d.Confidence = r.calibration.Confidence("education", it.strength()+doubtsAbout(r.words, d))
				degrees = append(degrees, d)
			}
		}
	}

	return degrees[:min(len(degrees), page.MaxEntries)]
}

// doubtsAbout returns how much the parts of a degree speak against the way in which its header was divided, as a score.
func doubtsAbout(words *lexicon.Lexicon, d resume.Degree) float64 {
	const longName = 8 // words
	school := strings.Fields(wording.Key(d.Institution))
	subject := strings.Fields(wording.Key(d.Field))
	holdsField := d.Field != "" && strings.Contains(strings.ToLower(d.Institution), strings.ToLower(d.Field))
	namesHost := words.NamesSchool(d.Institution) || words.IsOrganization(wording.Key(d.Institution))
	return odds.Sum(
		odds.If("no degree", d.Degree == "", -1.5),
		odds.If("no school", d.Institution == "", -1.5),
		odds.If("the degree names a school", words.NamesSchool(d.Degree), -3),
		odds.If("the field names a school", words.NamesSchool(d.Field), -3),
		odds.If("the school names a degree", words.StartsWithDegree(d.Institution), -3),
		odds.If("the school names nothing that is known", d.Institution != "" && !namesHost, -3),
		odds.If("the school starts with a subject", len(school) > 1 && words.Subjects.Has(school[0]), -3),
		odds.If("the school contains the field", holdsField, -3),
		odds.If("the field ends with no subject", len(subject) > 0 && !words.Subjects.Has(subject[len(subject)-1]), -1.5),
		odds.If("a label in the school", strings.Contains(d.Institution, ":"), -3),
		odds.If("a long name of a school", strings.Count(d.Institution, " ") >= longName, -1.5),
		odds.If("the degree is no usual one", d.Degree != "" && !words.StartsWithDegree(d.Degree), -1),
	)
}

// schoolsBelow completes degrees whose school is below the last one of them.
func schoolsBelow(items []item) {
	for i := len(items) - 2; i >= 0; i-- {
		it := &items[i]
		next := &items[i+1]
		onlyDegree := it.texts[lead] != "" && it.texts[host] == "" && it.below == 0
		if onlyDegree && next.adjacent && next.above == 0 && (next.shared || next.lines[host] > 0) {
			it.texts[host] = next.texts[host]
			it.shared = true
		}
	}
}

// degreeOf splits the fragment with the degree, which may also name the field and the school.
func degreeOf(words *lexicon.Lexicon, r *reading) resume.Degree {
	found := resume.Degree{
		Institution: strings.TrimRight(r.texts[host], "."),
		Field:       lexicon.WithoutRemark(withoutLabel(r.texts[field])),
	}
	degree, field, school := words.SplitDegree(strings.TrimRight(r.texts[lead], "."))
	found.Degree = degree
	found.Field = cmp.Or(withoutLabel(field), found.Field)
	found.Institution = cmp.Or(found.Institution, school)
	if found.Institution == "" && words.NamesSchool(found.Field) { // "Diploma Harbor High School 3.7"
		found.Institution = strings.TrimRight(found.Field, " .,0123456789")
		found.Field = ""
	}
	return found
}

// withoutLabel drops a label of one or two words: "Major: Physics".
func withoutLabel(text string) string {
	if label, value, ok := strings.Cut(text, ": "); ok && strings.Count(label, " ") < 2 {
		return value
	}
	return text
}
