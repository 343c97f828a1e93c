// Package embedded is the search engine inside the process: nothing to install, no network, one directory.
//
// An index is a directory of immutable files. Freelancers stream to records.ndjson as they are added; the search
// structures are written to index.bin at the end; manifest.json comes last, by rename, and its presence is what makes
// an index complete. So a load that is killed at any moment leaves a directory without a manifest and nothing else.
//
//	<dir>/indexer.lock                 held by the one indexer at work, with its words in it
//	<dir>/<alias>.alias                which index the alias points to, replaced by rename
//	<dir>/<index>/spec.json            what the index is made from, written first
//	<dir>/<index>/records.ndjson       one freelancer a line, read from disk when asked for
//	<dir>/<index>/blocks.tmp           postings with plain frequencies, only while loading
//	<dir>/<index>/index.bin            all that Search needs, read into memory as a whole
//	<dir>/<index>/manifest.json        written last
//
// Documents are numbered in the order they were added and searched in blocks of 65,536, so that two dense accumulators
// of a block stay in the processor's second-level cache, and a document number within a block takes two bytes.
//
// Cosines are estimated from sketches of two bits a coordinate, and computed only for documents that may be among the
// best by that: what a hit says is exact, and a few of the last hits may be missing.
package embedded
