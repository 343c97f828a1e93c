// Package elastic is the engine on Elasticsearch 8: for more freelancers, or more traffic, than one machine serves.
//
// # One search
//
// The contract's score bends (text, closeness) and calls Go functions (Fit, Quality); a sum of clauses can neither, and a
// script that could costs four times as much. So Elasticsearch finds a window of candidates by a sum that follows the
// score closely, words and skills with their weights and the nearest vectors, and this package scores the candidates
// exactly. All that it needs is in the answer: the sum itself, from which the text score is read off, and one binary field
// with evidence, signals and vectors.
//
// # Indexes
//
// Every index carries in its mapping (_meta.matching) what it was made from and how far it came. Indexes without are
// somebody else's, and never touched. The alias and, for the way back, the alias with the ending ".previous" move in one
// request. An index is written through a hidden alias of its own, with the ending ".write", so that one that was dropped
// does not come back by the next write.
//
// # Writing
//
// Every change has a version, by the order of the calls. So a request can be sent again as often as it fails, in any order
// with others, and of several documents with one id the last one stays. Documents that were replaced or deleted count on
// in the rarity of words and the mean length until Elasticsearch merges them away, half a minute later at the earliest.
package elastic
