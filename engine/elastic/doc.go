// Package elastic is the engine on Elasticsearch 8, for more freelancers or more traffic than one machine can serve.
//
// # Searching
//
// The contract's retrieval score is not a sum of independent clauses: the shares of text and closeness are curves, and
// Fit and Quality are Go functions. An Elasticsearch query can only add up clauses, and a script that computed the
// score would take several times as long. So Elasticsearch finds a window of candidates by a sum that follows the score
// closely (words and skills with their weights, and the nearest vectors), and this package scores the candidates
// exactly. The answer contains all it needs: the sum, from which the text score can be recovered, and one binary field
// with evidence, signals and vectors.
//
// # Indexes
//
// Each index carries a description in its mapping (_meta.matching): what it was made from, and whether it is complete.
// An index without one belongs to somebody else and is never touched. The alias and its predecessor, which has the
// suffix ".previous", move in one request. An index is written through a hidden alias with the suffix ".write", so that
// a write to a dropped index fails; Elasticsearch would otherwise create the index again.
//
// Vectors of profiles by the sentence encoder are in an index of their own (package encoded). They are found by ID, and
// outlast the index of the freelancers.
//
// # Writing
//
// A Bulk or an Update gives each change a version that follows the order of the calls. Requests can therefore be
// repeated and reordered at will: of several changes to one id, the last one wins. Apply makes each write depend on the
// sequence number of the document that it has read, and recognizes its own writes by a token (docs/adr/0028). Replaced
// and deleted documents still count in document frequencies and in the mean length until Elasticsearch merges them
// away, which takes at least half a minute.
package elastic
