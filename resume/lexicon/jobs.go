package lexicon

import (
	"slices"
	"strings"

	"github.com/freelancer-matching/service/resume/wording"
)

// TitleWords reports whether words of job titles are where titles have them: first, last, or before a word in small
// letters or a comma ("Head of Data", "Director, Product"); and whether any other word is one.
func (d *jobWords) TitleWords(text string, words []string) (outside, inside bool) {
	if len(words) > 14 {
		return false, false
	}
	raw := slices.DeleteFunc(strings.Fields(text), func(word string) bool { return wording.Key(word) == "" })
	for i, word := range words {
		switch {
		case !d.TitleWord(word):
		case i == 0, i == len(words)-1, wording.Wide(word):
			return true, false
		case len(raw) == len(words) && (strings.HasSuffix(raw[i], ",") || wording.FirstIsLower(raw[i+1])):
			return true, false
		default:
			inside = true
		}
	}
	return false, inside
}

// TitleWord reports whether a word occurs in job titles, and isn't a word for organizations at the same time, such as
// "partners".
func (d *jobWords) TitleWord(word string) bool {
	return d.Titles.Has(word) && !d.SeveralPeople(word)
}

// SeveralPeople reports whether a word is the plural of a word for a person, as in "Morgan Consulting Engineers". Names
// of organizations end with such words more often than job titles do.
func (d *jobWords) SeveralPeople(word string) bool {
	one, plural := strings.CutSuffix(word, "s")
	return plural && !d.Titles.Words[word] && d.Titles.Words[one]
}

// IsOrganization reports whether a key reads as a company or a school.
func (d *jobWords) IsOrganization(k string) bool {
	return d.EndsLegal(k) || d.Organizations.Any(k) || d.Schools.Any(k)
}

// SeeksJob reports whether a key has a phrase of people who want a job: "looking for a role in Go".
func (d *jobWords) SeeksJob(key string) bool {
	key = " " + key + " "
	return slices.ContainsFunc(d.seeking, func(phrase string) bool { return strings.Contains(key, " "+phrase+" ") })
}

// CompanyScore returns how much a fragment reads like an organization, from 0 to 3.
func (d *jobWords) CompanyScore(f wording.Fragment) int {
	switch {
	case d.EndsLegal(f.Key), d.EmployerWords[f.Key]:
		return 3
	case d.Schools.Any(f.Key):
		return 2
	case d.Organizations.Any(f.Key):
		return 1
	default:
		return 0
	}
}

// EndsLegal reports whether a key ends with a legal form, as the names of companies do. The single letters of "S. A.
// S." belong together.
func (d *jobWords) EndsLegal(k string) bool {
	words := strings.Fields(k)
	last := ""
	for i := len(words) - 1; i > 0; i-- {
		last = words[i] + last
		if d.Legal[last] {
			return true
		}
		if len(words[i]) > 1 {
			return false
		}
	}
	return false
}
