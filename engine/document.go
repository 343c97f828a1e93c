package engine

import "github.com/freelancer-matching/service/internal/matching"

// A Document is a freelancer as indexed: the record itself and what preparation derived from it.
type Document struct {
	Freelancer matching.Freelancer
	Skills     []Skill           // each id once, with its strongest evidence; never Sibling
	Families   []string          // distinct family ids of the Skills whose evidence is Implied or Listed
	Terms      []string          // analyzed words of title, skills and description, with repetitions
	Vectors    []matching.Vector // one for each of Spec.Vectors, in the same order

	// Labels are facts to filter by, such as "country:DE". Each is listed once and has at most MaxWordBytes bytes.
	Labels   []string
	Schedule matching.Schedule

	// The freelancer's own words, for Vocabulary. Each is listed once and has at most MaxWordBytes bytes.
	JobTitles     []string // job titles in the freelancer's title, without words of seniority
	UnknownSkills []string // listed skills that the taxonomy does not know, as written
}

// A Skill is one skill of a document.
type Skill struct {
	ID       string
	Evidence matching.Evidence
}
