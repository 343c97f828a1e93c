// Package lock keeps several indexers from changing the same indexes at once.
//
// The lock is a document in a hidden index of its own, which the holder renews. Each write carries the sequence number
// of the document as last seen, and Elasticsearch rejects the write if somebody else has changed the document since.
package lock
