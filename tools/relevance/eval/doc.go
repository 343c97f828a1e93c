// Package eval measures rankings against judgments: how good the top results are (nDCG, precision, MRR), how many of
// the good freelancers were found (recall), and whether the difference between two rankings is more than chance (paired
// bootstrap). It also measures retrieval separately from ranking, and fits feature weights ([Grid]) and the curve from
// a score to the share of good matches ([FitCurve]).
//
// A judged set is a data set of freelancers, a file of briefs (one JSON object {brief_id, category, body} per line) and
// a file of judgments (tab-separated brief_id, freelancer_id and grade). testdata/judged holds a small one. The package
// neither searches nor ranks: pass a search function to [Play].
package eval
