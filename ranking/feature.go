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
