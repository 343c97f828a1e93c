package bulk

import "freelancer-matching/indexer/rows"

// Merges says how rows became freelancers.
type Merges struct {
	Keys      map[rows.Key]int // merged rows, by what identified the person
	Separated int              // freelancers who share a key with others but contradict them, and so stayed apart
	Conflicts []Conflict       // between rows of one freelancer, by field in the order of an export
}

// A Conflict is a field in which rows of one freelancer disagree.
type Conflict struct {
	Field       string // as in exports
	Freelancers int    // whose rows disagree
	Examples    []Disagreement
}

// A Disagreement is one value that was kept and one that was not.
type Disagreement struct{ Kept, Lost Example }
