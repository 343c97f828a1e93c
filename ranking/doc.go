// Package ranking scores freelancers against a brief and explains each score.
//
// A score is a weighted mean of features, each in 0..1: skills, text, semantic, budget, timeline, experience and
// quality. A feature whose input is missing from the brief is left out, and the other weights are scaled up. Every
// number of the formula is in a [Profile], a file under profiles/; the meaning of a feature is code.
//
//	profile, err := ranking.Load("default")
//	scorer := profile.Scorer(request)
//	for _, r := range scorer.Rank(candidates) {
//		explained := scorer.Explain(&candidates[r.Index])
//	}
//
// The package is pure: the same input gives the same bytes. Finding candidates, resolving skill names and applying
// filters happen elsewhere.
package ranking
