package changelog

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"time"
)

// windowBytes is how much of a log is read at once.
const windowBytes = 1 << 20

// Read calls do with each complete batch from a position on, until do returns an error. It returns the position after
// the last batch that do has accepted. If that is not the end of the file, another process is writing a batch, a write
// was interrupted, or the log is damaged; see Check. The entries are valid until do returns.
func (l *Log) Read(from Position, do func(batch []Entry) error) (Position, error) {
	return l.read(l.file, from, do)
}

func (l *Log) read(file io.ReaderAt, from Position, do func(batch []Entry) error) (Position, error) {
	if from.Offset < headerBytes {
		from = Position{Offset: headerBytes}
	}
	w := window{file: file, start: from.Offset}
	for {
		batch, next, err := l.nextBatch(&w, from)
		if err != nil || batch == nil {
			return from, err
		}
		if err := do(batch); err != nil {
			return from, err
		}
		from = next
		w.drop(from.Offset)
	}
}

// nextBatch reads the batch at a position. It returns nil if there is no complete one.
func (l *Log) nextBatch(w *window, at Position) (batch []Entry, next Position, err error) {
	next = at
	var headers []header
	for {
		head, err := w.get(next.Offset, entryBytes)
		if err != nil || head == nil {
			return nil, at, err
		}
		h, ok := l.decode(head, next.Offset)
		if !ok || h.flags&flagFirst != 0 != (len(headers) == 0) ||
			next.Offset+entryBytes+int64(h.length)-at.Offset > MaxBatch {
			return nil, at, nil
		}
		payload, err := w.get(next.Offset+entryBytes, int(h.length))
		if err != nil || payload == nil {
			return nil, at, err
		}
		if h.kind != Erased && payloadSum(next.sum, h.kind, payload) != h.sum {
			return nil, at, nil
		}
		headers = append(headers, h)
		next = Position{next.Offset + entryBytes + int64(h.length), h.sum}
		if h.flags&flagLast != 0 {
			break
		}
	}
	batch = make([]Entry, len(headers))
	offset := at.Offset
	for i, h := range headers {
		e := &batch[i]
		*e = Entry{Kind: h.kind, Offset: offset, Time: time.Unix(0, h.time)}
		if e.payload, err = w.get(offset+entryBytes, int(h.length)); err != nil {
			return nil, at, err
		}
		if !e.parse(func(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }) {
			return nil, at, l.damaged("the entry at byte %d is malformed", offset)
		}
		offset += entryBytes + int64(h.length)
	}
	return batch, next, nil
}

// A window is a part of a file in memory.
type window struct {
	file  io.ReaderAt
	start int64 // offset of buf in the file
	buf   []byte
	done  int // how much of buf isn't needed any more
}

// get returns n bytes at an offset, or nil if the file is too short. The offset is not before what was dropped. The
// bytes are valid until a call that asks for bytes after all earlier ones.
func (w *window) get(offset int64, n int) ([]byte, error) {
	for int(offset-w.start)+n > len(w.buf) {
		w.buf = w.buf[:copy(w.buf, w.buf[w.done:])]
		w.start += int64(w.done)
		w.done = 0
		size := len(w.buf)
		// At most doubling the window keeps the memory in proportion to the file, whatever a length in it says.
		w.buf = slices.Grow(w.buf, max(windowBytes, size))
		read, err := w.file.ReadAt(w.buf[size:cap(w.buf)], w.start+int64(size))
		w.buf = w.buf[:size+read]
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if err != nil && int(offset-w.start)+n > len(w.buf) {
			return nil, nil
		}
	}
	from := int(offset - w.start)
	return w.buf[from : from+n : from+n], nil
}

// drop forgets what is before an offset.
func (w *window) drop(before int64) { w.done = int(before - w.start) }

// Check examines what follows a position at which Read has ended. It returns nil if that may be a batch whose write was
// interrupted, and an error wrapping ErrDamaged if later batches follow. No other process may be writing.
func (l *Log) Check(at Position) error { return l.check(l.file, at) }

func (l *Log) check(file io.ReaderAt, at Position) error {
	first := max(at.Offset, headerBytes)
	w := window{file: file, start: first}
	for offset := first + 1; ; offset++ {
		head, err := w.get(offset, entryBytes)
		if err != nil || head == nil {
			return err
		}
		if h, ok := l.decode(head, offset); ok && h.flags&flagFirst != 0 {
			return l.damaged("the change at byte %d can't be read, but the one at byte %d can", first, offset)
		}
		w.drop(offset)
	}
}

// ReadRecord reads a record. It returns nil if the record was erased.
func (l *Log) ReadRecord(at Span) ([]byte, error) {
	b := make([]byte, at.Length)
	if _, err := l.file.ReadAt(b, at.Offset); err != nil {
		return nil, fmt.Errorf("%s at byte %d: %w", l.name, at.Offset, err)
	}
	if crc32.Checksum(b, castagnoli) == at.Sum {
		return b, nil
	}
	// The kind is changed before the record is overwritten.
	offset, head := at.Offset-putFields-entryBytes, make([]byte, entryBytes)
	if _, err := l.file.ReadAt(head, offset); err != nil {
		return nil, fmt.Errorf("%s at byte %d: %w", l.name, offset, err)
	}
	if h, ok := l.decode(head, offset); ok && h.kind == Erased {
		return nil, nil
	}
	return nil, l.damaged("checksum mismatch at byte %d", at.Offset)
}
