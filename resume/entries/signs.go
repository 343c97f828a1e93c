package entries

import (
	"strings"

	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/wording"
)

// signs returns the signs of the text of a fragment.
func (h *headerReader) signs(text string) signSet {
	d := h.words
	var s signSet
	s.add(always, true)
	k := wording.Key(text)
	if k == "" {
		return s
	}

	// Signs overlap on purpose: the weights of a role decide which of them matter to it.
	words := strings.Fields(k)
	last := words[len(words)-1]

	switch d.Place(text) {
	case lexicon.PlaceByName, lexicon.PlaceByLabel:
		s.add(placeName, true)
		first, rest, several := strings.Cut(text, ", ")
		s.add(placeParts, several && (!strings.Contains(rest, ", ") || d.KnownPlace(wording.Key(first))))

	case lexicon.PlaceByForm:
		s.add(placeForm, !strings.Contains(text, "/"))
	case lexicon.NotPlace, lexicon.PlaceByNeighbors:
	}

	outside, inside := h.words.TitleWords(text, words)
	s.add(titleOutside, outside)
	s.add(titleInside, !outside && inside)
	s.add(seniorFirst, !outside && !inside && len(words) > 1 && d.Seniority[words[0]])

	// The taxonomy is slower than the words, and long texts are never known titles.
	mayBeTitle := len(words) < 9 && (outside || inside)
	if mayBeTitle {
		_, known := h.taxonomy.JobTitle(text)
		s.add(knownTitle, known)
	}

	s.add(legalForm, d.EndsLegal(k))
	inOrganization := d.Organizations.Has(last) || d.SeveralPeople(last)
	s.add(organizationLast, inOrganization)
	s.add(organizationWord, !inOrganization && d.Organizations.Any(k))
	s.add(schoolWord, d.Schools.Any(k))
	s.add(onlyKind, len(words) == 1 && (d.Organizations.Words[k] || d.Schools.Words[k]))
	s.add(contractWord, d.Contracts[k])
	s.add(departmentName, d.Departments[k])
	s.add(webPage, lexicon.WebAddress(text) != "" && strings.Contains(text, "/"))
	s.add(subjectWord, d.Subjects.Has(last) && !d.Schools.Any(k))
	s.add(labelOnly, len(words) < 4 && entryLabels[d.Labels[k]])
	s.add(gradeWord, d.Grade(k))
	s.add(duration, d.Duration(text))
	s.add(lowerFirst, wording.FirstIsLower(text))
	s.add(sentenceLike, wording.Sentence(text) || len(words) > 14)
	s.add(longText, len(words) > 8)
	s.add(numbered, wording.HasDigit(text))
	label, _, colon := strings.Cut(text, ": ")
	s.add(labeled, colon && strings.Count(label, " ") < 3)

	if end := d.DegreeEnd(text); end > 0 {
		first := d.StartsWithDegree(text)
		s.add(degreeFirst, first)
		s.add(degreeWord, !first)

		if first && !wording.Wide(text) {
			_, field := d.SplitField(text, end)
			s.add(degreeField, field != "" && strings.IndexAny(text[end:], ",;|:") != 0)
			s.add(degreeLink, field != "" && lexicon.StartsWithAny(strings.TrimLeft(text[end:], " "), d.DegreeField) > 0)
		}
	}

	return s
}

// entryLabels are the kinds of labels that entries contain and that have no other meaning there.
var entryLabels = lexicon.Set{
	"date": true, "employer": true, "school": true, "degree": true, "field": true, "web": true,
}
