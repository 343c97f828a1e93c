// Package embedded is a search engine that runs inside the process. It needs no installation and no network, only a
// directory.
//
// An index is a directory with a base, which never changes but for erased records, and a log of the changes since.
// Freelancers are written to records.ndjson as they are added, and the search structures to index.bin at the end.
// manifest.json is created last, by renaming, and makes the index complete. A load that is killed at any moment
// therefore leaves a directory without a manifest and nothing else.
//
//	<dir>/indexer.lock                 locked by the running indexer; contains its owner text
//	<dir>/alias.lock                   locked while an alias is moved or an index is dropped
//	<dir>/changes.lock                 locked while somebody writes to a log or a manifest, or moves an alias
//	<dir>/<alias>.alias                names the index that the alias points to; replaced by renaming
//	<dir>/<index>/spec.json            how the index is built; written first
//	<dir>/<index>/records.ndjson       one freelancer per line, read from disk on request
//	<dir>/<index>/blocks.tmp           postings with plain frequencies; exists only while loading
//	<dir>/<index>/columns.tmp          signals and places of records; exists only while loading
//	<dir>/<index>/index.bin            everything that Search needs, mapped into memory
//	<dir>/<index>/pending              exists from completion until an alias first points to the index
//	<dir>/<index>/changes-0.log        the changes since, see package changelog
//	<dir>/<index>/manifest.json        written last
//	<dir>/<index>/provenance.json      where the freelancers came from; written afterwards, absent from older indexes
//	<dir>/<index>/merge.lock           locked while changes are merged into a new base
//	<dir>/<index>/tracked.lock         locked, shared, while a load observes the changes
//
// A merge writes the base and the log of the next generation, records-1.ndjson, index-1.bin and changes-1.log, and then
// replaces manifest.json, which names the generation. The files of another generation belong to a merge that is running
// or was interrupted, or are about to be removed.
//
// A change is durable when its entry is in the log and the log is synced. The record of a deleted freelancer is then
// overwritten with spaces in the base, and so are their other entries in the log. The manifest's checksum of the
// records covers their checksums instead of their bytes, so that the other records can still be verified.
//
// Every byte is covered by a checksum: each section of index.bin has one, the record table in index.bin has one for
// each record, and the JSON files end with their own. A damaged record concerns one freelancer. Any other damage makes
// the index unusable as a whole, and Scan then reads the records alone.
//
// In memory, an index is a view: its base, which is mapped from index.bin, and the changes since, as small segments and
// tombstones on the heap. A view never changes; each change makes another one. See docs/adr/0027-living-index.md.
//
// Opening a large index reads little of index.bin: the table of its sections, and what is small. Its checksums are
// verified in the background, from the file and not from the mapping. Everything that uses a mapped file runs under
// sectionfile.File.Guard, which turns a panic because of damage into an error. Small files are read, and so are those
// that can't be mapped. See docs/adr/0035-mapped-index.md.
//
// The documents of a segment are numbered by topic, in blocks of 65,536, within which two bytes hold the number of a
// document. A block consists of tiles of 256 documents. A search bounds the scores of each tile, and then looks only at
// tiles and documents that may be among the best. It estimates cosines from sketches of two bits per coordinate and
// computes them only for documents that are left. See docs/adr/0034-tiles.md.
package embedded
