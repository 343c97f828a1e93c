// Package eval measures rankings against judgments: how good the first places are (nDCG, P, MRR), how much of what is
// good was found at all (recall), and whether a difference between two ways of ranking is more than chance (paired
// bootstrap). It also measures retrieval apart from ranking, and fits what judgments can tell: the weights of features
// ([Grid]), and the curve from a score to the share of good matches ([FitCurve]).
//
// A judged set is a data set of freelancers, a file of briefs (one JSON object {brief_id, category, body} a line) and a
// file of judgments (brief_id, freelancer_id and grade, between tabs). testdata/judged holds a small one. The package
// neither searches nor ranks: [Play] takes a function that does.
package eval
