// Package changelog stores the changes to an index in an append-only file, the write-ahead log of the embedded engine.
//
// A log starts with a header of 40 bytes. All integers are little-endian.
//
//	offset  size
//	0       8     magic, "flchlog\n"
//	8       4     version of the format, 1
//	12      4     0
//	16      8     generation of the index that the log belongs to
//	24      8     salt, a random number
//	32      4     CRC-32C of everything before
//	36      4     0
//
// Entries follow, in the order of the changes. An entry is a header of 24 bytes and a payload.
//
//	0       4     length of the payload in bytes
//	4       4     CRC-32C, continued from the entry before, of what the entry does (a byte, 1 for a put and 2 for a
//	              deletion) and the payload
//	8       8     when the change was made, in nanoseconds since 1970
//	16      4     CRC-32C of the salt, the offset of the entry in the file, flags, and the 16 bytes before
//	20      1     kind
//	21      1     flags: 1 for the first entry of a batch, 2 for the last, 4 for a put of a document that didn't exist
//	22      2     0
//
// The entries of a batch become visible together: a batch whose last entry is missing doesn't exist. Because every
// checksum continues the one before, a reader notices if a batch that it has read was replaced.
//
// The kinds are Put, Erased (a Put whose payload is being, or was, overwritten with spaces), Delete, and Deleted (a
// Delete after the document's data was erased from the files). Only the kind of an entry and the payload of an erased
// one change after an entry is written. An erased entry keeps its checksum, from which the next one continues.
//
//	Put       4  length of the record        Delete    8  offset of the document's record in the records of the base
//	          4  length of the ID                       4  length of that record; 0 if the base has none
//	             record, one line of JSON               4  CRC-32C of that record
//	             ID                                        ID
//	             document, see AppendDocument
package changelog
