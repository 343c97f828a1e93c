package ranking

import "slices"

// feature is one signal of a score. Explanations list features in the order of these constants.
type feature int

const (
	skills feature = iota
	text
	semantic
	budget
	timeline
	experience
	quality

	features // number of features
)

// String returns the feature's name in profiles, requests and explanations.
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

// Features returns the names of all features, in the order of explanations.
func Features() []string {
	names := featureNames()
	return names[:]
}

// featureNamed returns the feature with a name, and whether there is one.
func featureNamed(name string) (feature, bool) {
	names := featureNames()
	i := slices.Index(names[:], name)
	return feature(i), i >= 0
}
