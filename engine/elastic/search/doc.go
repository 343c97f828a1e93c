// Package search opens indexes and searches them: it finds candidates by a sum of clauses that follows the retrieval
// score, and scores them exactly.
//
// A Follower opens the index that an alias points to. Search builds the query in query.go and scores the hits in
// score.go; statistics.go caches the document frequencies that both need.
package search
