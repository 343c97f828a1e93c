package engine

import "freelancer-matching/internal/matching"

// Document is a freelancer as indexed: the record, and what was found out about it before it reached the engine.
type Document struct {
	Freelancer matching.Freelancer
	Skills     []Skill           // each id once, with its strongest evidence; never Sibling
	Families   []string          // ids of the families of all Skills with evidence Implied or Listed, each once
	Terms      []string          // analysed words of title, skills and description, with repetition
	Vectors    []matching.Vector // one for each of Spec.Vectors, in that order
	// What the freelancer's own words are, for Vocabulary: each once, and none longer than MaxWordBytes.
	JobTitles     []string // that the title names, without words of seniority
	UnknownSkills []string // of the listed skills, those that the taxonomy does not know, as they are written
}

// Skill is one skill of a document.
type Skill struct {
	ID       string
	Evidence matching.Evidence
}
