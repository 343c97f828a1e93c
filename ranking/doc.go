// Package ranking scores freelancers against a brief and says why.
//
// A score is a weighted mean of features, each in 0..1: skills, text, semantic, budget, timeline, experience and
// quality. A feature whose input the brief lacks is left out and the weights of the others are scaled up. Every number
// of the formula lies in a [Profile], a file under profiles/; what a feature means is code.
//
//	profile, err := ranking.Load("default")
//	scorer := profile.Scorer(request)
//	for _, r := range scorer.Rank(candidates) {
//		explained := scorer.Explain(&candidates[r.Index])
//	}
//
// The package is pure: the same input gives the same bytes. It does not find candidates (an engine does), nor resolve
// names of skills, nor apply filters.
package ranking
