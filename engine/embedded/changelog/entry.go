package changelog

import (
	"encoding/binary"
	"time"
)

// A Kind is what an entry is. Any two kinds differ in four bits.
type Kind uint8

// The kinds of entries.
const (
	Put     Kind = 0x33
	Delete  Kind = 0x55 // the document's data may still be in the files
	Deleted Kind = 0x5a // the document's data was erased from the files
	Erased  Kind = 0x96 // was a Put
)

// does returns what the checksum of an entry covers about its kind, or 0 for an invalid kind.
func (k Kind) does() byte {
	switch k {
	case Put, Erased:
		return 1
	case Delete, Deleted:
		return 2
	default:
		return 0
	}
}

// An Entry is one change.
type Entry struct {
	Kind   Kind
	Offset int64 // of the entry in the file
	Time   time.Time
	ID     string // "" if the entry is erased
	Adds   bool   // whether the document of a put, possibly an erased one, didn't exist before
	// Record is where the record of a Put is in the log, and where the base has a record of a deleted document. The zero
	// Span means that there is none.
	Record   Span
	Document []byte // of a Put, for DecodeDocument
	payload  []byte
}

// A Span is a part of a file with its CRC-32C.
type Span struct {
	Offset int64
	Length uint32
	Sum    uint32
}

// putFields and deleteFields are the sizes of the fixed parts of payloads.
const (
	putFields    = 8
	deleteFields = 16
)

// parse decodes the payload. It reports whether that is possible; the checksum was correct.
func (e *Entry) parse(sum func([]byte) uint32) bool {
	p := e.payload
	switch e.Kind {
	case Put:
		if len(p) < putFields {
			return false
		}
		record := binary.LittleEndian.Uint32(p)
		id := binary.LittleEndian.Uint32(p[4:])
		rest := p[putFields:]
		if uint64(record)+uint64(id) > uint64(len(rest)) || id == 0 {
			return false
		}

		e.Record = Span{e.Offset + entryBytes + putFields, record, sum(rest[:record])}
		e.ID = string(rest[record : record+id])
		e.Document = rest[record+id:]

	case Delete, Deleted:
		if len(p) <= deleteFields {
			return false
		}
		e.Record = Span{
			int64(binary.LittleEndian.Uint64(p)), binary.LittleEndian.Uint32(p[8:]), binary.LittleEndian.Uint32(p[12:]),
		}
		e.ID = string(p[deleteFields:])

	default: // nothing is left of it
	}

	return true
}

// A Batch collects changes for Append.
type Batch struct {
	buf     []byte
	entries []batchEntry
}

type batchEntry struct {
	start int // of the header in buf
	kind  Kind
	adds  bool
	time  time.Time
}

// Put adds a change that stores a document: its record, one line of JSON, and what AppendDocument returned. adds says
// whether the document doesn't exist yet.
func (b *Batch) Put(at time.Time, id string, adds bool, record, document []byte) {
	b.begin(Put, at, adds)
	b.buf = binary.LittleEndian.AppendUint32(b.buf, uint32(len(record)))
	b.buf = binary.LittleEndian.AppendUint32(b.buf, uint32(len(id)))
	b.buf = append(b.buf, record...)
	b.buf = append(b.buf, id...)
	b.buf = append(b.buf, document...)
}

// PutSize returns the number of bytes that Put adds to a batch.
func PutSize(id string, record, document []byte) int {
	return entryBytes + putFields + len(record) + len(id) + len(document)
}

// Delete adds the deletion of a document. base is where the base has its record, or the zero Span.
func (b *Batch) Delete(at time.Time, id string, base Span) {
	b.begin(Delete, at, false)
	b.buf = binary.LittleEndian.AppendUint64(b.buf, uint64(base.Offset))
	b.buf = binary.LittleEndian.AppendUint32(b.buf, base.Length)
	b.buf = binary.LittleEndian.AppendUint32(b.buf, base.Sum)
	b.buf = append(b.buf, id...)
}

// CopyPut adds a put that was read from another log.
func (b *Batch) CopyPut(e *Entry, adds bool) {
	b.begin(Put, e.Time, adds)
	b.buf = append(b.buf, e.payload...)
}

func (b *Batch) begin(kind Kind, at time.Time, adds bool) {
	b.entries = append(b.entries, batchEntry{len(b.buf), kind, adds, at})
	b.buf = append(b.buf, make([]byte, entryBytes)...)
}

// Len returns the number of changes.
func (b *Batch) Len() int { return len(b.entries) }

// Size returns the number of bytes that the batch takes in the log.
func (b *Batch) Size() int { return len(b.buf) }

// Reset removes all changes and keeps the memory.
func (b *Batch) Reset() { b.buf, b.entries = b.buf[:0], b.entries[:0] }

// end returns where entry i ends.
func (b *Batch) end(i int) int {
	if i+1 < len(b.entries) {
		return b.entries[i+1].start
	}
	return len(b.buf)
}
