package ranking

import "slices"

// feature is one signal of a score. The features are ordered as an explanation lists them.
type feature int

const (
	skills feature = iota
	text
	semantic
	budget
	timeline
	experience
	quality

	features // how many there are
)

// String is the feature's name in profiles, requests and explanations.
func (f feature) String() string { return featureNames()[f] }

func featureNames() [features]string {
	return [features]string{
		skills:     "skills",
		text:       "text",
		semantic:   "semantic",
		budget:     "budget",
		timeline:   "timeline",
		experience: "experience",
		quality:    "quality",
	}
}

// featureNamed finds a feature by its name.
func featureNamed(name string) (feature, bool) {
	names := featureNames()
	i := slices.Index(names[:], name)
	return feature(i), i >= 0
}

// nearestFeature is the name that the fewest edits lead to from a name that is none.
func nearestFeature(name string) string {
	names := featureNames()
	return slices.MinFunc(names[:], func(a, b string) int { return editDistance(name, a) - editDistance(name, b) })
}

// editDistance is the number of bytes to insert, delete or replace to get from a to b (Levenshtein 1966).
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0]++
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
