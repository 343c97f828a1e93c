package bulk

import (
	"slices"

	"github.com/freelancer-matching/service/indexer/rows"
)

// Merges says how rows became freelancers.
type Merges struct {
	Keys      map[rows.Key]int // merged rows, by what identified the person
	Separated int              // freelancers who share a derived ID's key with others but contradict them
	WholeRow  int              // freelancers whom nothing but everything in their row identifies
	Conflicts []Conflict       // between rows of one freelancer, the most frequent first
	Clashes   []string         // the first few files that use the same short numbers as IDs of different people
}

// A Conflict is a field in which rows of one freelancer disagree.
type Conflict struct {
	Field       string // as in exports
	Freelancers int    // whose rows disagree
	Examples    []Disagreement
}

// A Disagreement is one value that was kept and one that was not.
type Disagreement struct{ Kept, Lost Example }

// ConflictCount returns the number of values that contradicted each other in merged rows.
func (m *Merges) ConflictCount() (n int) {
	for _, conflict := range m.Conflicts {
		n += conflict.Freelancers
	}
	return n
}

// addKey counts merged rows.
func (m *Merges) addKey(k rows.Key, n int) {
	if m.Keys == nil {
		m.Keys = make(map[rows.Key]int)
	}
	if m.Keys[k] += n; m.Keys[k] == 0 {
		delete(m.Keys, k)
	}
}

// addConflict counts a freelancer whose rows disagree.
func (m *Merges) addConflict(c rows.Conflict) {
	i := slices.IndexFunc(m.Conflicts, func(known Conflict) bool { return known.Field == c.Field })
	if i < 0 {
		i = len(m.Conflicts)
		m.Conflicts = append(m.Conflicts, Conflict{Field: c.Field})
	}
	known := &m.Conflicts[i]
	known.Freelancers++
	if len(known.Examples) < maxExamples {
		known.Examples = append(known.Examples, Disagreement{newExample(c.Kept), newExample(c.Lost)})
	}

	// The list stays sorted by the number of freelancers.
	for ; i > 0 && m.Conflicts[i-1].Freelancers < m.Conflicts[i].Freelancers; i-- {
		m.Conflicts[i-1], m.Conflicts[i] = m.Conflicts[i], m.Conflicts[i-1]
	}
}

func newExample(p rows.Place) Example { return Example{File: p.File, Line: p.Line, Value: p.Value} }

// addClash remembers the files of two different people with the same ID, if it is a short number.
func (m *Merges) addClash(id, file, other string) {
	const maxDigits, maxFiles = 7, 5

	// Sources that number their own people from 1 are the usual reason. Long or mixed IDs clash for other reasons.
	isShortNumber := len(id) <= maxDigits && isNumber(id)
	if file == other || !isShortNumber {
		return
	}
	for _, f := range []string{file, other} {
		if len(m.Clashes) < maxFiles && !slices.Contains(m.Clashes, f) {
			m.Clashes = append(m.Clashes, f)
			slices.Sort(m.Clashes)
		}
	}
}

func isNumber(s string) bool {
	for _, r := range s {
		if r < '0' || r > '9' {
			return false
		}
	}
	return s != ""
}

// settle reports what was decided when the rows of a person were merged.
func (r *reading) settle(k rows.Key, p *rows.Person) error {
	for _, c := range p.Conflicts() {
		separatesPeople := c.Field == "hourly_rate" || c.Field == "job_title"
		if separatesPeople && !k.IsStrong() {
			return errChanged // the first passes have shown that there is none
		}
		r.report.Merges.addConflict(c)
	}
	if p.SkillsCut {
		r.report.Warnings.add("", rows.Fault{Value: p.Freelancer.ID, Reason: reasonSkillsCut})
	}
	return nil
}

const reasonSkillsCut = "the rows of a freelancer have too many skills; the first ones in alphabetical order were kept"

// checkMerged returns a *MergeLimitError if too many rows are merged.
func (r *reading) checkMerged() error {
	merged := r.report.Merged + r.report.Duplicates
	if r.maxMerged != nil && r.maxMerged.exceeded(merged, r.report.Rows, true) {
		return &MergeLimitError{Merged: merged, Rows: r.report.Rows, Limit: *r.maxMerged}
	}
	return nil
}
