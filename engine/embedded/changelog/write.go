package changelog

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
)

// Append writes a batch at the end of the log and makes it durable. It returns the position after it, and the entries,
// which share memory with the batch. If it fails, it removes what it has written: no reader has seen the batch, unless
// only making it durable has failed. A position that Read has returned must be the end of the file.
func (l *Log) Append(at Position, b *Batch) (entries []Entry, end Position, err error) {
	switch {
	case len(b.entries) == 0:
		return nil, at, nil
	case len(b.buf) > MaxBatch:
		return nil, at, fmt.Errorf("%s: the batch has %d bytes, at most %d are possible", l.name, len(b.buf), MaxBatch)
	}

	at.Offset = max(at.Offset, headerBytes)
	entries = make([]Entry, len(b.entries))
	end = at
	for i, e := range b.entries {
		payload := b.buf[e.start+entryBytes : b.end(i)]
		if len(payload) > MaxEntry {
			return nil, at, fmt.Errorf("%s: an entry has %d bytes, at most %d are possible", l.name, len(payload), MaxEntry)
		}

		h := header{
			length: uint32(len(payload)), sum: payloadSum(end.Sum, e.kind, payload), time: e.time.UnixNano(), kind: e.kind,
		}

		if e.adds {
			h.flags |= flagAdds
		}

		if i == 0 {
			h.flags |= flagFirst
		}

		if i == len(b.entries)-1 {
			h.flags |= flagLast
		}
		l.encode(b.buf[e.start:], &h, end.Offset)

		// What is appended is parsed like what is read, so that nobody writes what nobody could read.
		entries[i] = Entry{Kind: e.kind, Offset: end.Offset, Time: e.time, Adds: e.adds, payload: payload}
		if !entries[i].parse(func(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }) {
			return nil, at, fmt.Errorf("%s: change %d of the batch is malformed", l.name, i+1)
		}

		end = Position{end.Offset + int64(b.end(i)-e.start), h.sum}
	}

	// A part of a batch is never seen: readers wait for its last entry. Removing it spares the next writer that.
	if _, err := l.file.WriteAt(b.buf, at.Offset); err != nil {
		return nil, at, errors.Join(err, l.Truncate(at))
	}
	if err := l.file.Sync(); err != nil {
		return nil, at, errors.Join(err, l.Truncate(at))
	}

	return entries, end, nil
}

// Truncate removes everything after a position.
func (l *Log) Truncate(at Position) error { return l.file.Truncate(max(at.Offset, headerBytes)) }

// Erase overwrites the payloads of puts with spaces, durably. It may be repeated. offsets are where the entries begin.
func (l *Log) Erase(offsets []int64) error {
	if len(offsets) == 0 {
		return nil
	}
	lengths := make([]uint32, len(offsets))
	for i, offset := range offsets {
		head := make([]byte, entryBytes)
		if _, err := l.file.ReadAt(head, offset); err != nil {
			return fmt.Errorf("%s at byte %d: %w", l.name, offset, err)
		}
		h, ok := l.decode(head, offset)
		if !ok || h.kind.does() != Put.does() {
			return l.damaged("the entry at byte %d is no put", offset)
		}

		lengths[i] = h.length
	}

	// A payload of spaces is damage unless the kind says that it was erased, so the kind must be durable first.
	if err := l.setKind(offsets, Erased); err != nil {
		return err
	}
	if err := l.file.Sync(); err != nil {
		return err
	}

	for i, offset := range offsets {
		if _, err := l.file.WriteAt(bytes.Repeat([]byte{' '}, int(lengths[i])), offset+entryBytes); err != nil {
			return err
		}
	}

	return l.file.Sync()
}

// Pending reports whether the entry at an offset is a Delete.
func (l *Log) Pending(offset int64) (bool, error) {
	kind := make([]byte, 1)
	_, err := l.file.ReadAt(kind, offset+20)
	return Kind(kind[0]) == Delete, err
}

// Finish marks deletions as Deleted. That is not durable: it saves time, as erasing may be repeated.
func (l *Log) Finish(offsets []int64) error { return l.setKind(offsets, Deleted) }

func (l *Log) setKind(offsets []int64, kind Kind) error {
	for _, offset := range offsets {
		if _, err := l.file.WriteAt([]byte{byte(kind)}, offset+20); err != nil {
			return err
		}
	}
	return nil
}
